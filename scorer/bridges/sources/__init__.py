"""Platforms whose bundles are read, one a file: from the bundle's files to what they say."""
