"""Bytes, lines, tables and file formats."""
