"""A board as text, one format a file."""
