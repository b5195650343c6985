"""Checks, one a file: from a submission's columns and the public part to problems."""
