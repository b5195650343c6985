"""What the readers of tools' files share: a file, what it says of a case, and what goes wrong."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

from scorer.core.errors import ChallengeError
from scorer.core.plugins import find_marked, mark
from scorer.core.problems import Problem, as_truth_problems
from scorer.core.text import display_path, quoted
from scorer.reading.limits import ReadLimits, UnreadableError
from scorer.reading.open import stored_head
from scorer.reading.unpack import read_bytes

LIMITS = ReadLimits()
HEAD = 1 << 20  # bytes by which a tool is known


class Case(NamedTuple):
    """What a system came to in one case."""

    system: str
    case: str
    values: Mapping[str, float]
    groups: tuple[str, ...] = ()  # as the tool's, the outermost first


@dataclass(frozen=True, eq=False)
class ToolFile:
    """A file, whose content is read once."""

    path: Path
    limits: ReadLimits = LIMITS

    @cached_property
    def head(self) -> bytes:
        """Its first bytes as stored; none of a file that cannot be read."""
        try:
            return stored_head(self.path, HEAD)
        except (UnreadableError, OSError):
            return b""

    @cached_property
    def text(self) -> str:
        """All of it, unpacked. Raises `ChallengeError`."""
        try:
            data = read_bytes(self.path, self.limits).data
        except UnreadableError as error:
            raise self._located(error.problem) from None
        try:
            return data.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            self.wrong("this is not UTF-8", 1 + data[: error.start].count(b"\n"), "S105")

    @cached_property
    def document(self) -> Any:
        """It as JSON. Raises `ChallengeError`."""
        return self.parsed(self.text)

    def rows(self) -> Iterator[tuple[int, Any]]:
        """The number and the object of each line of JSON Lines. Raises `ChallengeError`."""
        for number, line in enumerate(self.text.split("\n"), start=1):
            if line.strip():
                yield number, self.parsed(line, number - 1)

    def parsed(self, text: str, before: int = 0) -> Any:
        """A text as JSON, which begins after so many lines. Raises `ChallengeError`."""
        try:
            return json.loads(text)
        except json.JSONDecodeError as error:
            end = "ends early" if error.pos >= len(text.rstrip()) else error.msg
            self.wrong(f"this is not JSON: {end}", before + error.lineno)
        except (RecursionError, ValueError):
            self.wrong("this JSON is nested too deeply, or has a number that is too long")

    def wrong(self, message: str, line: int | None = None, code: str = "S107") -> NoReturn:
        """Refuse the file, as `ChallengeError`."""
        raise self._located(Problem(code, message, line=line))

    def _located(self, problem: Problem) -> ChallengeError:
        path = display_path(self.path)
        found = Problem(problem.code, problem.message, path=path, line=problem.line)
        return ChallengeError(problems=as_truth_problems([found]))

    def member(
        self, data: Any, key: str, type_: type, where: str = "", line: int | None = None
    ) -> Any:
        """A member of a JSON object, which has to be of that type. Raises `ChallengeError`."""
        inside = f" of {where}" if where else ""
        if not isinstance(data, dict):
            self.wrong(f"{where or 'this'} is {_json_kind(data)}, not an object", line)
        if key not in data:
            self.wrong(f"{quoted(key)}{inside} is missing", line)
        if not isinstance(data[key], type_):
            expected = _json_kind(type_())
            self.wrong(f"{quoted(key)}{inside} is {_json_kind(data[key])}, not {expected}", line)
        return data[key]

    @property
    def stem(self) -> str:
        """Its name without suffixes of formats."""
        name = self.path.name
        for suffix in (".gz", ".json", ".jsonl"):
            name = name.removesuffix(suffix)
        return name

    def above(self, level: int = 1) -> str:
        """The name of the folder that it is in, or of one above that."""
        parts = self.path.absolute().parts
        return parts[-1 - level] if len(parts) > 1 + level else self.stem


def _json_kind(value: object) -> str:
    if value is None:
        return "null"
    words = {bool: "true or false", dict: "an object", list: "a list", str: "a text"}
    return words.get(type(value), "a number")


Read = Callable[[ToolFile], Iterable[Case]]


@dataclass(frozen=True)
class Tool:
    """A tool: how its files are known and read, and how it makes one number of cases."""

    name: str
    function: Read
    finds: Callable[[bytes], bool]  # of a file's first bytes
    groups: tuple[str, ...] = ()  # what the groups of its cases are called, the outermost first
    average: str = ""  # those whose means make the whole; empty: cases count alike
    within: str = ""  # the groups around those, which count alike, however many each has
    missing: str = ""  # as `submission.missing_list`; empty: the default
    lower: frozenset[str] = frozenset()  # values of which less is better


def tool(name: str, finds: Callable[[bytes], bool], **rest: Any) -> Callable[[Read], Read]:
    """Make a function from a file to its cases the reader of a tool's files."""
    return lambda function: mark(function, Tool(name, function, finds, **rest))


def keys(*names: str) -> Callable[[bytes], bool]:
    """Whether a file begins as JSON that has all of these keys."""
    words = [f'"{name}"'.encode() for name in names]
    return lambda head: (
        head.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] in (b"{", b"[")
        and all(word in head for word in words)
    )


@cache
def tools() -> tuple[Tool, ...]:
    """Return every tool whose files are read, in the order of their names."""
    found = find_marked(__package__, Tool)
    return tuple(sorted(found, key=lambda tool: tool.name.casefold()))


def finite(value: object) -> float | None:
    """A finite number, 1 and 0 for true and false; None of anything else."""
    if isinstance(value, bool | int | float):
        as_float = float(value) if abs(value) < 2**1000 else math.inf
        return as_float if math.isfinite(as_float) else None
    return None


def averaged_repeats(cases: Iterable[Case]) -> Iterator[Case]:
    """Each case of a system once, with the means of its values over its repeats."""
    found: dict[tuple[str, str], list[Case]] = {}
    for case in cases:
        found.setdefault((case.system, case.case), []).append(case)
    for repeats in found.values():
        first = repeats[0]
        names = dict.fromkeys(name for each in repeats for name in each.values)
        given = {name: [e.values[name] for e in repeats if name in e.values] for name in names}
        yield first._replace(values={name: sum(v) / len(v) for name, v in given.items()})
