"""Checks of a submission, one a file."""
