"""Which entries count: decisions, the entry rule, selections, the Ladder."""

from datetime import UTC, datetime, timedelta

import numpy as np
import pytest

from scorer.board.models import Decision, Entry, Team
from scorer.board.selection import Candidate, choose, decisions_until, ladder_steps

START = datetime(2026, 1, 1, tzinfo=UTC)


def entry(number, team=1):
    received = START + timedelta(hours=number)
    return Entry(number, team, received, f"{number:064x}", f"{number}.csv", 1, "main")


def candidates(*pairs):
    """Entries 1, 2, ... with their values on the shown and on the public split."""
    return [
        Candidate(entry(n), shown, public, lambda shown=shown: np.full(4, shown))
        for n, (shown, public) in enumerate(pairs, start=1)
    ]


THREE = candidates((0.5, 0.1), (0.7, 0.2), (0.6, 0.3))


@pytest.mark.parametrize(
    ("rule", "better", "select", "selected", "counted"),
    [
        ("best", "higher", None, (), [2]),
        ("best", "lower", None, (), [1]),
        ("last", "higher", None, (), [3]),
        ("all", "higher", None, (), [1, 2, 3]),
        ("selected", "higher", None, (1, 3), [3]),
        ("selected", "higher", None, (), [3]),  # nothing selected: the best before
        ("best", "higher", 2, (1, 3), [3]),  # the better one of the selected
        ("best", "higher", 2, (2, 1, 3), [3]),  # only the last two selections count
        ("best", "higher", 2, (), [2]),  # 2 and 3 were best before; 2 is better here
        ("best", "higher", 1, (), [3]),
        ("best", "higher", 2, (9,), [2]),  # a selected entry that is not on the board
        ("all", "higher", 2, (1, 2), [1, 2]),
    ],
)
def test_which_entries_count(rule, better, select, selected, counted):
    choice = choose(THREE, rule, better, select, selected)
    assert [each.number for each in choice.counted] == counted
    others = {1, 2, 3} - set(counted)
    assert choice.left_out.keys() == others
    assert all(choice.left_out.values())


def test_equal_values_count_for_the_earliest_and_no_value_for_none():
    equal = candidates((0.5, 0.5), (0.5, 0.5))
    assert choose(equal, "best", "higher").counted[0].number == 1
    nothing = candidates((np.nan, np.nan), (0.1, 0.1))
    assert choose(nothing, "best", "higher").counted[0].number == 2
    assert choose([], "best", "higher").counted == ()


def paired(*rows):
    return [
        Candidate(entry(n), float(np.mean(row)), 0.0, lambda row=row: np.array(row, dtype=float))
        for n, row in enumerate(rows, start=1)
    ]


def shown(*rows, better="higher", ladder="auto"):
    """The entry that the Ladder shows after each; entries count from 1."""
    return [*ladder_steps(paired(*rows), better, ladder).values()]


def test_a_ladder_of_a_step_moves_only_by_more_than_it():
    values = [0.50], [0.54], [0.56], [0.60], [0.80]
    assert shown(*values, ladder=0.05) == [1, 1, 3, 3, 5]
    assert shown(*values, ladder=0.05, better="lower") == [1] * 5
    assert shown([np.nan], [0.1], [0.2], ladder=0.05) == [1, 2, 3]
    assert shown([0.5], [0.5 + 0.07], ladder=0.07 - 1e-17) == [1, 1]  # a tie but for rounding


def test_the_ladder_without_a_step_asks_for_more_than_the_error_of_the_difference():
    base = [0.2, 0.4, 0.6, 0.8]
    lucky = [0.9, 0.1, 0.6, 0.8]  # better on average by .1, by one list alone
    steady = [0.3, 0.5, 0.7, 0.9]
    assert shown(base, lucky) == [1, 1]
    assert shown(base, steady) == [1, 2]
    assert shown(base, base) == [1, 1]


def test_the_ladder_reads_no_lists_of_what_is_not_better():
    def unread():
        raise AssertionError

    values = (0.5, 0.5, 0.4, np.nan)
    entries = [Candidate(entry(n), value, 0.0, unread) for n, value in enumerate(values, start=1)]
    assert ladder_steps(entries, "higher", "auto") == dict.fromkeys((1, 2, 3, 4), 1)
    with pytest.raises(AssertionError):
        ladder_steps([*entries, Candidate(entry(5), 0.6, 0.0, unread)], "higher", "auto")


@pytest.mark.parametrize(
    ("rule", "select", "selected", "out", "counted"),
    [
        ("best", None, (), (), [4]),
        ("last", None, (), (), [4]),  # not 5, which is no improvement
        ("all", None, (), (), [1, 3, 4]),
        ("selected", None, (2,), (), [4]),  # whose value was never shown
        ("selected", None, (3,), (), [3]),
        ("best", 1, (5,), (), [4]),
        ("best", None, (), (4,), [3]),  # a withdrawn one is what the Ladder goes on from
        ("best", None, (), (1, 3, 4), []),
    ],
)
def test_under_a_ladder_only_what_it_shows_counts(rule, select, selected, out, counted):
    values = paired([0.50], [0.53], [0.60], [0.80], [0.81])
    candidates = [
        each._replace(public_value=each.value, withdrawn=each.entry.number in out)
        for each in values
    ]
    choice = choose(candidates, rule, "higher", select, selected, 0.05)
    assert sorted(each.number for each in choice.counted) == counted
    assert choice.held_back == {2: 1, 5: 4}


TEAMS = [Team(1, "red", START), Team(2, "blue", START)]


def decided(*rows):
    found = []
    for number, (act, team, about, name) in enumerate(rows, start=1):
        time = START + timedelta(days=number)
        found.append(Decision(number, time, act, team, about, "why", None, name))
    return found


def test_decisions_count_from_their_time_and_undo_each_other():
    made = decided(
        ("disqualify", 1, None, None),
        ("restore", 1, None, None),
        ("withdraw", None, 7, None),
        ("rename", 2, None, "azure"),
        ("select", 1, 3, None),
        ("select", 1, 4, None),
        ("select", 1, 3, None),
        ("restore", None, 7, None),
    )

    def after(days):
        return decisions_until(TEAMS, made, START + timedelta(days=days, hours=1))

    assert after(0).out(entry(3)) is None
    assert after(1).out(entry(3)).act == "disqualify"
    assert after(1).out(entry(3, team=2)) is None
    assert after(2).out(entry(3)) is None
    assert after(3).out(entry(7, team=2)).act == "withdraw"
    assert after(3).names == {1: "red", 2: "blue"}
    assert after(4).names == {1: "red", 2: "azure"}
    assert after(7).selected == {1: (4, 3)}
    assert after(8).out(entry(7)) is None


@pytest.mark.parametrize("first", ["disqualify", "withdraw"])
def test_a_withdrawal_neither_covers_a_disqualification_nor_is_undone_with_it(first):
    second = "withdraw" if first == "disqualify" else "disqualify"
    made = decided(
        *((act, None, 7, None) for act in (first, second, "restore", "restore")),
        ("withdraw", None, 7, None),
        ("disqualify", 1, None, None),
    )

    def out(days):
        return decisions_until(TEAMS, made, START + timedelta(days=days, hours=1)).out(entry(7))

    assert [out(days).act for days in (1, 2, 3)] == [first, "disqualify", "withdraw"]
    assert out(4) is None
    assert (out(6).act, out(6).team) == ("disqualify", 1)
