"""Copies, near-copies and strangers among many entries; probing."""

import random
from dataclasses import replace
from datetime import UTC, datetime

import numpy as np
import pytest

from scorer.board.audit import Pair, duplicates, kappa, near_duplicates, probing
from scorer.board.models import Entry

NOW = datetime(2026, 1, 5, 12, tzinfo=UTC)


def sent(count, teams=None):
    """Entries of so many teams, or of these, one each."""
    teams = range(1, count + 1) if teams is None else teams
    return [Entry(n, team, NOW, f"{n:064x}", "a.csv", 1, "main") for n, team in enumerate(teams, 1)]


def right_and_wrong(chance, entries, lists, accuracy):
    """Codes of entries that are right in so many of the lists, of which some are hard."""
    ease = chance.normal(0, 0.5, lists)
    level = np.log(accuracy / (1 - accuracy))
    return (chance.random((entries, lists)) < 1 / (1 + np.exp(-level - ease))).astype(int)


def rare_hits(chance, entries, lists, accuracy):
    """Codes of entries that find something in few lists."""
    return right_and_wrong(chance, entries, lists, 1 - accuracy)


def all_different(chance, entries, lists, accuracy):
    """Codes of values that hardly any two entries have in common, but for the best one."""
    codes = chance.integers(1, 1000, (entries, lists))
    codes[chance.random(codes.shape) < accuracy / 2] = 0
    return codes


@pytest.mark.slow("compares 300 entries")
@pytest.mark.parametrize("values", [right_and_wrong, rare_hits, all_different])
@pytest.mark.parametrize("accuracy", [0.8, 0.97])
def test_near_duplicates_among_300_entries_are_found_and_strangers_are_not(values, accuracy):
    chance, lists = np.random.default_rng(3), 2_000
    codes = values(chance, 302, lists, accuracy)
    for copy, of in ((300, 16), (301, 149)):
        codes[copy] = codes[of]
        changed = chance.choice(np.flatnonzero(codes[of] != codes[of].max()), 1)
        codes[copy, changed] = codes[of].max()
    entries = sent(302)
    assert duplicates(entries, codes) == []
    found = near_duplicates(entries, codes)
    assert {pair.entries for pair in found} == {(17, 301), (150, 302)}
    assert all(0.99 < pair.agreement < 1 for pair in found)


def test_kappa_is_its_definition():
    chance = random.Random(1)
    for _ in range(100):
        a, b = (chance.choices([1, 2, 3], [6, 2, 1], k=30) for _ in range(2))
        same = sum(x == y for x, y in zip(a, b, strict=True)) / 30
        by_chance = sum(a.count(v) * b.count(v) for v in (1, 2, 3)) / 900
        assert kappa(np.array(a), np.array(b)) == pytest.approx(
            (same - by_chance) / (1 - by_chance)
        )
    assert np.isnan(kappa(np.ones(4), np.ones(4)))


def test_values_that_tell_nothing_make_no_duplicates():
    nothing_found = np.zeros((2, 50), dtype=int)
    one_list = nothing_found.copy()
    one_list[:, 7] = 1  # the same single one
    no_lists = np.zeros((2, 0), dtype=int)
    for codes in (nothing_found, one_list, no_lists):
        assert duplicates(sent(2), codes) == near_duplicates(sent(2), codes) == []
    twice = [replace(entry, sha256="f" * 64) for entry in sent(2)]  # of the same bytes
    assert duplicates(twice, no_lists) == duplicates(twice, nothing_found) == [[1, 2]]


def test_entries_of_one_team_and_duplicates_are_not_near_duplicates():
    codes = np.tile(np.arange(40), (2, 1))
    codes[1, 3] = 99
    assert near_duplicates(sent(2, teams=[1, 1]), codes) == []
    assert near_duplicates(sent(2), codes, [[1, 2]]) == []
    assert near_duplicates(sent(2), codes) == [Pair((1, 2), 39 / 40)]


def test_a_series_that_changes_few_lists_at_a_time_is_probing():
    base = np.linspace(0, 1, 40)
    one, two = base.copy(), base.copy()
    one[3], two[[3, 4]] = 0, 0
    per_list = {1: base, 2: one, 3: two, 4: base[::-1].copy(), 5: base}
    found = probing({"red": [1, 2, 3, 4], "blue": [4, 5]}, per_list)
    assert [(each.team, each.entries) for each in found] == [("red", (1, 2, 3))]


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
        # a copy in which two of sixty lists are those of another
        changed = [
            line for line in first.read_text().splitlines() if line[:3] not in ("q00", "q01")
        ]
        changed += [line for line in (life.folder.parent / "c.csv").read_text().splitlines()
                    if line[:3] in ("q00", "q01")]  # fmt: skip
        near = life.folder.parent / "d.csv"
        near.write_text("\n".join(changed) + "\n")
        board.add([near], "grey", now=NOW)
        (again,) = board.add([life.sent("a", 1.0)], "grey", now=NOW)
        (other,) = board.add([life.sent("e", 1.5)], "grey", now=NOW)
        found = board.audit(now=NOW)
    (remark,) = again.problems
    assert remark.code == "S806"
    assert remark.message == (
        "nearly the same as entry 4 of this team (equal values in 97 % of the lists)"
    )
    assert list(other.problems) == []
    assert found.duplicates == [[1, 2, 5]]
    assert {pair.entries for pair in found.near_duplicates} == {(1, 4), (2, 4)}


@pytest.mark.slow("keeps and evaluates entries")
@pytest.mark.parametrize(("ladder", "told"), [("off", ["S806"]), ("auto", [])])
def test_a_remark_to_a_team_depends_on_values_alone_that_it_is_shown(life, ladder, told):
    life.rules(
        "splits: {public: 0.5, private: rest, seed: 1}\nphases: [{id: main, show: public}]\n"
    )
    life.rewrite("{draws: 500}", f"{{draws: 500, ladder: {ladder}}}")
    with life.open() as board:
        first, strange = life.sent("a", 1.0).read_text(), life.sent("b", 1.0).read_text()
        private = set(board.versions.splits()["private"])
        board.add([life.folder.parent / "a.csv"], "red", now=NOW)

        def found(name, hidden):
            """What is told of an entry that is new on the private lists, or on the others."""
            rows = zip(first.splitlines(), strange.splitlines(), strict=True)
            chosen = (new if (old[:3] in private) == hidden else old for old, new in rows)
            sent = life.folder.parent / f"{name}.csv"
            sent.write_text("\n".join(chosen) + "\n")
            (added,) = board.add([sent], "red", now=NOW)
            return [(each.code, "100 % of the lists" in each.message) for each in added.problems]

        assert found("hidden", True) == [(code, True) for code in told]
        assert found("shown", False) == []
