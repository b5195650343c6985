"""Rows of scattered lists are kept in 24 bytes each at most."""

import numpy as np
import polars as pl
import pytest
from held import held_bytes
from wholes import LISTS, every_plan

from scorer.engines.kept import Kept
from scorer.io.spill import Spill
from scorer.io.table import CodedColumn, Schema, Table, TextColumn

RNG = np.random.default_rng(2011)
ROWS, PIECES = 100_000, 3


@pytest.fixture(scope="module")
def plans(tmp_path_factory):
    return every_plan(tmp_path_factory)


def ids():
    """A different id for each row."""
    return TextColumn(pl.Series(RNG.permutation(10**7)[:ROWS]).cast(pl.String))


COLUMNS = {
    "rank and score in full": (
        ("item",),
        {
            "rank": lambda: RNG.integers(1, 1001, ROWS).astype(float),
            "score": lambda: RNG.normal(0, 1, ROWS),
        },
    ),
    "score of few decimals": (("item",), {"score": lambda: RNG.normal(0, 1, ROWS).round(4) + 0.0}),
    "prediction in full": (("item",), {"prediction": lambda: RNG.normal(0, 1, ROWS)}),
    "pairs": (("better", "worse"), {}),
}
MOST = {
    "rank and score in full": 21,
    "score of few decimals": 15,
    "prediction in full": 19,
    "pairs": 19,
}


@pytest.mark.parametrize("case", COLUMNS)
def test_a_row_takes_so_many_bytes(case, plans):
    texts, numbers = COLUMNS[case]
    kept = Kept(plans["grades"], 100_000, Spill())
    for n in range(PIECES):
        lists = CodedColumn(RNG.integers(0, len(LISTS), ROWS), LISTS)
        kept.add(
            Table(
                {"list": lists, **{role: ids() for role in texts}},
                {role: make() for role, make in numbers.items()},
                np.arange(ROWS) + n * ROWS + 2,
                Schema(("list", *texts, *numbers)),
            )
        )
    # what does not grow with the rows is a few hundred bytes a piece
    assert held_bytes(kept._pieces) < (MOST[case] + 0.1) * ROWS * PIECES


def test_lines_that_do_not_follow_take_a_byte_a_row(plans):
    kept = Kept(plans["grades"], 100_000, Spill())
    lists = CodedColumn(np.arange(ROWS) % len(LISTS), LISTS)
    line = np.cumsum(RNG.integers(1, 4, ROWS))
    kept.add(Table({"list": lists}, {}, line, Schema(("list",))))
    assert held_bytes(kept._pieces) < 4.1 * ROWS  # with a list and a place
    assert np.sort(next(kept.tables()).line).tolist() == line.tolist()


def test_rows_of_lists_that_the_challenge_lacks_take_none(plans, request):
    spill = Spill()
    request.addfinalizer(spill.close)
    kept = Kept(plans["grades"], 100_000, spill)
    for n in range(PIECES):
        names = ids().series
        columns = {"list": CodedColumn(np.arange(ROWS), names), "item": TextColumn(names)}
        line = np.arange(ROWS) + n * ROWS
        kept.add(Table(columns, {}, line, Schema(("list", "item"))))
    assert held_bytes(kept._pieces, spill) < 0.1 * ROWS * PIECES
    assert sum(map(len, spill.tables())) == ROWS * PIECES
    assert sum(map(len, kept.tables())) == 0


def test_ids_are_held_as_long_as_they_take_little_memory(plans, monkeypatch):
    monkeypatch.setattr("scorer.engines.ids.MOST", 2.5 * ROWS * (16 + 7))
    kept = Kept(plans["grades"], 100_000, Spill())
    lists = CodedColumn(RNG.integers(0, len(LISTS), ROWS), LISTS)
    for n in range(1, PIECES + 1):
        line = np.arange(ROWS)
        kept.add(Table({"list": lists, "item": ids()}, {}, line, Schema(("list", "item"))))
        assert kept.ids.whole is (n < 3)
        assert (held_bytes(kept.ids) > n * 6 * ROWS) is (n < 3)
    assert held_bytes(kept.ids) == 0
