"""How many different ids a file has, by their hashes."""

import numpy as np
import polars as pl
import pytest

from scorer.bytes.limits import ReadLimits
from scorer.core.problems import Findings
from scorer.formats import pieces
from scorer.formats.read import format_of, read
from scorer.tables.columns import CodedColumn, TextColumn
from scorer.tables.distinct import Distinct
from scorer.tables.table import Schema, Table

SHAPE = Schema(("list", "item", "score"))


def table(items):
    series = pl.Series(items, dtype=pl.String)
    lists = CodedColumn(np.zeros(len(items), dtype=np.int64), ("q",))
    return Table({"list": lists, "item": TextColumn(series)}, {}, np.arange(len(items)), SHAPE)


@pytest.mark.parametrize("count", [1, 100, 5_000, 300_000])
def test_ids_are_counted_once_wherever_they_stand(count):
    found = Distinct(count)
    names = [f"i{n}" for n in range(count)]
    for part in (names[::2], names[1::2], names[::-1]):
        found.add(table(part))
    assert not found.exceeds(count)
    assert found.exceeds(int(count * 0.99) - 1)


@pytest.mark.parametrize(
    ("limit", "refused"), [(99, True), (100, False), (150, False), (1_000, False)]
)
def test_ids_of_the_first_rows_count_as_well(limit, refused, tmp_path, monkeypatch):
    monkeypatch.setattr("scorer.formats.cut.SMALLEST", 200)
    monkeypatch.setattr("scorer.formats.cut.PIECE", 200)
    path = tmp_path / "file.csv"
    rows = [f"q,i{n % 100},{n}\n" for n in range(400)]  # a hundred items, four times
    path.write_text("list,item,score\n" + "".join(rows))
    findings = Findings()
    found = read(path, format_of(path, None), [SHAPE], findings, ReadLimits(ids=limit))
    assert [each.code for each in findings] == (["S104"] if refused else [])
    assert (found is None) is refused


def test_rows_are_not_read_again_where_there_are_few_ids(tmp_path, monkeypatch):
    monkeypatch.setattr("scorer.formats.cut.SMALLEST", 200)
    monkeypatch.setattr("scorer.formats.cut.PIECE", 200)
    monkeypatch.setattr(pieces, "_before", None)
    path = tmp_path / "file.csv"
    path.write_text("list,item,score\n" + "".join(f"q,i{n % 10},{n}\n" for n in range(400)))
    assert read(path, format_of(path, None), [SHAPE], Findings(), ReadLimits(ids=100)) is not None
