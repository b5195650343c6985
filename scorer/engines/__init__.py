"""Engines, one a file: how rows reach `scoring`, and where."""
