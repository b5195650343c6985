"""Boards from values: CPU and memory beside numpy's draws of the means alone.

    python benchmarks/values.py [SYSTEMS [CASES [DRAWS]]]

Each side is a process of its own. numpy draws the cases with replacement (multinomial weights,
in blocks) and multiplies; scorer takes the same arrays and makes the whole board: checks, means,
intervals, tests, tiers and ranges of ranks.
"""

import resource
import subprocess
import sys

import numpy as np

BLOCK = 50  # draws at once


def values(systems, cases):
    """Values in (systems, cases): a system's own level, a case's difficulty, and noise."""
    rng = np.random.default_rng(1)
    skill, hard = rng.normal(0.5, 0.05, systems), rng.normal(0, 0.1, cases)
    return skill[:, None] + hard + rng.normal(0, 0.2, (systems, cases))


def numpy_alone(table, draws):
    """The means of each system in each draw."""
    rng, cases = np.random.default_rng(2), table.shape[1]
    means = np.empty((draws, len(table)))
    for start in range(0, draws, BLOCK):
        size = min(BLOCK, draws - start)
        weights = rng.multinomial(cases, np.full(cases, 1 / cases), size=size)
        means[start : start + size] = weights @ table.T / cases
    return means


def board(table, draws):
    """The board of scorer."""
    import scorer

    named = {f"s{n:03}": row for n, row in enumerate(table)}
    return scorer.values(named, leaderboard={"draws": draws})


def main(words):
    """Both sides in turn, and their ratio."""
    if words[:1] == ["--side"]:
        side, systems, cases, draws = words[1], *map(int, words[2:5])
        table = values(systems, cases)
        before = sum(resource.getrusage(resource.RUSAGE_SELF)[:2])
        {"numpy": numpy_alone, "scorer": board}[side](table, draws)
        used = resource.getrusage(resource.RUSAGE_SELF)
        print(sum(used[:2]) - before, used.ru_maxrss / 1024)
        return
    sizes = [*words, *("300", "50000", "1000")[len(words) :]]
    found = {}
    for side in ("numpy", "scorer"):
        ran = subprocess.run(
            [sys.executable, __file__, "--side", side, *sizes],
            capture_output=True, text=True, check=True,
        )  # fmt: skip
        found[side] = [float(word) for word in ran.stdout.split()]
        print(f"{side:7} CPU {found[side][0]:8.2f} s, peak {found[side][1]:6.0f} MiB")
    print(f"ratio {found['scorer'][0] / found['numpy'][0]:.2f}")


if __name__ == "__main__":
    main(sys.argv[1:])
