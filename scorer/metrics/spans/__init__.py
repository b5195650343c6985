"""Metrics of answers that are parts of a text, or of time."""
