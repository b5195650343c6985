"""JSON documents: where each value stands, and which of them are a row's cells."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import accumulate
from json import JSONDecodeError
from json.decoder import scanstring  # type: ignore[attr-defined]
from typing import NamedTuple

from scorer.core.nested import DEPTH
from scorer.core.text import join_first, nearest, quoted

SPACE = re.compile(r"[ \t\r\n]*")
SCALAR = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?|true|false|null")
STEP = re.compile(r"\[\]|\*|[^.\[\]*]+")
HALF = re.compile("[\ud800-\udfff]")
PLACES = 4096  # characters; so many are looked through for the number of a line
NAMES = ("list", "item", "better", "worse")  # roles that a member's name can say
EACH, BRACKETS = ("[]", "*"), ("[", "{", "")
Steps = tuple[str, ...]


class Wrong(Exception):
    """The document is not what it should be; where, and what."""

    def __init__(self, at: int, message: str) -> None:
        self.at, self.message = at, message
        super().__init__(message)


class TooMany(Exception):
    """More values than are looked at one by one."""


class JsonCell(NamedTuple):
    """A cell of a row or a member's name, and where it begins."""

    text: str
    at: int


def steps(path: str) -> Steps:
    """The steps of a path.

    >>> steps("questions[].documents[]"), steps("*[]"), steps("[].id")
    (('questions', '[]', 'documents', '[]'), ('*', '[]'), ('[]', 'id'))
    """
    return tuple(STEP.findall(path))


def is_path(path: str) -> bool:
    """Whether a text is a path: names with dots between, `[]` each element, `*` each member.

    >>> is_path("questions[].id"), is_path("a..b"), is_path("[0].id")
    (True, False, False)
    """
    name = r"(?:\*|[^.\[\]*]+)"
    return re.fullmatch(rf"(?:{name}|(?:\[\])+)(?:\[\]|\.{name})*", path) is not None


def through(path: Steps) -> Steps:
    """The steps to the first of several elements or members; none where there are none."""
    return path[: next((n for n, step in enumerate(path) if step in EACH), -1) + 1]


def depth(path: Steps) -> int:
    """Through how many levels of several elements or members a path leads."""
    return sum(step in EACH for step in path)


def astray(paths: Mapping[str, Steps]) -> str | None:
    """The role whose path leads through other elements than the deepest path; None: none does."""

    def last(path: Steps) -> Steps:
        return path[: max((n for n, step in enumerate(path) if step in EACH), default=-1) + 1]

    deepest = max(map(last, paths.values()), key=len)
    lost = (role for role, path in paths.items() if deepest[: len(last(path))] != last(path))
    return next((role for role in lost), None) or next(
        (role for role, path in paths.items() if not last(path)), None
    )


class JsonDocument:
    """A JSON document as text, through which one walks by offsets: no tree of it is made.

    Args:
        most: how many values are looked at, one by one.
    """

    def __init__(self, text: str, most: int = sys.maxsize) -> None:
        self.text, self._left = text, most
        self.ended = 0  # where the value that was looked at last ended
        self._objects: dict[int, tuple[dict[str, int], int]] = {}

    @cached_property
    def _lines(self) -> list[int]:
        """How many lines end before each block of the text."""
        starts = range(0, len(self.text), PLACES)
        counts = (self.text.count("\n", start, start + PLACES) for start in starts)
        return [0, *accumulate(counts)]

    def place(self, at: int) -> tuple[int, int]:
        """The line and the character of an offset, from 1."""
        return self.line(at), at - self.text.rfind("\n", 0, at)

    def line(self, at: int) -> int:
        """The line of an offset, from 1; of a long line, its characters take longer to count."""
        block = at // PLACES
        return self._lines[block] + self.text.count("\n", block * PLACES, at) + 1

    def space(self, at: int) -> int:
        """The offset of the next character that is no blank."""
        if self.text[at : at + 1] > " ":
            return at
        match = SPACE.match(self.text, at)
        assert match is not None  # it matches anything
        return match.end()

    def skip(self, at: int, depth: int = 0) -> int:
        """Where the value that begins at an offset ends.

        Raises:
            Wrong: it is no JSON, or too deep.
            TooMany: as many values as are accepted have been looked at.
        """
        if self.text[at : at + 1] not in ("[", "{") or at >= len(self.text):
            return self.leaf(at)[1]
        self._count()
        if depth >= DEPTH:
            raise Wrong(at, "the values are nested too deeply")
        for _, start in self.members(at):
            self.ended = self.skip(start, depth + 1)
        return self.ended

    def leaf(self, at: int) -> tuple[str, int]:
        """The text of the scalar that begins at an offset, and where it ends; as `skip`."""
        self._count()
        if self.text[at : at + 1] == '"':
            return self._string(at)
        match = SCALAR.match(self.text, at)
        if match is None:
            ended = at >= len(self.text)
            what = "it ends early" if ended else f"{quoted(self.text[at])} is no value"
            raise Wrong(self.within(at), f"not JSON: {what}")
        return "" if match[0] == "null" else match[0], match.end()

    def members(self, at: int) -> Iterator[tuple[JsonCell | None, int]]:
        """The name, if any, and the place of each element or member of the value at an offset.

        Before the next one is asked for, `ended` must be where the last one ended.
        """
        text, end = self.text, {"[": "]", "{": "}"}[self.text[at]]
        names = set[str]()
        at = self.space(at + 1)
        if text[at : at + 1] == end:
            self.ended = at + 1
            return
        while True:
            name = None
            if end == "}":
                if text[at : at + 1] != '"':
                    raise Wrong(self.within(at), "not JSON: expected a key in quotes")
                key, after = self._string(at)
                if key in names:
                    raise Wrong(at, f"the key {quoted(key)} is given twice")
                names.add(key)
                name, at = JsonCell(key, at), self.space(after)
                if text[at : at + 1] != ":":
                    raise Wrong(self.within(at), "not JSON: expected a colon after the key")
                at = self.space(at + 1)
            yield name, at
            at = self.space(self.ended)
            sign = text[at : at + 1]
            if sign == end:
                self.ended = at + 1
                return
            if sign != ",":
                what = f"expected a comma or {end}" if sign else "it ends early"
                raise Wrong(self.within(at), f"not JSON: {what}")
            at = self.space(at + 1)

    def entries(self, at: int) -> dict[str, int]:
        """Where the values of the object at an offset begin, by their names."""
        if at not in self._objects:
            if len(self._objects) > DEPTH:
                self._objects.clear()
            found = {}
            for name, start in self.members(at):
                assert name is not None
                found[name.text] = start
                self.ended = self.skip(start, 1)
            self._objects[at] = found, self.ended
        return self._objects[at][0]

    def _count(self) -> None:
        self._left -= 1
        if self._left < 0:
            raise TooMany

    def end(self, at: int) -> int:
        """Where the value at an offset ends; of an object that was looked into, it is known."""
        return self._objects[at][1] if at in self._objects else self.skip(at, 1)

    def within(self, at: int) -> int:
        """The offset, or the last one there is."""
        return min(at, max(len(self.text) - 1, 0))

    def _string(self, at: int) -> tuple[str, int]:
        try:
            string: str
            string, end = scanstring(self.text, at + 1)
        except JSONDecodeError as error:
            raise Wrong(self.within(error.pos), f"not JSON: {error.msg.lower()}") from None
        if "\0" in string or (not string.isascii() and HALF.search(string)):
            raise Wrong(at, "a text holds a NUL, or half a character")
        return string, end


def rows(
    document: JsonDocument, paths: Mapping[str, Steps]
) -> Iterator[JsonCell | dict[str, JsonCell]]:
    """The rows of a document; of a list without any, its name alone.

    Args:
        paths: the steps to each role's cells.

    Raises:
        Wrong: the document has another shape.
        TooMany: more values than are looked at one by one.
    """
    *common, kind = through(next(iter(paths.values())))
    at = document.space(0)
    for step in common:
        at = _member(document, at, step)
    _refuse_other(document, at, kind)
    inner_paths = {role: tuple(path[len(common) :]) for role, path in paths.items()}
    yield from _each(document, at, inner_paths, {})
    end = document.space(document.ended)
    if not common and end < len(document.text):
        raise Wrong(end, "not JSON: something follows the document")


def _refuse_other(document: JsonDocument, at: int, kind: str) -> None:
    if document.text[at : at + 1] != ("[" if kind == "[]" else "{"):
        what = "an array" if kind == "[]" else "an object"
        raise Wrong(document.within(at), f"expected {what} here")


def _member(document: JsonDocument, at: int, name: str) -> int:
    """Where the member of that name begins, of the object that begins at an offset."""
    if document.text[at : at + 1] != "{":
        raise Wrong(document.within(at), f"expected an object with {quoted(name)}")
    names = []
    for key, start in document.members(at):
        assert key is not None
        if key.text == name:
            return start
        names.append(key.text)
        document.ended = document.skip(start, 1)
    similar = nearest(name, names)
    hint = f"; rename {quoted(similar)}?" if similar else ""
    raise Wrong(at, f"no {quoted(name)} here; found: {join_first(names) or 'nothing'}{hint}")


def _each(
    document: JsonDocument, at: int, paths: Mapping[str, Steps], outer_cells: Mapping[str, JsonCell]
) -> Iterator[JsonCell | dict[str, JsonCell]]:
    """The rows of all elements, or members, of the value at an offset.

    Args:
        document: the document, in which that value is what was looked at last, when these end.
        at: where the value begins.
        paths: the steps to each role's cells; the first step is to these.
        outer_cells: the cells that the values above have given.
    """
    ends = [role for role in NAMES if paths.get(role) == ("*",)]
    named = ends[:1]  # {id: text}: where two end at the same member, its value is the second
    deeper = {
        role: path[1:] for role, path in paths.items() if role not in named and through(path[1:])
    }
    here = {role: path[1:] for role, path in paths.items() if role not in {*deeper, *named}}
    scalars = not deeper and bool(here) and not any(here.values())
    empty = True
    for name, start in document.members(at):
        if scalars and document.text[start : start + 1] not in BRACKETS:  # nearly all rows
            text, after = document.leaf(start)
            value, empty = JsonCell(text, start), False
            names = {role: name if role in named and name else value for role in paths}
            yield {**outer_cells, **names}
            document.ended = after
            continue
        empty, cells = False, dict(outer_cells)
        end: int | None = None
        try:
            for role in paths:
                if role in named and name is not None:
                    cells[role] = name
                elif role not in deeper:
                    cells[role], ended = _cell(document, start, here.get(role, ()), role)
                    end = ended if role in here and not here[role] else end
            if deeper:
                head = through(next(iter(deeper.values())))
                below = _value_at(document, start, head[:-1])
                _refuse_other(document, below, head[-1])
                inner_paths = {role: path[len(head) - 1 :] for role, path in deeper.items()}
                yield from _each(document, below, inner_paths, cells)
                end = document.ended if below == start else end
            else:
                yield cells
        except Wrong:
            document.skip(start, 1)  # what is no JSON is told first
            raise
        document.ended = document.end(start) if end is None else end
    if empty and "list" in outer_cells:
        yield outer_cells["list"]


def _cell(document: JsonDocument, start: int, path: Steps, role: str) -> tuple[JsonCell, int]:
    """The cell at the end of a path of names, and where it ends."""
    at = _value_at(document, start, path)
    if document.text[at : at + 1] in ("[", "{"):
        what = "an array" if document.text[at] == "[" else "an object"
        raise Wrong(at, f"{what} where the {role} is expected")
    text, end = document.leaf(at)
    return JsonCell(text, at), end


def _value_at(document: JsonDocument, at: int, path: Sequence[str]) -> int:
    """Where the value at the end of a path of names begins."""
    for name in path:
        if document.text[at : at + 1] != "{":
            raise Wrong(document.within(at), f"expected an object with {quoted(name)}")
        entries = document.entries(at)
        if name not in entries:
            similar = nearest(name, list(entries))
            hint = f"; rename {quoted(similar)}?" if similar else ""
            raise Wrong(at, f"{quoted(name)} is missing here{hint}")
        at = entries[name]
    return at
