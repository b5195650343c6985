"""Scorecards and standings: pure values with laws."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rounds import rounds

from scorer.core.errors import PluginError
from scorer.leaderboard.standings import Contestant, by_measure, standings
from scorer.metrics.notation import parse_measure
from scorer.metrics.numbers import medae
from scorer.metrics.ranking import p
from scorer.metrics.ratios import Figure, Ratio, square_root
from scorer.results.scorecard import Rules, Scorecard
from scorer.scoring.aggregate import aggregate_values
from scorer.testing import ratings_view

names = st.text("abcdefgh", min_size=1, max_size=3)
values = st.sampled_from([0.0, 0.1, 0.1 + 1e-16, 0.3, 1.0, math.nan])
entries = st.lists(
    st.builds(lambda n, v, w: Contestant(n, {"a": v, "b": w}), names, values, values),
    max_size=6,
    unique_by=lambda entry: entry.name,
)
BY = [by_measure("a", "higher"), by_measure("b", "lower")]


@rounds(100)
@given(entries, st.randoms(use_true_random=False))
def test_neither_order_nor_names_of_submissions_decide(board, random):
    rows = standings(board, BY)
    shuffled = random.sample(board, len(board))
    assert standings(shuffled, BY) == rows
    renamed = standings([Contestant(f"z{e.name[::-1]}.{e.name}", e.values) for e in board], BY)
    ranks = {row.name: row.rank for row in rows}
    assert {row.name.split(".")[1]: row.rank for row in renamed} == ranks


def test_standings_read_like_a_table():
    board = [
        Contestant("none", {"a": math.nan, "b": 0.1}),
        Contestant("best", {"a": 0.9, "b": 0.5}),
        Contestant("tied", {"a": 0.5, "b": 0.2}),
        Contestant("also", {"a": 0.5, "b": 0.2}),
        Contestant("base", {"a": 0.7, "b": 0.0}, baseline=True),
        Contestant("lower", {"a": 0.5, "b": 0.1}),
    ]
    rows = [(row.rank, row.name) for row in standings(board, BY)]
    assert rows == [
        (1, "best"), (None, "base"), (2, "lower"), (3, "also"), (3, "tied"), (5, "none"),
    ]  # fmt: skip


def test_twelve_digits_decide_and_not_what_is_shown():
    board = [Contestant("a", {"a": 0.3 + 1e-11}), Contestant("b", {"a": 0.3})]
    assert [row.name for row in standings(board, BY[:1])] == ["a", "b"]
    assert [row.rank for row in standings(board, BY[:1])] == [1, 2]
    rounded = [Contestant("a", {"a": 0.1 + 0.2}), Contestant("b", {"a": 0.3})]
    assert [row.rank for row in standings(rounded, BY[:1])] == [1, 1]


def card(lists, answered, values, figures=None):
    return Scorecard(
        tuple(lists),
        np.array(answered, dtype=bool),
        {"P@2": np.array(values, dtype=float)},
        figures or {},
        {"submission": "s", "rules": "r", "truth": "t", "plugins": "p", "scorer": "0"},
    )


P2 = parse_measure(p.metric, "P@2")
CARD = card("abcd", [True, True, False, False], [0.5, math.nan, 0.0, math.nan])


@pytest.mark.parametrize(
    ("rules", "mean", "lists", "missing", "undefined"),
    [
        (Rules("zero", "zero"), 0.125, 4, 1, 2),
        (Rules("zero", "skip"), 0.25, 2, 1, 2),
        (Rules("skip", "zero"), 0.25, 2, 2, 1),
        (Rules("skip", "skip"), 0.5, 1, 2, 1),
    ],
)
def test_the_rules_settle_lists_without_a_value(rules, mean, lists, missing, undefined):
    value = aggregate_values(CARD, P2, {P2.id: rules})
    assert (value.mean, value.lists, value.missing, value.undefined) == (
        mean, lists, missing, undefined,
    )  # fmt: skip


def test_a_set_of_lists_has_its_own_value():
    keep = np.array([True, False, True, False])
    assert aggregate_values(CARD, P2, {P2.id: Rules("zero", "zero")}, keep).mean == 0.25
    none = aggregate_values(CARD, P2, {P2.id: Rules("skip", "skip")}, ~CARD.answered)
    assert math.isnan(none.mean)
    assert none.lists == 0


def test_a_scorecard_survives_bytes():
    targets = ratings_view(([1, 2], [1, 4]), ([], []), ([3], [8]), ([], []))
    ratio = Ratio(np.arange(4.0), np.ones(4), transform=square_root)
    figures = {"MedAE": medae(targets), "RMSE": ratio}
    before = card("abcd", [True, True, False, False], [0.5, math.nan, 0.1, 1 / 3], figures)
    after = Scorecard.from_bytes(before.to_bytes())
    assert after.lists == before.lists
    assert after.digests == before.digests
    np.testing.assert_array_equal(after.answered, before.answered)
    np.testing.assert_array_equal(after.values["P@2"], before.values["P@2"])
    weights = np.array([1.0, 1.0, 2.0, 1.0])
    for name, figure in figures.items():
        assert after.figures[name].pooled() == figure.pooled()
        assert after.figures[name].pooled(weights) == figure.pooled(weights)


def test_a_scorecard_calls_no_function_that_is_none_of_a_metrics():
    figure = Figure(np.median, {}, np.zeros(0, dtype=np.int64))
    data = card("a", [True], [0.5], {"Own": figure}).to_bytes()
    with pytest.raises(PluginError, match="is computed by median of numpy"):
        Scorecard.from_bytes(data)
