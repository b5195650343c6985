"""Challenges on other platforms: bundles of files that run `score` there, and their rehearsal."""
