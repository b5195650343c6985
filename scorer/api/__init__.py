"""The public Python functions, one verb a file."""
