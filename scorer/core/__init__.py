"""What every room stands on: errors, problems, text, the registry."""
