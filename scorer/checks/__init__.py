"""Checks of the rows of a file, which yield problems; the .yaml files document their codes."""
