"""Metrics: a module a family, a function a metric; `scorer.metrics.api` is what they share."""
