"""A table's rows as ranked lists."""

import gc
import weakref

import numpy as np
import polars as pl
import pytest

from scorer.reading.schema import Schema
from scorer.tables.columns import CodedColumn
from scorer.tables.table import Table
from scorer.views import ranked as ranking
from scorer.views.ranked import ItemIndex, look_up, ranked


@pytest.fixture
def no_search():
    gc.disable()
    yield
    gc.enable()


def test_a_table_goes_with_its_last_reference(no_search):
    """A file has thousands of them, and the command seldom searches for cycles."""
    ids = {role: CodedColumn(np.array([0, 1]), ("a", "b")) for role in ("list", "item")}
    table = Table(ids, {"score": np.array([1.0, 2.0])}, np.array([2, 3]), Schema(("list", "item")))
    assert len(ranked(table).items.repeated) == 0
    gone = weakref.ref(table)
    del table
    assert gone() is None


@pytest.mark.parametrize("known", [0, 1, 2, 100, 5000])
@pytest.mark.parametrize("asked", [0, 1, 3, 4000, 20_000])
def test_a_look_up_finds_what_is_known_and_nothing_else(known, asked):
    chance = np.random.default_rng(known + asked)
    names = np.unique(chance.integers(0, 2**64, known, dtype=np.uint64))
    names[-1:] = 2**64 - 1
    places = chance.permutation(names.size)
    asked = np.append(
        chance.integers(0, 2**64, asked, dtype=np.uint64), names[chance.permutation(names.size)]
    )
    place = dict(zip(names.tolist(), places.tolist(), strict=True))
    found = look_up(names, places, asked)
    assert found.tolist() == [place.get(hash, -1) for hash in asked.tolist()]


def test_a_look_up_steps_over_hashes_that_begin_alike():
    names = np.uint64(7 << 60) + np.arange(50, dtype=np.uint64)
    asked = np.tile(np.append(names[::-1], np.uint64((7 << 60) + 50)), 3)
    found = look_up(names, np.arange(50), asked)
    assert found.tolist() == [*range(49, -1, -1), -1] * 3


KEYS = {
    "few": lambda chance, n: chance.integers(-3, 4, n) * 1.0,
    "decimals": lambda chance, n: chance.normal(20, 5, n).round(3),
    "in full": lambda chance, n: chance.normal(0, 1, n),
    "alike": lambda chance, n: 1 + chance.integers(0, 40, n) * 2.0**-52,
    "zeros": lambda chance, n: chance.choice([0.0, -0.0, 5e-324, -5e-324], n),
    "far apart": lambda chance, n: chance.choice([1e308, -1e308, 1.0, 1 + 2.0**-52, -1e-300], n),
}


@pytest.mark.parametrize("column", ["score", "rank"])
@pytest.mark.parametrize("keys", KEYS)
@pytest.mark.parametrize(("lists", "rows"), [(1, 2), (1, 3000), (40, 3000), (3000, 3000)])
def test_rows_stand_by_list_then_best_first_then_as_in_the_file(lists, rows, keys, column):
    chance = np.random.default_rng(rows + lists)
    codes, key = chance.integers(0, lists, rows), KEYS[keys](chance, rows)
    ids = {
        "list": CodedColumn(codes, [str(n) for n in range(lists)]),
        "item": CodedColumn(np.arange(rows), [str(n) for n in range(rows)]),
    }
    found = ranked(Table(ids, {column: key}, np.arange(rows), Schema(("list", "item"))))
    best_first = -key if column == "score" else key
    expected = np.lexsort((np.arange(rows), best_first, codes))
    assert found.at(np.arange(rows)).tolist() == expected.tolist()


@pytest.mark.parametrize("sizes", [[1], [3, 1, 2], [300, *[1] * 99], [10] * 90, [1] * 15])
@pytest.mark.parametrize("few", [False, True])
@pytest.mark.parametrize("alike", [0, 55, 60])  # first bits that keys of a list share
def test_an_index_finds_the_items_of_each_list(sizes, few, alike):
    chance, rows = np.random.default_rng(alike), sum(sizes)
    run = np.repeat(np.arange(len(sizes)), sizes)
    first = np.uint64((2**64 - 1) - (2 ** (64 - alike) - 1))

    def some(many):
        return chance.integers(0, 2 ** (64 - alike), many, dtype=np.uint64) | first

    keys = some(rows)
    # the items of the lists, the same in other lists, others, and others' lists
    wanted_runs = np.concatenate([run, chance.permutation(run), run, np.full(rows, -1)])
    wanted_keys = np.concatenate([keys, keys, some(rows), keys])
    asked = chance.permutation(wanted_runs.size)[: rows // 9 if few else None]
    wanted_runs, wanted_keys = wanted_runs[asked], wanted_keys[asked]
    rows_of = {}
    for row, pair in enumerate(zip(run.tolist(), keys.tolist(), strict=True)):
        rows_of.setdefault(pair, []).append(row)
    expected = [
        (at, row)
        for at, pair in enumerate(zip(wanted_runs.tolist(), wanted_keys.tolist(), strict=True))
        for row in rows_of.get(pair, ())
    ]
    found = ItemIndex.of(keys, np.array(sizes)).find(wanted_runs, wanted_keys)
    assert sorted(zip(*(each.tolist() for each in found), strict=True)) == expected


@pytest.mark.parametrize("descending", [False, True])
def test_polars_and_python_order_equal_rows_alike(descending, monkeypatch):
    rng = np.random.default_rng(3)
    group = np.sort(rng.integers(0, 40, 200))
    some = ["a", "B", "é", "10", "9", "ab", "", "z\U0001f600"]
    names = pl.Series([some[n] for n in rng.integers(0, 8, 200)])
    orders = []
    for most in (0, 1000):
        monkeypatch.setattr(ranking, "MANY_IDS", most)
        by = list(ranking._by_name(group, names, descending))
        orders.append([(int(group[n]), names[int(n)]) for n in by])
    assert orders[0] == orders[1]
    assert sorted(orders[0]) == sorted(zip(group.tolist(), names, strict=True))
