"""Ids that are counted in parts: the same however they are put together, in few bytes each."""

import tracemalloc

import numpy as np
import pytest
from held import held_bytes
from hypothesis import given
from hypothesis import strategies as st
from rounds import rounds

from scorer.checks import id_tally
from scorer.checks.id_tally import IdTally
from scorer.checks.tally import hashes_of
from scorer.core import arrays

CLASSES = ("plain", "odd")
NAMES = [f"x{n}" for n in range(60)]
ids = st.lists(st.tuples(st.integers(0, 59), st.integers(1, 9)), max_size=30)


def tallies(parts):
    """A tally of each part, whose rows stand one a line, part after part."""
    made, line = [], 0
    for part in parts:
        first, rows = dict[int, int](), dict[int, int]()
        for number, many in part:
            line += 1
            first.setdefault(number, line)
            rows[number] = rows.get(number, 0) + many
        each = [(NAMES[n], first[n], rows[n], f"q{first[n]}", n % 2) for n in first]
        made.append(IdTally.of(CLASSES, each))
    return made


def expected(parts):
    """What is told of all parts, and how many ids of each class there are."""
    rows, first = dict[int, int](), dict[int, int]()
    for line, (number, many) in enumerate((row for part in parts for row in part), 1):
        rows[number] = rows.get(number, 0) + many
        first.setdefault(number, line)
    told = [
        (NAMES[n], f"q{first[n]}", first[n], rows[n], CLASSES[kind])
        for kind in (0, 1)
        for n in [n for n in first if n % 2 == kind][:7]
    ]
    counts = {name: sum(n % 2 == kind for n in first) for kind, name in enumerate(CLASSES)}
    return sorted(told, key=lambda each: each[2]), counts


@rounds(100)
@given(parts=st.lists(ids, min_size=1, max_size=9), order=st.randoms(use_true_random=False))
def test_parts_put_together_in_any_order_tell_the_same(parts, order):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(id_tally, "KEPT", 7)
        for module in (id_tally, arrays):
            patch.setattr(module, "HASHES_TOGETHER", 8)
        waiting = tallies(parts)
        while len(waiting) > 1:
            order.shuffle(waiting)
            some = waiting[: order.randint(2, len(waiting))]
            waiting = [some[0].plus(some[1:]), *waiting[len(some) :]]
        (whole,) = waiting
        told, counts = expected(parts)
        assert list(whole.entries()) == told
        assert {name: whole.count(name) for name in CLASSES} == counts
        assert len(whole) == sum(counts.values()) <= whole.at_most


def added(parts):
    """Parts as they are added: sixteen at a time."""
    waiting = []
    for part in parts:
        waiting.append(part)
        if len(waiting) == 16:
            waiting = [waiting[0].plus(waiting[1:])]
    return waiting[0].plus(waiting[1:])


@pytest.mark.slow("measures the memory of many ids")
@pytest.mark.parametrize("again", [False, True])
def test_an_id_takes_fourteen_bytes_and_little_more_while_it_is_added(again, monkeypatch):
    monkeypatch.setattr(id_tally, "KEPT", 100)
    size, many = 100_000, 60

    def part(n):
        numbers = np.arange(size) + (n % 30 if again else n) * size
        hashes = numbers.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)
        kind = np.zeros(size, dtype=np.uint8)
        line = np.arange(size) + n * size + 2
        one = np.ones(size, dtype=np.int64)
        return IdTally.of_hashes(
            CLASSES, hashes, line, one, kind, lambda at: [f"x{k}" for k in at.tolist()]
        )

    hashes_of(["x"])
    tracemalloc.start()
    whole = added(map(part, range(many)))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    ids = size * (30 if again else many)
    assert len(whole) == ids
    assert {rows for *_, rows, _ in whole.entries()} == {2 if again else 1}
    assert held_bytes(whole.runs) < (14.1 if not again else 2 * 14.1) * ids
    assert peak < 24 * size * many
