"""Tables of columns as arrays, and ways to keep them small: runs, codes, spilled columns."""
