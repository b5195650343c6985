"""Boards of votes on pairs of systems: rows that are none, and forms."""

import json
import math

import ballots
import numpy as np
import polars as pl
import pytest

import scorer
from scorer.api.votes import votes
from scorer.core.errors import SubmissionRejected, UsageError
from scorer.scoring.votes import read_votes

NAMES = ("aster", "birch", "cedar", "daisy")
LOG = (1.2, 0.4, -0.1, -1.5)
HEAD = "a,b,winner,list,judge"


@pytest.fixture(scope="module")
def arena():
    """Votes of two people and of a program that likes the first place."""
    rng, rows = np.random.default_rng(3), []
    for judge, liking in (("ann", 0), ("ben", 0), ("bot", 1.5)):
        pairs = [(a, b) for a in range(4) for b in range(4) if a != b]
        for prompt in range(40):
            chosen = [pairs[n] for n in rng.choice(12, 4, replace=False)]
            ahead = np.array([LOG[a] - LOG[b] + liking for a, b in chosen])
            for (a, b), won in zip(chosen, ballots.outcomes(rng, ahead, 0.6), strict=True):
                words = (NAMES[a], NAMES[b], {1: "a", -1: NAMES[b], 0: "tie"}[won])
                rows.append((*words, f"p{prompt}", judge))
    return pl.DataFrame(rows, schema=HEAD.split(","), orient="row")


@pytest.fixture(scope="module")
def board(arena):
    return votes(arena, draws=200)


def test_the_board_ranks_by_strength(board):
    assert [row.name for row in board.leaderboard] == list(NAMES)
    assert [row.rank for row in board.leaderboard] == [1, 2, 3, 4]
    assert np.mean([row.rating for row in board.leaderboard]) == pytest.approx(1000)
    points = 400 / math.log(10) * (np.array(LOG) - np.mean(LOG)) + 1000
    for row, true in zip(board.leaderboard, points, strict=True):
        assert row.interval[0] < row.rating < row.interval[1]
        assert abs(row.rating - true) < 3 * (row.interval[1] - row.rating)
        assert row.ranks[0] <= row.rank <= row.ranks[1]
        assert row.votes == row.won + row.tied + row.lost
    assert board.leaderboard[0].tier < board.leaderboard[-1].tier
    assert sum(row.share for row in board.leaderboard) == pytest.approx(2)


def test_win_rates_are_of_the_votes(board, arena):
    first, last = board.pairs.won[0, 3], board.pairs.won[3, 0]
    between = arena.filter(
        pl.col("a").is_in(["aster", "daisy"]) & pl.col("b").is_in(["aster", "daisy"])
    )
    a_won = ((between["winner"] == "a") & (between["a"] == "aster")) | (
        between["winner"] == "aster"
    )
    won, ties = int(a_won.sum()), int((between["winner"] == "tie").sum())
    assert board.pairs.votes[0, 3] == board.pairs.votes[3, 0] == len(between)
    assert first == pytest.approx((won + ties / 2) / len(between))
    assert first + last == pytest.approx(1)
    assert np.isnan(np.diag(board.pairs.won)).all()


@pytest.mark.parametrize("prompts", [2, 3, 4, 5])
def test_ratings_of_fewer_than_5_prompts_have_no_intervals(tmp_path, prompts):
    rows = [f"x,y,{said},p{n}" for n in range(prompts) for said in ("a", "b", "a")]
    path = ballots.table(tmp_path / "v.csv", *rows, head="a,b,winner,list")
    found = votes(path, draws=200)
    assert [row.interval is None for row in found.leaderboard] == [prompts < 5] * 2
    said = " ".join(found.render("markdown").split())
    assert ("With fewer than 5 prompts there is no interval." in said) == (prompts < 5)
    assert ("Intervals are by what each prompt adds to the ratings." in said) == (prompts == 5)
    assert "hardly known" not in said or prompts == 5
    assert [row.ranks for row in found.leaderboard] == [(1, 2)] * 2


def test_a_board_of_votes_says_who_leads(tmp_path):
    few = ballots.table(tmp_path / "v.csv", *(f"x,y,a,p{n}" for n in range(3)), "x,y,b,p4",
                        head="a,b,winner,list")  # fmt: skip
    assert "x leads with a rating of" in str(votes(few, draws=200))
    assert "; y cannot be told apart from it." in str(votes(few, draws=200))
    rows = [f"x,y,{'ab'[n % 40 == 0]},p{n}" for n in range(400)]
    many = ballots.table(tmp_path / "w.csv", *rows, head="a,b,winner,list")
    text = str(votes(many, draws=200))
    assert ", significantly ahead of y." in text
    assert "Bradley" not in text  # on request
    assert "Bradley" in votes(many, draws=200).render("markdown")


def test_the_python_function_is_public(board):
    assert scorer.votes is votes
    assert repr(board) == "<VoteBoard of 4 systems by 480 votes>"


@pytest.mark.slow("writes a page")
def test_the_command_writes_every_form(score, tmp_path, arena):
    arena.write_csv(tmp_path / "votes.csv")
    page, data = tmp_path / "board.html", tmp_path / "board.json"
    ran = score("votes", tmp_path / "votes.csv", "--draws", "200", "-o", page, "-o", data,
                "--title", "An arena")  # fmt: skip
    assert ran.code == 0, ran
    said = json.loads(data.read_text())
    assert said["title"] == "An arena"
    assert said["files"] == ["votes.csv"]
    assert [row["name"] for row in said["leaderboard"]] == list(NAMES)
    assert said["pairs"]["won"][0][0] is None
    text = page.read_text()
    assert "An arena" in text
    assert '<td class="bar">' in text
    assert "Win rates: of the row against the column" in text


def test_a_board_of_votes_is_a_frame_and_folds_its_notes(board):
    frame = board.to_polars()
    assert frame["name"].to_list() == [row.name for row in board.leaderboard]
    pytest.importorskip("pandas")
    assert board.to_pandas()["rank"].tolist() == frame["rank"].to_list()
    assert "<details><summary>Notes</summary><p>480 votes" in board._repr_html_()


def test_rows_of_a_frame_are_named_in_messages():
    frame = pl.DataFrame({"a": ["x", "x"], "b": ["y", None], "winner": ["a", "b"], "id": [1, 2]})
    with pytest.raises(SubmissionRejected) as raised:
        votes(frame)
    assert [str(problem) for problem in raised.value.problems] == [
        "the votes:2: error[V105] b is empty"
    ]


def test_blanks_around_names_in_a_frame_mean_nothing():
    rows = [("p", " q", " q"), ("p ", "q", "q "), ("p", "q", " P"), ("p", "q", " a ")]
    frame = pl.DataFrame(rows, schema=["a", "b", "winner"], orient="row")
    with pytest.raises(SubmissionRejected, match=r"3: error\[V102\] winner 'P' is none of"):
        votes(frame)
    counts, _ = read_votes([frame.with_columns(pl.col("winner").str.replace("P", "p"))], {})
    assert (counts.systems, counts.outcome.tolist()) == (("p", "q"), [-1, -1, 1, 1])


def test_votes_of_no_file_are_refused():
    for read in (lambda: read_votes([], {}), lambda: votes([])):
        with pytest.raises(UsageError, match="there are no files of votes"):
            read()
