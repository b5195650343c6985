"""Words of challenge.yaml, and of answers to its questions, that have a meaning of their own."""

from __future__ import annotations

EVERYTHING = "all"  # the split that holds every list
SHOWN_WORDS = ("own", "none", EVERYTHING)
REST = "rest"
FLAGS = {"yes": True, "true": True, "no": False, "false": False}  # answers to a flag
