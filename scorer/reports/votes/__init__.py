"""The board of votes on pairs of systems."""
