"""A challenge guessed from a truth and a sample: what their columns are, as data for `load`."""
