"""The web page and the API of living boards."""
