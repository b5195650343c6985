"""An explanation as text, one format a file."""
