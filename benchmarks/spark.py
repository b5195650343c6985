"""`score --engine spark` against `score` on one machine: CPU time, wall time and memory.

    python benchmarks/spark.py --rows 1 10 --runs 2

A set has users with ten ranked items and five true ones, in Parquet. The two ways take turns.
CPU time is that of all processes (driver, Java, Python workers), read from /proc; memory is the
most that all of them held at a time.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from pathlib import Path
from statistics import median
from typing import NamedTuple

import numpy as np
import polars as pl

HERE = Path(__file__).parent
SCORE = Path(sys.executable).parent / "score"
DATA = HERE / ".data"
LENGTH, JUDGED, ITEMS = 10, 5, 1_000_003
TICK, PAGE = os.sysconf("SC_CLK_TCK"), os.sysconf("SC_PAGE_SIZE")
INTERVAL = 0.2  # seconds between two looks at the processes
YAML = """\
truth: {file: truth.parquet, columns: {list: user}}
submission: {columns: {list: user}}
metrics: [nDCG@10, AP, RR, P@10, R@100]
"""


class Cost(NamedTuple):
    """What a command took."""

    cpu: float  # seconds, of all processes
    wall: float  # seconds
    memory: int  # bytes, the most at a time


def make_set(rows: int) -> Path:
    """Return the folder of a challenge and a run of so many rows, the same each time."""
    folder = DATA / f"spark-{rows}"
    if (folder / "challenge.yaml").exists():
        return folder
    folder.mkdir(parents=True, exist_ok=True)
    random, users = np.random.default_rng(1), rows // LENGTH
    steps = random.integers(1, ITEMS, users)

    def frame(users: np.ndarray, places: np.ndarray, **columns: np.ndarray) -> pl.DataFrame:
        names = pl.Series(users).cast(pl.String).str.zfill(8)
        items = pl.Series((users * 7919 + steps[users] * places) % ITEMS).cast(pl.String)
        return pl.DataFrame({"user": "u" + names, "item": items, **columns})

    order = np.repeat(random.permutation(users), LENGTH)
    rank = np.tile(np.arange(1, LENGTH + 1), users)
    frame(order, rank, rank=rank).write_parquet(folder / "run.parquet")
    judged = np.repeat(np.arange(users), JUDGED)
    places = np.tile(np.arange(JUDGED), users) * 3 + 1  # some of the ten, and some beyond
    grade = random.integers(1, 4, judged.size)
    frame(judged, places, grade=grade).write_parquet(folder / "truth.parquet")
    (folder / "challenge.yaml").write_text(YAML)
    return folder


def measure(words: list[str]) -> Cost:
    """Return what a command takes, with all the processes that it starts."""
    ticks, memory, began = dict[int, int](), 0, time.monotonic()
    with (DATA / "spark.log").open("wb") as log:
        process = subprocess.Popen(words, stdout=log, stderr=log, start_new_session=True)
        while process.poll() is None:
            held = 0
            for pid, used, pages in session_processes(process.pid):
                ticks[pid] = used
                held += pages * PAGE
            memory = max(memory, held)
            time.sleep(INTERVAL)
    if process.returncode:
        sys.exit((DATA / "spark.log").read_text())
    return Cost(sum(ticks.values()) / TICK, time.monotonic() - began, memory)


def session_processes(leader: int) -> list[tuple[int, int, int]]:
    """Return the number, ticks and pages of each process of a session."""
    processes = []
    for entry in filter(str.isdigit, os.listdir("/proc")):
        try:
            fields = Path("/proc", entry, "stat").read_text().rpartition(")")[2].split()
        except OSError:  # it has ended
            continue
        if int(fields[3]) == leader:
            processes.append((int(entry), int(fields[11]) + int(fields[12]), int(fields[21])))
    return processes


def main() -> None:
    """Print a row for each set and way."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rows", type=float, nargs="*", default=[1, 10], help="millions")
    parser.add_argument("--runs", type=int, default=1)
    options = parser.parse_args()
    print("| rows | lists | way | CPU, s | wall, s | memory, MB |")
    print("|---:|---:|---|---:|---:|---:|", flush=True)
    for millions in options.rows:
        rows = int(millions * 1e6)
        folder = make_set(rows)
        words = [str(word) for word in (SCORE, folder, folder / "run.parquet", "-q")]
        ways = {"one machine": words, "Spark": [*words, "--engine", "spark"]}
        costs: dict[str, list[Cost]] = {way: [] for way in ways}
        for _ in range(options.runs):
            for way, command in ways.items():
                costs[way].append(measure(command))
        for way, every in costs.items():
            cpu, wall, memory = (median(cost[n] for cost in every) for n in range(3))
            label = f"{rows:,} | {rows // LENGTH:,} | {way}"
            print(f"| {label} | {cpu:.1f} | {wall:.1f} | {memory / 1e6:,.0f} |", flush=True)


if __name__ == "__main__":
    main()
