"""A table's rows as ranked lists."""

import gc
import weakref

import numpy as np
import pytest

from scorer.io.table import CodedColumn, Schema, Table
from scorer.views.ranked import look_up, ranked


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
