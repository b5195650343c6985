"""Files of evaluation tools, their cases, and the words for errors in them."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, NamedTuple, NoReturn, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, TypeAdapter, ValidationError
from pydantic_core import ErrorDetails, PydanticCustomError

from scorer.core.errors import ChallengeError
from scorer.core.problems import Problem, as_truth_problems
from scorer.core.text import display_path, quoted
from scorer.reading.limits import ReadLimits, UnreadableError
from scorer.reading.open import stored_head
from scorer.reading.unpack import read_bytes

T = TypeVar("T")
HEAD_BYTES = 1 << 20  # first bytes, by which a tool is known
SHOWN_ERRORS = 3  # of a document
BEFORE_FILTER = ","  # comes before the filter in the name of a measure: brier_score,strict-match
JSON_KINDS = {bool: "true or false", dict: "an object", list: "a list", str: "a text"}
# pydantic's type of an error -> the type that is expected.
EXPECTED = {
    "bool_type": "true or false",
    "dict_type": "an object",
    "finite_number": "a finite number",
    "float_type": "a number",
    "id_type": "a text or a number",
    "list_type": "a list",
    "model_type": "an object",
    "string_type": "a text",
}


class Model(BaseModel):
    """A part of a tool's document; keys that are not named here are passed over."""

    model_config = ConfigDict(strict=True, extra="ignore")


def _as_id(value: object) -> str:
    if isinstance(value, str | int) and not isinstance(value, bool):
        return str(value)
    raise PydanticCustomError("id_type", "not an id")


Id = Annotated[str, BeforeValidator(_as_id)]  # an id that the tool writes as a text or a number


class Case(NamedTuple):
    """The values of a system in one case.

    Attributes:
        values: Measure -> value; without any the case is missing.
        groups: The groups that the case is in, the outermost first, as many as the tool has.
    """

    system: str
    case: str
    values: Mapping[str, float]
    groups: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class ToolFile:
    """A file, whose content is read once."""

    path: Path

    @cached_property
    def head(self) -> bytes:
        """The first bytes as stored; none of a file that cannot be read."""
        try:
            return stored_head(self.path, HEAD_BYTES)
        except (UnreadableError, OSError):
            return b""

    def begins_with_keys(self, *names: str) -> bool:
        """Return whether the file begins as JSON, with all of these keys in its first bytes."""
        is_json = self.head.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] in (b"{", b"[")
        return is_json and all(f'"{name}"'.encode() in self.head for name in names)

    @cached_property
    def text(self) -> str:
        """The unpacked text; raises ChallengeError."""
        try:
            data = read_bytes(self.path, ReadLimits()).data
        except UnreadableError as error:
            self._refuse([error.problem])
        try:
            return data.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            line = 1 + data[: error.start].count(b"\n")
            self._refuse([Problem("S105", "this is not UTF-8", line=line)])

    @cached_property
    def document(self) -> Any:
        """The JSON document; raises ChallengeError."""
        return self._parse(self.text)

    def read(self, type_: type[T]) -> T:
        """Return the JSON document as an object of a type; raise ChallengeError if it is wrong."""
        return self._validate(TypeAdapter(type_), self.document)

    def read_lines(self, type_: type[T]) -> Iterator[tuple[int, T]]:
        """Yield the number and the object of each line of JSON Lines; raise ChallengeError."""
        adapter = TypeAdapter(type_)
        for number, line in enumerate(self.text.split("\n"), start=1):
            if line.strip():
                yield number, self._validate(adapter, self._parse(line, number), number)

    def _parse(self, text: str, line: int | None = None) -> Any:
        try:
            return json.loads(text)
        except json.JSONDecodeError as error:
            end = "ends early" if error.pos >= len(text.rstrip()) else error.msg
            self.refuse(f"this is not JSON: {end}", line or error.lineno)
        except (RecursionError, ValueError):
            self.refuse("this JSON is nested too deeply, or has a number that is too long")

    def _validate(self, adapter: TypeAdapter[T], document: Any, line: int | None = None) -> T:
        try:
            return adapter.validate_python(document, strict=True)
        except ValidationError as error:
            details = error.errors(include_url=False)[:SHOWN_ERRORS]
            self._refuse([Problem("S107", describe_error(each), line=line) for each in details])

    def refuse(self, message: str, line: int | None = None) -> NoReturn:
        """Raise ChallengeError: the file is not as its tool writes it."""
        self._refuse([Problem("S107", message, line=line)])

    def _refuse(self, problems: Iterable[Problem]) -> NoReturn:
        path = display_path(self.path)
        placed = [Problem(p.code, p.message, path=path, line=p.line) for p in problems]
        raise ChallengeError(problems=as_truth_problems(placed))

    @property
    def stem(self) -> str:
        """The name without suffixes of formats."""
        name = self.path.name
        for suffix in (".gz", ".json", ".jsonl"):
            name = name.removesuffix(suffix)
        return name

    def folder_name(self, level: int = 1) -> str:
        """Return the name of the folder that the file is in, or of one above that."""
        parts = self.path.absolute().parts
        return parts[-1 - level] if len(parts) > 1 + level else self.stem


def describe_error(error: ErrorDetails) -> str:
    """Return pydantic's error in our words: the place in the document, its value, the type to have.

    >>> describe_error({"type": "string_type", "loc": ("a", 0, "id"), "input": 1, "msg": ""})
    "'a[0].id' is a number, not a text"
    """
    steps = (f"[{step}]" if isinstance(step, int) else f".{step}" for step in error["loc"])
    place = quoted(path) if (path := "".join(steps).removeprefix(".")) else "this"
    if error["type"] == "missing":
        return f"{place} is missing"
    if (expected := EXPECTED.get(error["type"])) is None:
        return f"{place}: {error['msg']}"
    value = error["input"]
    found = "null" if value is None else JSON_KINDS.get(type(value), "a number")
    return f"{place} is {found}, not {expected}"


@dataclass(frozen=True)
class Tool:
    """A tool: how its files are known and read, and how its cases make one number.

    Attributes:
        read: Yields the cases of a file.
        wrote: Returns whether the tool wrote a file, by its first bytes.
        groups: What the groups of its cases are called, the outermost first.
        average: The groups whose means make the whole; if empty, cases count alike.
        within: The groups around those, which count alike, however many of them each has.
        missing: The rule `submission.missing_list`; if empty, the default.
        lower: The measures where less is better, by any filter.
    """

    name: str
    read: Callable[[ToolFile], Iterable[Case]]
    wrote: Callable[[ToolFile], bool]
    groups: tuple[str, ...]
    average: str = ""
    within: str = ""
    missing: str = ""
    lower: frozenset[str] = frozenset()


def as_finite(value: object) -> float | None:
    """Return a finite number, 1 and 0 for true and false; None of anything else."""
    if not isinstance(value, bool | int | float) or abs(value) >= 2**1000:
        return None
    return float(value) if math.isfinite(value) else None


def average_repeats(cases: Iterable[Case]) -> Iterator[Case]:
    """Yield each case of a system once, with the means of its values over its repeats."""
    repeats_of: dict[tuple[str, str], list[Case]] = {}
    for case in cases:
        repeats_of.setdefault((case.system, case.case), []).append(case)
    for repeats in repeats_of.values():
        numbers: dict[str, list[float]] = {}
        for case in repeats:
            for name, value in case.values.items():
                numbers.setdefault(name, []).append(value)
        means = {name: sum(values) / len(values) for name, values in numbers.items()}
        yield repeats[0]._replace(values=means)
