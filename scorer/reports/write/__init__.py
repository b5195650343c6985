"""Syntaxes, one a file: each writes the documents of every subject."""
