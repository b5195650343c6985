"""The sentence below a board: who leads, how certain that is, how many cannot be told apart."""

from dataclasses import replace

import boards
import pytest
from tables import rows

from scorer.reports.leaderboard.verdict import verdict

LISTS = 40


def evaluate(lists=LISTS, **hits):
    """A board of runs, each of which has the item in so many lists out of `lists`."""
    truth = {f"q{n}": {"a": 1} for n in range(lists)}
    runs = {
        name: {q: ["a"] if n < count else ["x"] for n, q in enumerate(truth)}
        for name, count in hits.items()
    }
    return boards.evaluate(truth, runs, ["P@1"])


@pytest.mark.parametrize(
    ("hits", "sentence"), rows(__file__, "the_verdict_says_who_leads_and_how_certain_that_is")
)
def test_the_verdict_says_who_leads_and_how_certain_that_is(hits, sentence):
    assert verdict(evaluate(**hits)) == sentence


def test_of_two_leaders_that_beat_different_ones_it_says_that_not_both_do():
    truth = {f"q{n}": {"a": 1} for n in range(LISTS)}
    hits = {"a": range(20, 40), "b": range(20), "c": range(8)}
    runs = {
        name: {q: ["a"] if n in those else ["x"] for n, q in enumerate(truth)}
        for name, those in hits.items()
    }
    said = verdict(boards.evaluate(truth, runs, ["P@1"]))
    assert said == (
        "a and b share the first rank with 0.500 P@1; c cannot be told apart from both of them."
    )


def test_too_few_lists_tell_nobody_apart():
    said = verdict(evaluate(3, a=3, b=0))
    assert said == "a leads with 1.000 P@1; 3 lists are too few to tell any two apart."


def test_nobody_ranked_is_no_verdict():
    assert verdict(replace(evaluate(a=3), leaderboard=())) == ""


def test_a_part_of_a_board_counts_those_below_it():
    part = replace(evaluate(a=40, b=3), omitted=1)
    part = replace(part, leaderboard=part.leaderboard[:1])
    assert verdict(part) == "a leads with 1.000 P@1, significantly ahead of b."


def test_hostile_names_are_escaped_and_cut_in_the_middle():
    board = evaluate(**{"a\x1b[31m\n": 40, "b" * 90 + "c": 2})
    said = verdict(board)
    assert "\x1b" not in said
    assert "\n" not in said
    assert f"of {'b' * 29}…{'b' * 28}c." in said
