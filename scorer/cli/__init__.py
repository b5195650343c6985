"""The edge: process, options, progress, one verb a file."""
