"""Boards from values: CPU and memory beside numpy's draws of the means alone.

    python benchmarks/values.py [SYSTEMS [CASES [DRAWS]]]

Each side is a process of its own, of one BLAS thread, since threads that wait count as CPU. numpy
draws the cases with replacement and multiplies their counts with the values, in blocks. scorer
makes the whole board (checks, means, intervals, tests, tiers and ranges of ranks) of the same
arrays, and of a CSV file for each system, whose reading it has in addition. Its import, which is
the same for any board, is in its CPU and told beside it.
"""

import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

BLOCK = 50  # draws at once
SIDES = ("numpy", "arrays", "files")


def values(systems, cases):
    """Values in (systems, cases): a system's own level, a case's difficulty, and noise."""
    rng = np.random.default_rng(1)
    skill, hard = rng.normal(0.5, 0.05, systems), rng.normal(0, 0.1, cases)
    return skill[:, None] + hard + rng.normal(0, 0.2, (systems, cases))


def numpy_alone(table, draws):
    """The means of each system in each draw.

    Counts of drawn numbers take less than half of the time of a multinomial draw of counts.
    """
    rng, cases = np.random.default_rng(2), table.shape[1]
    means = np.empty((draws, len(table)))
    for start in range(0, draws, BLOCK):
        size = min(BLOCK, draws - start)
        drawn = (rng.integers(cases, size=cases) for _ in range(size))
        counts = np.array([np.bincount(each, minlength=cases) for each in drawn], dtype=np.float64)
        means[start : start + size] = counts @ table.T / cases
    return means


def named(table):
    """Each system's values by its name."""
    return {f"s{n:03}": row for n, row in enumerate(table)}


def written(table, folder):
    """A file for each system, written by a process of its own."""
    import polars as pl

    cases = [f"c{n}" for n in range(table.shape[1])]
    for name, row in named(table).items():
        pl.DataFrame({"case": cases, "value": row}).write_csv(folder / f"{name}.csv")


def spent():
    """CPU seconds of this process until now."""
    return sum(resource.getrusage(resource.RUSAGE_SELF)[:2])


def one_side(side, sizes, folder):
    """Print the CPU of one side, of its import alone, and the peak of memory in MiB."""
    systems, cases, draws = sizes
    table = np.empty((0, 0)) if side == "files" else values(systems, cases)
    if side == "write":
        written(table, folder)
        return
    before = imported = spent()
    if side == "numpy":
        numpy_alone(table, draws)
    else:
        import scorer

        ranked = scorer.values
        imported = spent()
        systems = named(table) if side == "arrays" else sorted(folder.iterdir())
        ranked(systems, leaderboard={"draws": draws})
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
                env={**os.environ, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"},
                capture_output=True, text=True, check=True,
            )  # fmt: skip
            found[side] = [float(word) for word in ran.stdout.split()]
    for side in SIDES:
        cpu, imports, peak = found[side]
        ratio = cpu / found["numpy"][0]
        print(f"{side:7} CPU {cpu:7.2f} s (import {imports:4.2f} s), {ratio:5.2f} times numpy, "
              f"peak {peak:5.0f} MiB")  # fmt: skip


if __name__ == "__main__":
    main(sys.argv[1:])
