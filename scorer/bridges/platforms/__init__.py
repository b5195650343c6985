"""The platforms, one a file: how a bundle is laid out, and how it is run there."""
