"""What an unknown id is: found quickly, whatever the id is made of."""

import time
import unicodedata

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rounds import rounds

from scorer.checks.ids import IdIndex, fold_id, suspect_id, unusual_regex
from scorer.core.problems import Problem

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
    index = IdIndex(dict.fromkeys(public))
    start = time.process_time()
    for n in range(times):
        index.explain(f"{name}{n}")
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
    fault = IdIndex({public: None}).explain(name)
    assert fault is not None
    assert (fault.code, fault.public_id) == ("S312", public)
    assert fault.message.endswith(f"only by {difference}")


@rounds(100)
@given(st.text(max_size=6), st.sampled_from(["NFC", "NFD", "NFKC", "NFKD"]), st.booleans())
def test_the_quick_look_misses_no_look_alike(public, form, upper):
    name = unicodedata.normalize(form, public.upper() if upper else public)
    if public and fold_id(public) and fold_id(name) == fold_id(public) and name != public:
        fault = IdIndex({public: None}).explain(name)
        assert fault is not None
        assert fault.code == "S312"


@pytest.mark.parametrize("separator", [None, " ", "|"])
@pytest.mark.parametrize("odd", ODD)
def test_polars_looks_at_all_ids_that_are_suspect(odd, separator):
    fault = suspect_id(odd, separator)
    looked_at = pl.Series(["d1", odd]).str.contains(unusual_regex(separator)).to_list()
    assert looked_at == [False, True] or fault is None
    # Where a cell holds one id, it may have marks in it.
    may_be_one = separator is None and odd in ("a,b", "a;b")
    assert (fault and fault.code) == (None if may_be_one else ODD[odd])


@rounds(300)
@given(st.text(max_size=5), st.sampled_from([None, " ", ","]))
def test_polars_looks_at_all_texts_that_are_suspect(text, separator):
    if suspect_id(text, separator) is not None:
        assert pl.Series([text]).str.contains(unusual_regex(separator)).item()


def test_a_problem_keeps_the_beginning_of_a_long_id():
    problem = Problem("S304", "given twice", item="x" * 100_000, list="q" * 1000)
    assert problem.item == "x" * 999 + "…"
    assert problem.list == "q" * 1000
