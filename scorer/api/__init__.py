"""What one can do, one verb a file."""
