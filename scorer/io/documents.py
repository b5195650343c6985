"""JSON documents: where each value stands, and which of them are a row's cells."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from json import JSONDecodeError
from json.decoder import scanstring  # type: ignore[attr-defined]
from typing import Any, NamedTuple

from scorer.core.nested import DEPTH
from scorer.core.text import join_first, nearest, quoted

SPACE = re.compile(r"[ \t\r\n]*")
SCALAR = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?|true|false|null")
STEP = re.compile(r"\[\]|\*|[^.\[\]*]+")
NAMES = ("list", "item", "better", "worse")  # roles that a member's name can say
EACH = ("[]", "*")
Steps = tuple[str, ...]


class Wrong(Exception):
    """The document is not what it should be; where, and what."""

    def __init__(self, at: int, message: str) -> None:
        self.at, self.message = at, message
        super().__init__(message)


class Node(NamedTuple):
    """A value and where it begins: text, a list of nodes, or members by their names."""

    value: Any
    at: int


class Cell(NamedTuple):
    """A cell of a row, and where it begins."""

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


class Document:
    """A JSON document as text, each value of which is looked at once.

    Args:
        text: all of it.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self._lines = [0, *(match.end() for match in re.finditer("\n", text))]

    def place(self, at: int) -> tuple[int, int]:
        """The line and the character of an offset, from 1."""
        line = bisect_right(self._lines, at)
        return line, at - self._lines[line - 1] + 1

    def space(self, at: int) -> int:
        """The offset of the next character that is no blank."""
        match = SPACE.match(self.text, at)
        assert match is not None  # it matches anything
        return match.end()

    def node(self, at: int, depth: int = 0) -> tuple[Node, int]:
        """The value that begins at an offset, and where it ends.

        Raises:
            Wrong: it is no JSON, or too deep.
        """
        text, sign = self.text, self.text[at : at + 1]
        if sign == '"':
            string, end = self._string(at)
            return Node(string, at), end
        if sign in ("[", "{") and sign:
            if depth >= DEPTH:
                raise Wrong(at, "the values are nested too deeply")
            value: Any = {} if sign == "{" else []
            for name, start in self.members(at):
                element, after = self.node(start, depth + 1)
                self._after = after
                if name is None:
                    value.append(element)
                elif name.value in value:
                    raise Wrong(name.at, f"the key {quoted(name.value)} is given twice")
                else:
                    value[name.value] = name, element
            return Node(value, at), self._after
        match = SCALAR.match(text, at)
        if match is None:
            what = f"{quoted(text[at])} is no value" if at < len(text) else "it ends early"
            raise Wrong(min(at, max(len(text) - 1, 0)), f"not JSON: {what}")
        return Node("" if match[0] == "null" else match[0], at), match.end()

    def members(self, at: int) -> Iterator[tuple[Node | None, int]]:
        """The name, if any, and the place of each element or member of the value at an offset.

        Before the next one is asked for, `after` must have the end of the last one.
        """
        text, end = self.text, {"[": "]", "{": "}"}[self.text[at]]
        at = self.space(at + 1)
        if text[at : at + 1] == end:
            self._after = at + 1
            return
        while True:
            name = None
            if end == "}":
                if text[at : at + 1] != '"':
                    raise Wrong(min(at, len(text) - 1), "not JSON: expected a key in quotes")
                key, after = self._string(at)
                name, at = Node(key, at), self.space(after)
                if text[at : at + 1] != ":":
                    raise Wrong(min(at, len(text) - 1), "not JSON: expected a colon after the key")
                at = self.space(at + 1)
            yield name, at
            at = self.space(self._after)
            sign = text[at : at + 1]
            if sign == end:
                self._after = at + 1
                return
            if sign != ",":
                what = f"expected a comma or {end}" if sign else "it ends early"
                raise Wrong(min(at, max(len(text) - 1, 0)), f"not JSON: {what}")
            at = self.space(at + 1)

    _after = 0  # where the value that was looked at last ended

    def after(self, at: int) -> None:
        """Say where the element that `members` gave ended."""
        self._after = at

    def _string(self, at: int) -> tuple[str, int]:
        try:
            string: str
            string, end = scanstring(self.text, at + 1)
        except JSONDecodeError as error:
            raise Wrong(
                min(error.pos, len(self.text) - 1), f"not JSON: {error.msg.lower()}"
            ) from None
        if "\0" in string or any("\ud800" <= sign <= "\udfff" for sign in string):
            raise Wrong(at, "a text holds a NUL, or half a character")
        return string, end


def rows(document: Document, paths: Mapping[str, Steps]) -> Iterator[Cell | dict[str, Cell]]:
    """The rows of a document; of a list without any, its name alone.

    Args:
        document: the document.
        paths: the steps to each role's cells.

    Raises:
        Wrong: the document has another shape.
    """
    *common, kind = through(next(iter(paths.values())))
    first, at = len(common), document.space(0)
    for step in common:
        at = _member(document, at, step)
    inner_paths = {role: tuple(path[first:]) for role, path in paths.items()}
    sign = document.text[at : at + 1]
    if sign != ("[" if kind == "[]" else "{"):
        what = "an array" if kind == "[]" else "an object"
        raise Wrong(min(at, max(len(document.text) - 1, 0)), f"expected {what} here")
    for name, start in document.members(at):
        node, end = document.node(start, 1)
        yield from _under([(name, node)], inner_paths, {})
        document.after(end)
    if not first and document.space(document._after) < len(document.text):
        raise Wrong(document.space(document._after), "not JSON: something follows the document")


def _member(document: Document, at: int, name: str) -> int:
    """Where the member of that name begins, of the object that begins at an offset."""
    if document.text[at : at + 1] != "{":
        at = min(at, max(len(document.text) - 1, 0))
        raise Wrong(at, f"expected an object with {quoted(name)}")
    names, begin = [], at
    for key, start in document.members(at):
        assert key is not None
        if key.value == name:
            return start
        names.append(key.value)
        _, end = document.node(start, 1)
        document.after(end)
    similar = nearest(name, names)
    hint = f"; rename {quoted(similar)}?" if similar else ""
    raise Wrong(begin, f"no {quoted(name)} here; found: {join_first(names) or 'nothing'}{hint}")


def _under(
    members: Sequence[tuple[Node | None, Node]],
    paths: Mapping[str, Steps],
    outer_cells: Mapping[str, Cell],
) -> Iterator[Cell | dict[str, Cell]]:
    """The rows of elements, or members, of one value.

    Args:
        members: their names, if they have any, and values.
        paths: the steps to each role's cells; the first step is to these.
        outer_cells: the cells that the values above have given.
    """
    ends = [role for role in NAMES if paths.get(role) == ("*",)]
    named = ends[:1]  # {id: text}: where two end at the same member, its value is the second
    for name, node in members:
        cells, deeper = dict(outer_cells), dict[str, Steps]()
        for role, path in paths.items():
            if role in named and name is not None:
                cells[role] = Cell(name.value, name.at)
            elif through(path[1:]):
                deeper[role] = path[1:]
            else:
                leaf = _value_at(node, path[1:])
                if not isinstance(leaf.value, str):
                    what = "an array" if isinstance(leaf.value, list) else "an object"
                    raise Wrong(leaf.at, f"{what} where the {role} is expected")
                cells[role] = Cell(leaf.value, leaf.at)
        if not deeper:
            yield cells
            continue
        head = through(next(iter(deeper.values())))
        below, kind = _value_at(node, head[:-1]), head[-1]
        inner: list[tuple[Node | None, Node]]
        if kind == "[]" and isinstance(below.value, list):
            inner = [(None, element) for element in below.value]
        elif kind == "*" and isinstance(below.value, dict):
            inner = list(below.value.values())
        else:
            what = "an array" if kind == "[]" else "an object"
            raise Wrong(below.at, f"expected {what} here")
        if not inner and "list" in cells:
            yield cells["list"]
        yield from _under(inner, {r: p[len(head) - 1 :] for r, p in deeper.items()}, cells)


def _value_at(node: Node, path: Sequence[str]) -> Node:
    """The value at the end of a path of names."""
    for name in path:
        if not isinstance(node.value, dict):
            raise Wrong(node.at, f"expected an object with {quoted(name)}")
        if name not in node.value:
            similar = nearest(name, list(node.value))
            hint = f"; rename {quoted(similar)}?" if similar else ""
            raise Wrong(node.at, f"{quoted(name)} is missing here{hint}")
        node = node.value[name][1]
    return node
