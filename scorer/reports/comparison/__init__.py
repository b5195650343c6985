"""Formats of a comparison, one file each; a file here, or an entry point, is all it takes."""
