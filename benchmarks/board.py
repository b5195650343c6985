"""What a living board costs: `python benchmarks/board.py [lists]`; prints ratios.

`score add` of a small file against `score` of it, whole processes in turn; and `score board` of
a store with 20,000 entries against one with 300, of 300 teams both. With `lists`, instead: CPU of
pages of lists and of the board over a bare page of the framework, of 100 to 10,000 entries.
"""

from __future__ import annotations

import hashlib
import random
import statistics
import subprocess
import sys
import tempfile
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from sqlalchemy import select

from scorer.board.board import Board
from scorer.store import schema
from scorer.store.database import Draft

SCORE = Path(sys.executable).parent / "score"
LISTS, ITEMS, TEAMS, PAIRS = 50, 10, 300, 9
ENTRIES = (300, 20_000)
SIZES = (100, 1_000, 10_000)
PAGES = (
    "/c/c", "/c/c/entries", "/c/c/entries?status=rejected", "/c/c/admin",
    "/api/v1/challenges/c/entries", "/api/v1/challenges/c/log", "/api/v1/challenges/c/teams",
)  # fmt: skip


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
        version = board.version()
        files = [submission(folder.parent / f"{n}.csv", n) for n in range(teams)]
        start = datetime(2026, 1, 1, tzinfo=UTC)
        for n, path in enumerate(files):
            board.add([path], f"team{n}", now=start)
        scored = board.entries()
        senders = board._database.teams()
        for n in range(entries - teams):
            entry, team = scored[n % teams], senders[(n * 7 + 1) % teams]
            draft = Draft(
                team.id, start + timedelta(minutes=n), entry.sha256,
                entry.file, entry.size, "main", "", {},
            )  # fmt: skip
            board._database.record(
                draft, version.values, lambda *known: None, team.name, version.fingerprint, True
            )


def lists(place: Path) -> None:
    """CPU of pages over a bare page of the framework, all in this process, by entries.

    Each entry has a file and an evaluation of its own, copied row by row from those of 20 teams.
    """
    from fastapi import FastAPI
    from fastapi.testclient import TestClient

    from scorer.web.app import create
    from scorer.web.context import Settings

    bare = FastAPI()
    bare.get("/")(lambda: None)
    for entries in SIZES:
        folder = place / str(entries) / "c"
        folder.mkdir(parents=True)
        challenge(folder)
        filled(folder, 20, 20)
        with Board.open(folder) as board:
            multiplied(board, entries)
            head = {"Authorization": f"Bearer {board.new_token(None)}"}
        app = create(Settings((str(folder),), workers=0, limit=0))
        with TestClient(app) as client, TestClient(bare) as plain:
            for path in PAGES:
                ratios = [cpu(client, path, head) / cpu(plain, "/", {}) for _ in range(PAIRS)]
                print(f"{entries:>6,} entries {path:<40} {statistics.median(ratios):5.1f} "
                      f"({min(ratios):.1f} to {max(ratios):.1f})")  # fmt: skip


def cpu(client: Any, path: str, head: dict[str, str]) -> float:
    """The least CPU seconds of some requests for a page."""
    took = []
    for _ in range(5):
        began = time.process_time()
        assert client.get(path, headers=head).status_code == 200
        took.append(time.process_time() - began)
    return min(took)


def multiplied(board: Board, entries: int) -> None:
    """Add rows of entries, evaluations and receipts, each like one that there is."""
    sent, engine = board.entries(), board._database._engine
    evaluation, name = schema.evaluation, board.challenge.id
    with engine.execution_options(writes=True).begin() as connection:
        made = {row.sha256: dict(row._mapping) for row in connection.execute(select(evaluation))}
        rows, evaluations, receipts = [], [], []
        for n in range(len(sent), entries):
            like = sent[n % len(sent)]
            sha256 = hashlib.sha256(str(n).encode()).hexdigest()
            received = like.received + timedelta(minutes=n)
            rows.append({
                "board": name, "number": n + 1, "team": like.team, "received": received,
                "sha256": sha256, "file": like.file, "size": like.size, "phase": "main",
                "name": "", "answers": "{}",
            })  # fmt: skip
            evaluations.append({**made[like.sha256], "sha256": sha256})
            receipts.append({
                "board": name, "number": 10 * entries + n, "kind": "entry", "about": str(n + 1),
                "entry": n + 1, "previous": None, "digest": sha256, "body": "{}", "salt": "",
            })  # fmt: skip
        connection.execute(schema.entry.insert(), rows)
        connection.execute(evaluation.insert(), evaluations)
        connection.execute(schema.receipt.insert(), receipts)


def main() -> None:
    """Measure and print."""
    if sys.argv[1:] == ["lists"]:
        with tempfile.TemporaryDirectory() as place:
            lists(Path(place))
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
