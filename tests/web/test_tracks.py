"""Answers, the front and tracks on the pages and in the API."""

import json
import re

import pytest
from web_helpers import API, finished, good, mixed, rows, send

ASKED = """questions:
  cost: {type: number, better: lower, board: true}
  data: {choices: [open, closed], board: true}
  plan: {}
leaderboard: {draws: 200, tracks: [{id: shut, answer: {data: closed}}]}
"""
SENT = [
    ("red", rows(good), {"cost": "9", "data": "open", "plan": "to win"}),
    ("blue", mixed(2), {"cost": "1.50", "data": "closed"}),
    ("green", mixed(3), {"data": "closed"}),
]


@pytest.mark.slow("serves a board and evaluates entries")
def test_what_teams_answer_is_asked_checked_and_shown(served, client_with):
    path = served.folder / "challenge.yaml"
    path.write_text(path.read_text().partition("questions:")[0] + ASKED)
    client = client_with()
    red = served.bearer("red")
    for text, words in (("-1", "at least 0"), ("nan", "a finite number")):
        refused = send(client, red, rows(good), answers=json.dumps({"cost": text}))
        assert (refused.status_code, refused.json()["code"]) == (409, "S805")
        assert words in refused.json()["message"]
    for team, text, answers in SENT:
        headers = served.bearer(team)
        sent = send(client, headers, text, answers=json.dumps(answers))
        assert finished(client, headers, sent.json()["entry"])["status"] == "scored"
    asked = client.get(API).json()["questions"]
    form = " ".join(client.get("/c/course/submit", headers=red).text.split())
    assert "shown on the board; a number, at least 0</span>" in form
    assert "<option>open</option> <option>closed</option>" in form
    assert asked["cost"]["range"] == [0, None]
    board = client.get(f"{API}/board").json()
    assert "to win" not in json.dumps(board)
    told = {row["name"]: row for row in board["leaderboard"]}
    assert told["red"]["answers"] == {"cost": "9", "data": "open"}
    assert [told[name]["front"] for name in ("red", "blue", "green")] == ["yes", "yes", None]
    (shut,) = board["tracks"]
    ranks = {row["team"]: row["rank"] for row in shut["leaderboard"]}
    assert {*ranks} == {"blue", "green"}
    assert min(ranks.values()) == 1
    page = client.get("/c/course").text
    assert "to win" not in page
    heads = re.findall(r"<th[^>]*>(?:<button[^>]*>)?([^<]*)", page)
    assert [text for text in heads if text in ("cost ↓", "data", "front", "shut")][:4] == [
        "cost ↓",
        "data",
        "front",
        "shut",
    ]
    assert "Submissions with data closed, on all" in page
    assert "<h2>Pareto front</h2>" in page
    ids = re.findall(r' id="([^"]+)"', page)
    assert len(ids) == len({*ids})
