"""What `score init` makes, a folder for each kind."""
