"""Ranks by several measures, put together."""

import itertools
import math

import pytest

from scorer.api.outcomes import terms_of
from scorer.api.score import score
from scorer.api.text import content_of
from scorer.challenge.load import load
from scorer.leaderboard.board import rank
from scorer.leaderboard.standings import Contestant, by_number, by_rank_counts, ranks_by, standings
from scorer.preferences.aggregations import aggregations
from scorer.scoring.bind import bind
from scorer.scoring.open import open_challenge

NAN = math.nan
MEASURES = [("x", "higher"), ("y", "higher"), ("z", "lower")]


def entries(**values):
    return [Contestant(name, dict(zip("xyz", each, strict=True))) for name, each in values.items()]


def table(rows, aggregate, tie_break=(), times=None):
    """Ranks and names, as the board has them."""
    found = ranks_by(MEASURES, aggregations.bind(aggregate), rows)
    ways = {"first_places": by_rank_counts(found.rank_counts), "earliest": by_number(times or {})}
    by = [by_number(found.order), *(ways[name] for name in tie_break)]
    return [(row.rank, row.name) for row in standings(rows, by)], found


def test_points_of_several_measures():
    rows = entries(a=(0.9, 0.5, 3), b=(0.8, 0.6, 1), c=(0.1, 0.1, 2))
    order, found = table(rows, "RankSum")
    assert order == [(1, "b"), (2, "a"), (3, "c")]
    assert found.points == {"a": -6, "b": -4, "c": -8}  # 1 + 2 + 3, 2 + 1 + 1, 3 + 3 + 2
    order, found = table(rows, "Borda")
    assert order == [(1, "b"), (2, "a"), (3, "c")]
    assert found.points == pytest.approx({"a": 1, "b": 5 / 3, "c": 1 / 3})


def test_equal_values_share_the_best_rank():
    rows = entries(a=(1, 1, 1), b=(1, 1, 1), c=(0, 0, 2))
    _, found = table(rows, "RankSum")
    assert found.points == {"a": -3, "b": -3, "c": -9}


def test_no_value_is_below_every_value():
    rows = entries(a=(NAN, NAN, NAN), b=(0, 0, 99), c=(1, NAN, 1))
    order, found = table(rows, "RankSum")
    assert order == [(1, "c"), (2, "b"), (3, "a")]
    assert found.points == {"a": -8, "b": -5, "c": -4}  # y: b, then a and c share rank 2


def test_first_places_then_second_ones_break_ties():
    rows = entries(a=(3, 1, 2), b=(2, 2, 1), c=(1, 3, 3))
    ((one, _), (two, _), _), found = table(rows, "RankSum")
    assert (one, two) == (1, 2)
    assert found.points == {"a": -6, "b": -5, "c": -7}
    tied = entries(a=(3, 1, 2), b=(2, 2, 2), c=(1, 3, 2))
    order, found = table(tied, "RankSum")
    assert {rank for rank, _ in order} == {1}
    order, _ = table(tied, "RankSum", ["first_places"])
    assert order == [(1, "a"), (1, "c"), (3, "b")]  # two first places each; b has one


def test_the_earlier_one_breaks_ties():
    tied = entries(a=(3, 1, 2), b=(2, 2, 2), c=(1, 3, 2))
    order, _ = table(tied, "RankSum", ["first_places", "earliest"], {"a": 9.0, "b": 1.0, "c": 5.0})
    assert order == [(1, "c"), (2, "a"), (3, "b")]
    order, _ = table(tied, "RankSum", ["earliest"])  # no times: nothing is decided
    assert {rank for rank, _ in order} == {1}


def test_baselines_change_no_ranks():
    rows = entries(a=(0.9, 0.1, 1), b=(0.8, 0.2, 1))
    alone, _ = table(rows, "Borda")
    most = Contestant("base", {"x": 0.85, "y": 0.15, "z": 0}, baseline=True)
    beside, _ = table([*rows, most], "Borda")
    assert [row for row in beside if row[0]] == alone


def test_the_order_of_submissions_does_not_matter():
    rows = entries(a=(3, 1, 2), b=(2, 2, 2), c=(1, 3, 2), d=(3, 3, 3))
    for aggregate in ("Borda", "RankSum", "Copeland", "MC4", "Mean"):
        seen = {
            str(table(list(some), aggregate, ["first_places"])[0])
            for some in itertools.permutations(rows)
        }
        assert len(seen) == 1


@pytest.fixture
def challenge(tmp_path):
    """Two lists and three runs: by P@1 a, by R@2 b, by AP both."""
    (tmp_path / "truth.csv").write_text("list,item\nq1,d1\nq1,d2\nq2,d3\n")
    (tmp_path / "a.csv").write_text("list,item,rank\nq1,d1,1\nq1,x,2\nq2,d3,1\n")
    (tmp_path / "b.csv").write_text("list,item,rank\nq1,d1,1\nq1,d2,2\nq2,x,1\nq2,d3,2\n")
    (tmp_path / "c.csv").write_text("list,item,rank\nq1,x,1\nq2,x,1\n")

    def make(rule, metrics="[P@1, R@2, RR]"):
        path = tmp_path / "challenge.yaml"
        path.write_text(
            "truth: truth.csv\nsubmission: {missing_list: zero}\n"
            f"metrics: {metrics}\nleaderboard:\n  draws: 50\n  rank_by: {rule}\n"
        )
        return path

    make.files = [tmp_path / f"{name}.csv" for name in "abc"]
    return make


def test_a_board_ranked_by_several_measures(challenge):
    path = challenge("{measures: [P@1, R@2, RR], aggregate: RankSum, tie_break: [first_places]}")
    report = score(path, challenge.files)
    assert [(row.rank, row.name, row.points) for row in report.leaderboard] == [
        (1, "a", -4), (2, "b", -5), (3, "c", -9),
    ]  # fmt: skip
    assert content_of(report).certainty is None
    assert "\na leads, ranked by RankSum of P@1, R@2, RR.\n" in str(report)
    notes = report.render(notes=True)
    assert "RankSum of the ranks by P@1, R@2, RR: a 4, b 5, c 9" in notes


def test_earliest_on_a_board_with_times(challenge):
    path = challenge("{measures: [P@1, R@2], aggregate: Borda, tie_break: [earliest]}")
    report = score(path, challenge.files)
    assert [row.rank for row in report.leaderboard] == [1, 1, 3]
    terms = terms_of(open_challenge(bind(load(path))))
    times = {"a": 20.0, "b": 10.0, "c": 0.0}
    rows = rank(terms, report.submissions, times).leaderboard
    assert [(row.rank, row.name) for row in rows] == [(1, "b"), (2, "a"), (3, "c")]
