"""The rows of plain members of a JSON array or object, many at a time."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from scorer.core.arrays import Ints
from scorer.formats.steps import PathLevel, Steps
from scorer.formats.tokens import OBJECT, OPEN, STRING, WORD, Odd, Tokens
from scorer.tables.columns import RunColumn, TextColumn
from scorer.tables.table import TEXT, largest

if TYPE_CHECKING:
    import polars as pl


class MemberRows(NamedTuple):
    """The rows of some members.

    Attributes:
        columns: by role: a `CodedColumn` of text, or float64; one a row.
        at: by role, where the cell of each row begins in the document.
        lists: where each has rows of its own: the text of each one's list, where the cell of that
            begins, and its number of rows; None where lists are as other cells.
        end: where they end in the document.
        looked: how many escapes, and texts with escapes, were looked at one by one.
    """

    columns: dict[str, Any]
    at: dict[str, Ints]
    lists: tuple[list[str], Ints, Ints] | None
    end: int
    looked: int


def members(data: bytes, start: int, level: PathLevel, names: set[str]) -> MemberRows | None:
    """The rows of the whole members in a piece of a document; None where no member is whole.

    Args:
        data: the piece.
        start: where it begins in the document.
        names: those of the container's members before it; those of these are added.

    Raises:
        Odd: they are not plain.
    """
    tokens = Tokens(data, level.opening)
    if not tokens.size:
        return None
    value = np.flatnonzero(tokens.is_value())
    outer = value[tokens.parent[value] == 0]
    cells = _cells(tokens, outer, level)
    columns, lists, counts = dict[str, Any](), None, None
    if level.head is not None and level.below is not None:
        containers = _within(tokens, outer, level.head[0])
        if (tokens.kind[containers] != OPEN[level.head[1]]).any():
            raise Odd
        owner = _rank(tokens, containers)[tokens.parent[value]]
        rows, counts = value[owner >= 0], np.bincount(owner[owner >= 0], minlength=outer.size)
        columns = _columns(tokens, cells, counts)
        at = {role: np.repeat(tokens.begins(cell), counts) for role, cell in cells.items()}
        if "list" in cells:
            texts = tokens.texts(cells["list"]).to_list()
            lists = texts, start + tokens.begins(cells["list"]), counts
        cells = _cells(tokens, rows, level.below)
    else:
        at = {}
    columns |= _columns(tokens, cells)
    at |= {role: tokens.begins(cell) for role, cell in cells.items()}
    _add_names(tokens, level, names)
    places = {role: start + place for role, place in at.items()}
    return MemberRows(columns, places, lists, start + tokens.size, tokens.looked)


def _add_names(tokens: Tokens, level: PathLevel, names: set[str]) -> None:
    if level.opening == "[":
        return
    here = tokens.keys.filter(tokens.parent[tokens.key_places] == 0).to_list()
    if not names.isdisjoint(here):
        raise Odd
    names.update(here)


def _cells(tokens: Tokens, values: Ints, level: PathLevel) -> dict[str, Ints]:
    """The token of each role's cell, in or at each of some members."""
    cells = {role: _within(tokens, values, path) for role, path in level.here.items()}
    for cell in cells.values():
        kind = tokens.kind[cell]
        if ((kind != STRING) & (kind != WORD)).any():
            raise Odd
    return cells if level.named is None else {level.named: values - 1, **cells}


def _within(tokens: Tokens, values: Ints, path: Steps) -> Ints:
    """The value to which names lead from each of some values."""
    for name in path:
        if (tokens.kind[values] != OBJECT).any():
            raise Odd
        found = tokens.key_places[(tokens.keys == name).to_numpy()]
        owner = _rank(tokens, values)[tokens.parent[found]]
        found, owner = found[owner >= 0], owner[owner >= 0]
        if found.size != values.size:
            raise Odd  # none has two of a name, so that one is missing
        values = found[np.argsort(owner)] + 1
    return values


def _rank(tokens: Tokens, containers: Ints) -> Ints:
    """The place of each token among these; -1 of all others."""
    rank = np.full(tokens.kind.size, -1)
    rank[containers] = np.arange(containers.size)
    return rank


def _columns(
    tokens: Tokens, cells: Mapping[str, Ints], counts: Ints | None = None
) -> dict[str, Any]:
    """The columns of cells; each is that of so many rows, where it is not of one."""
    columns = dict[str, Any]()
    for role, cell in cells.items():
        texts, words = tokens.texts(cell), tokens.kind[cell] == WORD
        if role not in TEXT:
            numbers = _numbers(texts, role) if words.all() else None
            if numbers is None:
                raise Odd
            columns[role] = numbers if counts is None else np.repeat(numbers, counts)
            continue
        if words.any() and (texts.filter(words) == "null").any():
            raise Odd
        if counts is None:
            columns[role] = TextColumn(texts)
        else:
            full = counts > 0
            columns[role] = RunColumn(np.cumsum(counts[full]), texts.filter(full))
    return columns


def _numbers(texts: pl.Series, role: str) -> Any:
    """The numbers that JSON's words say; None where one is none, or too large."""
    import polars as pl

    numbers = texts.cast(pl.Float64, strict=False)
    if numbers.null_count():
        return None
    values = numbers.to_numpy()
    return values if (np.abs(values) <= largest(role)).all() else None
