"""The findings of lint as text, one format a file."""
