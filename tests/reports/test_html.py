"""HTML parts: each stands alone, text stays text, pictures tell no more than the numbers."""

from dataclasses import replace
from html import escape
from pathlib import Path

import pytest

import scorer
from scorer.reports.base import Options
from scorer.reports.leaderboard.html import parts
from scorer.reports.syntax.html import Part, bar, fragment, plain, scale_of, strip

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


def test_every_part_of_a_board_stands_alone(board):
    whole = {part.key: fragment(part) for part in parts(board, Options())}
    assert list(whole) == ["board", "groups", "submissions", "pairs", "ranks", "measures"]
    for key, text in whole.items():
        assert "<html" not in text
        assert "<script" not in text
        assert text.count("<table") == text.count("</table>"), key
    assert "alpha" in whole["board"]
    assert whole["submissions"].count("<details id=") == len(board.submissions)


def test_text_is_written_as_text_wherever_it_stands():
    table = plain(HOSTILE, [HOSTILE, HOSTILE], [[HOSTILE, HOSTILE]])
    data = {"lead": HOSTILE, "tables": [{"name": HOSTILE, "table": table}]}
    text = fragment(Part("x", HOSTILE, "tables.html", data))
    assert "<script" not in text
    assert "49" not in text
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert escape("</td><script>alert(1)</script>") in text
    assert r"\x1b[31m\u202e{{ 7 * 7 }}{% raw %}" in text


def test_what_a_template_needs_and_lacks_is_an_error():
    with pytest.raises(Exception, match="tables"):
        fragment(Part("x", "x", "tables.html", {"lead": ""}))


@pytest.mark.parametrize(
    ("values", "scale"),
    [
        ([(0.7, 0.8, 0.9)], (0.7, 0.9)),
        ([(0.5, 0.6, 0.7), (0.6, 0.7, 0.8), (0.55, 0.65, 0.75), (0.0, 0.0, 0.0)], (0.5, 0.8)),
        ([(0.5, 0.5, 0.5)] * 3, (0.5, 0.5)),
        ([(float("nan"),) * 3], (0.0, 1.0)),
        ([], (0.0, 1.0)),
    ],
)
def test_a_scale_leaves_out_what_lies_far_away(values, scale):
    assert scale_of(values) == pytest.approx(scale)


@pytest.mark.parametrize(("dot", "beyond"), [(0.5, 0), (0.1, -1), (0.9, 1)])
def test_what_lies_beyond_a_scale_is_pointed_to(dot, beyond):
    made = bar((dot - 0.05, dot + 0.05), dot, (0.4, 0.6), 4)
    assert made.beyond == beyond
    assert 0 <= float(made.left) <= float(made.right) <= 200


@pytest.mark.parametrize("decimals", [0, 1, 2])
def test_a_picture_tells_no_more_than_the_numbers(decimals):
    """Two values that are shown alike are drawn alike."""
    one, other = 0.5 + 0.1 * 10**-decimals, 0.5 + 0.2 * 10**-decimals
    bars = [bar((0.0, 1.0), value, (0.0, 1.0), decimals) for value in (one, other)]
    assert bars[0] == bars[1]
    strips = [
        strip("x", [("a", value, (0.0, 1.0), False), ("b", 0.0, None, True)], decimals)
        for value in (one, other)
    ]
    assert strips[0] == strips[1]


def test_a_submission_with_fewer_lists_is_marked(board):
    first, *others = board.standings
    fewer = replace(board, standings=(replace(first, fewer=(20, 24)), *others))
    made = {part.key: fragment(part) for part in parts(fewer, Options())}
    assert '<td data-sort="20">20 of 24</td>' in made["board"]
    assert "of 24</td>" not in fragment(next(parts(board, Options())))


def test_pairs_say_how_they_were_tested_and_mark_what_is_significant(board):
    pairs = fragment(next(p for p in parts(board, Options()) if p.key == "pairs"))
    how = board.certainty.how
    assert f"{how.test} test, {how.adjust} adjusted for {board.certainty.pairs} pairs" in pairs
    assert "row minus column, over the topics that both have" in pairs
    # lead says which of two is ahead; its test says whether that is more than chance
    significant = int((board.certainty.p <= how.alpha).sum())
    assert significant > 0
    assert pairs.count('class="told"') == significant
