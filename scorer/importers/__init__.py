"""The files of evaluation tools, one module a tool: what each says of its cases."""
