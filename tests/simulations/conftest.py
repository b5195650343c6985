"""Rates that simulations measured, and the table of them on the page of statistics."""

import math
import os
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

PAGE = Path(__file__).parents[2] / "docs" / "statistics.md"
MEASURED = []
RATES = ["| figure | of | lists or rows | rate | ± | asked for |", "|---|---|--:|--:|--:|---|"]


@pytest.fixture
def rate():
    """Record a rate for the page, and hold it to a limit, but once in a thousand by chance."""

    def measured(what, where, lists, found, times, *, least=None, most=None):
        share = found / times
        asked = f"at least {least:.3g}" if least is not None else (
            f"at most {most:.3g}" if most is not None else "")  # fmt: skip
        error = math.sqrt(share * (1 - share) / times)
        MEASURED.append((what, where, lists, share, error, asked))
        if least is not None:
            assert stats.binom.cdf(found, times, least) > 1e-3, (what, where, found / times)
        if most is not None:
            assert stats.binom.sf(found - 1, times, most) > 1e-3, (what, where, found / times)

    return measured


@pytest.fixture
def average():
    """Record a mean for the page, and hold it to what is asked in the same way."""

    def measured(what, where, lists, values, *, most=None):
        mean, error = float(np.mean(values)), float(np.std(values, ddof=1) / math.sqrt(len(values)))
        asked = "" if most is None else f"at most {most:.3g}"
        MEASURED.append((what, where, lists, mean, error, asked))
        assert most is None or mean < most + 3.1 * error, (what, where, mean)

    return measured


def pytest_sessionfinish(session, exitstatus):
    """Write the tables as `make simulate` has it run; what misses its limit stands there, too."""
    if "SIMULATE" not in os.environ:
        return
    _write("rates", RATES, [
        f"| {what} | {where} | {lists:,} | {share:.3f} | {error:.3f} | {asked} |"
        for what, where, lists, share, error, asked in MEASURED
    ])  # fmt: skip


def _write(name, head, rows):
    """Write a table between its marks, if there is any row."""
    begin, end = f"<!-- {name}: written by `make simulate` -->", f"<!-- end of {name} -->"
    if rows:
        before, rest = PAGE.read_text().split(begin)
        said = f"By `SIMULATE={os.environ['SIMULATE']} make simulate`:"
        lines = [before + begin, "", said, "", *head, *rows, "", end + rest.split(end)[1]]
        PAGE.write_text("\n".join(lines))
