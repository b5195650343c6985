"""Metrics of masks, boxes and points in images."""
