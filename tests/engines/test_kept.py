"""Rows of scattered lists are kept in memory as long as they are few."""

from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from held import held_bytes
from wholes import LISTS, every_plan

from scorer.challenge.public import IdNames
from scorer.engines import kept as module
from scorer.engines.kept import GroupedRows
from scorer.tables.columns import CodedColumn, TextColumn
from scorer.tables.spill import Spill
from scorer.tables.table import Schema, Table

RNG = np.random.default_rng(2011)
ROWS, PIECES = 100_000, 3


@pytest.fixture(scope="module")
def plans(tmp_path_factory):
    return every_plan(tmp_path_factory)


def ids():
    """A different id for each row."""
    return TextColumn(pl.Series(RNG.permutation(10**7)[:ROWS]).cast(pl.String))


@pytest.mark.slow("reads files of a size at which rows are put aside")
def test_of_many_lists_each_row_keeps_its_line(plans):
    plan, names = plans["grades"], [f"q{n:07}" for n in range(1_000_000)]
    many = replace(plan, public=plan.public._replace(lists=IdNames(names)))
    kept = GroupedRows(many, 100_000, Spill())
    lists = CodedColumn(RNG.integers(0, len(names), ROWS), names)
    line = np.cumsum(RNG.integers(1, 4, ROWS))
    kept.add(Table({"list": lists, "item": ids()}, {}, line, Schema(("list", "item"))))
    tables = list(kept.tables())
    found = np.concatenate([table.line for table in tables])
    by = np.argsort(found)
    assert found[by].tolist() == line.tolist()
    named = [name for table in tables for name in table.ids["list"].texts(np.arange(len(table)))]
    assert [named[row] for row in by.tolist()] == lists.texts(np.arange(ROWS))


@pytest.mark.slow("reads files of a size at which rows are put aside")
def test_rows_of_lists_that_the_challenge_lacks_take_none(plans, request):
    spill = Spill()
    request.addfinalizer(spill.close)
    kept = GroupedRows(plans["grades"], 100_000, spill)
    for n in range(PIECES):
        names = ids().series
        columns = {"list": CodedColumn(np.arange(ROWS), names), "item": TextColumn(names)}
        line = np.arange(ROWS) + n * ROWS
        kept.add(Table(columns, {}, line, Schema(("list", "item"))))
    assert held_bytes(kept._pieces, spill) < 0.1 * ROWS * PIECES
    assert sum(map(len, spill.tables())) == ROWS * PIECES
    assert sum(map(len, kept.tables())) == 0


@pytest.mark.slow("reads files of a size at which rows are put aside")
@pytest.mark.parametrize("most", [1.5, 2.5, 3.5])
def test_rows_are_put_aside_where_they_take_more_memory(most, plans, request, monkeypatch):
    monkeypatch.setattr(module, "MEMORY", most * ROWS * (16 + 7 + 8 + 8))
    spill = Spill()
    request.addfinalizer(spill.close)
    kept, items, scores = GroupedRows(plans["grades"], 100_000, spill), [], []
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
