"""JSON documents: where each value stands, and which of them are a row's cells.

Plain members are read many at a time, all others value by value; both give the same rows, and
only the latter tells faults.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import accumulate
from json import JSONDecodeError
from json.decoder import scanstring  # type: ignore[attr-defined]
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from scorer.bytes.limits import Unreadable
from scorer.core.arrays import Ints
from scorer.core.nested import MOST_NESTED
from scorer.core.problems import Problem
from scorer.core.text import join_first, nearest, quoted
from scorer.formats.steps import NAMES, PathLevel, Steps, level_of, through

if TYPE_CHECKING:
    from scorer.formats.members import MemberRows

SMALLEST = 1_500_000  # bytes; below, polars takes longer to import than the values to be read
LEAST, MOST = 1 << 16, 1 << 20  # bytes in which plain members are looked for at a time
MOST_NAMES = 4_000_000  # in one object
JSONL = "write an object a line, in a .jsonl file"
SPACE = re.compile(r"[ \t\r\n]*")
SCALAR = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?|true|false|null")
HALF = re.compile("[\ud800-\udfff]")
PLACES = 4096  # characters; so many are looked through for the number of a line
BRACKETS = ("[", "{", "")


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


class JsonDocument:
    """A JSON document, through which one walks by offsets: no tree of it is made.

    Args:
        most: how many values are looked at, one by one.

    Attributes:
        text: a character for each byte.
        ended: where the value that was looked at last ended.
    """

    def __init__(self, data: bytes, most: int = sys.maxsize) -> None:
        self.data, self.text, self._left = data, data.decode("latin-1"), most
        self.ended = 0
        self._objects: dict[int, tuple[dict[str, int], int]] = {}
        self._ascii = data.isascii()
        self._place = 0, 0  # an offset that was looked for, and where its line starts
        self._slow = 0 if len(data) >= SMALLEST else len(data)  # before it, nothing is plain
        self._piece = LEAST

    def plain(
        self, name: JsonCell | None, at: int, level: PathLevel, names: set[str]
    ) -> MemberRows | None:
        """The rows of whole plain members from that one on; None where it is to be looked at.

        `names` are those of all members so far. `TooMany` values looked at one by one.
        """
        from scorer.formats.members import members
        from scorer.formats.tokens import Odd

        if name is not None:
            names.discard(name.text)
            at = name.at
        found, most = None, 4 * MOST  # bytes of a larger piece, where none was odd
        while at >= self._slow and found is None:
            try:
                found = members(self.data[at : at + self._piece], at, level, names)
            except Odd:
                most = 0
                if self._piece <= LEAST:
                    self._slow = at + LEAST
                self._piece = max(self._piece // 4, LEAST)
            else:
                # what is below names is looked for by a look at the whole member
                if found or level.head is None or not level.head[0] or self._piece >= most:
                    break
                self._piece *= 4
        if found is None:
            names.update([] if name is None else [name.text])
            return None
        if len(names) > MOST_NAMES:
            message = f"more than {MOST_NAMES:,} members of one object"
            raise Unreadable(Problem("S104", message, line=self.line(at), help=JSONL))
        if found.end - at < LEAST // 4:  # it ends there: others may be as small
            self._slow = at + LEAST
        self._piece = min(4 * self._piece, MOST)
        self._count(found.looked)
        self.ended = found.end
        return found

    def may_be_plain(self, at: int) -> bool:
        """Whether it is worth a try to read what begins at an offset with others at a time."""
        return at >= self._slow

    @cached_property
    def _lines(self) -> list[int]:
        """How many lines end before each block of the text."""
        starts = range(0, len(self.text), PLACES)
        counts = (self.text.count("\n", start, start + PLACES) for start in starts)
        return [0, *accumulate(counts)]

    @cached_property
    def _characters(self) -> Ints:
        """How many characters begin before each block of bytes."""
        begins = np.frombuffer(self.data, dtype=np.int8) >= -64
        counts = np.add.reduceat(begins, np.arange(0, begins.size, PLACES), dtype=np.int64)
        return np.append(0, np.cumsum(counts))

    def place(self, at: int) -> tuple[int, int]:
        """The line and the character of an offset, from 1."""
        line, (last, start) = self.line(at), self._place
        start = self.text.rfind("\n", last if at >= last else 0, at) + 1 or (at >= last) * start
        self._place = at, start
        if self._ascii:
            return line, at - start + 1
        return line, self._before(at) - self._before(start) + 1

    def _before(self, at: int) -> int:
        """How many whole characters there are before an offset."""
        start = at // PLACES * PLACES
        begins = np.frombuffer(self.data[start : at + 1], dtype=np.int8) >= -64
        return int(self._characters[at // PLACES]) + int(np.count_nonzero(begins)) - 1

    def lines(self, at: Ints) -> Ints:
        """The lines of ascending offsets, from 1."""
        if not at.size:
            return at
        start, stop = int(at.min()), int(at.max())
        ends = np.flatnonzero(np.frombuffer(self.data[start:stop], dtype=np.uint8) == ord("\n"))
        lines: Ints = np.searchsorted(ends, at - start) + self.line(start)
        return lines

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
        """Where the value at an offset ends; `Wrong` if it is no JSON or too deep, or `TooMany`."""
        if self.text[at : at + 1] not in ("[", "{") or at >= len(self.text):
            return self.leaf(at)[1]
        self._count()
        if depth >= MOST_NESTED:
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
            sign = self.data[at : at + 4].decode(errors="ignore")[:1]
            what = "it ends early" if ended else f"{quoted(sign)} is no value"
            raise Wrong(self.within(at), f"not JSON: {what}")
        return "" if match[0] == "null" else match[0], match.end()

    def members(
        self, at: int, names: set[str] | None = None
    ) -> Iterator[tuple[JsonCell | None, int]]:
        """The name, if any, and the place of each element or member of the value at an offset.

        Before the next one is asked for, `ended` must be where the last one ended.

        `names` are those of the members so far.
        """
        text, end = self.text, {"[": "]", "{": "}"}[self.text[at]]
        names = set() if names is None else names
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
            if len(self._objects) > MOST_NESTED:
                self._objects.clear()
            found = {}
            for name, start in self.members(at):
                assert name is not None
                found[name.text] = start
                self.ended = self.skip(start, 1)
            self._objects[at] = found, self.ended
        return self._objects[at][0]

    def _count(self, values: int = 1) -> None:
        self._left -= values
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
        if not string.isascii():  # bytes of several to a character, or an escape
            string = scanstring(self.data[at:end].decode(), 1)[0]
        if "\0" in string or (not string.isascii() and HALF.search(string)):
            raise Wrong(at, "a text holds a NUL, or half a character")
        return string, end


class PlainRows(NamedTuple):
    """Rows of plain members, and the cells that the values above have given."""

    outer_cells: Mapping[str, JsonCell]
    members: MemberRows


Found = JsonCell | dict[str, JsonCell] | PlainRows


def rows(document: JsonDocument, paths: Mapping[str, Steps]) -> Iterator[Found]:
    """The rows of a document; of a list without any, its name alone; of plain members, columns.

    `Wrong` if it has another shape; `TooMany` values looked at one by one.
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
) -> Iterator[Found]:
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
    empty, names = True, set[str]()
    level = level_of(paths, outer_cells) if document.may_be_plain(len(document.data) - 1) else None
    for name, start in document.members(at, names):
        if level is not None and document.may_be_plain(start):
            found = document.plain(name, start, level, names)
            if found is not None:
                yield PlainRows(outer_cells, found)
                empty = False
                continue
        if scalars and document.text[start : start + 1] not in BRACKETS:  # nearly all rows
            text, after = document.leaf(start)
            value, empty = JsonCell(text, start), False
            both = {role: name if role in named and name else value for role in paths}
            yield {**outer_cells, **both}
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
