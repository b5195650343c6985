"""What an unknown id is: found quickly, whatever the id is made of."""

import gc
import time
import unicodedata
import weakref

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rounds import rounds

from scorer.checks.ids import Known, folded
from scorer.checks.submission.items import _suspicion as suspicion
from scorer.checks.submission.items import _unusual as unusual
from scorer.core.problems import Problem
from scorer.tables.columns import CodedColumn, TextColumn

ODD = {"'a'": "S313", '"a"': "S313", "`a`": "S313", "[a]": "S313", "(a)": "S313", "a,b": "S313",
       "a;b": "S313", "1E+05": "S308", "NaN": "S310", "": "S309", "a\u200b": "S312"}  # fmt: skip


@pytest.mark.parametrize(
    ("name", "times"),
    [
        ("a" + "\u0301\u0323" * 500_000, 1),  # a megabyte of marks, which normalising sorts
        ("a" + "\u0301\u0323" * 60, 1000),
        ("\ufdfa" * 100_000, 1),  # one character that stands for eighteen
        ("\ufdfa" * 60, 1000),
        ("a-" * 500_000, 1),
    ],
)
@pytest.mark.parametrize("public", [["q1", "q-2"], ["Việt", "Huế"]])
def test_any_id_is_looked_at_in_linear_time(name, times, public):
    known = Known(dict.fromkeys(public))
    start = time.process_time()
    for n in range(times):
        known.fault(f"{name}{n}")
    assert time.process_time() - start < 0.5


@pytest.mark.parametrize(
    ("name", "public", "difference"),
    [
        ("a\ufe0f", "a", "an invisible character (U+FE0F)"),
        ("a\u3164", "a", "an invisible character (U+3164)"),
        ("a\u2800", "a", "an invisible character (U+2800)"),
        ("\u115fa", "a", "an invisible character (U+115F)"),
        ("e\u0301", "\u00e9", "Unicode normalisation"),
        ("\u00c9", "\u00e9", "case"),
        ("STRASSE", "straße", "case"),
        ("http://x/" + "A" * 500, "http://x/" + "a" * 500, "case"),
    ],
)
def test_look_alikes(name, public, difference):
    fault = Known({public: None}).fault(name)
    assert fault is not None
    assert (fault.code, fault.meant) == ("S312", public)
    assert fault.message.endswith(f"only by {difference}")


@rounds(100)
@given(st.text(max_size=6), st.sampled_from(["NFC", "NFD", "NFKC", "NFKD"]), st.booleans())
def test_the_quick_look_misses_no_look_alike(public, form, upper):
    name = unicodedata.normalize(form, public.upper() if upper else public)
    if public and folded(public) and folded(name) == folded(public) and name != public:
        fault = Known({public: None}).fault(name)
        assert fault is not None
        assert fault.code == "S312"


HELD = {"tuple": tuple, "polars": lambda names: pl.Series(names, dtype=pl.String)}
COLUMNS = {
    "all of them": (["a", "b", "c", "d"], [0, 1, 2, 3]),
    "the first": (["a", "b"], [0, 1]),
    "a stretch": (["c", "d"], [2, 3]),
    "one that runs over the end": (["c", "d", "e"], [2, 3, -1]),
    "all in another order": (["d", "c", "b", "a"], [3, 2, 1, 0]),
    "as many, one unknown": (["a", "b", "x", "d"], [0, 1, -1, 3]),
    "the first unknown": (["x", "b", "c"], [-1, 1, 2]),
    "none": ([], []),
}


@pytest.mark.parametrize("held", HELD)
@pytest.mark.parametrize("name", COLUMNS)
def test_ids_have_their_places_among_the_known(name, held):
    names, places = COLUMNS[name]
    column = CodedColumn(np.arange(len(names)), HELD[held](names))
    assert Known(dict.fromkeys("abcd")).places(column).tolist() == places


@pytest.mark.parametrize("held", HELD)
def test_where_no_id_is_known_none_has_a_place(held):
    column = CodedColumn(np.arange(2), HELD[held](["a", "b"]))
    assert Known({}).places(column).tolist() == [-1, -1]


def test_places_are_found_once_for_each_column_and_kept_no_longer():
    column = TextColumn(pl.Series(["b", "a", "b"]))
    known, other = Known(dict.fromkeys("abc")), Known(dict.fromkeys("b"))
    found = known.places(column)
    assert found.tolist() == [1, 0]
    assert other.places(column).tolist() == [0, -1]
    assert known.places(column) is known.again().places(column) is found
    gone = weakref.ref(column)
    del column
    gc.collect()
    assert gone() is None


@pytest.mark.parametrize("public", ["", "abcd", "dbcaefgh"])
@pytest.mark.parametrize("name", COLUMNS)
def test_a_column_with_codes_by_the_known_is_the_same(name, public):
    names, _ = COLUMNS[name]
    ids = TextColumn(pl.Series(names * 3 + names[:2], dtype=pl.String))
    known = Known(dict.fromkeys(public))
    coded = known.coded(ids)
    assert coded.texts(np.arange(len(ids.series))) == ids.series.to_list()
    assert sorted(coded.names) == sorted(set(names))
    assert coded.row_hashes.tolist() == ids.row_hashes.tolist()
    found = known.places(coded)[coded.codes] if names else np.empty(0)
    assert found.tolist() == [public.find(each) for each in ids.series]


@pytest.mark.parametrize("mark", [None, " ", "|"])
@pytest.mark.parametrize("odd", ODD)
def test_ids_of_a_large_file_are_suspected_as_those_of_a_small_one(odd, mark):
    names = ["d1", odd, "d2"]
    suspects = [
        {str(name): fault.code for name, one in zip(ids.names, unusual(ids, mark), strict=True)
         if one and (fault := suspicion(name, mark))}
        for ids in (TextColumn(pl.Series(names)), CodedColumn(np.arange(3), names))
    ]  # fmt: skip
    alone = mark is None and odd in ("a,b", "a;b")  # where a cell holds one id
    assert suspects[0] == suspects[1] == ({} if alone else {odd: ODD[odd]})


def test_a_problem_keeps_the_beginning_of_a_long_id():
    problem = Problem("S304", "given twice", item="x" * 100_000, list="q" * 1000)
    assert problem.item == "x" * 999 + "…"
    assert problem.list == "q" * 1000
