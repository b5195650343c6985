"""What shown values tell of the public labels: `python benchmarks/probing.py [challenges]`.

An attacker who knows nothing sends probabilities for 100 rows, 40 of them public, and sees LogLoss
as a board shows it: with so many significant digits, and with the Ladder or without. Each entry
probes a few rows with probabilities whose losses add up to another sum for every way in which these
rows can be public and labelled, as far as the digits tell the sums apart. Where a Ladder holds
values back, the other rows begin far off and come nearer with each entry, so that it improves.
Printed are the public labels that were recovered after so many entries, the mean over challenges.
"""

from __future__ import annotations

import sys
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np

from scorer.board.models import Entry
from scorer.board.selection import Candidate, ladder_steps
from scorer.leaderboard.rounding import rounded

ROWS, PUBLIC, ENTRIES, CHALLENGES = 100, 40, 100, 20
AT = (5, 10, 20, 50, 100)  # entries
MOST = 10  # rows that an entry probes
START = datetime(2026, 1, 1, tzinfo=UTC)
Array = np.ndarray[Any, Any]


def losses(logits: Array, labels: Array | int) -> Array:
    """The log loss of each row."""
    return np.logaddexp(0, np.where(labels, -logits, logits))


class Board:
    """What a team sees of its entries: the value of each that is shown, else nothing."""

    def __init__(self, seed: int, ladder: str, digits: int) -> None:
        generator = np.random.default_rng(seed)
        self.labels = generator.integers(0, 2, ROWS)
        self.public = np.isin(np.arange(ROWS), generator.choice(ROWS, PUBLIC, replace=False))
        self.ladder, self.digits, self.sent = ladder, digits, list[Candidate]()

    def send(self, logits: Array) -> float | None:
        """Send an entry; its value where the board shows it."""
        number, per_list = len(self.sent) + 1, losses(logits, self.labels)[self.public]
        entry = Entry(number, 1, START + timedelta(hours=number), "", "", 0, "main")
        self.sent.append(Candidate(entry, float(per_list.mean()), 0.0, per_list))
        if self.ladder != "off" and ladder_steps(self.sent, "lower", self.ladder)[number] != number:
            return None
        return rounded(self.sent[-1].value, self.digits)


def sums(probes: Array, base: float) -> Array:
    """The sum of a public split's losses above that of the other rows, for each way to be.

    Args:
        probes: logits of the probed rows.
        base: the logit of all others.

    Returns:
        Shape (3,) * probes: each row is not public, of label 1, or of label 0.
    """
    total = np.zeros(())
    for logit in probes:
        parts = [0.0, *(float(losses(logit, label) - losses(base, label)) for label in (1, 0))]
        total = np.add.outer(total, np.array(parts))
    return total


def design(base: float, digits: int) -> Array:
    """The logits of as many probed rows as the digits can tell apart."""
    best = np.array([2.0])
    unit = 10.0 ** (max(1, np.ceil(np.log10(max(base, 0.7)))) - digits)
    for count in range(2, MOST + 1):
        for size in (0.5, 1.0, 2.0, 4.0):
            probes = size * 3.0 ** -np.arange(count)
            gaps = np.diff(np.sort(sums(probes, base).ravel()))
            if gaps.min() / PUBLIC > max(2 * unit, 1e-12):
                best = probes
                break
        else:
            break
    return best


def attack(seed: int, ladder: str, digits: int) -> list[int]:
    """The public labels that are recovered after each entry."""
    board, known, recovered = Board(seed, ladder, digits), np.full(ROWS, -1), list[int]()
    bases = np.zeros(ENTRIES) if ladder == "off" else np.geomspace(12, 1, ENTRIES)
    zeros = PUBLIC / 2  # how many public rows have label 0
    for number, base in enumerate(bases):
        begins = bool(base) and not number  # the first entry tells how many labels are 0
        probes = np.array([]) if begins else design(base, digits)[: (known < 0).sum()]
        rows = np.flatnonzero(known < 0)[: len(probes)]
        logits = np.full(ROWS, base)
        logits[rows] = probes
        value = board.send(logits)
        if value is not None and begins:
            zeros = round((value - losses(base, 1)) / (losses(base, 0) - losses(base, 1)) * PUBLIC)
        elif value is not None and len(rows):
            others = zeros * losses(base, 0) + (PUBLIC - zeros) * losses(base, 1)
            ways = sums(probes, base)
            way = np.unravel_index(np.abs(ways - (value * PUBLIC - others)).argmin(), ways.shape)
            known[rows] = way
        said = np.flatnonzero(known > 0)
        right = board.public[said] & ((known[said] == 1) == (board.labels[said] == 1))
        recovered.append(int(right.sum()))
    return recovered


def main() -> None:
    """Attack and print."""
    challenges = int(sys.argv[1]) if len(sys.argv) > 1 else CHALLENGES
    print(f"public labels recovered of {PUBLIC}, mean of {challenges} challenges")
    print("| ladder | digits | " + " | ".join(f"{n} entries" for n in AT) + " |")
    print("|---|---|" + "---|" * len(AT))
    for ladder in ("off", "auto"):
        for digits in (17, 4, 3, 2):
            runs = np.array([attack(seed, ladder, digits) for seed in range(challenges)])
            means = " | ".join(f"{runs[:, n - 1].mean():.1f}" for n in AT)
            print(f"| {ladder} | {'all' if digits == 17 else digits} | {means} |")


if __name__ == "__main__":
    main()
