"""What a person sees first, and the rules in words, of boards and challenges of every form."""

from dataclasses import replace
from datetime import UTC, datetime
from types import SimpleNamespace

import pytest
from web_helpers import made

from scorer.board.phases import RemainingQuota as Left
from scorer.board.phases import phase_at
from scorer.challenge.load import load
from scorer.results.report import Standing
from scorer.web import presenters
from scorer.web.presenters import Fact

NOON = datetime(2026, 6, 1, 12, tzinfo=UTC)


def board(*rows):
    """A board of (name, rank, value) and further fields of a standing; team n is the n-th."""
    standings = [
        replace(Standing.untested(rank, name, {"RR": value}), **more)
        for name, rank, value, more in ((*row, {})[:4] for row in rows)
    ]
    report = SimpleNamespace(leaderboard=standings, primary=SimpleNamespace(id="RR", mark=""))
    rows = {each.name: SimpleNamespace(id=n) for n, each in enumerate(standings)}
    return SimpleNamespace(report=report, rows=rows)


@pytest.mark.parametrize(
    ("rows", "team", "place", "gap"),
    [
        ([("a", 1, 0.75)], 0, "of 1", ""),
        ([("a", 1, 0.75), ("b", 2, 0.5)], 0, "of 2", "0.250 ahead of b"),
        ([("a", 1, 0.75), ("b", 2, 0.5), ("c", 3, 0.25)], 2, "of 3", "0.250 behind b"),
        ([("a", 1, 0.75), ("base", None, 0.6), ("c", 2, 0.5)], 2, "of 2", "0.250 behind a"),
        ([("a", 1, 0.5), ("b", 1, 0.5)], 1, "of 2", "as far as is shown, level with a"),
        ([("a", 1, 0.5), ("b", 2, 0.5)], 1, "of 2", "as far as is shown, level with a"),
        # of measures of which lower values are better
        ([("a", 1, 0.25), ("b", 2, 0.5)], 1, "of 2", "0.250 behind a"),
        # by the ranks of several measures
        ([("a", 1, 0.25, {"points": 3.0}), ("b", 2, 0.5, {"points": 4.0})], 1, "of 2", ""),
        ([("a", 1, 0.5, {"ranks": (1, 2)}), ("b", 2, 0.25)], 0, "of 2; 1 to 2 are possible",
         "0.250 ahead of b"),
    ],
)  # fmt: skip
def test_ones_own_place(rows, team, place, gap):
    rank, value = presenters.standing_facts(board(*rows), team, 3)
    assert (rank.more, value.more) == (place, gap)
    assert rank.value == str(rows[team][1])


@pytest.mark.parametrize("rows", [[], [("a", 1, 0.5)], [("base", None, 0.5)]])
def test_who_is_not_on_the_board_has_no_place(rows):
    team = 0 if rows and rows[0][1] is None else 7
    assert not list(presenters.standing_facts(board(*rows), team, 3))


@pytest.mark.parametrize(
    ("left", "fact"),
    [
        (Left(None, None, None, None), Fact("entries left", "no limit")),
        (Left(3, None, 5, None), Fact("entries left", "3 today")),
        (Left(3, 40, 5, None), Fact("entries left", "3 today", "40 in this phase")),
        (Left(0, 40, 5, NOON), Fact("entries left", "none now", "the next is possible at", NOON)),
        (Left(3, 40, 0, NOON), Fact("entries left", "none now", "the next is possible at", NOON)),
        (Left(3, 0, 5, None), Fact("entries left", "none")),
    ],
)
def test_what_is_left_of_a_quota(left, fact):
    assert list(presenters.quota_fact(left)) == [fact]
    assert not list(presenters.quota_fact(None))


def challenge(folder, phases, **more):
    """The challenge of these tests with other phases and further lines."""
    served = made(folder)
    path = served.folder / "challenge.yaml"
    lines = [f"{key}: {value}\n" for key, value in more.items()]
    kept = [line for line in path.read_text().splitlines(True)
            if not line.startswith(("phases", "  - {id", "leaderboard"))]  # fmt: skip
    path.write_text("".join([*kept, *lines, f"phases: [{phases}]\n" if phases else ""]))
    return load(served.folder)


MAIN = (
    "{id: main, opens: 2026-05-01T00:00:00Z, closes: 2026-07-01T22:00:00Z, show: public, "
    "quota: {per_day: 5, total: 60, rejected_per_day: 9}}"
)
LATER = "{id: final, after: main, show: private, select: 2, select_until: 2026-07-04T00:00:00Z}"


def test_dates_in_their_order(tmp_path):
    rules = challenge(tmp_path, f"{MAIN}, {LATER}")
    assert [f"{each.time:%m-%d} {each.words}" for each in presenters.milestones(rules)] == [
        "05-01 entries open", "07-01 entries close", "07-04 selection ends",
    ]  # fmt: skip
    for month, status in (
        (4, ("upcoming", "entries open", True)),
        (6, ("open", "closes", True)),
        (8, ("closed", "since", False)),
    ):
        now = NOON.replace(month=month)
        told = presenters.status_of(rules, phase_at(rules, now), now)
        assert (told.state, told.words, told.ahead) == status
    (fact,) = presenters.selected_fact(rules, 1, NOON)
    assert (fact.value, fact.due.day) == ("1 of 2", 4)
    assert not list(presenters.selected_fact(rules, 1, NOON.replace(month=8)))
    # a date that is the next one is told beside it
    (fact,) = presenters.selected_fact(rules, 1, NOON.replace(month=7, day=3))
    assert (fact.more, fact.due) == ("for the final board", None)


def test_a_selection_that_ends_with_the_entries_has_no_date_of_its_own(tmp_path):
    later = LATER.replace(", select_until: 2026-07-04T00:00:00Z", "")
    rules = challenge(tmp_path, f"{MAIN}, {later}")
    assert [each.words for each in presenters.milestones(rules)] == [
        "entries open",
        "entries close",
    ]
    (fact,) = presenters.selected_fact(rules, 0, NOON)
    assert (fact.value, fact.more, fact.due) == ("0 of 2", "for the final board", None)


def test_rules_in_words(tmp_path):
    words = presenters.rules_in_words(
        challenge(tmp_path, f"{MAIN}, {LATER}", timezone="Europe/Ljubljana",
                  leaderboard="{entry: last, ladder: auto}")
    )  # fmt: skip
    assert words == [
        "main: entries are taken from 2026-05-01 02:00 CEST until 2026-07-02 00:00 CEST. A team "
        "may send 5 a day and 60 in all. Of files that the checks reject it may send 9 a day. The "
        "board is of the public lists.",
        "final: begins when main has closed, and takes no entries. Your 2 selected entries count; "
        "otherwise your best ones on the board before. The board is of the private lists.",
        "Of each team the latest entry counts.",
        "A shown value moves only when an entry is significantly better.",
    ]


@pytest.mark.parametrize(
    ("phases", "first"),
    [
        ("", "entries are taken at all times. A team may send as many as it likes. The board is of "
         "all lists."),
        ("{id: one, opens: 2026-05-01T00:00:00Z, show: own}", "one: entries are taken from "
         "2026-05-01 00:00 UTC. A team may send as many as it likes. There is no board: each team "
         "sees its own values."),
        ("{id: one, closes: 2026-05-01T00:00:00Z, show: none, quota: {total: 1000}}", "one: "
         "entries are taken until 2026-05-01 00:00 UTC. A team may send 1,000 in all. Nothing is "
         "shown."),
    ],
)  # fmt: skip
def test_phases_in_words(tmp_path, phases, first):
    assert presenters.rules_in_words(challenge(tmp_path, phases))[0] == first
