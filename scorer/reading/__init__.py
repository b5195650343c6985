"""Files become tables: opened safely, read within limits, each as one polars frame."""
