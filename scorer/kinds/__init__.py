"""The kinds of challenge, one a file: what its metrics look at."""
