"""The verbs of the command line, one a file: a function of the verb's own name."""
