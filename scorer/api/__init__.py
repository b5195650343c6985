"""What one can do, one verb a file: the public Python surface."""
