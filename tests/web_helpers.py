"""A challenge for the tests of the web, and how files are sent to it."""

import socket
import time
from datetime import UTC, datetime

YAML = """\
title: A <b>course</b>
truth: truth.csv
lists: lists.csv
metrics: [P@2, RR]
splits: {public: 0.5, private: rest, seed: 424242}
phases:
  - {id: main, opens: 2020-01-01T00:00:00Z, closes: 2120-01-01T00:00:00Z, show: public}
  - {id: final, after: main, show: private}
questions: {method: {max: 40, board: true}}
leaderboard: {draws: 200, baselines: [poor.csv]}
"""
LISTS = [f"q{n:02d}" for n in range(12)]


def rows(score):
    return "list,item,score\n" + "".join(
        f"{name},{item},{score(n, item):g}\n" for n, name in enumerate(LISTS) for item in "abcd"
    )


def good(n, item):
    return "dcba".index(item)


def poor(n, item):
    return "abcd".index(item)


def mixed(by):
    """A submission that is right in every `by`-th list."""
    return rows(lambda n, item: good(n, item) if n % by == 0 else poor(n, item))


API = "/api/v1/challenges/course"


def send(client, headers, text, name="a.csv", **data):
    return client.post(
        f"{API}/entries", headers=headers, files={"file": (name, text.encode())}, data=data
    )


def finished(client, headers, number, seconds=60):
    """An entry once it is evaluated."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        fields = client.get(f"{API}/entries/{number}", headers=headers).json()
        if fields["status"] != "pending":
            return fields
        time.sleep(0.1)
    raise AssertionError(f"entry {number} still waits")


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


NOW = datetime(2026, 1, 5, 12, tzinfo=UTC)
