"""Rates that simulations measured, and the table of them on the page of statistics."""

import math
import os
from pathlib import Path

import pytest
from scipy import stats

PAGE = Path(__file__).parents[2] / "docs" / "statistics.md"
BEGIN, END = "<!-- rates: written by `make simulate` -->", "<!-- end of rates -->"
MEASURED = []


@pytest.fixture
def rate():
    """Record a rate for the page, and hold it to a limit, but once in a thousand by chance."""

    def measured(what, where, lists, found, times, *, least=None, most=None):
        MEASURED.append((what, where, lists, found / times, math.sqrt(
            found / times * (1 - found / times) / times), least, most))  # fmt: skip
        if least is not None:
            assert stats.binom.cdf(found, times, least) > 1e-3, (what, where, found / times)
        if most is not None:
            assert stats.binom.sf(found - 1, times, most) > 1e-3, (what, where, found / times)

    return measured


def pytest_sessionfinish(session, exitstatus):
    """Write the table as `make simulate` has it run; what misses its limit stands there, too."""
    if "SIMULATE" not in os.environ or not MEASURED:
        return
    rows = [
        f"| {what} | {where} | {lists:,} | {share:.3f} | {error:.3f} | "
        f"{f'at least {least:g}' if least is not None else f'at most {most:g}'} |"
        for what, where, lists, share, error, least, most in MEASURED
    ]
    head = ["| figure | of | lists or rows | rate | ± | asked for |", "|---|---|--:|--:|--:|---|"]
    text = PAGE.read_text()
    before, rest = text.split(BEGIN)
    _, after = rest.split(END)
    PAGE.write_text(
        "\n".join(
            [
                before + BEGIN,
                "",
                f"By `SIMULATE={os.environ['SIMULATE']} make simulate`:",
                "",
                *head,
                *rows,
                "",
                END + after,
            ]
        )
    )
