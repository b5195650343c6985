"""The engine on Spark against the engine of one machine: CPU time a row, growth, driver memory.

    python benchmarks/spark.py --rows 0.1 1 10 30 --many 40

Sets are like R of generate.py, in Parquet: users with ten ranked items, and five true ones. Three
ways take turns: `score` (local), `score --engine spark` (the truth and a value for each list are in
the driver, of more than 100,000 lists sums), and `scorer.spark.values` (neither is). CPU time is
that of all processes (driver, Java, Python workers), read from /proc; memory is the most that the
driver's Python held, and the most that Java did, which here is driver and executor in one. A set of
ten million rows has a million lists. `--many` scores so many files of 20,000 rows at once, by the
first two ways, and as data frames by `scorer.spark.evaluate`. What is printed is the table of
docs/engines.md.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import median

import numpy as np
import polars as pl

HERE = Path(__file__).parent
SCORE = Path(sys.executable).parent / "score"
DATA = HERE / ".data"
MASTER = "local[2,4]"
LENGTH, JUDGED, ITEMS = 10, 5, 1_000_003
MANY = 20_000  # rows of each of many files
TICK, PAGE = os.sysconf("SC_CLK_TCK"), 1024
YAML = """\
title: Spark
truth: {file: truth.parquet, columns: {list: user}}
submission: {columns: {list: user}}
metrics: [nDCG@10, AP, RR, P@10, R@100]
"""
VALUES = """
import sys, warnings
warnings.simplefilter("ignore")
import scorer.spark
from scorer.engines.spark.session import session_of
session = session_of({"spark.master": sys.argv[2]})
folder = sys.argv[1]
values = scorer.spark.values(session, folder, folder + "/run.parquet")
print(values.groupBy("measure").avg("value").collect())
"""
FRAMES = """
import sys, warnings
warnings.simplefilter("ignore")
import scorer.spark
from scorer.engines.spark.session import session_of
master, folder, *files = sys.argv[1:]
session = session_of({"spark.master": master})
columns = "user string, item string, rank int"
runs = {file: session.read.csv(file, header=True, schema=columns) for file in files}
print(scorer.spark.evaluate(session, folder, runs).standings)
"""


def make_many(count: int) -> list[Path]:
    """Runs of 20,000 rows each as CSV, in the folder of a challenge."""
    folder = make(MANY)
    run = pl.read_parquet(folder / "run.parquet")
    paths = [folder / f"run-{n}.csv" for n in range(count)]
    for n, path in enumerate(paths):
        items = pl.col("item").shuffle(seed=n).over("user")
        run.with_columns(items).write_csv(path)
    return paths


def make(rows: int) -> Path:
    """A challenge and a run of so many rows, from one seed; what is there is not made again."""
    folder = DATA / f"spark-{rows}"
    if (folder / "challenge.yaml").exists():
        return folder
    folder.mkdir(parents=True, exist_ok=True)
    rng, users = np.random.default_rng(1), rows // LENGTH
    order = rng.permutation(users)  # users stand in no order, their rows together
    step = rng.integers(1, ITEMS, users)
    rank = np.tile(np.arange(1, LENGTH + 1), users)
    items = _items(np.repeat(order, LENGTH), step, rank)
    pl.DataFrame(
        {"user": _users(np.repeat(order, LENGTH)), "item": items, "rank": rank}
    ).write_parquet(folder / "run.parquet")
    place = np.tile(np.arange(JUDGED), users) * 3 + 1  # some of the ten, and some beyond
    judged_users = np.repeat(np.arange(users), JUDGED)
    true = _items(judged_users, step, place)
    grade = rng.integers(1, 4, judged_users.size)
    pl.DataFrame({"user": _users(judged_users), "item": true, "grade": grade}).write_parquet(
        folder / "truth.parquet"
    )
    (folder / "challenge.yaml").write_text(YAML)
    return folder


def _users(number: np.ndarray) -> pl.Series:
    return pl.Series(number).cast(pl.String).str.zfill(8).str.replace("^", "u")


def _items(user: np.ndarray, step: np.ndarray, rank: np.ndarray) -> pl.Series:
    """Different items for the ranks of a user."""
    return pl.Series((user * 7919 + step[user] * rank) % ITEMS).cast(pl.String)


def measured(words: Sequence[object]) -> tuple[float, int, int]:
    """CPU seconds of a process tree, and the most bytes that its root and its Java held."""
    used, most, java = dict[int, int](), 0, 0
    with (HERE / ".data" / "spark.log").open("wb") as log:
        process = subprocess.Popen(
            list(map(str, words)), stdout=log, stderr=log, start_new_session=True
        )
        while process.poll() is None:
            for pid, ticks in _session(process.pid):
                used[pid] = ticks
                if _name(pid) == "java":
                    java = max(java, _peak(pid))
            most = max(most, _peak(process.pid))
            time.sleep(0.2)
    if process.returncode:
        sys.exit((HERE / ".data" / "spark.log").read_text())
    return sum(used.values()) / TICK, most, java


def _session(leader: int) -> list[tuple[int, int]]:
    """The processes of a session, each with its own CPU time in ticks."""
    processes = []
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                fields = Path("/proc", entry, "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            if int(fields[3]) == leader:
                processes.append((int(entry), int(fields[11]) + int(fields[12])))
    return processes


def _name(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/comm").read_text().strip()
    except OSError:
        return ""


def _peak(pid: int) -> int:
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) * PAGE for line in lines if line.startswith("VmHWM")), 0)


def table(
    label: str, ways: Mapping[str, Sequence[object]], runs: int, first: dict[str, float]
) -> None:
    """Print a row for each way, which take turns; `first` keeps the first CPU times."""
    ran_by_way: dict[str, list[tuple[float, int, int]]] = {name: [] for name in ways}
    for _ in range(runs):
        for name, words in ways.items():
            ran_by_way[name].append(measured(words))
    cpu = {name: median(ran[0] for ran in every) for name, every in ran_by_way.items()}
    for name, every in ran_by_way.items():
        ratio = f"{cpu[name] / cpu['one machine']:.2f}"
        growth = f"{cpu[name] / first.setdefault(name, cpu[name]):.2f}"
        driver, java = (max(ran[n] for ran in every) / 1e6 for n in (1, 2))
        held = f"{driver:,.0f} | {java:,.0f}" if java else f"{driver:,.0f} | "
        print(f"| {label} | {name} | {ratio} | {growth} | {held} |", flush=True)


def main() -> None:
    """Print a row for each set and way."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rows", type=float, nargs="*", default=[10, 30], help="millions")
    parser.add_argument("--many", type=int, default=0, help="files of 20,000 rows, scored at once")
    parser.add_argument("--runs", type=int, default=1)
    parser.add_argument("--master", default=MASTER)
    options = parser.parse_args()
    option = ["--engine", "spark", "--engine-option", f"spark.master={options.master}"]
    print("| rows | lists | way | CPU to one machine | to first row | driver, MB | Java, MB |")
    print("|---:|---:|---|---:|---:|---:|---:|", flush=True)
    first: dict[str, float] = {}

    def scored(folder: Path, files: Sequence[Path]) -> dict[str, Sequence[object]]:
        words = [SCORE, folder, *files, "-q"]
        return {"one machine": words, "`--engine spark`": [*words, *option]}

    if options.many:
        files = make_many(options.many)
        label = f"{options.many} files of {MANY:,} | {MANY // LENGTH:,}"
        ways = scored(files[0].parent, files)
        words = [sys.executable, "-c", FRAMES, options.master, files[0].parent, *files]
        ways["`scorer.spark.evaluate` of data frames"] = words
        table(label, ways, options.runs, {})
    for millions in options.rows:
        rows = int(millions * 1e6)
        folder = make(rows)
        ways = scored(folder, [folder / "run.parquet"])
        ways["`scorer.spark.values`"] = [sys.executable, "-c", VALUES, folder, options.master]
        table(f"{rows:,} | {rows // LENGTH:,}", ways, options.runs, first)


if __name__ == "__main__":
    main()
