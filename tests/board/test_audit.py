"""Copies, near-copies and strangers among many entries; probing; the shake-up."""

import random
from datetime import UTC, datetime

import numpy as np
import pytest

from scorer.board.audit import near_duplicates, overlap, probing, shake_up
from scorer.board.orders import DEPTH, Orders
from scorer.store.records import Entry

NOW = datetime(2026, 1, 5, 12, tzinfo=UTC)


def orders(lists):
    items = np.zeros((len(lists), DEPTH), dtype=np.uint64)
    for row, names in enumerate(lists):
        items[row, : len(names)] = names
    return Orders(items)


def plain_overlap(one, other, p=0.9):
    """Rank-biased overlap of one list, normalized over its depth, as its definition reads."""
    depth = max(len(one), len(other))
    total = sum(p**d for d in range(depth))
    shared = (len(set(one[:d]) & set(other[:d])) / d for d in range(1, depth + 1))
    return sum(p ** (d - 1) * each for d, each in enumerate(shared, start=1)) / total


def test_overlap_is_its_definition():
    chance = random.Random(1)
    for _ in range(200):
        a = chance.sample(range(1, 30), chance.randint(1, 12))
        b = chance.sample(range(1, 30), chance.randint(1, 12))
        (found,) = overlap(orders([a]), orders([b]))
        assert found == pytest.approx(plain_overlap(a, b), abs=1e-12)
    assert np.isnan(overlap(orders([[]]), orders([[]]))).all()
    assert overlap(orders([[1, 2]]), orders([[1, 2]])) == 1


@pytest.mark.slow("keeps and evaluates entries")
def test_near_duplicates_among_300_entries_are_found_and_strangers_are_not():
    chance = random.Random(3)
    made = {n: [chance.sample(range(1, 100), 10) for _ in range(20)] for n in range(1, 301)}
    for copy, of in ((301, 17), (302, 150)):  # two lists of twenty have two items changed about
        made[copy] = [list(names) for names in made[of]]
        for names in made[copy][:2]:
            names[4], names[5] = names[5], names[4]
    entries = [Entry(n, n, NOW, f"{n:064x}", "a.csv", 1, "main") for n in made]
    found = near_duplicates(entries, {n: orders(lists) for n, lists in made.items()})
    assert {pair.entries for pair in found} == {(17, 301), (150, 302)}
    assert all(0.95 < pair.overlap < 1 for pair in found)


def test_entries_without_an_order_are_alike_to_none():
    nothing = orders([[], []])
    entries = [Entry(n, n, NOW, f"{n:064x}", "a.csv", 1, "main") for n in (1, 2)]
    assert near_duplicates(entries, {1: nothing, 2: nothing}) == []


@pytest.mark.parametrize("higher", [True, False])
def test_who_has_no_value_on_a_split_is_last_there(higher):
    values = np.array([[1.0, 1.0, 1.0, 1.0], [0.0, 0.0, np.nan, np.nan], [0.5, 0.5, 0.5, 0.5]])
    values = values if higher else 1 - values
    shakes = shake_up(["a", "b", "c"], values, np.arange(2), np.arange(2, 4), higher, draws=20)
    assert [shake.ranks for shake in shakes] == [(1, 1), (3, 3), (2, 2)]


def test_entries_of_one_team_and_exact_copies_are_not_near_duplicates():
    same = orders([[1, 2, 3]] * 5)
    mine = [Entry(n, 1, NOW, f"{n:064x}", "a.csv", 1, "main") for n in (1, 2)]
    assert near_duplicates(mine, {1: same, 2: same}) == []
    other = [mine[0], Entry(2, 2, NOW, "b", "a.csv", 1, "main")]
    assert near_duplicates(other, {1: same, 2: same}, [[1, 2]]) == []
    assert len(near_duplicates(other, {1: same, 2: same})) == 1


def test_a_series_that_changes_few_lists_at_a_time_is_probing():
    base = np.linspace(0, 1, 40)
    one, two = base.copy(), base.copy()
    one[3], two[[3, 4]] = 0, 0
    per_list = {1: base, 2: one, 3: two, 4: base[::-1].copy(), 5: base}
    found = probing({"red": [1, 2, 3, 4], "blue": [4, 5]}, per_list)
    assert [(each.team, each.entries) for each in found] == [("red", (1, 2, 3))]


def test_a_shake_up_is_measured_against_what_sampling_alone_gives():
    generator = np.random.default_rng(1)
    honest = generator.normal(0, 1, (6, 200)) + np.arange(6)[:, None] * 0.5
    public, private = np.arange(60), np.arange(60, 200)
    fitted = honest.copy()
    fitted[0, :60] += 5  # the worst team has learnt the public lists
    names = [f"t{n}" for n in range(6)]
    for shake in shake_up(names, honest, public, private, True, draws=300):
        assert shake.expected[0] <= shake.ranks[1] <= shake.expected[1]
    worst = shake_up(names, fitted, public, private, True, draws=300)[0]
    assert worst.ranks == (1, 6)
    assert worst.expected[1] < 6


@pytest.mark.slow("keeps and evaluates entries")
def test_an_audit_of_a_board(life):
    with life.open() as board:
        first = life.sent("a", 1.0)
        board.add([first], "red", now=NOW)
        # the same order in other words: ranks for scores, and the rows shuffled
        rows = [line.split(",") for line in first.read_text().splitlines()[1:]]
        lists = {}
        for name, item, score in rows:
            lists.setdefault(name, []).append((-float(score), item))
        lines = [
            f"{name},{item},{rank}\n"
            for name, items in lists.items()
            for rank, (_, item) in enumerate(sorted(items), start=1)
        ]
        random.Random(1).shuffle(lines)
        other = life.folder.parent / "b.csv"
        other.write_text("list,item,rank\n" + "".join(lines))
        board.add([other], "blue", now=NOW)
        board.add([life.sent("c", 1.5)], "green", now=NOW)
        found = board.audit(now=NOW)
    assert found.duplicates == [[1, 2]]
    assert found.near_duplicates == []
    assert found.shake_up == []
