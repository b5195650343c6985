"""Rows of scattered lists are kept in 24 bytes each at most."""

from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from held import held_bytes
from wholes import LISTS, every_plan

from scorer.challenge.public import Names
from scorer.engines import kept as module
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


def test_many_lists_and_lines_that_do_not_follow_take_a_byte_a_row_each(plans):
    plan, names = plans["grades"], [f"q{n:07}" for n in range(1_000_000)]
    many = replace(plan, public=plan.public._replace(lists=Names(names)))
    case = "rank and score in full"
    kept, (_, numbers) = Kept(many, 100_000, Spill()), COLUMNS[case]
    lists = CodedColumn(RNG.integers(0, len(names), ROWS), names)
    line = np.cumsum(RNG.integers(1, 4, ROWS))
    columns = {"list": lists, "item": ids()}
    values = {role: make() for role, make in numbers.items()}
    kept.add(Table(columns, values, line, Schema(("list", "item", *numbers))))
    assert held_bytes(kept._pieces) < (MOST[case] + 2.1) * ROWS
    found = np.concatenate([table.line for table in kept.tables()])
    assert np.sort(found).tolist() == line.tolist()


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


@pytest.mark.parametrize("most", [1.5, 2.5, 3.5])
def test_rows_are_put_aside_where_they_take_more_memory(most, plans, request, monkeypatch):
    monkeypatch.setattr(module, "MOST", most * ROWS * (16 + 7 + 8 + 8))
    spill = Spill()
    request.addfinalizer(spill.close)
    kept, items, scores = Kept(plans["grades"], 100_000, spill), [], []
    lists = CodedColumn(RNG.integers(0, len(LISTS), ROWS), LISTS)
    for n in range(PIECES):
        columns, score = {"list": lists, "item": ids()}, RNG.normal(0, 1, ROWS)
        line = np.arange(ROWS) + n * ROWS
        kept.add(Table(columns, {"score": score}, line, Schema(("list", "item", "score"))))
        items.append(columns["item"].series)
        scores.append(score)
    assert (held_bytes(kept._pieces, kept._texts, spill) < 1000) is (most < PIECES)
    assert (sum(map(len, kept.tables())) == 0) is (most < PIECES)
    tables = [*kept.tables(), *spill.tables()]
    line = np.concatenate([table.line for table in tables])
    by = np.argsort(line)
    assert np.array_equal(line[by], np.arange(PIECES * ROWS))
    names = pl.concat([table.ids["item"].series for table in tables])
    assert names.gather(by).equals(pl.concat(items))
    assert np.array_equal(
        np.concatenate([table.numbers["score"] for table in tables])[by], np.concatenate(scores)
    )
    named = [
        name for table in tables for name in set(table.ids["list"].texts(np.arange(len(table))))
    ]
    assert len(named) == len(LISTS)  # whole lists
