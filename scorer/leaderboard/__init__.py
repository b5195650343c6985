"""Scorecards to standings and report."""
