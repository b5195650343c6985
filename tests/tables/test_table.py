"""Some rows of a table."""

import numpy as np
import polars as pl
import pytest

from scorer.reading.schema import Schema
from scorer.tables.columns import CodedColumn, RunColumn, TextColumn
from scorer.tables.table import Table


@pytest.mark.parametrize("rows", [slice(0, 0), slice(0, 4), slice(1, 3)])
def test_rows_that_follow_each_other_are_not_copied(rows):
    series = pl.Series(["a", "b", "a", "c"])
    columns = {
        "list": CodedColumn(np.array([0, 0, 1, 1]), ("x", "y")),
        "item": TextColumn(series),
        "better": RunColumn(np.array([1, 4]), ("x", "y")),
    }
    line = np.arange(4)
    table = Table(columns, {"score": np.arange(4.0)}, line, Schema(tuple(columns)))
    some, copied = table.where(rows), table.where(line[rows])
    assert np.shares_memory(some.line, line) == (len(some) > 0)
    for role in columns:
        assert some.ids[role].texts(np.arange(len(some))) == copied.ids[role].texts(
            np.arange(len(some))
        )
        assert some.ids[role].row_hashes.tolist() == copied.ids[role].row_hashes.tolist()
    assert some.numbers["score"].tolist() == copied.numbers["score"].tolist()
