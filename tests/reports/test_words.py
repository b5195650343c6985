"""The words and numbers of a board: short, never cut inside, with the better direction told."""

import re

import pytest
from tables import rows

from scorer import evaluate
from scorer.core.text import format_number
from scorer.reports.document import Column
from scorer.reports.write.fitting import TextColumn

TRUTH = {f"{n}": 100_000 + 1_000 * (n % 7) for n in range(20)}
SENT = {name: value + 17_844.9256 for name, value in TRUTH.items()}


@pytest.fixture(scope="module")
def report():
    return evaluate(TRUTH, {"a": SENT}, ["RMSE", "R2"])


@pytest.mark.parametrize("form", ["text", "markdown", "html"])
def test_a_lower_value_is_marked_as_better(report, form):
    text = report.render(form)
    assert "RMSE ↓" in text
    assert "R2 ↓" not in text
    assert "17845" in text
    assert "17844.9" not in re.sub(r"<svg.*?</svg>", "", text, flags=re.S)


def test_latex_and_csv_have_the_direction(report):
    assert r"RMSE \(\downarrow\)" in report.render("latex")
    head, row = report.render("csv").splitlines()
    assert head.endswith(",better")
    assert row.endswith('"RMSE lower, R2 higher"')
    assert head.startswith("rank,name,RMSE,R2,")  # what programs read stays


@pytest.mark.parametrize(
    ("value", "shown"),
    [(0.5, "0.5000"), (-12.25, "-12.2500"), (123.45678, "123.457"), (17844.9256, "17844.9"),
     (1234567.8, "1234568")],
)  # fmt: skip
def test_large_numbers_have_fewer_decimals(value, shown):
    assert format_number(value) == shown
    assert format_number(-value, sign="+") == (f"+{shown[1:]}" if value < 0 else f"-{shown}")


@pytest.mark.parametrize(("head", "lines"), rows(__file__, "headings_break_at_no_word_or_number"))
def test_headings_break_at_no_word_or_number(head, lines):
    assert TextColumn(Column(head), head, ["1"]).folded_head.split("\n") == lines
