"""Results of evaluation tools, as challenges of values. One module a tool reads its files."""
