"""Names of teams: each is told from every other, and from every baseline, at sight."""

from datetime import UTC, datetime

import pytest

from scorer.core.errors import UsageError

YAML = """\
truth: truth.csv
metrics: [nDCG@10, P@5]
leaderboard: {draws: 200, baselines: [popular.csv]}
"""
# a name that is refused beside the team "red" and the baselines "popular" and "Item-KNN"
ALIKE = [
    "red", "RED", "r\u0435d", "ｒｅｄ", "popular", "Popular", "\u0440opular", "popu1ar",
    "ltem-KNN", "Item\u2010KNN", "organizer", "0rganizer",
]  # fmt: skip
NONE = ["", " red", "red\u3164", "red\ufe0f", "\u2800", "\u200bred", "a\nb", "x" * 101]
NUMBERS = ["7", "²", "٣"]
OTHERS = ["rot", "red 2", "blue", "popular items", "Čebela", "日本", "re\u0301d", "7 dwarfs"]


@pytest.fixture
def board(life):
    (life.folder / "challenge.yaml").write_text(YAML)
    (life.folder / "popular.csv").write_bytes(life.sent("popular", 3.0).read_bytes())
    with life.open() as made:
        made.add_team("red")
        made.add([life.sent("knn", 2.0)], "Item-KNN", baseline=True)
        yield made


@pytest.mark.slow("keeps and evaluates entries", beyond=2)
@pytest.mark.parametrize("name", ALIKE + NONE + NUMBERS, ids=ascii)
def test_a_name_that_looks_like_another_is_refused(board, life, name):
    with pytest.raises(UsageError, match=r"is taken|already|cannot be a name"):
        board.add_team(name)
    board.add_team("blue")
    with pytest.raises(UsageError):
        board.decide("rename", "blue", "x", name=name)
    if name != "red":  # which is a team that may send
        with pytest.raises(UsageError):
            board.add([life.sent("new", 1.0)], name)
    assert list(board.teams.by_name()) == ["red", "blue"]


def test_other_names_are_taken(board):
    names = [*OTHERS, "x" * 100]
    for name in names:
        board.add_team(name)
    assert {*names} <= {*board.teams.by_name()}


def test_a_team_may_write_its_own_name_otherwise(board):
    board.decide("rename", "red", "louder", name="RED")
    assert list(board.teams.by_name()) == ["RED"]


def test_a_baseline_is_not_called_as_a_team(board, life):
    with pytest.raises(UsageError, match="cannot be told from 'red'"):
        board.add([life.sent("other", 1.0)], "Red", baseline=True)


def test_rows_of_one_name_stay_two(board, life):
    """As in a store that is older than the rule, or where a rescore brings the baseline."""
    board.database.add_team("popular", datetime.now(UTC))
    (sent,) = board.add([life.sent("good", 0.1)], "popular")
    live = board.board()
    rows = {
        standing.name: (standing, live.rows[standing.name]) for standing in live.report.leaderboard
    }
    assert set(rows) == {"popular", "popular (baseline)", "Item-KNN"}
    team, row = rows["popular"]
    assert (team.rank, row.entry, team.baseline) == (1, sent.entry, False)
    assert team.values["P@5"] == sent.values["all"]["P@5"]
    baseline, row = rows["popular (baseline)"]
    assert (baseline.rank, row.entry, row.id) == (None, None, None)
    assert baseline.interval != team.interval
    assert board.why("popular").rank == 1
