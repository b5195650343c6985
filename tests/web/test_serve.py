"""The server as a process: what waits is scored after it was killed, and participants' way in."""

import json
import os
import re
import signal
import sqlite3
import subprocess
import sys
import time
import urllib.error
import urllib.request
from contextlib import closing
from pathlib import Path

import pytest
from web_helpers import API, free_port, good, mixed, rows

from scorer.board.board import Board

pytestmark = pytest.mark.slow("servers as processes")

WAITING = 6


def test_what_waits_is_scored_after_the_server_was_killed(serve, served):
    with served.board() as board:
        board.versions.in_force()
        for n in range(WAITING):
            path = served.folder.parent / f"{n}.csv"
            path.write_text(rows(lambda list_, item, n=n: ((list_ * 7 + n) * ord(item)) % 11))
            board.add([path], f"team{n}", evaluate=False)
        process, _ = serve(served.folder)
        statuses = awaited(board, lambda statuses: "scored" in statuses)
        process.send_signal(signal.SIGKILL)
        process.wait(30)
        assert "pending" in statuses, "it was killed when all was done"
        lapse(served.folder)
        _, url = serve(served.folder)
        statuses = awaited(board, lambda statuses: "pending" not in statuses)
    assert statuses == ["scored"] * WAITING
    with urllib.request.urlopen(f"{url}{API}/board") as answer:
        found = json.load(answer)
    assert len([row for row in found["leaderboard"] if row["rank"]]) == WAITING


def awaited(board, done, seconds=120):
    """The statuses of a board's entries as soon as they are so."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        statuses = [*board.ledger.statuses().values()]
        if done(statuses):
            return statuses
        time.sleep(0.05)
    raise AssertionError(f"after {seconds} seconds: {statuses}")


def lapse(folder):
    """Let a minute pass, after which no worker holds an evaluation that it has not renewed."""
    with closing(sqlite3.connect(folder / ".scorer" / "board.db")) as database, database:
        database.execute("UPDATE evaluation SET lease = '2020-01-01T00:00:00.000000+00:00'")


def test_submit_checks_sends_waits_and_shows(serve, served, score):
    token = served.folder.parent / "token"
    token.write_text(served.token("red"))
    good = served.folder.parent / "good.csv"
    good.write_text(mixed(2))
    bad = served.folder.parent / "bad.csv"
    bad.write_text("list,item,score\nq00,a,x\n")
    _, url = serve(served.folder)
    page = f"{url}/c/course"
    ran = score("submit", page, bad, "--token-file", token)
    ran.assert_exit(1, err=["S501", "nothing was sent"])
    assert "--fix" not in ran.err
    bad.write_text(mixed(2).replace("list,item,score", "List;Item;Score").replace(",", ";"))
    ran = score("submit", page, bad, "--token-file", token)
    assert f"score check KIT {bad} --fix would repair it" in ran.err
    assert "nothing was sent" in ran.err
    ran = score("submit", page, good, "--token-file", token, "--answer", "method=x")
    ran.assert_exit(0, out=["entry 1: scored", "public:"])
    assert "private" not in ran.out
    assert "rank 1 of 1 (public)" in ran.out
    assert f"{page}/entries/1\n" in ran.out
    ran = score("submit", page, good, "--token-file", token, "--format", "json")
    assert ran.json(3)["code"] == "S803"


def test_sigterm_while_it_starts_ends_with_0(served):
    command = [Path(sys.executable).parent / "score", "serve", served.folder, "--port", free_port()]
    process = subprocess.Popen(
        [str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )
    until = time.monotonic() + 120
    while not (served.folder / ".scorer" / "board.db").exists():  # what follows takes a second
        assert time.monotonic() < until
        time.sleep(0.01)
    process.terminate()
    output, _ = process.communicate(timeout=60)
    assert process.returncode == 0, output
    assert output.count(b"\n") <= 1  # that it is being prepared, and nothing of an end


def test_what_is_served_is_said_and_logged(serve, served, tmp_path):
    served.token("red")
    log = tmp_path / "serve.log"
    process, url = serve(served.folder, "--log", "json", "--log-file", log)
    with pytest.raises(urllib.error.HTTPError):
        urllib.request.urlopen(f"{url}/c/nothing%0a?token=secret")
    process.terminate()
    output, _ = process.communicate(timeout=60)
    lines = output.decode().splitlines()
    assert lines[0].startswith(f"{url}/ is being prepared; an evaluation ")
    assert lines[1:] == [
        f"A <b>course</b>: {url}/c/course (1 team, 0 entries)",
        "ready; Ctrl-C ends",
    ]
    logged = log.read_text()
    events = [json.loads(line) for line in logged.splitlines()]
    (request,) = [event for event in events if event["event"] == "request"]
    assert request["path"].startswith("/c/nothing")
    assert re.fullmatch("[0-9a-f]{8}", request["reference"])
    wanted = {"level": "info", "address": "127.0.0.1", "method": "GET", "status": 404}
    assert wanted.items() <= request.items()
    assert "/healthz" not in logged
    assert "secret" not in logged
    assert log.stat().st_mode & 0o777 == 0o600


def test_the_address_that_participants_are_told(client_with, served):
    client = client_with(public_url="https://board.example/x")
    client.post("/c/course/sign-in", data={"token": served.token("red")})
    page = client.get("/c/course/submit", headers={"Host": "evil.example"}).text
    assert "score submit https://board.example/x/c/course FILE" in page
    assert "evil" not in page


@pytest.mark.parametrize("umask", [0o000, 0o022])
def test_the_store_is_its_owners_alone(served, tmp_path, umask):
    (served.folder / "a.csv").write_text(rows(good))
    before = os.umask(umask)
    try:
        for store, files in ((None, None), (f"sqlite:///{tmp_path}/s.db", f"{tmp_path}/kept")):
            with Board.open(served.folder, store, files) as board:
                board.add([served.folder / "a.csv"], "red")
                board.seal() if store is None else None
    finally:
        os.umask(before)
    kept = [served.folder / ".scorer", tmp_path / "kept", *tmp_path.glob("s.db*")]
    kept += [path for folder in kept[:2] for path in folder.rglob("*")]
    assert len(kept) > 8
    for path in kept:
        assert path.stat().st_mode & 0o777 == (0o700 if path.is_dir() else 0o600), path
