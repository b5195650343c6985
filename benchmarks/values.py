"""Boards from values: CPU and memory beside numpy's draws of the means alone.

    python benchmarks/values.py [SYSTEMS [CASES [DRAWS]]]

Each side is a process of its own, of one BLAS thread, since threads that wait count as CPU. numpy
draws the cases with replacement and multiplies their counts with the values, in blocks: `numpy`
counts drawn numbers, which takes less than half of the time of `multinomial`, where numpy draws the
counts themselves; both are denominators. scorer makes the whole board (checks, means, intervals,
tests, tiers and ranges of ranks) of the same arrays (`arrays`), of a CSV file for each system
(`files`), and of one CSV file of all (`table`), whose reading it has in addition. Its import, of
compiled modules and the same for any board, is in its CPU and told beside it.
"""

import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

BLOCK = 50  # draws at once
ALONE = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "PYTHONDONTWRITEBYTECODE": ""}
SIDES = ("numpy", "multinomial", "arrays", "files", "table")


def values(systems, cases):
    """Values in (systems, cases): a system's own level, a case's difficulty, and noise."""
    rng = np.random.default_rng(1)
    skill, hard = rng.normal(0.5, 0.05, systems), rng.normal(0, 0.1, cases)
    return skill[:, None] + hard + rng.normal(0, 0.2, (systems, cases))


def numpy_alone(table, draws, multinomial):
    """The means of each system in each draw."""
    rng, cases = np.random.default_rng(2), table.shape[1]
    means = np.empty((draws, len(table)))
    for start in range(0, draws, BLOCK):
        size = min(BLOCK, draws - start)
        if multinomial:
            counts = rng.multinomial(cases, np.full(cases, 1 / cases), size=size)
        else:
            drawn = (rng.integers(cases, size=cases) for _ in range(size))
            counts = np.array([np.bincount(each, minlength=cases) for each in drawn])
        means[start : start + size] = counts.astype(np.float64) @ table.T / cases
    return means


def named(table):
    """Each system's values by its name."""
    return {f"s{n:03}": row for n, row in enumerate(table)}


def written(table, folder):
    """A file for each system, and one of all, written by a process of its own.

    It compiles scorer's modules, too.
    """
    import polars as pl

    import scorer

    cases = [f"c{n}" for n in range(table.shape[1])]
    (folder / "files").mkdir()
    with (folder / "table.csv").open("wb") as whole:
        for name, row in named(table).items():
            frame = pl.DataFrame({"case": cases, "value": row})
            frame.write_csv(folder / "files" / f"{name}.csv")
            of_system = frame.with_columns(system=pl.lit(name))
            of_system.write_csv(whole, include_header=not whole.tell())
    scorer.values({"a": [0.0, 0.5, 1.0], "b": [1.0, 0.0, 0.0]})


def spent():
    """CPU seconds of this process until now."""
    return sum(resource.getrusage(resource.RUSAGE_SELF)[:2])


def one_side(side, sizes, folder):
    """Print the CPU of one side, of its import alone, and the peak of memory in MiB."""
    systems, cases, draws = sizes
    table = np.empty((0, 0)) if side in ("files", "table") else values(systems, cases)
    if side == "write":
        written(table, folder)
        return
    before = imported = spent()
    if side in ("numpy", "multinomial"):
        numpy_alone(table, draws, side == "multinomial")
    else:
        import scorer

        ranked = scorer.values
        imported = spent()
        given = {
            "arrays": lambda: named(table),
            "files": lambda: sorted((folder / "files").iterdir()),
            "table": lambda: folder / "table.csv",
        }[side]
        ranked(given(), leaderboard={"draws": draws})
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(spent() - before, imported - before, peak)


def main(words):
    """All sides in turn, and their ratios to numpy."""
    if words[:1] == ["--side"]:
        one_side(words[1], list(map(int, words[3:6])), Path(words[2]))
        return
    sizes = [*words, *("300", "50000", "1000")[len(words) :]]
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        for side in ("write", *SIDES):
            ran = subprocess.run(
                [sys.executable, __file__, "--side", side, folder, *sizes],
                env={**os.environ, **ALONE},
                capture_output=True, text=True, check=True,
            )  # fmt: skip
            found[side] = [float(word) for word in ran.stdout.split()]
    for side in SIDES:
        cpu, imports, peak = found[side]
        ratios = [f"{cpu / found[base][0]:6.2f} times {base}" for base in SIDES[:2]]
        print(f"{side:11} CPU {cpu:7.2f} s (import {imports:4.2f} s), {', '.join(ratios)}, "
              f"peak {peak:5.0f} MiB")  # fmt: skip


if __name__ == "__main__":
    main(sys.argv[1:])
