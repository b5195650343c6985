"""The log of a server: what was done, by whom, under which reference."""

import json
import logging
import re
from contextlib import ExitStack
from datetime import UTC, datetime

import pytest
from web_helpers import API, finished, good, rows, send

from scorer.board.isolation import ChildError
from scorer.core.log import LOG, start_log
from scorer.web.app import masked


@pytest.fixture
def log(tmp_path):
    """Have what is told written to a file; gives the file's lines."""
    with ExitStack() as stack:

        def begin():
            path = tmp_path / "the.log"
            stack.callback(start_log(path))
            return lambda: path.read_text().splitlines()

        yield begin


def test_an_event_is_an_object_of_json(log):
    lines = log()
    try:
        raise ValueError("wrong\nwise")
    except ValueError:
        LOG.exception("error", extra={"team": "Łódź\nthe reds", "entry": None, "n": 3})
    fields = {"event": "not this", "time": None, "paths": ["\udcff"]}
    logging.getLogger("another").warning("of %s", "another package", extra=fields)
    first, second = map(json.loads, lines())
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", first.pop("time"))
    assert "ValueError: wrong" in first.pop("traceback")
    assert first == {"level": "error", "event": "error", "team": "Łódź\\nthe reds", "n": 3}
    assert second.pop("time")
    assert second == {"level": "warning", "event": "of another package", "paths": ["\udcff"]}


@pytest.mark.parametrize(
    ("path", "shown"),
    [
        ("/c/course/entries/12", "/c/course/entries/12"),
        ("/c/a-challenge-with-a-long-id/rules", "/c/a-challenge-with-a-long-id/rules"),
        ("/kX3vJ0c1Qm7fYb2LzR9w8A", "/kX3v..."),
        ("/c/course/kX3vJ0c1Qm7fYb2LzR9w8A", "/c/course/kX3v..."),
    ],
)
def test_no_token_of_a_path_is_in_the_log(path, shown):
    assert masked(path, {"course", "a-challenge-with-a-long-id"}) == shown


@pytest.mark.slow("serves a board and evaluates entries")
def test_acts_are_logged_with_references(client, served, log):
    lines, red = log(), served.bearer("red")
    sent = send(client, red, rows(good))
    finished(client, red, sent.json()["entry"])
    twice = send(client, red, rows(good))
    client.post("/c/course/sign-in", data={"token": served.token("organizer")})
    client.post("/c/course/sign-in", data={"token": "nobody's"})
    events = [json.loads(line) for line in lines()]

    def those(name, **wanted):
        named = [event for event in events if event["event"] == name]
        return [event for event in named if wanted.items() <= event.items()]

    (entry,) = those("entry", challenge="course", team="red", entry=1)
    assert entry["reference"] == sent.headers["X-Request-Id"]
    (refusal,) = those("refusal", team="red", code="S803", level="info")
    assert refusal["reference"] == twice.headers["X-Request-Id"]
    assert those("request", reference=refusal["reference"], status=409, method="POST")
    assert those("evaluation", sha256=entry["sha256"], status="scored")
    assert those("sign-in", organizer=True)
    assert those("sign-in failed", level="warning", address="testclient")


@pytest.mark.slow("serves a board")
def test_a_fault_of_ours_is_told_by_its_reference(client, served, log, monkeypatch):
    lines = log()

    def wrong(*args, **more):
        raise ZeroDivisionError("the hidden truth")

    def dead(*args, **more):
        raise ChildError("it ended with -9\nthe hidden truth")

    monkeypatch.setattr("scorer.web.routes.json.challenges.describe", wrong)
    monkeypatch.setattr("scorer.web.context.ask_child", dead)
    check = {"files": {"file": ("a.csv", b"list,item\n")}, "headers": served.bearer("red")}
    for answer, status, says in (
        (client.get(API), 500, "This is a mistake of the server"),
        (client.post(f"{API}/check", **check), 503, "the scorer failed"),
    ):
        assert answer.status_code == status
        reference = answer.headers["X-Request-Id"]
        assert answer.json()["message"].startswith(says)
        assert reference in answer.json()["message"]
        assert "hidden" not in answer.text
        told = [event for event in map(json.loads, lines()) if event["level"] == "error"]
        told = [event for event in told if event["reference"] == reference]
        assert "the hidden truth" in json.dumps(told)


def test_what_waits_and_what_is_held_is_counted(served):
    with served.board() as board:
        board.versions.in_force()
        for n in range(3):
            path = served.folder / f"{n}.csv"
            path.write_text(rows(good) + f"q00,e{n},0\n")
            board.add([path], f"team{n}", evaluate=False)
        now = datetime.now(UTC)
        waiting = board.evaluations.backlog(now)
        board.evaluations.claim("a worker", 60)
        held = board.evaluations.backlog(datetime.now(UTC))
    assert (held.waiting, held.leases) == (waiting.waiting - 1, 1)
    assert waiting.leases == 0
    assert waiting.oldest <= held.oldest <= now
