"""What runs say of themselves in ir_metadata, on a living board."""

import csv
import io
import json
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from scorer.board.board import Board
from scorer.board.fields.board import fields as board_fields
from scorer.board.fields.entry import fields as entry_fields
from scorer.board.live import public
from scorer.board.reading import evaluation_fields, evaluation_from
from scorer.core.problems import Findings
from scorer.reports.base import Options, form_of
from scorer.reports.codec import to_fields
from scorer.web.standings import standings

HEAD = """\
# ir_metadata.start
# tag: <script>alert(1)</script>
# actor: {team: "Ada\\e[31m", mail: ada@example.org}
# ir_metadata.end
"""
SAID = {"tag": "<script>alert(1)</script>", "actor": r"team: Ada\x1b[31m"}
NOW = datetime(2026, 3, 1, tzinfo=UTC)


@pytest.fixture
def board(challenge, tmp_path):
    """red says something, blue nothing, green what is no YAML."""
    folder = challenge("truth: truth.qrels\nmetrics: [P@2]\nsubmission: {format: trec}\n",
                       **{"truth.qrels": "q1 0 a 1\nq2 0 a 1\n"})  # fmt: skip
    with Board.open(folder) as board:
        for team, head in (("red", HEAD), ("blue", ""), ("green", HEAD.replace("{", "[{"))):
            path = tmp_path / f"{team}.run"
            path.write_text(f"{head}q1 Q0 a 1 2.0 {team}\nq2 Q0 b 1 1.0 {team}\n")
            board.add([path], team, now=NOW)
        yield board


def test_every_form_of_a_living_board_has_what_runs_say(board):
    live = public(board.board(now=NOW))
    told = to_fields(board_fields(live, Options()))
    by_name = {each["name"]: each.get("ir_metadata") for each in told["submissions"]}
    assert by_name == {"red": SAID, "blue": None, "green": None}
    table = " ".join(form_of("leaderboard", "table").write(live.report, Options()).split())
    assert f"red says of itself (ir_metadata): tag {SAID['tag']}; actor {SAID['actor']}." in table
    rows = csv.DictReader(io.StringIO(form_of("leaderboard", "csv").write(live.report, Options())))
    assert {row["name"]: row["ir_metadata tag"] for row in rows} == {
        "red": SAID["tag"], "blue": "", "green": "",
    }  # fmt: skip
    notes = standings(live, ZoneInfo("UTC"))[0].notes
    assert sum("ir_metadata" in note for note in notes) == 1


def test_an_entry_has_what_its_run_says(board):
    red, blue, green = to_fields(entry_fields(map(board.outcome, (1, 2, 3))))["entries"]
    assert red["ir_metadata"] == SAID
    assert "ir_metadata" not in blue
    assert "ir_metadata" not in green
    assert [(each["code"], each["line"]) for each in green["problems"]] == [("S112", 3)]
    assert not board.altered()


def test_a_confined_process_tells_it(board):
    evaluation = board.evaluations.snapshot().evaluations([board.entry(1).sha256])
    (whole,) = evaluation
    again = evaluation_from(json.loads(json.dumps(evaluation_fields(whole))), "v", whole.sha256)
    assert Findings.from_json(again.findings).metadata == SAID
    hostile = json.loads(whole.findings) | {"metadata": ["no", "mapping"]}
    fields = evaluation_fields(whole) | {"findings": json.dumps(hostile)}
    assert evaluation_from(fields, "v", whole.sha256).status == "failed"


def test_what_a_store_kept_before_says_nothing():
    text = Findings("a.run").to_json()
    assert "metadata" not in text  # as older scorers wrote it, which receipts commit to
    assert Findings.from_json(text).metadata == {}
