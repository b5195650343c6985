"""Results as JSON: which fields of a record are in it, its text, and its schema.

A result is a dataclass whose fields have the names that its JSON has, in that order. `Internal`
marks a field that only the program needs, `optional` one whose key may be missing. Values of some
types have another form in JSON, which a function with `public_form` returns: a time is a text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass
from datetime import datetime
from functools import cache, singledispatch
from importlib import import_module
from math import isfinite
from re import Match
from typing import Annotated, Any, TypeVar, get_type_hints

import numpy as np
from pydantic import GetPydanticSchema
from pydantic.json_schema import SkipJsonSchema
from pydantic_core import core_schema

from scorer import __version__
from scorer.challenge.model import Challenge
from scorer.core.arrays import Floats, Ints
from scorer.core.problems import Findings, Problem, Severity
from scorer.core.text import unseen

VERSION: str = __version__
PRIVATE = "Not for publication: this report was made with --private, for organizers only."
LINTED = "Not for publication: this was made from the truth, for organizers only."
RESULTS = {  # name -> the module and class of the result
    "report": "scorer.results.report:Report",
    "findings": "scorer.results.findings:CheckedFiles",
    "comparison": "scorer.results.comparison:Comparison",
    "explanation": "scorer.results.explanation:Explanation",
    "soundness": "scorer.results.lint:Lint",
    "study": "scorer.results.study:Study",
    "votes": "scorer.results.votes:VoteBoard",
    "catalogue": "scorer.reports.catalogue:Catalogue",
    "audit": "scorer.board.audit:Audit",
    "log": "scorer.board.history:BoardLog",
    "rescoring": "scorer.board.rescore:Rescoring",
    "entry": "scorer.board.entries:AddedEntries",
    "decision": "scorer.board.decisions:RecordedDecision",
    "team": "scorer.board.teams:TeamTokens",
    "standing": "scorer.board.explain:Why",
    "verification": "scorer.board.verification:Verification",
}


class _Absent:
    def __repr__(self) -> str:
        return "ABSENT"

    def __bool__(self) -> bool:
        return False

    def __reduce__(self) -> str:
        return "ABSENT"  # a copy, also of another process, is the same object


ABSENT: Any = _Absent()  # the value of an optional field whose key is not in the JSON
PLAIN = frozenset([str, int, bool, type(None)])
NOT_PRINTABLE_ASCII = re.compile(r"[^\n -~]")
DELETE = "\x7f"


Item = TypeVar("Item")
Form = TypeVar("Form", bound=Callable[..., Any])
INTERNAL = object()
# The type of a field that is never in the JSON.
Internal = Annotated[
    Item,
    INTERNAL,
    GetPydanticSchema(lambda source, handler: core_schema.any_schema()),
    SkipJsonSchema(),
]


def shown_as(kind: Any) -> GetPydanticSchema:
    """Return an annotation: a type has in the schema the form `kind`, as it has in JSON."""
    return GetPydanticSchema(lambda source, handler: handler.generate_schema(kind))


# Numbers in a result; NaN and infinity are null in the JSON.
Number = Annotated[float, shown_as(float | None)]
Numbers = Annotated[Floats, shown_as(Sequence[float | None])]
NumberRows = Annotated[Floats, shown_as(Sequence[Sequence[float | None]])]
Counts = Annotated[Ints, shown_as(Sequence[int])]
CountRows = Annotated[Ints, shown_as(Sequence[Sequence[int]])]


def optional() -> Any:
    """Return a field that is `ABSENT` by default: its key is not in the JSON then."""
    return field(default_factory=lambda: ABSENT)


@dataclass(frozen=True, slots=True, eq=False)
class ListValues:
    """The value of each list; in JSON an object."""

    lists: Sequence[str]
    values: Floats  # NaN where there is none


@dataclass(frozen=True, slots=True)
class ChallengeIdentity:
    """The challenge that a result is of."""

    id: str
    title: str
    fingerprint: str | None

    @classmethod
    def of(cls, challenge: Challenge, fingerprint: str | None = None) -> ChallengeIdentity:
        """Return the identity of a challenge."""
        return cls(challenge.id, challenge.title, fingerprint)


@dataclass(frozen=True, slots=True)
class ReportedProblem:
    """A problem as results show it: without its cause, which may show the truth."""

    code: str
    severity: Severity
    line: int | None
    column: int | None
    list: str | None
    item: str | None
    message: str
    help: str | None

    @classmethod
    def of(cls, problem: Problem) -> ReportedProblem:
        """Return a problem as results show it."""
        return cls(*(getattr(problem, f.name) for f in fields(cls)))


ShownListValues = Annotated[ListValues, shown_as(Mapping[str, float | None])]
# A time in a result.
Time = Annotated[datetime, shown_as(str)]
# Problems in a result.
ShownProblem = Annotated[Problem, shown_as(ReportedProblem)]
ShownFindings = Annotated[Findings, shown_as(Sequence[ReportedProblem])]


@singledispatch
def _form_in_json(value: Any) -> Any:
    """Return the form that a value has in JSON; by default it is the value itself."""
    return value


def public_form(form: Form) -> Form:
    """Register a function that returns the form in JSON of values of its argument's type."""
    _form_in_json.register(form)
    return form


@public_form
def _(problem: Problem) -> ReportedProblem:
    return ReportedProblem.of(problem)


@public_form
def _(values: ListValues) -> Mapping[str, float]:
    return dict(zip(values.lists, values.values.tolist(), strict=True))


@public_form
def _(time: datetime) -> str:
    return time.isoformat()


@public_form
def _(findings: Findings) -> list[Problem]:
    return list(findings)


def to_plain(value: Any) -> Any:
    """Return a result as dicts, lists, texts and numbers; NaN and infinity become None.

    >>> to_plain({"a": (1.0, float("nan"))})
    {'a': [1.0, None]}
    """
    kind = type(value)
    if kind in PLAIN:
        return value
    if isinstance(value, float):
        return value + 0.0 if isfinite(value) else None  # -0.0 becomes 0.0
    value = _form_in_json(value)
    if is_dataclass(value) and not isinstance(value, type):
        parts = [(key, getattr(value, name)) for name, key in _public_fields(type(value))]
        return {key: to_plain(part) for key, part in parts if part is not ABSENT}
    if isinstance(value, Mapping):
        return dict(zip(value, _to_plain_list(list(value.values())), strict=True))
    if isinstance(value, np.ndarray):
        if value.dtype.kind == "f" and np.isfinite(value).all():
            value = value + 0.0
        return value.tolist() if value.dtype.kind in "biu" else _to_plain_list(value.tolist())
    if isinstance(value, np.generic):
        return to_plain(value.item())
    if isinstance(value, Sequence) and not isinstance(value, str):
        return _to_plain_list(value)
    return value


def _to_plain_list(values: Sequence[Any]) -> list[Any]:
    # A large board has millions of numbers: a list of one type is converted at once.
    types = set(map(type, values))
    if types <= PLAIN:
        return list(values)
    if types == {float}:
        return [value + 0.0 if isfinite(value) else None for value in values]
    return [to_plain(value) for value in values]


@cache
def _public_fields(record: type) -> list[tuple[str, str]]:
    """Return the name of each field that is in the JSON, with its key there."""
    hints = get_type_hints(record, include_extras=True)
    public = [f.name for f in fields(record) if not _is_internal(hints[f.name])]
    return [(name, _key_of(name)) for name in public]


def _is_internal(annotation: Any) -> bool:
    return INTERNAL in getattr(annotation, "__metadata__", ())


def _key_of(name: str) -> str:
    """Return the key of a field; the name of one that is a word of Python ends in `_`."""
    return name.removesuffix("_")


def to_json(value: Any, indent: int | None = 1) -> str:
    r"""Return the JSON of a result, in which no text can steer a terminal or GitHub's runners.

    Half a surrogate pair, which strict readers refuse, is written as its escape, a text.

    >>> to_json({"name": "é\x9b[31m"}, indent=None)
    '{"name":"é\\u009b[31m"}'
    >>> to_json("\ud800")
    '"\\\\ud800"'
    """
    from pydantic_core import PydanticSerializationError
    from pydantic_core import to_json as to_bytes

    plain = to_plain(value)
    try:
        text = to_bytes(plain, indent=indent).decode()
    except PydanticSerializationError:
        text = to_bytes(_write_out_surrogates(plain), indent=indent).decode()
    if not text.isascii() or DELETE in text:  # pydantic escapes the others
        text = NOT_PRINTABLE_ASCII.sub(_escape, text)
    return text.replace("##[", "##\\u005b")  # GitHub's runners obey this


def _write_out_surrogates(plain: Any) -> Any:
    if isinstance(plain, str):
        return plain.encode(errors="backslashreplace").decode()
    if isinstance(plain, dict):
        return {_write_out_surrogates(k): _write_out_surrogates(v) for k, v in plain.items()}
    return [_write_out_surrogates(each) for each in plain] if isinstance(plain, list) else plain


def _escape(match: Match[str]) -> str:
    character = match[0]
    if unseen(character) is None:
        return character
    pairs = character.encode("utf-16-be")  # an escape of JSON has 16 bits
    return "".join(f"\\u{pairs[n : n + 2].hex()}" for n in range(0, len(pairs), 2))


def schema(name: str) -> dict[str, Any]:
    """Return the JSON Schema of a result, from its dataclasses."""
    from pydantic import TypeAdapter

    module, _, record = RESULTS[name].partition(":")
    document = TypeAdapter(getattr(import_module(module), record)).json_schema()
    for described in (document, *document.get("$defs", {}).values()):
        properties = described.pop("properties", {})
        described["required"] = [_key_of(key) for key in described.get("required", ())]
        described["properties"] = {_key_of(key): about for key, about in properties.items()}
    head = {"$schema": "https://json-schema.org/draft/2020-12/schema"}
    return {**head, "$id": f"urn:challenge-scorer:{name}", **document, "title": name}
