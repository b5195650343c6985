"""Preferences between submissions, aggregations, pairs."""
