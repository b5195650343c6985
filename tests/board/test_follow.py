"""`score log --follow`: a line for each event as it comes, and once more when it is another."""

import json
import subprocess
import threading
from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime
from queue import Queue

import pytest
from conftest import COMMAND
from web_helpers import good, made, rows

from scorer.board.history import Event, new_events

NOW = datetime(2026, 1, 5, 12, tzinfo=UTC)
SENT = Event(NOW, "entry", 1, "red", "pending")
TEAM = Event(NOW, "team", team="red")


@pytest.mark.parametrize(
    ("before", "now", "told"),
    [
        ([], [SENT], [SENT]),
        ([SENT], [SENT], []),
        ([SENT], [replace(SENT, status="scored")], [replace(SENT, status="scored")]),
        ([SENT], [replace(SENT, team="reds")], []),  # a renamed team
        ([TEAM], [TEAM, replace(TEAM, team="blue")], [replace(TEAM, team="blue")]),
    ],
)
def test_what_is_another_event_is_told(before, now, told):
    seen = Counter()
    new_events(before, seen)
    assert new_events(now, seen) == told
    assert new_events(now, seen) == []


@pytest.mark.slow("follows in a process of its own")
def test_events_are_written_as_they_come(tmp_path):
    served = made(tmp_path)
    served.token("red")
    with served.board() as board:
        board.versions.in_force()
    since = datetime.now(UTC).isoformat()
    path = tmp_path / "a.csv"
    path.write_text(rows(good))
    command = [COMMAND, "log", served.folder, "--follow", "--format", "json", "--since", since]
    lines = Queue()
    with (
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process,
        served.board() as board,
    ):
        reader = threading.Thread(target=lambda: [*map(lines.put, process.stdout)], daemon=True)
        reader.start()
        try:
            board.add([path], "red", evaluate=False)
            first = json.loads(lines.get(timeout=60))
            board.evaluations.finish_pending()
            second = json.loads(lines.get(timeout=60))
            board.decide("disqualify", 1, "a copy", by="anna")
            third = json.loads(lines.get(timeout=60))
        finally:
            process.terminate()
            process.wait(60)
            reader.join(60)
        said = process.stderr.read().decode()
    assert (first["kind"], first["status"], first["team"]) == ("entry", "pending", "red")
    assert (second["entry"], second["status"]) == (1, "scored")
    assert (third["status"], third["by"], third["reason"]) == ("disqualify", "anna", "a copy")
    assert said.strip() == "ended by a signal"
