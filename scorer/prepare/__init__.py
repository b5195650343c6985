"""A challenge made ready."""
