"""Names that polars holds are what a tuple of them is."""

import pickle

import numpy as np
import polars as pl
import pytest

from scorer.tables import names as held
from scorer.tables.columns import CodedColumn, series_of
from scorer.tables.names import HeldNames, as_lines, names_at, names_of, same_names
from scorer.views.join import numbered_lists

NAMES = ("a", "é", "10", "9", "", "line\nend")


@pytest.fixture
def names():
    return HeldNames(pl.Series(NAMES))


@pytest.mark.parametrize("together", [1, 4, 100])
def test_they_are_a_sequence(together, names, monkeypatch):
    monkeypatch.setattr(held, "TOGETHER", together)
    assert tuple(names) == NAMES
    assert (len(names), names[2], names[-1]) == (6, "10", "line\nend")
    assert tuple(names[1:4]) == NAMES[1:4]
    assert (names.index("9"), "9" in names, "8" in names) == (3, True, False)
    with pytest.raises(IndexError):
        names[6]


def test_the_same_names_are_equal_and_have_one_hash(names):
    again = HeldNames(pl.Series(NAMES))
    assert names == again == pickle.loads(pickle.dumps(names))
    assert hash(names) == hash(again)
    assert names != HeldNames(pl.Series(NAMES[::-1]))
    assert names != HeldNames(pl.Series(NAMES[:-1]))
    assert len({names, again, HeldNames(pl.Series([], dtype=pl.String))}) == 2


@pytest.mark.parametrize("make", [tuple, list, lambda each: HeldNames(pl.Series(each))])
def test_names_are_compared_whatever_holds_them(make, names):
    assert same_names(names, names)
    assert same_names(names, make(NAMES))
    assert same_names(make(NAMES), names)
    assert not same_names(names, make(NAMES[:-1]))
    assert not same_names(names, make((*NAMES[:-1], "x")))


@pytest.mark.parametrize("make", [tuple, lambda each: HeldNames(pl.Series(each))])
@pytest.mark.parametrize("places", [[], [3], [5, 0, 0]])
def test_some_of_them(make, places):
    found = names_at(make(NAMES), np.array(places, dtype=np.int64))
    assert tuple(found) == tuple(NAMES[n] for n in places)


@pytest.mark.parametrize("some", [NAMES, ("",), ("", ""), ()])
def test_lines_of_them(some):
    written = "".join(f"{name}\n" for name in some).encode()
    assert as_lines(some) == as_lines(HeldNames(pl.Series(some, dtype=pl.String))) == written


@pytest.mark.parametrize(("many", "kind"), [(5, HeldNames), (6, tuple)])
def test_only_many_stay_with_polars(many, kind, monkeypatch):
    monkeypatch.setattr(held, "MANY", many)
    series = pl.Series(NAMES)
    assert type(names_of(series)) is kind
    assert tuple(names_of(series)) == NAMES
    assert series_of(HeldNames(series)) is series
    assert names_of(list(NAMES)) == NAMES


@pytest.mark.parametrize("extra", [(), NAMES, ("", "0", "x"), ("x",)])
@pytest.mark.parametrize("many", [0, 100])
def test_lists_are_numbered_in_the_order_of_their_names(extra, many, monkeypatch):
    monkeypatch.setattr(held, "MANY", many)
    codes = np.array([0, 3, 3, 5, 1, 2, 4])
    found, number = numbered_lists(CodedColumn(codes, pl.Series(NAMES)), extra)
    assert tuple(found) == tuple(sorted({*NAMES, *extra}))
    assert [found[n] for n in number.tolist()] == [NAMES[code] for code in codes.tolist()]
