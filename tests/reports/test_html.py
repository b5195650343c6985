"""HTML parts: each stands alone, text stays text, pictures tell no more than the numbers."""

import re
from dataclasses import replace
from html import escape
from pathlib import Path

import pytest

import scorer
from scorer.reports.base import Options
from scorer.reports.charts.charts import IntervalSpan, shared_scale
from scorer.reports.charts.svg import Canvas
from scorer.reports.document import Heading, Notes, Paragraph, Picture, texts
from scorer.reports.leaderboard.document import document
from scorer.reports.leaderboard.figures import forest
from scorer.reports.write.html import environment, sections

HOSTILE = "</td><script>alert(1)</script>\"' onload=x \x1b[31m\u202e{{ 7 * 7 }}{% raw %}"


def test_templates_can_be_read():
    """A change of a template is a few short lines."""
    room = Path(scorer.__file__).parent
    files = [path for suffix in ("html", "css", "js") for path in room.rglob(f"*.{suffix}")]
    assert len(files) > 20
    long = [
        f"{path}:{n}"
        for path in files
        for n, line in enumerate(path.read_text().splitlines(), start=1)
        if len(line) > 120
    ]
    assert long == []


def fragment(section):
    """A section alone, without its heading."""
    return environment().get_template("section.html").render(items=section.items)


def parts(report):
    """The sections of a board's page, each by its key."""
    made = document(report, Options(page=True))
    return {section.key: fragment(section) for section in sections(made.blocks)}


PARTS = ["short", "rejected", "board", "pairs", "groups", "submissions", "method"]


def test_every_part_of_a_board_stands_alone(board):
    whole = parts(board)
    assert list(whole) == PARTS
    for key, text in whole.items():
        assert "<html" not in text
        assert "<script" not in text
        assert text.count("<table") == text.count("</table>"), key
    rejected = sum(not scored.valid for scored in board.submissions)
    assert whole["rejected"].count("<details id=") == rejected
    assert whole["submissions"].count("<details id=") == len(board.submissions) - rejected


def test_text_is_written_as_text_wherever_it_stands():
    table = texts(HOSTILE, [HOSTILE, HOSTILE], [[HOSTILE, HOSTILE]], fold=HOSTILE)
    told = [Heading(HOSTILE, 3, "x", HOSTILE), Paragraph(HOSTILE), Notes([HOSTILE]), table]
    (section,) = sections(told)
    text = fragment(section)
    assert "<script" not in text
    assert "49" not in text
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert escape("</td><script>alert(1)</script>") in text
    assert r"\x1b[31m\u202e{{ 7 * 7 }}{% raw %}" in text


@pytest.mark.parametrize(
    ("values", "higher", "lower"),
    [
        ([(0.7, 0.8, 0.9)], (0.7, 0.9), (0.7, 0.9)),
        (
            [(0.5, 0.6, 0.7), (0.6, 0.7, 0.8), (0.55, 0.65, 0.75), (0.0, 0.0, 0.0)],
            (0.5, 0.8),
            (0.0, 0.8),  # the best is shown, however far it is ahead
        ),
        ([(0.5, 0.5, 0.5)] * 3, (0.5, 0.5), (0.5, 0.5)),
        ([(float("nan"),) * 3], (0.0, 1.0), (0.0, 1.0)),
        ([], (0.0, 1.0), (0.0, 1.0)),
    ],
)
def test_a_scale_leaves_out_what_lies_far_behind(values, higher, lower):
    assert shared_scale(values, "higher") == pytest.approx(higher)
    assert shared_scale(values, "lower") == pytest.approx(lower)


@pytest.mark.parametrize(("dot", "beyond"), [(0.5, 0), (0.1, -1), (0.9, 1)])
def test_what_lies_beyond_a_scale_is_pointed_to(dot, beyond):
    left, _, right, side = IntervalSpan((dot - 0.05, dot + 0.05), dot, (0.4, 0.6), 4).coordinates(
        200
    )
    assert side == beyond
    assert 0 <= left <= right <= 200


@pytest.mark.parametrize("decimals", [0, 1, 2])
def test_a_picture_tells_no_more_than_the_numbers(board, decimals):
    """Two values that are shown alike are drawn alike."""
    one, other = 0.5 + 0.1 * 10**-decimals, 0.5 + 0.2 * 10**-decimals
    spans = [IntervalSpan((0.0, 1.0), value, (0.0, 1.0), decimals) for value in (one, other)]
    assert spans[0].coordinates(200) == spans[1].coordinates(200)
    key = board.primary.id
    drawn = []
    for value in (one, other):
        rows = [replace(row, values={**row.values, key: value}) for row in board.leaderboard]
        drawn.append([f.drawn(720) for f in forest(replace(board, leaderboard=rows), decimals)])
    assert drawn[0] == drawn[1]
    assert drawn[0]


def test_a_submission_with_fewer_lists_is_marked(board):
    first, *others = board.leaderboard
    fewer = replace(board, leaderboard=(replace(first, fewer_lists=(20, 24)), *others))
    assert '<td data-sort="20">20 of 24</td>' in parts(fewer)["board"]
    assert "of 24</td>" not in parts(board)["board"]


def test_a_page_says_how_pairs_were_tested_and_marks_what_is_significant(board):
    whole = parts(board)
    how = board.certainty.how
    test = f"{how.test} test, {how.adjust} adjusted for {board.certainty.pairs} pairs"
    assert test in whole["method"]
    assert "over the topics that both have" in whole["pairs"]
    # lead says which of two is ahead; its test says whether that is more than chance
    significant = int((board.certainty.p <= how.alpha).sum())
    assert significant > 0
    assert 2 * whole["pairs"].count('class="told"') == significant


def test_no_two_tables_have_one_name():
    """A table's caption is the name of its landmark."""
    drawn = Picture("x", "X", "", lambda wide: Canvas(0, ""), texts("Same", ["a"], [["1"]]))
    table = texts("Same", ["a"], [["1"]])
    told = [Heading("Same"), table, Heading("one", 3, "s1"), drawn, table,
            Heading("two", 3, "s2"), table, Heading("Other"), table]  # fmt: skip
    page = "".join(map(fragment, sections(told)))
    names = re.findall(r'role="region" aria-label="(.*?)"', page)
    assert names == ["Same (2)", "Same, one", "Same, one (2)", "Same, two", "Same (3)"]
