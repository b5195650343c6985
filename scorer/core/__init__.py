"""The base of all packages: errors, problems, text, the registry."""
