"""Words of challenge.yaml that have a meaning of their own."""

from __future__ import annotations

EVERYTHING = "all"  # the split that holds every list
SHOWN_WORDS = ("own", "none", EVERYTHING)
REST = "rest"
