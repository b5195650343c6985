"""Who has no token takes little of the server: kits, checks, teams and forms."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from web_helpers import API, poor, rows

from scorer.web import context
from scorer.web.gate import QUEUE, RETRY

FILE = {"file": ("a.csv", rows(poor).encode())}


@pytest.fixture
def held(monkeypatch):
    """Children that end when they may, and how many there were of each task, and at once."""
    made, now, most, may_end = [], [0], [0], threading.Event()
    lock, ask = threading.Lock(), context.ask_child

    def ask_child(place, limits, do, *rest, **more):
        with lock:
            made.append(do)
            now[0] += 1
            most[0] = max(most[0], now[0])
        assert may_end.wait(60)
        try:
            return ask(place, limits, do, *rest, **more)
        finally:
            with lock:
                now[0] -= 1

    monkeypatch.setattr(context, "ask_child", ask_child)
    return made, most, may_end


def waited(done):
    until = time.monotonic() + 60
    while not done():
        assert time.monotonic() < until
        time.sleep(0.01)


@pytest.mark.slow("serves a board and evaluates entries")
def test_a_kit_is_made_once_a_version(client_with, served, held):
    made, _, may_end = held
    client = client_with()
    with ThreadPoolExecutor(44) as pool:
        answers = [pool.submit(client.get, f"{API}/kit.zip") for _ in range(44)]
        waited(lambda: made == ["kit"])
        assert client.get("/c/course").status_code == 200
        may_end.set()
        kits = {answer.result().content for answer in answers}
    assert len(kits) == 1
    assert kits.pop()[:2] == b"PK"
    assert client.get(f"{API}/kit.zip").headers["content-type"] == "application/zip"
    assert made == ["kit"]
    (served.folder / "lists.csv").write_text((served.folder / "lists.csv").read_text() + "q99\n")
    with served.board() as board:
        board.rescore()
    assert client.get(f"{API}/kit.zip").status_code == 200
    waited(lambda: client.get(f"{API}/kit.zip").status_code == 200 and made == ["kit", "kit"])


@pytest.mark.slow("serves a board and evaluates entries")
@pytest.mark.parametrize("workers", [0, 1, 3])
def test_checks_are_as_many_as_workers_and_a_few_wait(client_with, held, workers):
    made, most, may_end = held
    client, places = client_with(workers=workers), max(workers, 1)
    with ThreadPoolExecutor(30) as pool:
        sent = [pool.submit(client.post, f"{API}/check", files=FILE) for _ in range(30)]
        waited(lambda: sum(each.done() for each in sent) == 30 - places - QUEUE)
        refused = [each.result() for each in sent if each.done()]
        assert {answer.status_code for answer in refused} == {503}
        assert {int(answer.headers["retry-after"]) for answer in refused} == {RETRY}
        assert client.get("/c/course").status_code == 200
        may_end.set()
        codes = [each.result().status_code for each in sent]
    assert codes.count(200) == len(made) == places + QUEUE
    assert most[0] == places


@pytest.mark.slow("asks a server many times")
def test_visitors_have_a_limit_of_their_own(client_with, served):
    client, red = client_with(limit=None), served.bearer("red")
    codes = [client.post(f"{API}/check", files=FILE).status_code for _ in range(12)]
    assert codes == [200] * 10 + [429] * 2
    refused = client.post(f"{API}/check", files=FILE)
    assert refused.headers["retry-after"] == "60"
    assert client.post("/c/course/join", data={"name": "new"}).status_code == 429
    assert client.post(f"{API}/check", files=FILE, headers=red).status_code == 200


@pytest.mark.parametrize("path", ["/c/course/sign-in", "/c/course/join", f"{API}/decisions"])
def test_forms_are_small(client, path):
    large = client.post(path, content=b"token=" + b"x" * (1 << 17))
    assert large.status_code == 413
    streamed = client.post(path, content=iter([b"token=", b"x"]))
    assert streamed.status_code == 413
