"""The results of all verbs, as data."""
