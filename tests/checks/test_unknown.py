"""Very many unknown ids are told apart as they are one by one."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rounds import rounds

from scorer.checks import unknown
from scorer.checks.id_tally import IdTally
from scorer.checks.ids import FAULT_CLASSES, INVISIBLE, Known, class_of
from scorer.checks.tally import hashes_of
from scorer.core.problems import KEPT

PUBLIC = [
    ("q1", "q2", "Straße"),
    ("007", "12", "0"),
    ("1e+05", "nothing"),
    (),
]
ODD = [
    *("", " ", "Q1", "q 1", "q1 ", "q\u200b1", "ｑ1", "x\x7f", "STRASSE", "straße", "İ", "K"),
    *("nan", "NaN", "<NA>", "N/A", "None", "7", "07", "007.0", "7.0", "12.0", "12.00", "0.0"),
    *("00", "000.0", "1.0.0", ".0", "1.", "1.10", "1e+05", "1.5E+10", "2,5e+100", "1e5", "1e+5"),
    *("12-Jan", "Jan-12", "123-Jan", "JAN-12", "x", "q3", "-1.0", "1.0\n", "12\n", "1e+05\n"),
]  # fmt: skip


def same(names, public):
    known = Known(dict.fromkeys(public))
    names = [name for name in dict.fromkeys(names) if name not in public]
    found = unknown.classes_of(pl.Series(names, dtype=pl.String), known)
    for name, kind in zip(names, found.tolist(), strict=True):
        fault = known.fault(name)
        if kind != unknown.EXPLAINED:
            assert fault is None, name
            assert kind == class_of(name, fault), name


@pytest.mark.parametrize("public", PUBLIC)
def test_what_one_look_tells_is_what_is_told_of_each(public):
    same(ODD, public)


@rounds(100)
@given(st.lists(st.text(st.sampled_from("qQ01.,e+-JanÀ \u200b"), max_size=8), max_size=30))
def test_what_one_look_tells_is_what_is_told_of_any(names):
    for public in PUBLIC:
        same(names, public)


def test_few_of_many_ids_are_looked_at_one_by_one():
    known = Known(dict.fromkeys(("q1", "007")))
    names = [f"x{n}" for n in range(1000)] + ["Q1", "7", "NaN"]
    found = unknown.classes_of(pl.Series(names), known)
    assert np.flatnonzero(found == unknown.EXPLAINED).tolist() == [1000, 1001, 1002]


def test_blanks_are_what_is_looked_for():
    """What `folded` leaves out of an ASCII id is what cannot be seen."""
    assert set(INVISIBLE) == {*range(33), 127}


def test_a_tally_of_hashes_is_that_of_names():
    names = [f"x{n}" for n in range(KEPT + 50)]
    line = np.arange(5, 5 + len(names))
    rows = np.arange(len(names)) % 3 + 1
    kind = np.zeros(len(names), dtype=np.uint8)
    asked = []

    def some(at):
        asked.append(len(at))
        return [names[n] for n in at.tolist()]

    one = IdTally.of_hashes(FAULT_CLASSES, hashes_of(names), line, rows, kind, some)
    each = zip(names, line.tolist(), rows.tolist(), [None] * len(names), kind.tolist(), strict=True)
    other = IdTally.of(FAULT_CLASSES, list(each))
    assert list(one.entries()) == list(other.entries())
    assert asked == [KEPT]
    for mine, theirs in zip(one.runs[0], other.runs[0], strict=True):
        assert mine.dtype == theirs.dtype
        assert np.array_equal(mine, theirs)
    assert one.runs[0].rows.dtype == np.uint8
    twice = one.plus([other])
    assert len(twice) == len(names)
    assert twice.runs[0].rows.tolist() == (2 * rows).tolist()
