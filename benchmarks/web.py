"""What serving a board costs: `python benchmarks/web.py [uploads] [reading] [greed]`.

`uploads`: 50 files of 50,000 rows sent at once; none may be lost or refused, and the final board
must be what `score` says of the same files, to the bit. `reading`: requests for the page of a board
of 300 teams and 1,000 lists when nothing is new, and how long a new entry takes to show.
`greed`: how long a page takes while visitors without a token ask for the kit and have files checked
as often as the server lets them.
Everything at 127.0.0.1, by a server of its own; the client takes its part of the machine.
"""

from __future__ import annotations

import http.client
import multiprocessing
import os
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any

import httpx2 as httpx
import numpy as np

import scorer
from scorer.board.board import Board

SCORE = Path(sys.executable).parent / "score"
UPLOADS, ROWS, ITEMS = 50, 50_000, 10
TEAMS, LISTS = 300, 1_000
REQUESTS, AT_ONCE = 800, 4
GREEDY, PAGES = 200, 30  # visitors; pages that are asked for one after another
TURNS = 3  # of quiet and greed, since others may use the machine, too
GREED = 45.0  # seconds that visitors go on in each
PATIENCE = 1_800.0


PARTS = "splits: {public: 0.3, private: rest, seed: 1}\nphases: [{id: main, show: public}]\n"
WHOLE = "phases: [{id: main, show: all}]\n"


def challenge(folder: Path, lists: int, shown: str) -> np.ndarray[Any, Any]:
    """Write a challenge and its truth.

    Args:
        folder: which is made.
        lists: how many the truth has.
        shown: the lines of challenge.yaml that say which lists are shown.

    Returns:
        The grades, shape (lists, items).
    """
    folder.mkdir(parents=True)
    grades = np.random.default_rng(1).integers(0, 3, (lists, ITEMS))
    rows = (f"q{n},d{m},{grades[n, m]}\n" for n in range(lists) for m in range(ITEMS))
    (folder / "truth.csv").write_text("list,item,grade\n" + "".join(rows))
    (folder / "challenge.yaml").write_text(f"truth: truth.csv\nmetrics: [nDCG@10, RR]\n{shown}")
    return grades


def submission(path: Path, grades: np.ndarray[Any, Any], seed: int) -> Path:
    """Write a submission that is the grades with noise.

    Args:
        path: the file.
        grades: shape (lists, items).
        seed: of the noise, which grows with it.
    """
    lists = len(grades)
    scores = grades + np.random.default_rng(seed).normal(0, 0.5 + seed / 50, (lists, ITEMS))
    rows = (f"q{n},d{m},{scores[n, m]:.4f}\n" for n in range(lists) for m in range(ITEMS))
    path.write_text("list,item,score\n" + "".join(rows))
    return path


def cpu(process: int) -> float:
    """Seconds of CPU that a process has used."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return sum(map(int, fields[11:13])) / os.sysconf("SC_CLK_TCK")


@contextmanager
def served(folder: Path, *words: str) -> Iterator[tuple[str, int]]:
    """A server of its own: its address and its process."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [str(SCORE), "serve", str(folder), "--port", str(port), *words]
    process = subprocess.Popen(command)
    url = f"http://127.0.0.1:{port}"
    try:
        while True:
            try:
                urllib.request.urlopen(f"{url}/healthz").close()
                break
            except OSError:
                if process.poll() is not None:
                    raise
                time.sleep(0.2)
        yield url, process.pid
    finally:
        process.terminate()
        if process.wait(120):
            raise SystemExit(f"the server ended with {process.returncode}")


def uploads(place: Path, count: int = UPLOADS, rows: int = ROWS) -> None:
    """Send all files at once, wait until all are scored, and compare the board with `score`.

    Args:
        place: a folder for what is written.
        count: how many files.
        rows: of each file.
    """
    folder = place / "uploads"
    grades = challenge(folder, rows // ITEMS, PARTS)
    files = [submission(place / f"team{n}.csv", grades, n) for n in range(count)]
    with Board.open(folder) as board:
        tokens = [board.add_team(path.stem) for path in files]
        organizer = {"Authorization": f"Bearer {board.new_token(None)}"}
    with served(folder, "--limit", "0") as (url, _):
        api = f"{url}/api/v1/challenges/uploads"

        def send(path: Path, token: str) -> int:
            head = {"Authorization": f"Bearer {token}"}
            with path.open("rb") as opened:
                form = {"file": (path.name, opened)}
                return httpx.post(
                    f"{api}/entries", headers=head, files=form, timeout=600
                ).status_code

        began = time.perf_counter()
        with ThreadPoolExecutor(count) as pool:
            codes = list(pool.map(send, files, tokens))
        sent = time.perf_counter() - began
        assert codes == [202] * count, codes
        while True:
            entries = httpx.get(f"{api}/entries", headers=organizer, timeout=600).json()["entries"]
            if all(entry["status"] != "pending" for entry in entries):
                break
            assert time.perf_counter() - began < PATIENCE
            time.sleep(1)
        scored = time.perf_counter() - began
        assert len(entries) == count
        assert {entry["status"] for entry in entries} == {"scored"}
        final = httpx.get(f"{api}/board?split=all", headers=organizer, timeout=600).json()
    offline = scorer.score(folder, files)
    ours = [(row["rank"], row["name"], row["values"]) for row in final["leaderboard"]]
    assert ours == [(s.rank, s.name, dict(s.values)) for s in offline.leaderboard]
    print(f"{count} uploads of {rows:,} rows at once: none lost or refused")
    print(f"all taken after {sent:.1f} s, all scored after {scored:.1f} s")
    print("the board is as score says, to the bit")


def reading(place: Path, teams: int = TEAMS, lists: int = LISTS) -> None:
    """Read the page of a large board again and again; then after a new entry.

    Args:
        place: a folder for what is written.
        teams: how many there are.
        lists: of the truth.
    """
    folder = place / "reading"
    grades = challenge(folder, lists, WHOLE)
    with Board.open(folder) as board:
        for n in range(teams):
            board.add_team(f"team{n}")
            board.add([submission(place / f"{n}.csv", grades, n)], f"team{n}")
        token = board.add_team("late")
    head = {"Authorization": f"Bearer {token}"}
    with served(folder, "--limit", "0") as (url, process):
        port = int(url.rsplit(":", 1)[1])
        for path in ("/c/reading", "/api/v1/challenges/reading/board"):
            httpx.get(f"{url}{path}", timeout=60).raise_for_status()

            def reads(_: int, path: str = path) -> list[float]:
                took = []
                with closing(http.client.HTTPConnection("127.0.0.1", port)) as line:
                    for _ in range(REQUESTS // AT_ONCE):
                        began = time.perf_counter()
                        line.request("GET", path, headers={"Accept-Encoding": "gzip"})
                        answer = line.getresponse()
                        answer.read()
                        assert answer.status == 200
                        took.append(time.perf_counter() - began)
                return took

            began, spent = time.perf_counter(), cpu(process)
            with ThreadPoolExecutor(AT_ONCE) as pool:
                took = [seconds for part in pool.map(reads, range(AT_ONCE)) for seconds in part]
            spent = cpu(process) - spent
            rate = len(took) / (time.perf_counter() - began)
            median = statistics.median(took) * 1000
            print(f"{path}, {teams} teams x {lists:,} lists:")
            cost = spent / len(took) * 1000
            print(f"  {rate:.0f} requests a second, median {median:.1f} ms, CPU {cost:.1f} ms each")
        for n in range(3):
            late = submission(place / "late.csv", grades, 10_000 + n)
            api = f"{url}/api/v1/challenges/reading"
            with late.open("rb") as opened:
                sent = httpx.post(f"{api}/entries", headers=head, files={"file": opened}).json()
            began, spent = time.perf_counter(), cpu(process)
            entry = f"{api}/entries/{sent['entry']}"
            while httpx.get(entry, headers=head).json()["status"] == "pending":
                time.sleep(0.02)
            evaluated = time.perf_counter()
            page = httpx.get(f"{url}/c/reading", timeout=60).text
            assert ">late<" in page
            print(f"a new entry: evaluated after {evaluated - began:.2f} s, on the page "
                  f"{time.perf_counter() - evaluated:.2f} s later, "
                  f"CPU of the server {cpu(process) - spent:.2f} s")  # fmt: skip


def greed(place: Path, visitors: int = GREEDY) -> None:
    """Read a page in quiet, and beside visitors who want all that they can get.

    Args:
        place: a folder for what is written.
        visitors: how many there are; each pair of quiet and greed is measured in turn.
    """
    folder, ratios = place / "greed", []
    grades = challenge(folder, LISTS, WHOLE)
    with Board.open(folder) as board:
        board.add([submission(place / "a.csv", grades, 1)], "a")
    data = (place / "a.csv").read_bytes()
    proxy = ("--trusted-proxy", "127.0.0.1", "--workers", "1")  # each has an address of its own
    with served(folder, *proxy) as (url, process):
        port = int(url.rsplit(":", 1)[1])

        def page() -> float:
            began = time.perf_counter()
            assert httpx.get(f"{url}/c/greed", timeout=600).status_code == 200
            return time.perf_counter() - began

        for turn in range(TURNS):
            for _ in range(PAGES // 3):
                page()
            quiet = statistics.median(page() for _ in range(PAGES))
            most, ends = [0], threading.Event()
            watch = threading.Thread(target=children, args=(process, ends, most))
            spawn = multiprocessing.get_context("spawn")
            with ProcessPoolExecutor(1, spawn, os.nice, (19,)) as others:
                crowd = others.submit(greedy, port, visitors, data)  # as if on another machine
                watch.start()
                time.sleep(GREED / 3)  # they all have come
                beside = statistics.median(page() for _ in range(PAGES))
                codes = crowd.result()
                ends.set()
                watch.join()
            ratios.append(beside / quiet)
            print(f"turn {turn + 1}: {ratios[-1]:.1f} times as long; answers {codes}, "
                  f"children at once {most[0]}")  # fmt: skip
    median = statistics.median(ratios)
    print(f"a page beside {visitors} greedy visitors takes {median:.1f} times as long")


def greedy(port: int, visitors: int, data: bytes) -> dict[int, int]:
    """HTTP status -> the number of answers to visitors who ask again as soon as they may.

    Args:
        port: of the server.
        visitors: how many there are.
        data: a file to be checked.
    """
    until = time.monotonic() + GREED

    def visitor(number: int) -> Counter[int]:
        codes: Counter[int] = Counter()
        head = {"X-Forwarded-For": f"10.0.{number // 256}.{number % 256}"}
        path = f"http://127.0.0.1:{port}/api/v1/challenges/greed"
        with httpx.Client() as client:
            while time.monotonic() < until:
                files, wait = {"file": ("a.csv", data)}, 0.0
                try:
                    answers = [
                        client.get(f"{path}/kit.zip", headers=head, timeout=600),
                        client.post(f"{path}/check", headers=head, files=files, timeout=600),
                    ]
                    codes.update(answer.status_code for answer in answers)
                    wait = max(float(a.headers.get("retry-after", 0)) for a in answers)
                except httpx.TransportError:  # a connection that was kept, and is no longer
                    codes[0] += 1
                time.sleep(wait)
        return codes

    with ThreadPoolExecutor(visitors) as pool:
        codes = sum(pool.map(visitor, range(visitors)), Counter[int]())
    return dict(sorted(codes.items()))


def children(process: int, ends: threading.Event, most: list[int]) -> None:
    """Count the children of a process until told to end; the most at once are left in `most`."""
    while not ends.wait(0.1):
        count = 0
        for thread in Path(f"/proc/{process}/task").iterdir():
            with suppress(OSError):
                count += len((thread / "children").read_text().split())
        most[0] = max(most[0], count)


def main() -> None:
    """Measure what is asked for and print."""
    names = sys.argv[1:] or ["uploads", "reading", "greed"]
    for name in names:
        with tempfile.TemporaryDirectory() as place:
            {"uploads": uploads, "reading": reading, "greed": greed}[name](Path(place))


if __name__ == "__main__":
    main()
