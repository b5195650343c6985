"""The one codec of results: records of fields to plain data, to JSON and to a JSON Schema.

Every result as data is a record, a dataclass whose first field is its schema: `report/2`. A door,
be it a command, the API or a template, turns it into plain data by `to_fields` alone.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass
from functools import cache
from importlib import import_module
from math import isfinite, isnan
from re import Match
from typing import Any

import numpy as np

from scorer import __version__
from scorer.challenge.model import Challenge
from scorer.core.arrays import Floats, starts
from scorer.core.problems import Problem
from scorer.core.text import unseen

BEYOND = re.compile(r"[^\n -~]")
DELETE = "\x7f"
RECORDS = {  # schema's name -> the module with its record
    "report": "scorer.reports.leaderboard.fields",
    "findings": "scorer.reports.findings.fields",
    "comparison": "scorer.reports.comparison.fields",
    "explanation": "scorer.reports.explanation.fields",
    "soundness": "scorer.reports.soundness.fields",
    "study": "scorer.reports.study.fields",
    "votes": "scorer.reports.votes.fields",
    "catalogue": "scorer.reports.catalogue",
    "audit": "scorer.board.fields.audit",
    "log": "scorer.board.fields.log",
    "rescoring": "scorer.board.fields.rescoring",
    "entry": "scorer.board.fields.entry",
    "decision": "scorer.board.fields.decision",
    "team": "scorer.board.fields.team",
    "standing": "scorer.board.fields.standing",
    "verification": "scorer.board.fields.verification",
}


NESTED = (dict, list, tuple, np.ndarray)
TOGETHER = 1 << 18  # numbers of a matrix of which each different one is written once
PLAIN = frozenset([str, int, bool, type(None)])
ABSENT: Any = type("Absent", (), {"__repr__": lambda self: "ABSENT"})()


def optional() -> Any:
    """A field of a record that may be `ABSENT`: its key is left out then."""
    return field(default_factory=lambda: ABSENT)


def to_fields(value: Any, matrices: bool = False) -> Any:
    """A record as plain data: a number that is none as None, an array as a list.

    With `matrices` arrays of rows stay as they are, for `dumped`: as lists they take much memory.

    >>> to_fields({"a": (1.0, float("nan"))})
    {'a': [1.0, None]}
    """
    kind = type(value)
    if kind in PLAIN:
        return value
    if kind is float:
        return _finite_or_none(value)
    if kind is not dict and (keys := _record_keys(kind)):  # type: ignore[arg-type]
        parts = [(key, getattr(value, name)) for name, key in keys]
        return {
            key: part if type(part) in PLAIN else to_fields(part, matrices)
            for key, part in parts
            if part is not ABSENT
        }
    if kind is dict or isinstance(value, Mapping):
        return dict(zip(value, _plain_sequence(list(value.values()), matrices), strict=True))
    if isinstance(value, float):
        return _finite_or_none(value)
    if hasattr(value, "tolist"):
        stays = matrices and value.ndim == 2 and value.size and value.dtype.kind in "fiu"
        return value if stays else _as_lists(value)
    if isinstance(value, Sequence) and not isinstance(value, str):
        return _plain_sequence(value, matrices)
    return value


def _as_lists(array: Any) -> Any:
    """As `to_fields`; without gaps at once, as a large board has millions of numbers."""
    if array.dtype.kind in "biu":
        return array.tolist()
    if array.dtype.kind == "f" and np.isfinite(array).all():
        return (array + 0.0).tolist()
    return to_fields(array.tolist())


def _plain_sequence(values: Sequence[Any], matrices: bool) -> list[Any]:
    types = set(map(type, values))
    if types <= PLAIN:
        return list(values)
    if types == {float}:  # millions, of a large board
        return [value + 0.0 if isfinite(value) else None for value in values]
    return [to_fields(value, matrices) for value in values]


def _finite_or_none(value: float) -> float | None:
    return value + 0.0 if isfinite(value) else None  # -0.0 is 0.0


def schema(name: str) -> dict[str, Any]:
    """The JSON Schema of a result, from its dataclasses."""
    from pydantic import TypeAdapter

    record = import_module(RECORDS[name]).Record
    document = TypeAdapter(record).json_schema()
    described = [document, *document.get("$defs", {}).values()]
    for each in described:
        properties = each.pop("properties", {})
        each["required"] = [
            _field_key(key) for key in properties if key in each.get("required", ())
        ]
        each["properties"] = {_field_key(key): about for key, about in properties.items()}
    head = {"$schema": "https://json-schema.org/draft/2020-12/schema"}
    return {**head, "$id": f"urn:challenge-scorer:{name}", **document, "title": name}


def _field_key(name: str) -> str:
    """The key of a field; one that is a word of Python ends in a `_` there."""
    return name.removesuffix("_")


@cache
def _record_keys(record: type) -> list[tuple[str, str]]:
    """The name and key of each field of a record, of which a board has tens of thousands.

    A class that is no dataclass has none.
    """
    if not is_dataclass(record):
        return []
    return [(f.name, _field_key(f.name)) for f in fields(record)]


def dumped(data: Any, indent: int | None = 1) -> str:
    r"""JSON in which no text can steer a terminal, and every program reads the same.

    A surrogate without its other half, which strict readers refuse, is written as text.

    >>> dumped({"name": "é\x9b[31m"}, indent=None)
    '{"name": "é\\u009b[31m"}'
    >>> dumped("\ud800")
    '"\\\\ud800"'
    """
    parts = list[str]()
    if indent is None:
        parts.append(_encoded(data))
    else:
        _indent(data, " " * indent, "\n", parts)
    text = "".join(parts)
    if not text.isascii() or DELETE in text:  # the encoder itself escapes what is below a blank
        text = BEYOND.sub(_escaped_sign, text)
    return text.replace("##[", "##\\u005b")  # GitHub's runners obey this


def _indent(data: Any, indent: str, line: str, parts: list[str]) -> None:
    """As `json.dumps` with an indent, but what holds texts and numbers alone is encoded at once."""
    if isinstance(data, np.ndarray):
        _indent_matrix(data, indent, line, parts)
        return
    if not data or not isinstance(data, NESTED):
        parts.append(_encoded(data))
        return
    named = data if isinstance(data, dict) else None
    mark, end = ("[", "]") if named is None else ("{", "}")
    inner, values = line + indent, data if named is None else named.values()
    if set(map(type, values)).isdisjoint(NESTED):
        parts.append(f"{mark}{inner}{_encoded(data, f',{inner}')[1:-1]}{line}{end}")
        return
    for key, value in enumerate(data) if named is None else named.items():
        parts.append(f"{mark}{inner}" if named is None else f"{mark}{inner}{_encoded(key)}: ")
        _indent(value, indent, inner, parts)
        mark = ","
    parts.append(f"{line}{end}")


def _indent_matrix(matrix: Any, indent: str, line: str, parts: list[str]) -> None:
    """As `_indent`; a matrix has as many numbers as all else together, some of them often."""
    mark, inner, cell = "[", line + indent, line + 2 * indent
    for row in _spelled(matrix):
        parts.append(f"{mark}{inner}[{cell}{f',{cell}'.join(row)}{inner}]")
        mark = ","
    parts.append(f"{line}]")


def _spelled(matrix: Any) -> Iterator[list[str]]:
    """The numbers of each row as JSON. Digits take long: those of n and -n are found once."""
    rows = max(TOGETHER // matrix.shape[1], 1)
    for start in range(0, len(matrix), rows):
        part = matrix[start : start + rows]
        sizes = np.nan_to_num(np.abs(part), nan=np.inf, posinf=np.inf)
        ordered = np.sort(sizes, axis=None)
        each = ordered[starts(ordered)]
        texts = [repr(size) if isfinite(size) else "null" for size in each.tolist()]
        signed = [*texts, *(f"-{text}" if text != "null" else text for text in texts)]
        places = np.searchsorted(each, sizes) + len(texts) * (part < 0)
        yield from np.array(signed, dtype=object)[places].tolist()


def _encoded(data: Any, between: str = ", ") -> str:
    return _encoder(between)(data)


@cache
def _encoder(between: str) -> Callable[[Any], str]:
    marks = (between, ": ")
    return json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=marks).encode


def _escaped_sign(match: Match[str]) -> str:
    sign = match[0]
    if "\ud800" <= sign <= "\udfff":
        return f"\\\\u{ord(sign):04x}"
    return sign if unseen(sign) is None else json.dumps(sign)[1:-1]


def number_or_null(value: float) -> float | None:
    """A number as JSON has it: NaN is None."""
    return None if isnan(value) else value


@dataclass(frozen=True, slots=True)
class About:
    """The challenge that a result is of."""

    id: str
    title: str
    fingerprint: str | None

    @classmethod
    def of(cls, challenge: Challenge, fingerprint: str | None = None) -> About:
        """The fields of a challenge."""
        return cls(challenge.id, challenge.title, fingerprint)


@dataclass(frozen=True, slots=True)
class Place:
    """A problem with its place."""

    code: str
    severity: str
    line: int | None
    column: int | None
    list: str | None
    item: str | None
    message: str
    help: str | None

    @classmethod
    def of(cls, fault: Problem) -> Place:
        """The fields of a problem."""
        return cls(*(getattr(fault, f.name) for f in fields(cls)))


def problem(fault: Problem) -> dict[str, Any]:
    """A problem with its place, as plain data."""
    return dict(to_fields(Place.of(fault)))


def by_list(lists: Sequence[str], values: Floats) -> Mapping[str, float | None]:
    """The value of every list."""
    return dict(zip(lists, values.tolist(), strict=True))


VERSION = __version__
