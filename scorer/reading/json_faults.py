"""What is wrong with a JSON document, and where.

Python's own parser reads documents. Its words for faults differ with its version, and it
accepts NaN, a key given twice, and more than DEEPEST levels, which are refused here. So a document
with a fault is read again by the parser here, which is slower and keeps no value.
"""

from __future__ import annotations

import json
import re
from itertools import chain
from typing import Any

from scorer.core.text import quoted

DEEPEST = 100  # arrays and objects inside each other
BLANK = r"[ \t\r\n]*+"
BLANK_PATTERN = re.compile(BLANK)
NO_TEXT = r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?|true|false|null"
SCALAR_PATTERN = re.compile(rf'"(?:[^"\\\x00-\x1f]++|\\.)*+"|{NO_TEXT}')
# Elements of an array, without escapes, each with the comma behind it.
PLAIN_ELEMENTS = re.compile(rf'(?:(?:"[^"\\\x00-\x1f]*+"|{NO_TEXT}){BLANK},{BLANK})*+')
# A text; the closing quote is optional, as the document may end inside a text.
QUOTED_TEXT = r'(?s:"(?:[^"\\]|\\.)*+"?)'
HALF_CHARACTER = re.compile("[\ud800-\udfff]")  # a surrogate without its other half


class JsonShapeError(Exception):
    """A document is not JSON or has a wrong shape; `at` is the offset, `message` says how."""

    def __init__(self, at: int, message: str) -> None:
        self.at, self.message = at, message
        super().__init__(message)


def skip_blanks(text: str, at: int) -> int:
    """Return the first offset from `at` on that holds no blank of JSON."""
    return _skip(BLANK_PATTERN, text, at)


def _skip(pattern: re.Pattern[str], text: str, at: int) -> int:
    match = pattern.match(text, at)
    assert match is not None  # both patterns match anything
    return match.end()


def check_document(text: str) -> None:
    """Raise JsonShapeError at the first fault of a document, if it has one."""
    end = _check_value(text, skip_blanks(text, 0), 1)
    if end < len(text):
        raise JsonShapeError(end, "not JSON: something follows the document")


# Each of the following functions checks what begins at an offset, and returns where what follows
# begins, behind blanks.


def _check_value(text: str, at: int, depth: int) -> int:
    """Check a value; `depth` counts the arrays and objects around it, and itself."""
    mark = text[at : at + 1]
    if mark not in ("[", "{"):
        return _check_scalar(text, at)
    if depth > DEEPEST:
        raise JsonShapeError(at, "the values are nested too deeply")
    end = "]" if mark == "[" else "}"
    names = set[str]()
    at = skip_blanks(text, at + 1)
    mark = text[at : at + 1]
    if mark == end:
        at += 1
    while mark != end:  # after the first entry, `mark` is what follows the entry before
        at = _check_name(text, at, names) if end == "}" else _skip(PLAIN_ELEMENTS, text, at)
        at = _check_value(text, at, depth + 1)
        mark = text[at : at + 1]
        if mark not in (",", end):
            what = f"expected a comma or {end}" if mark else "it ends early"
            raise JsonShapeError(at, f"not JSON: {what}")
        at = skip_blanks(text, at + 1)
    return skip_blanks(text, at)


def _check_name(text: str, at: int, names: set[str]) -> int:
    """Check a name, which is added to the object's names, and the colon."""
    if text[at : at + 1] != '"':
        raise JsonShapeError(at, "not JSON: expected a key in quotes")
    quoted_name = _match_scalar(text, at)
    end = skip_blanks(text, at + len(quoted_name))
    if text[end : end + 1] != ":":
        raise JsonShapeError(end, "not JSON: expected a colon after the key")
    name = _unescape(quoted_name, at)
    if name in names:
        raise JsonShapeError(at, f"the key {quoted(name)} is given twice")
    names.add(name)
    return skip_blanks(text, end + 1)


def _check_scalar(text: str, at: int) -> int:
    """Check a text, a number or a word."""
    scalar = _match_scalar(text, at)
    if scalar[0] == '"':
        _unescape(scalar, at)
    return skip_blanks(text, at + len(scalar))


def _match_scalar(text: str, at: int) -> str:
    """Return the text, number or word that begins at an offset, as it is written."""
    match = SCALAR_PATTERN.match(text, at)
    if match is not None:
        return match[0]
    mark = text[at : at + 1]
    if mark == '"':  # the text is never closed, or holds a line end or another control character
        _decode(text[at:], at)
    what = f"{quoted(mark)} is no value" if mark else "it ends early"
    raise JsonShapeError(at, f"not JSON: {what}")


def _unescape(scalar: str, at: int) -> str:
    """Return a text in quotes without these and its escapes."""
    string = _decode(scalar, at) if "\\" in scalar else scalar[1:-1]
    if "\0" in string or HALF_CHARACTER.search(string):
        raise JsonShapeError(at, "a text holds a NUL, or half a character")
    return string


def _decode(scalar: str, at: int) -> str:
    try:
        string: str = json.JSONDecoder().raw_decode(scalar)[0]
    except json.JSONDecodeError as error:
        raise JsonShapeError(at + error.pos, f"not JSON: {error.msg.lower()}") from None
    return string


def parse_json(document: str | bytes) -> Any:
    """Return the value of a JSON document.

    Raises:
        ValueError: It is not JSON, or nested more than DEEPEST deep. The depth that Python itself
            allows differs with its version and with the caller.
    """
    if isinstance(document, bytes):
        document = document.decode(json.detect_encoding(document))
    try:
        value = json.loads(document)
        if not is_too_deep(value):
            return value
    except RecursionError:
        pass
    raise ValueError("the values are nested too deeply")


def is_too_deep(value: Any) -> bool:
    """Return whether arrays and objects of JSON are nested more than `DEEPEST` deep.

    >>> [is_too_deep(json.loads("[" * depth + "]" * depth)) for depth in (100, 101)]
    [False, True]
    """
    depth, level = 0, [value] if isinstance(value, dict | list) else []
    while level and depth < DEEPEST:
        depth += 1
        children = chain.from_iterable(v.values() if isinstance(v, dict) else v for v in level)
        level = [child for child in children if isinstance(child, dict | list)]
    return bool(level)
