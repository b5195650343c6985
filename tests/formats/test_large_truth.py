"""Truths and tables that polars holds are what the careful parser makes of them."""

import pickle

import numpy as np
import polars as pl
import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st
from rounds import rounds

from scorer.bytes.limits import ReadLimits
from scorer.challenge.load import load
from scorer.challenge.public import IdNames
from scorer.core.problems import Findings
from scorer.formats import cut
from scorer.formats.base import formats
from scorer.formats.read import read
from scorer.prepare.bind import prepare
from scorer.prepare.open import opened
from scorer.tables import columns
from scorer.tables.columns import CodedColumn, JoinedColumn, PickedColumn, TextColumn
from scorer.tables.table import Schema, Table
from scorer.views import join as judging
from scorer.views.join import GradedItems

WANTED = [Schema(("list", "item"), ("grade", "subtopic"))]
IDS = ["a", "b", "1", "01", "1.0", "nan", "an-id-longer-than-twelve-bytes", "another-long-id"]


def alike(mine, theirs):
    for role, ids in theirs.ids.items():
        np.testing.assert_array_equal(mine.ids[role].codes, ids.codes)
        assert mine.ids[role].names == ids.names
    for role, numbers in theirs.numbers.items():
        np.testing.assert_array_equal(mine.numbers[role], numbers)
    np.testing.assert_array_equal(mine.line, theirs.line)
    assert mine.once == theirs.once


def truths_alike(mine, theirs):
    assert mine.lists == theirs.lists
    assert mine.items == theirs.items
    for name in ("in_list", "item", "grade"):
        np.testing.assert_array_equal(getattr(mine, name), getattr(theirs, name))
    np.testing.assert_array_equal(mine.ideal.place, theirs.ideal.place)


rows = st.tuples(
    st.sampled_from(["q1", "q2", "q10", "Q"]),
    st.sampled_from(IDS),
    st.sampled_from(["0", "1", "2", "-1", "0.5", "1e3"]),
    st.sampled_from(["0", "1"]),
)


@rounds(80, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(rows=st.lists(rows, min_size=1, max_size=30), trec=st.booleans(), piece=st.integers(7, 200))
def test_a_large_truth_is_the_careful_parsers(tmp_path, monkeypatch, rows, trec, piece):
    monkeypatch.setattr(cut, "SMALLEST", 1 << 20)
    path, form = tmp_path / "truth", formats().get("trec" if trec else "csv")
    if trec:
        written = "".join(f"{name} {topic} {item} {grade}\n" for name, item, grade, topic in rows)
    else:
        written = "".join(",".join(row) + "\n" for row in [("list", "item", "grade"), *rows])
        written = "\n".join(",".join(line.split(",")[:3]) for line in written.splitlines())
    path.write_text(written)
    theirs = read(path, form, WANTED, findings := Findings(), ReadLimits())
    assert not list(findings)
    monkeypatch.setattr(cut, "SMALLEST", piece)
    monkeypatch.setattr(cut, "PIECE", piece)
    mine = read(path, form, WANTED, Findings(), ReadLimits())
    alike(mine, theirs)
    for extra in ((), ("Q", "q0", "q2")):
        truths_alike(GradedItems.of(mine, extra), GradedItems.of(theirs, extra))


@rounds(100)
@given(hashes=st.lists(st.integers(0, 40) | st.integers(2**63, 2**63 + 9), min_size=1))
def test_hashes_that_begin_alike_are_grouped_apart(hashes):
    codes, first = columns.grouped(np.array(hashes, dtype=np.uint64))
    index = {}
    assert codes.tolist() == [index.setdefault(each, len(index)) for each in hashes]
    assert first.tolist() == [hashes.index(each) for each in index]


def test_ids_of_one_hash_are_told_apart(monkeypatch):
    one = np.zeros(1, dtype=np.int32)
    monkeypatch.setattr(columns, "grouped", lambda hashes: (np.repeat(one, hashes.size), one))
    codes, names = columns.coded([pl.Series(["a", "b"]), pl.Series(["a"])])
    assert codes.tolist() == [0, 1, 0]
    assert names.to_list() == ["a", "b"]


@pytest.mark.parametrize("parts", [["abc", "da"], ["abcd"], ["ab", "", "b"], ["aa", "ab"]])
@pytest.mark.parametrize("alike", ["", "ad", "bc"])
def test_codes_where_ids_seldom_come_again(parts, alike, monkeypatch):
    """Only the rows are compared then whose hash was there before."""
    rows = "".join(parts)
    number = {name: n for n, name in enumerate(dict.fromkeys(rows))}
    same = {name: alike[0] if name in alike else name for name in rows}
    hashes = np.array([ord(same[name]) for name in rows], dtype=np.uint64)
    codes, names = columns.coded([pl.Series(list(part), dtype=pl.String) for part in parts], hashes)
    assert codes.tolist() == [number[name] for name in rows]
    assert names.to_list() == list(number)


@rounds(50)
@given(st.lists(st.text(max_size=2), max_size=9), st.integers(0, 9), st.booleans())
def test_ids_have_codes_in_the_order_of_their_appearance(ids, cut, ascending):
    ids = sorted(ids) if ascending else ids
    codes, names = columns.coded(
        [pl.Series(part, dtype=pl.String) for part in (ids[:cut], ids[cut:])]
    )
    number = {name: n for n, name in enumerate(dict.fromkeys(ids))}
    assert (codes.dtype, names.to_list()) == (np.int32, list(number))
    assert codes.tolist() == [number[name] for name in ids]


def test_ids_that_ascend_have_codes_without_a_sort(monkeypatch):
    monkeypatch.setattr(columns, "grouped", None)
    codes, names = columns.coded([pl.Series(["a", "b"]), pl.Series(["b", "c"])])
    assert (codes.tolist(), names.to_list()) == ([0, 1, 1, 2], ["a", "b", "c"])


@pytest.mark.parametrize("names", ["aabb", "abab"])
def test_a_column_is_joined_by_runs_where_there_are_few(names, monkeypatch, tmp_path):
    monkeypatch.setattr(cut, "SMALLEST", 1)
    monkeypatch.setattr(cut, "PIECE", 3000)
    monkeypatch.setattr(columns, "SAMPLE", 4)
    runs, rle = [], pl.Series.rle
    monkeypatch.setattr(pl.Series, "rle", lambda series: runs.append(len(series)) or rle(series))
    path = tmp_path / "truth.csv"
    written = [f"{name}{n // 40}" for n in range(1000) for name in names]
    path.write_text("list,item\n" + "".join(f"{name},i\n" for name in written))
    table = read(path, formats().get("csv"), WANTED, Findings(), ReadLimits())
    assert table.ids["list"].texts(np.arange(len(written))) == written
    assert (max(runs) > 4) == (names == "aabb")


@pytest.mark.parametrize("lists", [3, 2**62])  # 2**62: no room for a key
@pytest.mark.parametrize("unit", [0.5, 1.0, 2.0**16, 1e300])
def test_the_best_come_first_and_equal_ones_as_they_stand(lists, unit):
    rng = np.random.default_rng(1)
    in_list, grade = rng.integers(0, 3, 200), rng.integers(-2, 3, 200) * unit
    in_list[in_list == 2] = lists - 1
    expected = sorted(range(200), key=lambda row: (in_list[row], -grade[row]))
    assert judging._best_first(in_list, grade).tolist() == expected


@pytest.mark.parametrize(
    ("in_list", "grade"),
    [
        ([2, 2, 0, 1, 1, 1], [3, 1, 0, 2, 2, 0]),  # lists together, best first in each
        ([2, 2, 0, 1, 1, 1], [1, 3, 0, 2, 2, 0]),
        ([2, 0, 2, 1], [3, 1, 0, 2]),
        ([1], [0]),
    ],
)
def test_lists_that_stand_together_come_as_others_do(in_list, grade):
    expected = sorted(range(len(grade)), key=lambda row: (in_list[row], -grade[row]))
    assert judging._best_first(np.array(in_list), np.array(grade, float)).tolist() == expected


def test_an_item_stands_twice_only_in_one_list():
    def table(items):
        ids = {
            "list": CodedColumn(np.array([0, 0, 1]), ("q", "r")),
            "item": CodedColumn(np.array(items), "ab"),
        }
        return Table(ids, {}, np.arange(3), WANTED[0])

    assert table([0, 1, 0]).once
    assert not table([0, 0, 1]).once


@pytest.mark.parametrize("same", [False, True])
def test_hashes_tell_sooner_that_no_item_stands_twice(same):
    """Rows of one hash, however rare, are looked at once more."""

    def table(items):
        column = TextColumn(pl.Series(items))
        if same:
            vars(column)["row_hashes"] = np.zeros(len(items), dtype=np.uint64)
        lists = CodedColumn(np.array([0, 0, 1]), ("q", "r"))
        return Table({"list": lists, "item": column}, {}, np.arange(3), WANTED[0]), column

    once, items = table(["a", "b", "a"])
    assert once.once
    assert ("_coded" in vars(items)) == same
    assert not table(["a", "a", "b"])[0].once


def test_a_column_of_pieces_has_texts_until_it_has_codes():
    column = JoinedColumn(pl.concat([pl.Series(["b", "a"]), pl.Series(["b", "c"])]))
    rows = np.array([3, 0])

    def shown():
        assert [column.text(row) for row in range(4)] == ["b", "a", "b", "c"]
        assert column.texts(rows) == ["c", "b"]
        assert column.where(rows).texts(np.arange(2)) == ["c", "b"]
        assert (column.any_of(["x", "c"]), column.any_of(["x"])) == (True, False)
        picked = PickedColumn(column, rows)
        np.testing.assert_array_equal(picked.row_hashes, column.row_hashes[rows])
        return column.where(np.arange(4)).row_hashes.tolist()

    hashes = shown()
    assert isinstance(column.column, TextColumn)
    assert (column.codes.tolist(), column.names) == ([0, 1, 0, 2], ("b", "a", "c"))
    assert not isinstance(column.column, TextColumn)
    assert shown() == hashes
    picked = PickedColumn(column, rows)
    assert (picked.codes.tolist(), picked.names) == ([2, 0], ("b", "a", "c"))


def test_a_large_truth_goes_to_other_processes_in_codes(monkeypatch, tmp_path):
    monkeypatch.setattr(cut, "SMALLEST", 1)
    monkeypatch.setattr(cut, "PIECE", 1)
    path = tmp_path / "truth.csv"
    path.write_text("list,item,grade\nq1,a,0\nq1,b,1\nq2,a,1\nq2,c,2\n")
    truth = GradedItems.of(read(path, formats().get("csv"), WANTED, Findings(), ReadLimits()))
    keys = truth.row_hashes.tolist()
    assert "item" not in vars(truth)
    other = pickle.loads(pickle.dumps(truth))
    assert type(other.ids) is CodedColumn
    assert other.row_hashes.tolist() == keys
    for mine in (truth, other):
        assert [mine.named[code] for code in mine.item.tolist()] == ["b", "a", "c", "a"]


def test_a_large_truth_makes_no_codes_and_strings_of_its_items(challenge, monkeypatch):
    monkeypatch.setattr(cut, "SMALLEST", 1)
    folder = challenge("truth: truth.csv\nmetrics: [nDCG@2, AP]\n")
    ready = opened(prepare(load(folder)))
    assert "item" not in vars(ready.answers.truth)
    assert not isinstance(ready.answers.truth.named, tuple)
    assert "items" not in vars(ready.answers.truth)
    assert "_known" not in vars(ready.public.lists)


def test_lists_that_are_left_out_need_no_codes_of_a_large_truth(monkeypatch, tmp_path):
    monkeypatch.setattr(cut, "SMALLEST", 1)
    monkeypatch.setattr(cut, "PIECE", 1)
    path = tmp_path / "truth.csv"
    path.write_text("list,item,grade\nq1,a,1\nq1,b,0\nq2,a,2\n")
    truth = GradedItems.of(read(path, formats().get("csv"), WANTED, Findings(), ReadLimits()))
    nothing = {
        "list": CodedColumn(np.array([], int), ()),
        "item": CodedColumn(np.array([], int), ()),
    }
    judged, answered = judging.judge(Table(nothing, {}, np.array([], int), WANTED[0]), truth)
    assert (judged.hits.grade.size, answered.tolist()) == (0, [False, False])
    assert isinstance(truth.ids.column, TextColumn)


def test_names_are_a_mapping():
    names = IdNames(("b", "a"))
    assert list(names) == ["b", "a"]
    assert len(names) == 2
    assert "a" in names
    assert "c" not in names
    assert names == {"a": None, "b": None}
    assert names["a"] is None
