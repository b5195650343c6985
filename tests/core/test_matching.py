"""Rows are matched by their texts, whatever their hashes."""

import numpy as np
import polars as pl
import pytest

from scorer.core import matching
from scorer.core.matching import RowIndex, find_repeats, number_rows

TEXTS = ["a", "b", "é", "", "10", "1", "0", "a long text, which a column keeps elsewhere"]


@pytest.fixture(params=["drawn", "few", "one", "own batches"])
def hashes(request, monkeypatch):
    """Hashes as they are, with few values, with one, and of a few rows at a time."""
    if request.param == "few":
        request.getfixturevalue("few_hashes")
    if request.param == "one":
        monkeypatch.setattr(matching, "hash_rows", lambda columns: np.zeros(len(columns[0]), "u8"))
    if request.param == "own batches":
        monkeypatch.setattr(matching, "BATCH", 7)


def drawn_rows(size, width, seed):
    """Rows of a number and texts, of which many are equal."""
    chance = np.random.default_rng(seed)
    rows = [
        (int(chance.integers(-1, 3)), *map(str, chance.choice(TEXTS, width))) for _ in range(size)
    ]
    chunk = max(size // 12, 1)  # more chunks than polars takes texts of without a copy
    names = [f"{n}" for n in range(width + 1)]
    types = [pl.Int32] + [pl.String] * width
    schema = dict(zip(names, types, strict=True))
    parts = [rows[at : at + chunk] for at in range(0, size, chunk)] or [[]]
    frame = pl.concat([pl.DataFrame(part, schema, orient="row") for part in parts], rechunk=False)
    return rows, frame.get_columns()


@pytest.mark.parametrize("width", [1, 2, 3])
@pytest.mark.parametrize("size", [0, 1, 2, 30, 400])
def test_a_row_repeats_the_first_one_with_its_texts(size, width, hashes):
    rows, columns = drawn_rows(size, width, seed=size + width)
    first = {row: n for n, row in reversed([*enumerate(rows)])}
    expected = [(n, first[row]) for n, row in enumerate(rows) if first[row] != n]
    found = find_repeats(columns)
    assert list(zip(*(each.tolist() for each in found), strict=True)) == expected
    numbers = {row: n for n, row in enumerate(dict.fromkeys(rows))}
    assert number_rows(columns).tolist() == [numbers[row] for row in rows]


@pytest.mark.parametrize("width", [1, 2, 3])
@pytest.mark.parametrize("size", [0, 1, 30, 400])
def test_rows_match_those_with_their_texts(size, width, hashes):
    rows, columns = drawn_rows(size, width, seed=size)
    others = list(dict.fromkeys(drawn_rows(300, width, seed=1)[0]))
    other_columns = [
        pl.Series(cells, dtype=pl.String if n else pl.Int64)
        for n, cells in enumerate(zip(*others, strict=True))
    ]
    place = {row: n for n, row in enumerate(others)}
    expected = [(n, place[row]) for n, row in enumerate(rows) if row in place]
    index, other = RowIndex.of(columns), RowIndex.of(other_columns)
    found = index.match(columns, other, other_columns)
    assert list(zip(*(each.tolist() for each in found), strict=True)) == expected


def test_hashes_depend_on_the_seed_that_a_process_draws(monkeypatch):
    columns = [pl.Series(["a", "b"])]
    keys = matching.hash_rows(columns)
    assert keys[0] != keys[1]
    monkeypatch.setattr(matching, "SEED", matching.SEED ^ 1)
    assert (matching.hash_rows(columns) != keys).all()
