"""Submissions read and brought to `scoring`, list by list."""
