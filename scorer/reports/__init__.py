"""Reports, one format a file: what a run found out, as text."""
