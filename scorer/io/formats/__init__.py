"""File formats, one a file: how a table is written. Found by name or by suffix.

A format is a function from lines of text to rows of cells, marked by
`scorer.io.formats.base.format`.
"""
