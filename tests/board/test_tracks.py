"""Tracks and answers of a living board."""

from datetime import UTC, datetime

import pytest

from scorer.board.standings import public
from scorer.results.json import to_plain

DAY = datetime(2026, 3, 1, 12, tzinfo=UTC)
RULES = """
questions:
  data: {choices: [open, closed], board: true}
  cost: {type: number, better: lower, board: true}
  plan: {}
"""
TRACKS = "{draws: 500, tracks: [{id: shut, answer: {data: closed}}]%s}"
SENT = [  # team, noise, answers
    ("red", 0.5, {"data": "open", "cost": "5", "plan": "win"}),
    ("red", 0.9, {"data": "closed", "cost": "2"}),
    ("red", 2.0, {"data": "closed", "cost": "1"}),
    ("blue", 1.5, {"data": "closed", "cost": "1"}),
    ("green", 1.0, {}),
]


@pytest.fixture
def board(life, request):
    life.rules(RULES)
    tracks = TRACKS % getattr(request, "param", "")
    life.rewrite("{draws: 500}", tracks)
    with life.open() as board:
        for n, (team, noise, answers) in enumerate(SENT):
            (added,) = board.add([life.sent(f"s{n}", noise)], team, now=DAY, answers=answers)
            assert added.status == "scored", added
        yield board


@pytest.mark.slow("fills a board")
def test_the_best_entry_of_a_track_counts_there(board):
    live = board.board(now=DAY)
    (shut,) = live.report.tracks
    assert {name: row.entry for name, row in live.rows.items()} == {"red": 1, "blue": 4, "green": 5}
    assert {name: row.entry for name, row in live.tracks["shut"].items()} == {"red": 2, "blue": 4}
    assert [(row.rank, row.name) for row in shut.leaderboard] == [(1, "red"), (2, "blue")]
    record = to_plain(live.with_entries())
    assert [row["entry"] for row in record["tracks"][0]["leaderboard"]] == [2, 4]
    assert record["leaderboard"][0]["answers"]["plan"] == "win"  # which organizers see
    assert record["pareto"]["front"] == ["red", "blue"]
    assert record["pareto"]["without"] == ["green"]
    shown = to_plain(public(live).with_entries())
    assert shown["leaderboard"][0]["answers"] == {"data": "open", "cost": "5"}
    assert shown["tracks"] == record["tracks"]


@pytest.mark.slow("fills a board")
@pytest.mark.parametrize("board", [", ladder: 0.01"], indirect=True)
def test_a_ladder_is_climbed_once(board):
    """What it does not show, no track shows either."""
    live = board.board(now=DAY)
    assert [row.name for row in live.report.tracks[0].leaderboard] == ["blue"]
