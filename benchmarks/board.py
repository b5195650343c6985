"""What a living board costs: `python benchmarks/board.py`; prints ratios.

`score add` of a small file against `score` of it, whole processes in turn; and `score board` of
a store with 20,000 entries against one with 300, of 300 teams both. With `--entries 100 1000
10000`, instead: CPU of commands and pages of boards of so many entries of 30 teams (`--teams`).
"""

from __future__ import annotations

import argparse
import hashlib
import math
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from sqlalchemy import insert, select

from scorer.board.board import Board
from scorer.board.models import Entry, Evaluation, Receipt

SCORE = Path(sys.executable).parent / "score"
LISTS, ITEMS, TEAMS, PAIRS = 50, 10, 300, 9
ENTRIES = (300, 20_000)
COMMANDS = (
    ("board",), ("board", "--format", "json"), ("board", "--split", "private"), ("why", "team1"),
    ("log", "--team", "team1"), ("team", "list"), ("add",),
    ("log", "--receipts"), ("log",),
)  # fmt: skip
API = "/api/v1/challenges/c"
PAGES = {
    "a visitor's": ("/c/c", f"{API}/board"),
    "a team's": ("/c/c", "/c/c/entries"),
    "an organizer's": (
        "/c/c", "/c/c/entries", "/c/c/entries?status=rejected", "/c/c/admin", f"{API}/entries",
    ),
}  # fmt: skip


def challenge(folder: Path) -> None:
    """A truth of some lists."""
    chance = random.Random(1)
    rows = [f"q{n},d{m},{chance.choice([0, 1, 2])}\n" for n in range(LISTS) for m in range(ITEMS)]
    (folder / "truth.csv").write_text("list,item,grade\n" + "".join(rows))
    (folder / "challenge.yaml").write_text(
        "truth: truth.csv\nmetrics: [nDCG@10]\n"
        "splits: {public: 0.3, private: rest, seed: 1}\n"
        "phases: [{id: main, show: public}]\n"
    )


def submission(path: Path, seed: int) -> Path:
    """A random submission."""
    chance = random.Random(seed)
    rows = [f"q{n},d{m},{chance.random():.6f}\n" for n in range(LISTS) for m in range(ITEMS)]
    path.write_text("list,item,score\n" + "".join(rows))
    return path


def seconds(*words: object) -> float:
    """CPU and waiting of one whole process."""
    began = time.perf_counter()
    subprocess.run([SCORE, *map(str, words)], check=True, capture_output=True)
    return time.perf_counter() - began


def adding(folder: Path) -> list[float]:
    """`score add` over `score`, pair by pair."""
    ratios = []
    for n in range(PAIRS + 1):
        path = submission(folder.parent / f"one{n}.csv", n)
        plain = seconds(folder, path)
        added = seconds("add", folder, path, "--team", f"t{n}")
        ratios.append(added / plain)
    return ratios[1:]


def filled(folder: Path, entries: int, teams: int = TEAMS) -> None:
    """A store with so many evaluated entries: some files, sent by all teams again and again."""
    with Board.open(folder) as board:
        version = board.versions.in_force()
        files = [submission(folder.parent / f"{n}.csv", n) for n in range(teams)]
        start = datetime(2026, 1, 1, tzinfo=UTC)
        for n, path in enumerate(files):
            board.add([path], f"team{n}", now=start)
        scored = board.entries()
        senders = board.database.teams()
        for n in range(entries - teams):
            entry, team = scored[n % teams], senders[(n * 7 + 1) % teams]
            copy = Entry(
                0, team.id, start + timedelta(minutes=n), entry.sha256,
                entry.file, entry.size, "main",
            )  # fmt: skip
            board.database.add_entry(copy, version, team=team.name, given=True)


Row = dict[str, float]  # what is measured -> CPU, in units of `score` of a file, or of a bare page


def grown(place: Path, sizes: Sequence[int], teams: int) -> Iterator[Row]:
    """What commands and pages take, of boards of so many entries.

    Each entry has a file and an evaluation of its own, copied row by row from those of the teams.
    """
    for entries in sizes:
        folder = place / str(entries) / "c"
        folder.mkdir(parents=True)
        challenge(folder)
        filled(folder, teams, teams)
        with Board.open(folder) as board:
            multiplied(board, entries)
        yield commands(folder) | pages(folder)


def commands(folder: Path) -> Row:
    """CPU of commands, in units of `score` of one file, which keeps nothing."""
    one, row = submission(folder.parent / "one.csv", 1), Row()
    unit = statistics.median(process_cpu(str(folder), str(one)) for _ in range(3))
    for words in COMMANDS:
        verb, *more = words
        if verb == "add":
            more = [str(submission(folder.parent / "new.csv", 1_000_000)), "--team", "team2"]
        row[f"`score {' '.join(words)}`"] = process_cpu(verb, str(folder), *more) / unit
    return row


def process_cpu(*words: str) -> float:
    """User and system seconds of one whole process and of those that it starts."""
    began = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([SCORE, *words], check=True, capture_output=True)
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    return ended.ru_utime - began.ru_utime + ended.ru_stime - began.ru_stime


def pages(folder: Path) -> Row:
    """CPU of pages in this process, in units of a bare page of the framework."""
    from fastapi import FastAPI
    from fastapi.testclient import TestClient

    from scorer.web.app import create
    from scorer.web.context import Settings

    bare, row = FastAPI(), Row()
    bare.get("/")(lambda: None)
    app = create(Settings((str(folder),), workers=0, limit=0))
    board = app.state.context.sites["c"].board
    tokens = {"a team's": board.new_token("team1"), "an organizer's": board.new_token(None)}
    with TestClient(app) as client, TestClient(bare) as plain:

        def got(path: str, whose: str) -> Callable[[], Any]:
            head = {"Authorization": f"Bearer {tokens[whose]}"} if whose in tokens else {}
            return lambda: client.get(path, headers=head)

        unit = statistics.median(cpu(lambda: plain.get("/")) for _ in range(PAIRS))
        row["the first page"] = cpu(got("/c/c", ""), 1) / unit
        for n in range(3):  # of files that no team has sent, and that change no rank
            path = submission(folder.parent / f"later{n}.csv", 2_000_000 + n)
            board.add([path], "team3")
            app.state.context.sites["c"].look()
            took = cpu(got("/c/c", ""), 1) / unit
            row["a page after an entry"] = min(took, row.get("a page after an entry", took))
        for whose, paths in PAGES.items():
            for path in paths:
                took = statistics.median(cpu(got(path, whose)) for _ in range(3)) / unit
                row[f"{whose} `{path.replace(API, 'api')}`"] = took
    return row


def cpu(ask: Callable[[], Any], times: int = 5) -> float:
    """The least CPU seconds of some requests."""
    took = []
    for _ in range(times):
        began = time.process_time()
        assert ask().status_code == 200
        took.append(time.process_time() - began)
    return min(took)


def table(sizes: Sequence[int], rows: Sequence[Row]) -> str:
    """The rows as columns, and by what each grows with ten times the entries."""
    tenfolds = math.log10(sizes[-1] / sizes[0])
    heads = ["", *(f"{size:,}" for size in sizes), "tenfold"]
    lines = [" | ".join(heads), " | ".join(["---", *["---:"] * (len(sizes) + 1)])]
    for name, first in rows[0].items():
        growth = (rows[-1][name] / first) ** (1 / tenfolds) if tenfolds else 1.0
        cells = [f"{row[name]:.1f}" for row in rows]
        lines.append(" | ".join([name, *cells, f"{growth:.2f}"]))
    return "".join(f"| {line} |\n" for line in lines)


def multiplied(board: Board, entries: int) -> None:
    """Add rows of entries, evaluations and receipts, each like one that there is."""
    sent, engine = board.entries(), board.database.engine
    evaluation = Evaluation.__table__
    with engine.execution_options(writes=True).begin() as connection:
        made = {row.sha256: dict(row._mapping) for row in connection.execute(select(evaluation))}
        rows, evaluations, receipts = [], [], []
        for n in range(len(sent), entries):
            like = sent[n % len(sent)]
            sha256 = hashlib.sha256(str(n).encode()).hexdigest()
            received = like.received + timedelta(minutes=n)
            rows.append({
                "number": n + 1, "team": like.team, "received": received,
                "sha256": sha256, "file": like.file, "size": like.size, "phase": "main",
                "name": "", "answers": {},
            })  # fmt: skip
            evaluations.append({**made[like.sha256], "sha256": sha256})
            receipts.append({
                "number": 10 * entries + n, "kind": "entry", "about": str(n + 1),
                "entry": n + 1, "previous": None, "digest": sha256, "body": "{}", "salt": "",
            })  # fmt: skip
        connection.execute(insert(Entry), rows)
        connection.execute(insert(evaluation), evaluations)
        connection.execute(insert(Receipt), receipts)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--entries", type=int, nargs="+", help="sizes of boards, least first")
    parser.add_argument("--teams", type=int, default=30)
    asked = parser.parse_args()
    if asked.entries:
        with tempfile.TemporaryDirectory() as place:
            print(table(asked.entries, [*grown(Path(place), asked.entries, asked.teams)]))
        return
    with tempfile.TemporaryDirectory() as place:
        folders = []
        for entries in ENTRIES:
            folder = Path(place, str(entries), "c")
            folder.mkdir(parents=True)
            challenge(folder)
            folders.append(folder)
        plain = Path(place, "plain", "c")
        plain.mkdir(parents=True)
        challenge(plain)
        ratios = adding(plain)
        print(f"score add / score: {statistics.median(ratios):.2f} "
              f"({min(ratios):.2f} to {max(ratios):.2f})")  # fmt: skip
        for folder, entries in zip(folders, ENTRIES, strict=True):
            filled(folder, entries)
        few, many = folders
        boards = [seconds("board", many) / seconds("board", few) for _ in range(PAIRS)]
        print(f"board of {ENTRIES[1]:,} entries / of {ENTRIES[0]}: {statistics.median(boards):.2f} "
              f"({min(boards):.2f} to {max(boards):.2f})")  # fmt: skip


if __name__ == "__main__":
    main()
