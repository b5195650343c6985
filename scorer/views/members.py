"""Which items each list has, by the columns of a file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from scorer.core.arrays import distinct
from scorer.core.members import Members
from scorer.tables.columns import CodedColumn, Codes
from scorer.tables.table import Table
from scorer.views.ranked import is_hashed

if TYPE_CHECKING:
    import polars as pl


def items_by_list(table: Table, *roles: str) -> Members:
    """The items of each list, from columns that name them; lists as the file names them first."""
    lists = table.ids["list"]
    named, codes = _one_order([table.ids[role] for role in roles])
    pairs = np.empty(len(table) * len(roles), dtype=np.int64)
    for part, item_codes in zip(np.split(pairs, len(roles)), codes, strict=True):
        part[:] = lists.codes
        part *= max(len(named), 1)
        part += item_codes
    pairs = distinct(pairs)
    ends = np.arange(1, len(lists.held) + 1) * max(len(named), 1)
    starts = np.append(0, np.searchsorted(pairs, ends))
    pairs %= max(len(named), 1)
    return Members(lists.names, named, starts, pairs.astype(np.int32))


def _one_order(columns: Sequence[CodedColumn]) -> tuple[Sequence[str] | pl.Series, list[Codes]]:
    """The distinct ids of several columns in code point order, and each row's place among them."""
    if len(columns) == 1:
        named, place = columns[0].in_order
        return named, [place[columns[0].codes]]
    if not any(map(is_hashed, columns)):
        names = sorted({name for column in columns for name in column.names})
        place_of = {name: n for n, name in enumerate(names)}
        places = [np.array([place_of[x] for x in column.names], np.int64) for column in columns]
        return names, [at[column.codes] for at, column in zip(places, columns, strict=True)]
    import polars as pl

    held = [pl.Series(column.held, dtype=pl.String) for column in columns]
    series = pl.concat(held).unique().sort()
    of = pl.DataFrame({"id": series, "place": np.arange(len(series))})
    at = [
        pl.DataFrame({"id": ids}).join(of, on="id", how="left", maintain_order="left")["place"]
        for ids in held
    ]
    return series, [
        place.to_numpy()[column.codes] for place, column in zip(at, columns, strict=True)
    ]
