"""The challenges that `score init` writes, a folder for each kind."""
