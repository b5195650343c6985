"""What a page begins with: who leads, whether that is certain, and what it would take."""

import math
import re
from dataclasses import replace

import boards
import numpy as np
import pytest

from scorer.challenge.leaderboard import Grading
from scorer.reports.base import Options, report_format, report_formats
from scorer.reports.leaderboard.answers import answers
from scorer.reports.leaderboard.verdict import verdict
from scorer.stats.power import detectable

LISTS = 40


@pytest.fixture(scope="module")
def report():
    """Three runs on 40 lists: the best, one a little worse, and one without any hit."""
    truth = {f"q{n}": {"a": 1, "b": 1} for n in range(LISTS)}
    runs = {
        "best": {q: ["a", "b"] for q in truth},
        "near": {q: ["a", "b"] if n % 10 else ["a", "x"] for n, q in enumerate(truth)},
        "none": {q: ["x", "y"] for q in truth},
    }
    return boards.evaluate(truth, runs, ["P@2"])


def needed(report):
    questions = dict(answers(report, 4))
    assert list(questions) == ["Who leads, and is it certain?", "What would it take?"]
    return questions["What would it take?"]


def test_the_answers_of_a_board(report):
    first = dict(answers(report, 4))["Who leads, and is it certain?"]
    assert first == verdict(report, 4)
    assert needed(report).startswith("About ")
    assert "lists like these 40 to find the difference of 0.0500 from near" in needed(report)


def test_so_many_lists_would_find_the_difference(report):
    certainty = report.certainty
    found = re.search(r"About ([\d,]+)", needed(report))
    lists = int(found[1].replace(",", ""))
    one = detectable(1.0, certainty.how.units, 0.05, pairs=certainty.pairs)
    spread = certainty.detectable / one
    assert detectable(spread, round(lists * 1.06), 0.05, pairs=certainty.pairs) <= 0.05
    assert detectable(spread, round(lists * 0.94), 0.05, pairs=certainty.pairs) >= 0.05


def changed(report, **how):
    return replace(report, certainty=replace(report.certainty, **how))


@pytest.mark.parametrize(
    ("change", "answer"),
    [
        ({"p": np.zeros((3, 3))}, "Nothing more; with 40 lists"),
        (
            {"difference": np.zeros((3, 3))},
            "No number of lists parts near from it, whose value is equal; with 40",
        ),
        ({"difference": np.full((3, 3), 1e-11)}, "More than a billion lists like these 40"),
        ({"detectable": math.nan}, "More: as it is, the test can find no difference"),
        ({"detectable": 0.01}, "Little: 0.0500 parts near from it"),
    ],
)
def test_what_it_would_take_is_answered(report, change, answer):
    assert answer in needed(changed(report, **change))


def test_boards_without_tests_or_others_are_answered(report):
    alone = replace(report, leaderboard=report.leaderboard[:1], certainty=None)
    assert needed(alone) == "Tests need intervals and two submissions at least."
    assert list(answers(replace(report, leaderboard=()), 4)) == []


def test_a_page_has_its_sections_in_order(report):
    page = report_format("leaderboard", "html").write(report, Options())
    titles = re.findall(r"<h2[^>]*>(.*?)</h2>", page)
    assert titles == ["In short", "Leaderboard", "Pairs", "Submissions", "How to read this"]
    assert re.findall(r'<li><a href="#\w+">(.*?)</a>', page) == titles
    assert f"3 submissions on {LISTS} lists" in page
    assert "permutation test" in page.partition("How to read this</h2>")[2]


def below_zero(report):
    """The report with a value, an interval and a difference that are rounded to 0 from below."""
    first, *others = report.leaderboard
    value, certainty = -1e-9, report.certainty
    cell = report.submissions[0].values["P@2"]
    return replace(
        report,
        leaderboard=(
            replace(first, values={"P@2": value}, interval=(value, -0.0)),
            *(replace(each, values={"P@2": -0.0}) for each in others),
        ),
        submissions=(
            replace(report.submissions[0], values={"P@2": cell._replace(mean=value)}),
            *report.submissions[1:],
        ),
        certainty=replace(certainty, difference=np.full((3, 3), value)),
    )


PLATFORMS = {form.name for form in report_formats("leaderboard") if form.public} - {"grades"}
GRADED = {"grades", "gradescope", "classroom"}


@pytest.mark.parametrize("form", [form.name for form in report_formats("leaderboard")])
def test_no_form_writes_a_zero_below_zero(report, form):
    report = below_zero(report)
    if form in PLATFORMS:  # which take one submission
        report = replace(report, submissions=report.submissions[:1])
    if form in GRADED:
        graded = report.definition.model_copy(update={"grading": Grading(**{"from": -1, "to": 1})})
        report = replace(report, definition=graded)
    text = report_format("leaderboard", form).write(report, Options(private=True))
    assert re.search(r"(?<![\w.])-0(?:\.0*)?(?![\w.])", text) is None


@pytest.mark.slow("scores 50 submissions and writes their page")
def test_fifty_submissions_stay_below_250_kilobytes():
    random = np.random.default_rng(1)
    truth = {f"q{n}": {f"d{m}": int(random.integers(3)) for m in range(10)} for n in range(100)}
    runs = {
        f"team {n} of the course": {
            q: sorted(grades, key=lambda d: -grades[d] - random.normal(0, 0.3 + 0.05 * n))
            for q, grades in truth.items()
        }
        for n in range(50)
    }
    report = boards.evaluate(truth, runs, ["nDCG@10", "AP(rel=1)", "P@5", "RR"])
    page = report_format("leaderboard", "html").write(report, Options())
    assert page.count('<details id="s') == 50
    assert len(page.encode()) <= 250_000
