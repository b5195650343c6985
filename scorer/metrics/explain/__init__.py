"""The toolkit with which metrics explain a value."""
