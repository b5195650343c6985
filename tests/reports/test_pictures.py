"""Pictures: round ticks, names that keep apart, the same bytes twice, at every width."""

import re
from dataclasses import replace
from itertools import pairwise
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rounds import rounds

from scorer.reports.pictures import draw
from scorer.reports.pictures.forest import forest
from scorer.reports.pictures.pairs import pairs
from scorer.reports.pictures.ranks import ranking
from scorer.reports.pictures.svg import drawn, inline, standalone
from scorer.results.report import Certainty, How, Standing

SVG = "{http://www.w3.org/2000/svg}"
LONG = "a team with a name that no picture has room for, of many words "
NUMBERS = st.floats(-1e9, 1e9, allow_nan=False)


@rounds(100)
@given(NUMBERS, NUMBERS, st.integers(1, 12))
def test_ticks_are_round_few_and_inside(one, other, most):
    low, high = sorted((one, other))
    values = draw.ticks(low, high, most)
    if not high - low > 1e-6 * max(abs(low), abs(high), 1e-9):
        return
    assert len(values) <= max(most, 1)
    slack = 1e-6 * (high - low)
    assert all(low - slack <= value <= high + slack for value in values)
    for before, after in pairwise(values):
        digits = f"{after - before:.6e}".partition("e")[0]
        assert float(digits) in (1, 2, 5)


@pytest.mark.parametrize(
    ("ends", "shown"),
    [
        ((0.2276, 0.8132), ["0.3", "0.4", "0.5", "0.6", "0.7", "0.8"]),
        ((0, 1), ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]),
        ((-0.031, 0.052), ["-0.02", "0.00", "0.02", "0.04"]),
        ((0, 12345), ["0", "5,000", "10,000"]),
        ((0, 2e-7), ["0", "5e-08", "1e-07", "1.5e-07", "2e-07"]),
        ((3, 3), ["3"]),
    ],
)
def test_ticks_are_written_with_the_decimals_that_they_need(ends, shown):
    assert draw.tick_texts(draw.ticks(*ends)) == shown


@rounds(100)
@given(st.lists(st.floats(0, 100), max_size=20))
def test_names_keep_apart_in_their_order(wanted):
    placed = draw.apart(wanted, 5.0, 0.0, 100.0)
    order = sorted(range(len(wanted)), key=lambda n: wanted[n])
    gaps = np.diff([placed[n] for n in order])
    assert (gaps >= 5.0 - 1e-9).all()
    if len(wanted) > 1 and min(np.diff(sorted(wanted))) >= 5 and max(wanted) <= 100:
        assert placed == pytest.approx(wanted)


def large(board, teams):
    """A board of so many submissions with long names, one far behind."""
    random, key = np.random.default_rng(4), board.primary.id
    values = np.sort(random.random(teams))[::-1] / 5 + 0.6
    values[-1] = 0.01
    names = tuple(f"{LONG}{n}" if n % 2 else f"team <{n}>" for n in range(teams))
    standings = tuple(
        Standing(n + 1, name, {**board.standings[0].values, key: float(value)},
                 interval=(value - 0.05, value + 0.05), tier=n // 10 + 1)
        for n, (name, value) in enumerate(zip(names, values, strict=True))
    )  # fmt: skip
    how = How("permutation", "max", 0.05, "all", 0.95, 10_000, 10_000, 1, "lists", 40, 40)
    differences = values[:, None] - values
    p = np.where(np.abs(differences) > 0.05, 0.001, 0.5)
    certainty = Certainty(
        names, differences, p, 40, 0.01, how, np.sign(differences),
        np.full((teams, teams), 40), teams * (teams - 1) // 2, 1e-4, 6,
        ranks=np.full((teams, teams), 1 / teams),
    )  # fmt: skip
    return replace(board, standings=standings, certainty=certainty, splits=())


MAKERS = (forest, pairs, ranking)


@pytest.mark.parametrize("teams", [2, 12, 50, 200])
@pytest.mark.parametrize("wide", [320, 720])
@pytest.mark.parametrize("maker", MAKERS, ids=lambda maker: maker.__name__)
def test_texts_overprint_nothing_and_stay_inside(board, maker, teams, wide):
    (figure,) = maker(large(board, teams), 4)
    root = ElementTree.fromstring(standalone(figure, wide))
    tall = float(root.get("viewBox").split()[3])
    boxes = []
    for text in root.iter(f"{SVG}text"):
        size = 10.0 if "small" in text.get("class", "") else 11.0
        size = 13.0 if text.get("class") == "title" else size
        x, y, long = float(text.get("x")), float(text.get("y")), draw.length(text.text, size)
        x -= {"end": long, "middle": long / 2}.get(text.get("text-anchor"), 0)
        boxes.append((x, y - 0.7 * size, x + long, y, text.text, text.get("class") == "title"))
        assert x >= -0.5, text.text
        assert x + long <= wide + 0.5 or text.get("class") == "title", text.text
        assert y <= tall
    assert sum(not title for *_, title in boxes) >= min(teams, 15)
    inside = [box for box in boxes if not box[5]]
    for n, (x, y, to_x, to_y, text, _) in enumerate(inside):
        for other in inside[n + 1 :]:
            apart = to_x <= other[0] + 0.5 or other[2] <= x + 0.5
            assert apart or to_y <= other[1] + 0.5 or other[3] <= y + 0.5, (text, other[4])


@pytest.mark.parametrize("maker", MAKERS, ids=lambda maker: maker.__name__)
def test_a_picture_says_what_it_leaves_out(board, maker):
    (small,), (big,) = (maker(large(board, teams), 4) for teams in (12, 200))
    assert "The first" not in small.caption
    assert re.search(r"The first \d+ of 200", big.caption)


@pytest.mark.parametrize("maker", MAKERS, ids=lambda maker: maker.__name__)
def test_equal_results_give_equal_bytes(board, maker):
    one, other = (next(maker(large(board, 12), 4)) for _ in range(2))
    assert inline(one) == inline(other)
    assert standalone(one, 400) == standalone(other, 400)
    assert "team &lt;0&gt;" in inline(one)


def test_a_file_has_its_colours_and_a_page_gives_them(board):
    (figure,) = forest(large(board, 3), 4)
    assert "var(--" not in standalone(figure, 400, 84)
    assert "prefers-color-scheme: dark" in standalone(figure, 400, 84)
    assert "prefers-color-scheme" not in standalone(figure, 400)
    assert 'width="84mm"' in standalone(figure, 400, 84)
    assert "<style" not in inline(figure)


def test_what_is_drawn_has_its_value(board):
    """The marks of a forest plot tell value and interval when pointed to."""
    report = large(board, 5)
    (figure,) = forest(report, 2)
    body = drawn(figure, 720).body
    first = report.standings[0]
    low, high = first.interval
    said = f"{first.values[board.primary.id]:.2f} [{low:.2f}, {high:.2f}]"
    assert body.count(f"<title>1 team &lt;0&gt;: {said}</title>") == 1


def test_pairs_are_filled_where_they_are_significant(board):
    report = large(board, 12)
    body = drawn(next(pairs(report, 4)), 720).body
    upper = np.triu_indices(12, 1)
    sure = (report.certainty.p[upper] <= 0.05).sum()
    assert body.count('class="fill"') == sure
    assert body.count('class="cell"') == 66 - sure
    assert body.count("*</text>") == sure
    assert "-0.0000" not in body
