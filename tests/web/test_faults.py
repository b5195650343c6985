"""Load and faults: nothing acknowledged is lost, and no evaluation takes the server down."""

import importlib.util
import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path

import httpx2 as httpx
import pytest
from conftest import COMMAND, ROOT
from web_helpers import API, finished, good, mixed, rows, send

import scorer
from scorer.board.board import Board
from scorer.board.isolation import BoardPlace, ChildLimits, evaluate_next

pytestmark = pytest.mark.slow("servers and workers as processes, and what they outlive")

ILL = '''
import os
import time

from scorer import Ranked, metric


@metric("Ill", title="ill", source="a test", range=(0, 1))
def ill(ranked: Ranked) -> float:
    """Does what no metric should, as soon as a certain file is there."""
    for what in ("die", "hang", "eat"):
        if os.path.exists(os.path.join(os.path.dirname(__file__), what)):
            if what == "die":
                os._exit(9)
            while what == "hang":
                time.sleep(1)
            eaten = []
            while what == "eat":
                eaten.append(bytearray(64 << 20))
    return 1 / len(ranked.grades)
'''


def ill_challenge(served):
    served.rewrite("[P@2, RR]", "[P@2, Ill]\nplugins: [ill.py]")
    (served.folder / "ill.py").write_text(ILL)


@contextmanager
def working(folder, *words, **environment):
    """`score work` as a process of its own."""
    command = [COMMAND, "work", folder, *map(str, words)]
    process = subprocess.Popen(
        command, env={**os.environ, **environment},
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        yield process
    finally:
        process.terminate()
        process.wait(30)


LIMITS = ("--allow-plugins", "--memory", 1500)
CAUSES = {"die": "ended with 9", "eat": "Memory"}


@pytest.mark.parametrize("by", ["serve", "work"])
def test_what_is_ill_costs_one_evaluation_and_never_the_worker(serve, served, by):
    ill_challenge(served)
    own = () if by == "serve" else ("--workers", 0)
    _, url = serve(served.folder, *LIMITS, *own)
    red, organizer = served_tokens(served, "red", "organizer")
    worker = working(served.folder, *LIMITS) if by == "work" else nullcontext()
    with worker, httpx.Client(base_url=url, timeout=60) as client:
        fine = send(client, red, rows(good)).json()["entry"]
        assert finished(client, red, fine)["status"] == "scored"
        for every, what in enumerate(CAUSES, 2):
            (served.folder / what).touch()
            ill = send(client, red, mixed(every)).json()["entry"]
            failed = finished(client, red, ill)
            assert (failed["status"], failed["code"]) == ("failed", "S901"), what
            reference = failed["message"].rsplit(" ", 1)[1]
            assert "not your fault" in failed["message"]
            (served.folder / what).unlink()
            page = "/c/course/admin"
            assert f"entry {ill}: " in client.get(page, headers=organizer).text
            cause = client.get(f"{page}/failures/{reference}", headers=organizer).text
            assert CAUSES[what] in cause
            assert client.get(f"{page}/failures/{reference}", headers=red).status_code == 404
            # the worker goes on, and the failed one can be made again
            retry = {"do": "retry", "subject": reference}
            again = client.post(f"{page}/act", headers=organizer, data=retry)
            assert again.status_code == 303
            assert finished(client, red, ill)["status"] == "scored", what


class Impatient(ChildLimits):
    """Of time, and not of CPU: which of them a slow machine meets first is not known."""

    time = 8


def test_what_hangs_costs_one_evaluation(children, served):
    ill_challenge(served)
    served.token("red")
    path = served.folder.parent / "a.csv"
    path.write_text(rows(good))
    place = BoardPlace(str(served.folder), allow_plugins=True)
    with place.open() as board:
        board.add([path], "red", evaluate=False)
        (served.folder / "hang").touch()
        assert evaluate_next(board, place, Impatient(), "here")
        failed = board.ledger.outcome(1)
        assert (failed.status, failed.code) == ("failed", "S901")
        ((reference, _),) = board.evaluations.failures()
        assert "it took longer than 8 seconds" in board.evaluations.failure(reference)
        (served.folder / "hang").unlink()
        board.evaluations.retry(reference)
        assert evaluate_next(board, place, ChildLimits(), "here")
        assert board.ledger.outcome(1).status == "scored"


def test_a_worker_that_is_told_to_end_takes_its_child_along(served):
    ill_challenge(served)
    served.token("red")
    path = served.folder.parent / "a.csv"
    path.write_text(rows(good))
    with Board.open(served.folder, allow_plugins=True) as board:
        board.add([path], "red", evaluate=False)
    (served.folder / "hang").touch()
    with working(served.folder, "--allow-plugins", SCORER_SECRET="s" * 64) as worker:
        tasks = Path(f"/proc/{worker.pid}/task/{worker.pid}/children")
        child, seen = None, {}
        until = time.monotonic() + 60
        while child is None and time.monotonic() < until:
            time.sleep(0.1)
            with suppress(OSError):
                for each in tasks.read_text().split():
                    opened = [os.readlink(link) for link in Path(f"/proc/{each}/fd").iterdir()]
                    begun = (
                        b"scorer.board.worker_process" in Path(f"/proc/{each}/cmdline").read_bytes()
                    )
                    since = seen.setdefault(each, time.monotonic())
                    hangs = time.monotonic() - since > 5  # it may have closed the store by then
                    if begun and (hangs or any(name.endswith("board.db") for name in opened)):
                        child = each
        assert child, "no evaluation began"
        # what others on the machine could read, and what a plugin finds
        words = Path(f"/proc/{child}/cmdline").read_bytes()
        assert b"course" not in words
        assert b"s" * 64 not in Path(f"/proc/{child}/environ").read_bytes()
        worker.terminate()
        assert worker.wait(30) == -signal.SIGTERM
        until = time.monotonic() + 10
        while Path(f"/proc/{child}").exists() and time.monotonic() < until:
            time.sleep(0.1)
        assert not Path(f"/proc/{child}").exists()


def test_a_worker_says_first_what_no_child_could_evaluate(served):
    ill_challenge(served)
    with Board.open(served.folder, allow_plugins=True) as board:
        board.versions.in_force()
    ran = subprocess.run([COMMAND, "work", served.folder, "--once"], capture_output=True, text=True)
    assert ran.returncode == 2
    assert "--allow-plugins" in ran.stderr
    assert "Traceback" not in ran.stderr


def served_tokens(served, *teams):
    with served.board():
        pass  # the store is made once, before anybody asks for it
    return [served.bearer(team) for team in teams]


def entry_head(url, token, body, boundary="b"):
    host = url.removeprefix("http://")
    return (
        f"POST {API}/entries HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {token}\r\n"
        f"Content-Type: multipart/form-data; boundary={boundary}\r\n"
        f"Content-Length: {len(body)}\r\nConnection: close\r\n\r\n"
    ).encode()


def test_sigterm_lets_uploads_finish(serve, served):
    token = served.token("red")
    process, url = serve(served.folder)
    host, port = url.removeprefix("http://").split(":")
    body = (
        '--b\r\nContent-Disposition: form-data; name="file"; filename="a.csv"\r\n\r\n'
        f"{mixed(2)}\r\n--b--\r\n"
    ).encode()
    with socket.create_connection((host, int(port))) as sends:
        sends.sendall(entry_head(url, token, body) + body[:100])
        time.sleep(0.5)
        began = time.monotonic()
        process.send_signal(signal.SIGTERM)
        time.sleep(0.5)
        with pytest.raises(urllib.error.URLError, match="refused"):
            urllib.request.urlopen(f"{url}/healthz", timeout=5)
        sends.sendall(body[100:])
        answer = b""
        while piece := sends.recv(4096):
            answer += piece
    assert b"202 Accepted" in answer
    assert process.wait(60) == 0
    assert time.monotonic() - began < 25  # and not only when patience ended
    assert json.loads(answer.partition(b"\r\n\r\n")[2])["entry"] == 1
    with served.board() as board:
        assert [entry.number for entry in board.entries()] == [1]


TEAMS = 6  # more than there are workers


def test_two_servers_and_two_workers_share_one_postgresql(serve, served, postgresql_store):
    files = served.folder.parent / "shared-files"
    shared = {
        "SCORER_STORE": postgresql_store, "SCORER_FILES": str(files), "SCORER_SECRET": "s" * 64,
    }  # fmt: skip
    with Board.open(served.folder, postgresql_store, str(files)) as board:
        tokens = {f"team{n}": board.add_team(f"team{n}") for n in range(TEAMS)}
        organizer = {"Authorization": f"Bearer {board.new_token(None)}"}
    servers = [serve(served.folder, "--workers", 0, **shared)[1] for _ in range(2)]
    texts = [
        rows(lambda n, item, k=k: good(n, item) if (n * 5 + k) % 7 else (n * k) % 4)
        for k in range(TEAMS)
    ]
    with working(served.folder, **shared), working(served.folder, **shared):

        def send_one(k):
            head = {"Authorization": f"Bearer {tokens[f'team{k}']}"}
            with httpx.Client(base_url=servers[k % 2], timeout=120) as client:
                return send(client, head, texts[k])

        with ThreadPoolExecutor(TEAMS) as pool:
            answers = list(pool.map(send_one, range(TEAMS)))
        assert [answer.status_code for answer in answers] == [202] * TEAMS
        assert sorted(a.json()["entry"] for a in answers) == list(range(1, TEAMS + 1))
        found = []
        for url in servers:
            with httpx.Client(base_url=url, timeout=120) as client:
                for n in range(1, TEAMS + 1):
                    assert finished(client, organizer, n)["status"] == "scored"
                answer = client.get(f"{API}/board?split=all", headers=organizer)
                found.append(answer.json()["leaderboard"])
                # a session that one server began is good at the other
                signed = client.post("/c/course/sign-in", data={"token": tokens["team0"]})
                cookie = signed.headers["set-cookie"].split(";")[0]
                for other in servers:
                    page = httpx.get(f"{other}/c/course/entries", headers={"Cookie": cookie})
                    assert "Entries of team0" in page.text
    assert found[0] == found[1]
    offline = []
    for k, text in enumerate(texts):
        path = served.folder.parent / f"team{k}.csv"
        path.write_text(text)
        offline.append(path)
    report = scorer.score(served.folder, offline)
    ours = {row["name"]: (row["rank"], row["values"]) for row in found[0]}
    assert ours == {s.name: (s.rank, dict(s.values)) for s in report.leaderboard}


def test_uploads_at_once_and_a_board_that_many_read(tmp_path, monkeypatch, capfd):
    """The benchmark, small: none lost, the board as offline; a new entry shows at once."""
    spec = importlib.util.spec_from_file_location("benchmarks_web", ROOT / "benchmarks/web.py")
    web = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, spec.name, web)
    spec.loader.exec_module(web)
    monkeypatch.setattr(web, "REQUESTS", 80)
    monkeypatch.setattr(web, "PATIENCE", 120.0)
    web.uploads(tmp_path / "one", count=6, rows=2_000)
    web.reading(tmp_path / "two", teams=10, lists=30)
    out = capfd.readouterr().out
    assert "6 uploads of 2,000 rows at once: none lost or refused" in out
    assert out.count("requests a second") == 2


def test_behind_a_proxy_all_links_lead_below_its_path(serve, served):
    _, url = serve(served.folder, "--root-path", "/board/", "--trusted-proxy", "127.0.0.1")
    forwarded = {"X-Forwarded-Proto": "https", "X-Forwarded-For": "9.9.9.9, 1.2.3.4"}
    with httpx.Client(base_url=url, timeout=60) as client:
        # a proxy that strips the path, and one that does not
        for path in ("/c/course", "/board/c/course"):
            page = client.get(path)
            assert page.status_code == 200, path
            links = [part.split('"')[0] for part in page.text.split('href="')[1:]]
            links += [part.split('"')[0] for part in page.text.split('src="')[1:]]
            assert links
            assert all(link.startswith(("/board/", "#", "?")) for link in links), links
            assert client.get("/static/site.css").status_code == 200
            styles = client.get("/board/static/site.css")
            assert (styles.status_code, styles.headers["cache-control"]) == (200, "max-age=300")
        signed = client.post(
            "/c/course/sign-in", data={"token": served.token("red")}, headers=forwarded
        )
        assert signed.headers["location"] == "/board/c/course"
        assert "Secure" in signed.headers["set-cookie"]
        assert "Path=/" in signed.headers["set-cookie"]
        codes = [
            client.post("/c/course/sign-in", data={"token": "x"},
                        headers={"X-Forwarded-For": f"1.1.1.{n}"}).status_code
            for n in range(12)
        ]  # fmt: skip
        assert set(codes) == {401}  # each address has its own limit, as the proxy tells them apart
        same = [
            client.post("/c/course/sign-in", data={"token": "x"},
                        headers={"X-Forwarded-For": f"{n}.1.1.1, 5.5.5.5"}).status_code
            for n in range(12)
        ]  # fmt: skip
        assert same[-1] == 429  # what a client itself writes before the proxy's word counts nothing


def test_forwarded_addresses_of_strangers_count_nothing(serve, served):
    _, url = serve(served.folder)
    with httpx.Client(base_url=url, timeout=60) as client:
        codes = [
            client.post("/c/course/sign-in", data={"token": "x"},
                        headers={"X-Forwarded-For": f"1.1.1.{n}"}).status_code
            for n in range(12)
        ]  # fmt: skip
    assert codes == [401] * 10 + [429] * 2
