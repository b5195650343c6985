"""JSON from outside, to a depth of ours: Python's own differs with its version and its caller."""

from __future__ import annotations

import json
import re
from typing import Any

from scorer.core.text import pattern

MOST_NESTED = 100  # arrays and objects in each other
NESTED_TEXT = r'"(?:[^"\\]|\\.)*+"?'  # the end of the document may come first


def too_deep(document: str) -> bool:
    """Whether the values of a JSON document are nested more than DEPTH deep.

    >>> too_deep("[" * 100), too_deep("[" * 101), too_deep("[" + "{}," * 101)
    (False, True, False)
    >>> too_deep('["' + "[" * 101 + '"]')
    False
    """
    if document.count("[") + document.count("{") <= MOST_NESTED:
        return False
    depth = 0
    for mark in re.findall(r"[\[{}\]]", pattern(f"(?s:{NESTED_TEXT})").sub("", document)):
        depth += 1 if mark in "[{" else -1
        if depth > MOST_NESTED:
            return True
    return False


def parsed(document: str | bytes) -> Any:
    """The value of a JSON document; `ValueError` if it is none, or nested too deeply."""
    if isinstance(document, bytes):
        document = document.decode(json.detect_encoding(document))
    if too_deep(document):
        raise ValueError("the values are nested too deeply")
    return json.loads(document)
