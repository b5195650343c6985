"""The version of scorer."""

__version__ = "0.1.0"
