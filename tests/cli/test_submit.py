"""`score submit`: a participant's way in, with a server as users start it."""

import gzip
import threading
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from scorer.board.client import Answer, BoardClient, open_client
from scorer.cli.board import read_token
from scorer.core.errors import UsageError

TOKEN = "kX3vJ0c1Qm7fYb2LzR9w8A"


@pytest.mark.parametrize(
    "data",
    [
        f"{TOKEN}\r\n".encode(), f"\n{TOKEN}\n\n".encode(), f"{TOKEN}\r\n".encode("utf-8-sig"),
        f"{TOKEN}\r\n".encode("utf-16"),  # as > of Windows PowerShell 5 writes it
        b"\xfe\xff" + f"{TOKEN}\n".encode("utf-16-be"),
    ],
)  # fmt: skip
def test_a_token_file_of_every_editor_is_read(tmp_path, data):
    (tmp_path / "token.txt").write_bytes(data)
    assert read_token(tmp_path / "token.txt") == TOKEN


@pytest.fixture
def server():
    """A server that answers everything with the same status, headers and body."""
    answer = {}

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(answer.get("status", 200))
            for header in answer.get("headers", {}).items():
                self.send_header(*header)
            self.end_headers()
            with suppress(OSError):  # nobody listens any more
                self.wfile.write(answer["body"])

        def log_message(self, *words):
            pass

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    answer["url"] = f"http://127.0.0.1:{server.server_port}/c/a"
    yield answer
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.mark.parametrize(
    ("body", "headers", "said"),
    [
        (b"x" * (4 << 20), {}, "the server sends more than 2 MB"),
        (gzip.compress(bytes(64 << 20)), {"Content-Encoding": "gzip"}, "sent something else"),
        (b"truth: truth.csv\nmetrics: [P]\n", {}, "sent something else"),
    ],
    ids=["large", "bomb", "no kit"],
)
def test_what_a_server_sends_is_bounded(body, headers, said, server, score, tmp_path, monkeypatch):
    monkeypatch.setattr("scorer.board.client.MOST_STORED", 2_000_000)
    monkeypatch.setenv("SCORER_TOKEN", "t")
    (tmp_path / "f.csv").write_text("list,item\nq,a\n")
    server.update(body=body, headers=headers)
    score("submit", server["url"], tmp_path / "f.csv").assert_exit(2, err=said)


@pytest.mark.parametrize(
    ("status", "said"),
    [
        (401, "the server does not know this token"),
        (404, "the server has no such challenge"),
        (418, "the server gives no kit: it says 418"),
    ],
)
def test_why_there_is_no_kit(status, said, server, score, tmp_path, monkeypatch):
    monkeypatch.setenv("SCORER_TOKEN", "t")
    (tmp_path / "f.csv").write_text("list,item\nq,a\n")
    server.update(status=status, body=b"{}")
    score("submit", server["url"], tmp_path / "f.csv").assert_exit(2, err=said)


def client_that_gets(fields, status=200):
    """A client of a server that answers every request alike."""
    client = BoardClient(None, "http://127.0.0.1:1/c/a")
    client.ask = lambda *words: Answer(status, fields)
    return client


ENTRY = {"entry": 7, "team": "red", "status": "scored"}


@pytest.mark.parametrize(
    ("board", "said"),
    [
        ({"split": "public", "leaderboard": [
            {"rank": 1, "team": "blue", "entry": 2}, {"rank": None, "team": None, "entry": None},
            {"rank": 2, "team": "red", "entry": 7}]}, ["rank 2 of 2 (public)"]),
        ({"split": "all", "leaderboard": [{"rank": 1, "team": "red", "entry": 3}]},
         ["rank 1 of 1, by entry 3"]),
        ({"leaderboard": [{"rank": 1, "team": "blue", "entry": 3}]}, []),
    ],
)  # fmt: skip
def test_the_rank_is_told(board, said):
    client = client_that_gets(board)
    assert [*client.describe_rank(ENTRY)] == said
    assert [*client.describe_rank({**ENTRY, "status": "rejected"})] == []
    assert [*client_that_gets({"code": None}, 404).describe_rank(ENTRY)] == []


@pytest.mark.parametrize(
    ("quota", "said"),
    [
        (None, []),
        ({"today": None, "total": None, "next": None}, []),
        ({"today": 2, "total": None, "next": None}, ["left of the quota: 2 today"]),
        ({"today": 2, "total": 8, "next": None},
         ["left of the quota: 2 today and 8 in this phase"]),
        ({"today": 0, "total": 8, "next": "2026-01-06T00:00:00+00:00"},
         ["left of the quota: 0 today and 8 in this phase; the next entry is possible "
          "2026-01-06T00:00:00+00:00"]),
    ],
)  # fmt: skip
def test_the_rest_of_the_quota_is_told(quota, said):
    assert [*client_that_gets({"quota": quota}).describe_quota()] == said


def test_an_answer_of_many_brackets(server):
    server.update(body=b"[" * 1_000_000)
    refused = pytest.raises(UsageError, match="the server cannot be used")
    with refused, open_client(server["url"], "t") as client:
        client.ask("GET")
