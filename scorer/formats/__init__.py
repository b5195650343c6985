"""File formats, one a file: how a table is written. Found by name or by suffix.

A format is a reader of lines, or a function from a file to tables, marked by
`scorer.formats.base.format`.
"""
