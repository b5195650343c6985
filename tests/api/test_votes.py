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


BAD = [
    ("x,y,a,p,j", "x,x,a,q,j", "V101 3 'x' stands against itself"),
    ("x,y,a,p,j", "x,y,z,q,j", "V102 3 winner 'z' is none of 'x' and 'y', a, b or tie"),
    ("b,y,a,p,j", "b,y,b,q,j",
     "V102 3 winner 'b' is the name of one of 'b' and 'y' and stands for the other"),
    ("tie,y,a,p,j", "tie,y,tie,q,j",
     "V102 3 winner 'tie' is the name of one of 'tie' and 'y' and stands for a tie"),
    ("x,y,a,p,j", "x,y,b,p,j",
     "V103 3 'j' voted on this prompt, 'x' before 'y', already in line 2"),
    ("x,y,a,p,j", "x,,b,q,j", "V105 3 b is empty"),
    ("x,y,a,p,j", "x,y,b,q,", "V105 3 judge is empty"),
    ("x,y,a,p,j", "x,y,,q,j", "V105 3 winner is empty"),
    ("x,y,a,p,j", "x,y,a,q,j", "V201 None 'x' wins every vote against 'y', so that no strength "
     "is large enough; a tie or a win the other way is missing"),
    ("x,y,tie,p,j", "x,y,tie,q,j",
     "V201 None every vote is a tie, which tells nothing of how far systems differ"),
    ("x,y,tie,p,j", "x,y,a,q,j", "V201 None ties are as many as wins wherever votes come back "
     "to a system, so that no share of ties is large enough; two systems that each win a vote "
     "against the other are missing"),
    ("x,y,tie,p,j", "u,v,tie,q,j", "V201 None no vote compares ('u', 'v') with ('x', 'y')"),
]  # fmt: skip


@pytest.mark.slow("reads many files", beyond=6)
@pytest.mark.parametrize(("one", "other", "said"), BAD)
def test_what_is_no_vote_is_told_with_its_place(tmp_path, one, other, said):
    path = ballots.table(tmp_path / "votes.csv", one, other, head=HEAD)
    with pytest.raises(SubmissionRejected) as raised:
        votes(path)
    told = [f"{p.code} {p.line} {p.message}" for p in raised.value.problems]
    assert told == [said]


def test_a_vote_is_doubled_in_another_file_too(tmp_path):
    first = ballots.table(tmp_path / "1.csv", "x,y,a,p,j", head="a,b,winner,list,judge")
    second = ballots.table(tmp_path / "2.csv", "x,y,a,p,j", head="a,b,winner,list,judge")
    with pytest.raises(SubmissionRejected) as raised:
        votes([first, second])
    (problem,) = raised.value.problems
    assert (problem.code, problem.line, problem.path) == ("V103", 2, str(second))
    assert problem.message.endswith("already")


def test_columns_have_usual_names_or_are_named(tmp_path):
    rows = ["x,y,model_a,1", "x,y,tie (bothbad),2", "x,y,model_b,3"]
    usual = ballots.table(tmp_path / "1.csv", *rows, head="Model_A,model_b,winner,question_id")
    named = ballots.table(tmp_path / "2.csv", "x,y,x,1", "x,y,draw,2", "x,y,y,3",
                          head="this,that,better,case")  # fmt: skip
    columns = {"a": "this", "b": "that", "winner": "better", "list": "case"}
    ours, theirs = votes(usual, draws=200), votes(named, columns, draws=200)
    assert ours.leaderboard == theirs.leaderboard
    assert dict(ours.columns)["a"] == "Model_A"
    assert ours.prompts == 3
    with pytest.raises(UsageError, match="'model' is no column of votes: a, b, winner, list"):
        votes(named, {"model": "this"})
    with pytest.raises(SubmissionRejected, match=r"S201.*'the' is missing"):
        votes(named, {**columns, "judge": "the"})


def test_votes_are_read_in_every_form(tmp_path):
    """As CSV with semicolons, JSON Lines, or an array, with what was said beside."""
    told = [{"model_a": "x", "model_b": "y", "winner": w, "said": [{"role": "user", "text": "-"}]}
            for w in ("model_a", "model_b", "tie", "model_a")]  # fmt: skip
    texts = {
        "votes.csv": "model_a;model_b;winner\nx;y;a\nx;y;b\nx;y;tie\nx;y;a\n",
        "votes.jsonl": "".join(f"{json.dumps(row)}\n" for row in told),
        "votes.json": json.dumps(told),
    }
    for name, text in texts.items():
        path = tmp_path / name
        path.write_text(text)
        rows = votes(path, draws=100, level=None, alpha=None).leaderboard
        assert [(row.name, row.won, row.tied) for row in rows] == [("x", 2, 1), ("y", 1, 1)]
    (tmp_path / "votes.json").write_text("[[[")
    with pytest.raises(SubmissionRejected, match="S207"):
        votes(tmp_path / "votes.json")


def test_votes_without_prompts_are_drawn_one_by_one(tmp_path):
    path = ballots.table(tmp_path / "v.csv", "x,y,a", "x,y,b", "x,y,a", "x,y,a", "x,y,tie")
    found = votes(path, draws=200)
    assert (found.model.over, found.prompts) == ("votes", 5)
    told = " ".join(str(found).split())
    assert "as no column names the prompts; where a prompt is in several votes" in told


def test_of_one_prompt_nothing_is_known_about_others(tmp_path):
    path = ballots.table(
        tmp_path / "v.csv", "x,y,a,p", "x,y,b,p", "x,y,a,p", head="a,b,winner,list"
    )
    found = votes(path, draws=200)
    assert {row.interval for row in found.leaderboard} == {None}
    assert "no intervals and no tiers" in str(found)


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


def test_equal_systems_share_a_rank(tmp_path):
    found = votes(ballots.table(tmp_path / "v.csv", "x,y,a", "x,y,b", "x,y,tie"), draws=200)
    assert [row.rank for row in found.leaderboard] == [1, 1]


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


def test_the_command_tells_where_a_row_is_wrong(score, tmp_path):
    path = ballots.table(tmp_path / "votes.csv", "x,y,a", "x,y,c")
    ran = score("votes", path)
    assert ran.code == 1
    assert "votes.csv:3: error[V102] winner 'c' is none of 'x' and 'y', a, b or tie" in ran.err
    assert score("votes", path, "--column", "a").code == 2
    assert score("votes", path, "--level", "95").code == 2
    ran = score("votes", path, "-o", path)
    assert "is read here" in ran.err


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
