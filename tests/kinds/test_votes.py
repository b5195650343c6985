"""A challenge of kind votes: its board, and what is refused since votes are no submissions."""

import ballots
import pytest

from scorer.challenge.load import load
from scorer.core.errors import ChallengeError
from scorer.scoring.bind import bind

YAML = "kind: votes\ntitle: Ours\nvotes: {a: one, list: case}\nleaderboard: {draws: 200, seed: 3}\n"
ROWS = ("x,y,x,1", "x,y,y,2", "y,x,x,3", "x,y,tie,4", "y,x,y,5")
HEAD = "one,b,winner,case"


@pytest.fixture
def arena(tmp_path):
    def made(yaml=YAML):
        tmp_path.joinpath("challenge.yaml").write_text(yaml)
        return tmp_path, ballots.table(tmp_path / "votes.csv", *ROWS, head=HEAD)

    return made


def test_the_board_has_the_rules_of_the_challenge(score, arena):
    folder, file = arena(YAML.replace("seed: 3", "seed: 3, intervals: 0.8, tiers: false"))
    ran = score(folder, file, "--quiet").assert_exit(0)
    assert ran.out.startswith("Ours\n")
    assert "80 % interval" in ran.out
    assert "Tiers" not in ran.out
    assert "list: case" in " ".join(ran.out.split())


def test_nothing_else_is_done_with_votes(score, arena):
    folder, file = arena()
    with pytest.raises(ChallengeError, match=r"C122.*score CHALLENGE VOTES\.\.\. makes the board"):
        bind(load(folder))
    folder, _ = arena("kind: values\nsubmission: {columns: {value: v}}\nvotes: {a: one}\n")
    assert "C122] votes: only a challenge of kind votes has votes" in score(folder, file).err
    folder, _ = arena()
    ran = score(folder, file, "--top", "1")
    assert "--top means nothing for votes, which are no submissions" in ran.err
    ran = score(folder, file, "-o", file)
    assert "votes.csv is read here" in ran.err


def test_votes_without_a_judge_are_those_of_nobody_else(score, tmp_path):
    """The same vote twice is one too many only if a judge is named beside it."""
    row = "x,y,x,p1"
    judged = ballots.table(tmp_path / "judged.csv", "x,y,y,p2,ann", head="a,b,winner,prompt,judge")
    plain = ballots.table(tmp_path / "plain.csv", row, row, head="a,b,winner,prompt")
    score("votes", judged, plain, "--quiet").assert_exit(0)
    twice = f"{row},ann"
    again = ballots.table(tmp_path / "b.csv", twice, twice, head="a,b,winner,prompt,judge")
    score("votes", again).assert_exit(1, err="'ann' voted on this prompt, 'x' before 'y', already")
