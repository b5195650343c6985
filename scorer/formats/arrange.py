"""Which column of a table holds what, told by its cells where the header does not say it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Literal, NamedTuple

Fits = Callable[[str], bool]  # whether a text can be a cell of a column
NEARLY_ALL = 0.8  # of the cells of a column fit it
HARDLY_ANY = 0.2
MOST_COLUMNS = 8  # of which the order is looked for
SAMPLE = 200  # rows
Kind = Literal["missing", "renamed", "swapped"]  # the header, some names, the order of names


class Arranged(NamedTuple):
    """The names that the columns certainly should have."""

    kind: Kind
    names: list[str]


def arrangement(
    rows: Sequence[Sequence[str]], shapes: Sequence[Mapping[str, Fits]]
) -> Arranged | None:
    """How the header should read; None where it reads so, or nothing is certain.

    `rows` begin with the header, if there is one; `shapes` are what a table may look like: of each
    the columns it must have, by name, and whether a text can be a cell of one. A header with all
    columns of one shape is of that shape: its further columns are not renamed for another one.
    """
    if len(rows) < 2:
        return None
    shapes = complete_shapes(rows[0], shapes) or shapes
    found = [way for fits in shapes if (way := _in_shape(rows[: SAMPLE + 1], fits)) is not None]
    return found[0] if len(found) == 1 else None


def complete_shapes(
    header: Sequence[str], shapes: Sequence[Mapping[str, Fits]]
) -> list[Mapping[str, Fits]]:
    """Return the shapes of which the header has all columns."""
    return [fits for fits in shapes if all(name in header for name in fits)]


def _in_shape(rows: Sequence[Sequence[str]], fits: Mapping[str, Fits]) -> Arranged | None:
    header = rows[0]
    whole = [row for row in rows[1:] if len(row) == len(header)]
    cells = dict(enumerate(zip(*whole, strict=True)))
    absent = {name: fit for name, fit in fits.items() if name not in header}
    free = [n for n, name in enumerate(header) if name not in fits]
    if not whole:
        return None
    if len(absent) == len(fits):
        names = arranged([cells[n] for n in free], fits)
        if names is None:
            return None
        row = all(fits[name](cell) for name, cell in zip(names, header, strict=True))
        return Arranged("missing" if row else "renamed", names)
    places = free if absent else [n for n, name in enumerate(header) if name in fits]
    same = len(whole) > 1 and any(len({*cells[n]}) == 1 for n in places)  # which are no ids
    if not absent and (same or all(_some(cells[n], fits[header[n]]) for n in places)):
        return None
    names = arranged([cells[n] for n in places], absent or fits)
    kind: Kind = "renamed" if absent else "swapped"
    if names is None and absent and len(header) == len(fits):
        kind, places = "swapped", [*cells]
        names = arranged([*cells.values()], fits)
    return None if names is None else Arranged(kind, _arranged_names(header, places, names))


def _arranged_names(
    header: Sequence[str], places: Sequence[int], names: Sequence[str]
) -> list[str]:
    named = dict(zip(places, names, strict=True))
    return [named.get(n, name) for n, name in enumerate(header)]


def _some(cells: Sequence[str], fit: Fits) -> bool:
    """Whether more than hardly any cells of a column fit."""
    return sum(map(fit, cells)) > HARDLY_ANY * len(cells)


def arranged(columns: Sequence[Sequence[str]], fits: Mapping[str, Fits]) -> list[str] | None:
    """The role of each column; None unless there is exactly one way to give them all.

    `columns` are the cells of each; `fits` says for each role whether a text can be its cell.

    >>> arranged([["ana", "ben"], ["1", "2"]], {"number": str.isdigit, "name": str.isalpha})
    ['name', 'number']
    >>> arranged([["3", "4"], ["1", "2"]], {"number": str.isdigit, "rank": str.isdigit})
    """
    if len(columns) != len(fits) or len(fits) > MOST_COLUMNS or not columns:
        return None
    ways = _ways([{role for role, fit in fits.items() if holds(each, fit)} for each in columns])
    first, second = next(ways, None), next(ways, None)
    return first if second is None else None


def holds(cells: Sequence[str], fit: Fits) -> bool:
    """Whether nearly all cells of a column fit."""
    return bool(cells) and sum(map(fit, cells)) >= NEARLY_ALL * len(cells)


def _ways(possible: Sequence[set[str]]) -> Iterator[list[str]]:
    """All ways to give each column a role of its own."""
    if not possible:
        yield []
        return
    for role in sorted(possible[0]):
        for rest in _ways([others - {role} for others in possible[1:]]):
            yield [role, *rest]
