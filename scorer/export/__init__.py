"""A challenge as a bundle for another platform."""
