"""What a living board costs: `python benchmarks/board.py`; prints ratios, written to board.md.

`score add` of a small file against `score` of it, whole processes in turn; and `score board` of
a store with 20,000 entries against one with 300, of 300 teams both.
"""

from __future__ import annotations

import random
import statistics
import subprocess
import sys
import tempfile
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

from scorer.board.board import Board
from scorer.store.database import Draft

SCORE = Path(sys.executable).parent / "score"
LISTS, ITEMS, TEAMS, PAIRS = 50, 10, 300, 9
ENTRIES = (300, 20_000)


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
                draft, version.values, lambda *known: None, team.name, version.fingerprint
            )


def main() -> None:
    """Measure and print."""
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
