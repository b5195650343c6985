"""A comparison as CSV, safe to open in a spreadsheet."""

import csv as library
import io
import math

from scorer.reports.base import Options, form
from scorer.reports.comparison.cells import Compared
from scorer.reports.syntax.csv import cell, exact
from scorer.results.comparison import Tally

HEAD = ("a", "b", "of", "is", "mean_difference", "wins", "ties", "losses",
        "low", "high", "effect_size", "p")  # fmt: skip


@form("comparison", "csv")
def csv(compared: Compared, options: Options) -> str:
    """One row a pair and measure or preference, with full doubles."""
    buffer = io.StringIO()
    write = library.writer(buffer, lineterminator="\n").writerow
    write(HEAD)
    for pair in compared.pairing.pairs:
        names = (cell(pair.a), cell(pair.b))
        for key, differing in pair.measures.items():
            sure = (*(differing.interval or (math.nan, math.nan)), differing.effect, differing.p)
            shares = (exact(differing.difference), *_counts(differing.tally), *map(exact, sure))
            write([*names, cell(key), "measure", *shares])
        for key, preferred in pair.preferences.items():
            shares = (exact(preferred.mean), *_counts(preferred.tally), "", "", "", "")
            write([*names, cell(key), "preference", *shares])
    return buffer.getvalue()


def _counts(tally: Tally) -> tuple[int, int, int]:
    return tally.wins, tally.ties, tally.losses
