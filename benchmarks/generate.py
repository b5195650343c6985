"""Made-up runs and truths of realistic sizes: `python benchmarks/generate.py [SET ...]`.

Each set is a folder with challenge.yaml, the truth and `runs/`. The same seed and
`VERSION` give the same bytes. What is there already is not made again.

A list has a pool of candidate items, the likeliest first. A run gives each candidate
a noisy score and returns the best ones, so runs differ but find much the same; the
truth judges candidates, the likely ones more often, and some that no run returns. Of TREC's files,
as of real ones, one judged list has no answer, and one answered list is not judged.
"""

from __future__ import annotations

import argparse
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import numpy as np
import polars as pl

VERSION = 2
DATA = Path(__file__).parent / ".data"
MEASURES = ("nDCG@10", "AP", "RR", "P@10", "R@100")
PRIME = 1_000_003  # items; a prime, so that steps of any size visit each item once
BLOCK = 500_000  # rows made at a time
STAMP = "made.txt"
UNANSWERED, UNJUDGED = "999998", "999999"  # topics

TREC = """\
title: Benchmark {name}
truth: truth.qrels
submission: {{format: trec, missing_list: zero, unknown_list: ignore}}
metrics: [{measures}]
"""
LONG = """\
title: Benchmark {name}
truth: {{file: truth.csv, columns: {{list: user}}}}
submission: {{columns: {{list: user}}}}
metrics: [{measures}]
"""


@dataclass(frozen=True)
class Spec:
    """How large a set is, and of what form."""

    lists: int
    length: int = 1000  # items that a run returns for a list
    judged: int = 100  # about so many a list
    runs: int = 1
    long: bool = False  # CSV of user,item,rank and users' items, else TREC's files
    shuffled: bool = False  # the run's rows in no order


SETS = {
    "tiny": Spec(3, length=10, judged=5),
    "S": Spec(50),
    "M": Spec(1_000),
    "M-shuffled": Spec(1_000, shuffled=True),
    "L": Spec(10_000),
    "R": Spec(1_000_000, length=10, judged=5, long=True),
    "MANY": Spec(50, runs=100),
    "PREF": Spec(250, runs=20),
}


def main() -> None:
    parser = argparse.ArgumentParser(description="Make the benchmark's sets.")
    parser.add_argument("sets", nargs="*", metavar="SET", help=f"of {', '.join(SETS)}; all")
    parser.add_argument("-d", "--data", type=Path, default=DATA, help="the folder they go to")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    if unknown := sorted(set(options.sets) - SETS.keys()):
        parser.error(f"no such set: {', '.join(unknown)}")
    for name in options.sets or SETS:
        new = make(name, SETS[name], options.data, options.seed)
        print(f"{name}: {'made' if new else 'there already'}")


def make(name: str, spec: Spec, data: Path, seed: int = 1) -> bool:
    """Make a set under `data`; False if it is there already.

    Args:
        name: of the set, and of its folder.
        spec: its size and form.
        data: the folder that holds the sets.
        seed: of all draws.
    """
    stamp = f"{VERSION} {seed} {spec}\n"
    folder, part = data / name, data / f"{name}.part"
    if (folder / STAMP).exists() and (folder / STAMP).read_text() == stamp:
        return False
    for old in (folder, part):
        if old.exists():
            shutil.rmtree(old)
    (part / "runs").mkdir(parents=True)
    text = LONG if spec.long else TREC
    (part / "challenge.yaml").write_text(text.format(name=name, measures=", ".join(MEASURES)))
    if spec.long:
        _users(spec, part, seed)
    else:
        _topics(spec, part, seed)
    (part / STAMP).write_text(stamp)
    part.rename(folder)
    return True


def _topics(spec: Spec, folder: Path, seed: int) -> None:
    """TREC's qrels and runs."""
    ids = _documents()
    with (folder / "truth.qrels").open("wb") as file:
        for block in _blocks(spec):
            row, candidate, grade = _judged(spec, block, seed)
            _write(file, " ", {
                "list": _topic(block.start + row),
                "subtopic": pl.repeat("0", row.size, eager=True),
                "item": ids.gather(_item(block, seed, row, candidate)),
                "grade": grade,
            })  # fmt: skip
        file.write(f"{UNANSWERED} 0 {ids[1]} 1\n".encode())
    for run in range(spec.runs):
        frames = (_run(spec, block, seed, run, ids) for block in _blocks(spec))
        if spec.shuffled:
            whole = pl.concat(list(frames))
            frames = iter([whole[_random(seed, 3, 0).permutation(whole.height)]])
        with (folder / "runs" / f"run{run:02}.run").open("wb") as file:
            for frame in frames:
                _write(file, " ", frame)
            file.write(f"{UNJUDGED} Q0 {ids[1]} 1 1.0 run{run:02}\n".encode())


def _users(spec: Spec, folder: Path, seed: int) -> None:
    """Long CSV; and the same in TREC's form for the peers."""
    ids = pl.Series([f"i{n:07}" for n in range(PRIME)])
    trec = folder / "trec"
    trec.mkdir()
    with (folder / "truth.csv").open("wb") as file, (trec / "truth.qrels").open("wb") as qrels:
        file.write(b"user,item\n")
        for block in _blocks(spec):
            row, candidate, _ = _judged(spec, block, seed)
            user, item = _user(block.start + row), ids.gather(_item(block, seed, row, candidate))
            _write(file, ",", {"user": user, "item": item})
            zero, one = (pl.repeat(text, row.size, eager=True) for text in "01")
            _write(qrels, " ", {"list": user, "subtopic": zero, "item": item, "grade": one})
    with (folder / "runs/run00.csv").open("wb") as file, (trec / "run00.run").open("wb") as run:
        file.write(b"user,item,rank\n")
        for block in _blocks(spec):
            frame = _run(spec, block, seed, 0, ids).with_columns(
                list=_user(block.start + np.repeat(np.arange(len(block)), spec.length)),
                score=pl.lit(spec.length + 1) - pl.col("rank"),  # no equal scores: ranks decide
            )
            _write(file, ",", frame.select("list", "item", "rank"))
            _write(run, " ", frame)


def _blocks(spec: Spec) -> Iterator[range]:
    """The lists, some at a time."""
    step = max(1, BLOCK // spec.length)
    for first in range(0, spec.lists, step):
        yield range(first, min(first + step, spec.lists))


def _random(*key: int) -> np.random.Generator:
    return np.random.default_rng([VERSION, *key])


def _run(spec: Spec, block: range, seed: int, run: int, ids: pl.Series) -> pl.DataFrame:
    """A run's rows for some lists: each list's best candidates by a noisy score."""
    pool = spec.length * 3 // 2
    noise = _random(seed, 2, run, block.start).normal(0, 4, (len(block), pool))
    score = 45 - 30 * (np.arange(pool) / pool) ** 0.3 + noise
    best = np.argsort(-score, axis=1, kind="stable")[:, : spec.length]
    row = np.repeat(np.arange(len(block)), spec.length)
    candidate = best.ravel()
    return pl.DataFrame({
        "list": _topic(block.start + row),
        "q0": pl.repeat("Q0", row.size, eager=True),
        "item": ids.gather(_item(block, seed, row, candidate)),
        "rank": np.tile(np.arange(1, spec.length + 1), len(block)),
        "score": score[row, candidate].round(3),  # three decimals: a few per cent are equal
        "tag": pl.repeat(f"run{run:02}", row.size, eager=True),
    })  # fmt: skip


def _judged(
    spec: Spec, block: range, seed: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:  # fmt: skip
    """List (within the block), candidate and grade of what is judged; one at least is relevant."""
    random = _random(seed, 1, block.start)
    pool = spec.length * 3
    candidates = np.arange(pool)
    # the smallest of exponential numbers are a draw without replacement by these weights
    weight = 1 / (1 + candidates / (spec.length / 20))
    drawn = np.argsort(random.exponential(size=(len(block), pool)) / weight, axis=1, kind="stable")
    fewest, most = max(1, spec.judged * 7 // 10), spec.judged * 13 // 10 + 1
    sizes = random.integers(fewest, most + 1, len(block))
    row, place = np.nonzero(np.arange(most) < sizes[:, None])
    candidate = drawn[row, place]
    likely = 0.6 / (1 + candidate / (spec.length / 20))
    grade = np.where(random.random(row.size) < likely, random.integers(1, 4, row.size), 0)
    grade = np.where(place == 0, np.maximum(grade, 1), grade)
    return row, candidate, grade


def _item(block: range, seed: int, row: np.ndarray, candidate: np.ndarray) -> np.ndarray:
    """The numbers of the candidates' items, all different within a list."""
    random = _random(seed, 0, block.start)
    start = random.integers(0, PRIME, len(block))
    step = random.integers(1, PRIME, len(block))
    return (start[row] + step[row] * candidate) % PRIME


def _topic(number: np.ndarray) -> pl.Series:
    """Ids like those of queries from a log: 1048585."""
    return (pl.Series(number) * 61 + 1_000_000).cast(pl.String)


def _user(number: np.ndarray) -> pl.Series:
    return "u" + (pl.Series(number) + 1_000_000).cast(pl.String)


def _documents() -> pl.Series:
    """Ids like those of newspapers in TREC's collections: LA010189-0018."""
    days = [
        f"LA{1 + day % 12:02}{1 + day // 12 % 28:02}{89 + day // 336:02}-"
        for day in range(PRIME // 300 + 1)
    ]
    return pl.Series([f"{days[n // 300]}{1 + n % 300:04}" for n in range(PRIME)])


def _write(file: BinaryIO, separator: str, columns: dict | pl.DataFrame) -> None:
    pl.DataFrame(columns).write_csv(
        file, separator=separator, include_header=False, float_precision=3, quote_style="never"
    )


if __name__ == "__main__":
    main()
