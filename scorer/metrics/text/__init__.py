"""Metrics of answers that are texts."""
