"""Truth and submission are joined by list and item, whatever the keys, and rows are ranked."""

import numpy as np
import polars as pl
import pytest

from scorer.core.arrays import order_runs
from scorer.core.matching import RowIndex
from scorer.reading.table import make_table
from scorer.views.join import GradedItems, Pairs, RankedRows, judge, number_lists

KEYS = {
    "few": lambda chance, n: chance.integers(-3, 4, n) * 1.0,
    "decimals": lambda chance, n: chance.normal(20, 5, n).round(3),
    "in full": lambda chance, n: chance.normal(0, 1, n),
    "alike": lambda chance, n: 1 + chance.integers(0, 40, n) * 2.0**-52,
    "zeros": lambda chance, n: chance.choice([0.0, -0.0, 5e-324, -5e-324], n),
    "far apart": lambda chance, n: chance.choice([1e308, -1e308, 1.0, 1 + 2.0**-52, -1e-300], n),
}


def names(numbers):
    return [str(n) for n in numbers]


@pytest.mark.parametrize("column", ["score", "rank"])
@pytest.mark.parametrize("keys", KEYS)
@pytest.mark.parametrize(("lists", "rows"), [(1, 2), (1, 3000), (40, 3000), (3000, 3000)])
def test_rows_stand_by_list_then_best_first_then_as_in_the_file(lists, rows, keys, column):
    chance = np.random.default_rng(rows + lists)
    codes, key = chance.integers(0, lists, rows), KEYS[keys](chance, rows)
    table = make_table({"list": names(codes), "item": names(range(rows)), column: key})
    found = RankedRows.of(table, names(range(lists)))
    best_first = -key if column == "score" else key
    expected = np.lexsort((np.arange(rows), best_first, codes))
    rows_by_list = found.rows_at(order_runs(found.in_list))
    assert rows_by_list.tolist() == expected.tolist()
    codes, key = codes[expected], key[expected]
    same = (codes[1:] == codes[:-1]) & (key[1:] == key[:-1])
    assert sorted(found.rows_at(found.tied)) == sorted(expected[:-1][same])


@pytest.mark.parametrize("column", ["score", "rank"])
@pytest.mark.parametrize("names", ["cab", "ab", "x", "c", "xcyab", ""])
def test_rows_stay_where_they_are_if_each_list_is_one_run_that_is_best_first(names, column):
    lists = [*"abc"]
    rows = [(name, item, n // 2) for name in names for n, item in enumerate("pqrst")]
    rows += [("x", "p", n) for n in (3, 1, 2)]  # of a list that does not count, in no order
    key = [-float(n) if column == "score" else float(n + 1) for _, _, n in rows]
    table = make_table({"list": [r[0] for r in rows], "item": [r[1] for r in rows], column: key})
    found = RankedRows.of(table, lists)
    assert found.order is None
    assert found.sizes.tolist() == [5 * (name in names) for name in lists]
    first = {row[0]: n for n, row in reversed([*enumerate(rows)])}
    assert [found.begin[lists.index(name)] for name in lists if name in names] == [
        first[name] for name in lists if name in names
    ]
    counted = [n for n, row in enumerate(rows[:-1]) if row[0] in lists]
    assert found.tied.tolist() == [n for n in counted if rows[n][::2] == rows[n + 1][::2]]


@pytest.mark.parametrize("ties", ["item-desc", "item-asc", "expected", "mean-rank"])
@pytest.mark.parametrize("column", ["score", "rank"])
def test_values_do_not_depend_on_the_order_of_lists_or_rows(column, ties):
    chance = np.random.default_rng(7)
    rows = [(f"q{n}", f"d{chance.integers(90)}", k) for n in range(9) for k in range(20)]
    rows = [*{row[:2]: row for row in rows}.values()]
    grades = pl.DataFrame(
        [(f"q{n}", f"d{k}", float((n * k) % 3)) for n in range(-1, 7) for k in range(60)],
        schema=["list", "item", "grade"],
        orient="row",
    )
    truth = GradedItems.of(grades, ["p"])
    orders = {
        "as they are": rows,
        "lists from behind": sorted(rows, key=lambda row: row[0], reverse=True),
        "rows from behind": rows[::-1],
        "shuffled": [rows[n] for n in chance.permutation(len(rows))],
    }
    views = []
    for each in orders.values():
        lists, items, places = zip(*each, strict=True)
        key = [-(n // 3) if column == "score" else n // 3 + 1 for n in places]
        view, answered = judge(make_table({"list": lists, "item": items, column: key}), truth, ties)
        hits = view.hits
        arrays = (hits.in_list, hits.rank, hits.grade, hits.place, hits.tie_start, hits.tied)
        views.append([each.tolist() for each in (*arrays, view.returned, answered)])
    assert all(view == views[0] for view in views)


def pairs_of(rows):
    in_list = np.array([row[0] for row in rows], dtype=np.int64)
    items = pl.Series([row[1] for row in rows], dtype=pl.String)
    return Pairs(in_list, items, RowIndex.of([pl.Series(in_list), items]))


@pytest.fixture(params=["drawn hashes", "few hashes"])
def _hashes(request):
    if request.param == "few hashes":
        request.getfixturevalue("few_hashes")


@pytest.mark.usefixtures("_hashes")
@pytest.mark.parametrize("rows", [0, 1, 20, 300])
def test_pairs_are_matched_by_what_they_are_not_by_their_hashes(rows):
    chance = np.random.default_rng(rows)
    every = [(n, item) for n in range(20) for item in ("a", "b", "é", "", "10")]
    known = [every[n] for n in chance.permutation(len(every))[:rows]]
    asked = [every[n] for n in chance.integers(0, len(every), rows)]
    both = [pairs_of(asked), pairs_of(known)]
    place = {pair: row for row, pair in enumerate(known)}
    expected = [(row, place[pair]) for row, pair in enumerate(asked) if pair in place]
    found = both[0].match(both[1])
    assert list(zip(*(each.tolist() for each in found), strict=True)) == expected
    assert both[1].find(both[0]).tolist() == [place.get(pair, -1) for pair in asked]


def test_the_same_items_have_one_key_in_both_tables():
    """Codes of two casts to Categorical would differ once the first column is gone."""
    truth = pl.DataFrame({"list": ["q"] * 3, "item": ["c", "a", "b"], "grade": [3.0, 1.0, 2.0]})
    for items in (["a", "b", "c"], ["x", "c", "y", "b", "a"]):
        table = make_table({"list": ["q"] * len(items), "item": items})
        hits = judge(table, GradedItems.of(truth))[0].hits
        grade = dict(zip(truth["item"], truth["grade"], strict=True))
        assert hits.grade.tolist() == [grade[item] for item in items if item in grade]
        assert hits.rank.tolist() == [n for n, item in enumerate(items, 1) if item in grade]


@pytest.mark.parametrize("times", [1, 3, 3000])
def test_lists_are_numbered_whether_their_rows_stand_together_or_not(times):
    column = [name for name in "badc" for _ in range(times)]
    chance = np.random.default_rng(times)
    for rows in (column, list(chance.permutation(column))):
        found = number_lists(pl.Series(rows), ["a", "b", "d"])
        assert found.tolist() == [{"a": 0, "b": 1, "d": 2}.get(name, -1) for name in rows]


def test_of_an_item_judged_twice_the_higher_grade_counts():
    rows = [("q", "a", 1), ("p", "a", 2), ("q", "b", 2), ("q", "a", 3), ("q", "b", 2)]
    frame = pl.DataFrame(rows, schema=["list", "item", "grade"], orient="row")
    truth = GradedItems.of(frame.cast({"grade": pl.Float64}), ["o"])
    assert truth.lists == ("o", "p", "q")
    found = zip(truth.in_list.tolist(), truth.items, truth.grade, truth.row.tolist(), strict=True)
    assert list(found) == [(1, "a", 2, 1), (2, "a", 3, 3), (2, "b", 2, 2)]
    assert truth.named.to_list() == ["a", "b"]
