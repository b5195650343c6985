"""Findings as text, one format a file."""
