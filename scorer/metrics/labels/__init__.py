"""Metrics of challenges of the kind `labels`: classes or numbers, predicted for rows."""
