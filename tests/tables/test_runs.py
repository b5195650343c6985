"""Tables whose lists stand together, cut by their runs."""

import numpy as np
import polars as pl
import pytest

from scorer.tables.columns import CodedColumn, RunColumn, TextColumn
from scorer.tables.runs import Apart, by_runs, cut_rows, together
from scorer.tables.schema import Schema
from scorer.tables.table import Table

NAMES = ["b", "b", "b", "a", "c", "c"]


def table(names, as_texts):
    if as_texts:
        column = TextColumn(pl.Series(names, dtype=pl.String))
    else:
        held = tuple(dict.fromkeys(names))
        column = CodedColumn(np.array([held.index(name) for name in names]), held)
    items = CodedColumn(np.arange(len(names)), tuple(f"i{n}" for n in range(len(names))))
    ids, score = {"list": column, "item": items}, np.arange(len(names), dtype=np.float64)
    return Table(ids, {"score": score}, np.arange(2, 2 + len(names)), Schema(("list", "item")))


@pytest.mark.parametrize("as_texts", [True, False])
def test_lists_that_stand_together_are_runs(as_texts):
    lists = by_runs(table(NAMES, as_texts)).ids["list"]
    assert isinstance(lists, RunColumn)
    assert list(lists.names) == ["b", "a", "c"]
    assert lists.sizes.tolist() == [3, 1, 2]
    assert lists.codes.tolist() == [0, 0, 0, 1, 2, 2]
    assert [lists.text(row) for row in range(6)] == NAMES
    assert lists.texts(np.array([5, 3, 0])) == ["c", "a", "b"]


@pytest.mark.parametrize("as_texts", [True, False])
def test_a_list_that_comes_again_stands_apart(as_texts):
    scattered = table(["a", "b", "a"], as_texts)
    assert not together(scattered)
    with pytest.raises(Apart):
        by_runs(scattered)


@pytest.mark.parametrize("as_texts", [True, False])
@pytest.mark.parametrize(("start", "stop"), [(0, 3), (0, 4), (3, 4), (3, 6), (4, 6), (4, 5)])
def test_rows_of_runs_are_cut_with_their_lists(as_texts, start, stop):
    whole = by_runs(table(NAMES, as_texts))
    whole.ids["list"].hashes  # noqa: B018  # which a part takes over
    part = cut_rows(whole, start, stop)
    lists = part.ids["list"]
    assert lists.texts(np.arange(stop - start)) == NAMES[start:stop]
    assert list(lists.names) == list(dict.fromkeys(NAMES[start:stop]))
    assert lists.hashes.tolist() == CodedColumn(lists.codes, lists.names).hashes.tolist()
    assert part.numbers["score"].tolist() == list(range(start, stop))
    assert part.ids["item"].texts(np.arange(stop - start)) == [f"i{n}" for n in range(start, stop)]


@pytest.mark.parametrize("as_texts", [True, False])
def test_no_rows_are_no_runs(as_texts):
    none = table([], as_texts)
    assert together(none)
    assert len(by_runs(none).ids["list"].held) == 0


@pytest.mark.parametrize(
    "names", [["b"] * 600 + ["a"] * 600 + ["b"] * 600, [f"i{n % 1100}" for n in range(1800)], []]
)
def test_codes_are_the_same_whether_ids_stand_together(names):
    column = TextColumn(pl.Series(names, dtype=pl.String))
    index = {}
    assert column.codes.tolist() == [index.setdefault(name, len(index)) for name in names]
    assert list(column.names) == list(index)
