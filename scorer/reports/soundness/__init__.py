"""What lint found, as text, one format a file."""
