"""Pictures: round ticks, names that keep apart, the same bytes twice, at every width."""

import re
from dataclasses import replace
from datetime import datetime, timedelta
from itertools import pairwise
from xml.etree import ElementTree
from zoneinfo import ZoneInfo

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rounds import rounds
from tables import rows

from scorer.reports.charts import svg
from scorer.reports.charts.timeline import Moment
from scorer.reports.leaderboard.curves import counted_points
from scorer.reports.leaderboard.figures import ComparedLists, differences, forest, pairs
from scorer.reports.leaderboard.timeline import timeline
from scorer.results.certainty import Certainty, How
from scorer.results.json import ABSENT
from scorer.results.report import Standing

SVG = "{http://www.w3.org/2000/svg}"
LONG = "a team with a name that no picture has room for, of many words "
NUMBERS = st.floats(-1e9, 1e9, allow_nan=False)


@rounds(100)
@given(NUMBERS, NUMBERS, st.integers(1, 12))
def test_ticks_are_round_few_and_inside(one, other, most):
    low, high = sorted((one, other))
    values = svg.ticks(low, high, most)
    if not high - low > 1e-6 * max(abs(low), abs(high), 1e-9):
        return
    assert len(values) <= max(most, 1)
    slack = 1e-6 * (high - low)
    assert all(low - slack <= value <= high + slack for value in values)
    for before, after in pairwise(values):
        digits = f"{after - before:.6e}".partition("e")[0]
        assert float(digits) in (1, 2, 5)


@pytest.mark.parametrize(
    ("ends", "shown"), rows(__file__, "ticks_are_written_with_the_decimals_that_they_need")
)
def test_ticks_are_written_with_the_decimals_that_they_need(ends, shown):
    assert svg.tick_texts(svg.ticks(*ends)) == shown


def large(board, teams):
    """A board of so many submissions with long names, one far behind."""
    random, key = np.random.default_rng(4), board.primary.id
    values = np.sort(random.random(teams))[::-1] / 5 + 0.6
    values[-1] = 0.01
    names = tuple(f"{LONG}{n}" if n % 2 else f"team <{n}>" for n in range(teams))
    standings = tuple(
        replace(Standing.untested(n + 1, name, {**board.leaderboard[0].values, key: float(value)}),
                interval=(value - 0.05, value + 0.05), tier=n // 10 + 1)
        for n, (name, value) in enumerate(zip(names, values, strict=True))
    )  # fmt: skip
    how = How("permutation", "max", 0.05, 0.95, 10_000, 1, "lists", 40, 40)
    differences = values[:, None] - values
    p = np.where(np.abs(differences) > 0.05, 0.001, 0.5)
    certainty = Certainty(
        measure=key, names=names, difference=differences, p=p, lists=40, detectable=0.01, how=how,
        signature=how.signature, common_lists=np.full((teams, teams), 40),
        pairs=teams * (teams - 1) // 2, least_p=1e-4, fewest_lists=6, baselines=(), shake_up=None,
        lead=np.sign(differences),
    )  # fmt: skip
    return replace(board, leaderboard=standings, certainty=certainty, splits=ABSENT)


MAKERS = (forest, pairs)


@pytest.mark.parametrize("teams", [2, 12, 50, 200])
@pytest.mark.parametrize("wide", [320, 720])
@pytest.mark.parametrize("maker", MAKERS, ids=lambda maker: maker.__name__)
def test_texts_overprint_nothing_and_stay_inside(board, maker, teams, wide):
    (figure,) = maker(large(board, teams), 4)
    assert texts_apart(figure, wide) >= min(teams, 15)


def file(figure, width, millimetres=None):
    return svg.svg_file(figure.drawn(width), width, millimetres)


def texts_apart(figure, wide, own=""):
    """How many texts a picture has, of which none overprints another; of lines, one's own only."""
    root = ElementTree.fromstring(file(figure, wide))
    tall = float(root.get("viewBox").split()[3])
    boxes = []
    for text in root.iter(f"{SVG}text"):
        look = text.get("class", "").split()
        if "mine" in look and own not in look:
            continue
        size = 10.0 if "small" in look else 11.0
        size = 13.0 if text.get("class") == "title" else size
        x, y, long = float(text.get("x")), float(text.get("y")), svg.text_width(text.text, size)
        x -= {"end": long, "middle": long / 2}.get(text.get("text-anchor"), 0)
        boxes.append((x, y - 0.7 * size, x + long, y, text.text, text.get("class") == "title"))
        assert x >= -0.5, text.text
        assert x + long <= wide + 0.5 or text.get("class") == "title", text.text
        assert y <= tall
    inside = [box for box in boxes if not box[5]]
    for n, (x, y, to_x, to_y, text, _) in enumerate(inside):
        for other in inside[n + 1 :]:
            apart = to_x <= other[0] + 0.5 or other[2] <= x + 0.5
            assert apart or to_y <= other[1] + 0.5 or other[3] <= y + 0.5, (text, other[4])
    return len(inside)


@pytest.mark.parametrize("maker", MAKERS, ids=lambda maker: maker.__name__)
def test_a_picture_says_what_it_leaves_out(board, maker):
    (small,), (big,) = (maker(large(board, teams), 4) for teams in (12, 200))
    assert "The first" not in small.caption
    assert re.search(r"The first \d+ of 200", big.caption)


@pytest.mark.parametrize("maker", MAKERS, ids=lambda maker: maker.__name__)
def test_equal_results_give_equal_bytes(board, maker):
    one, other = (next(maker(large(board, 12), 4)) for _ in range(2))
    assert one.drawn(720) == other.drawn(720)
    assert one.numbers == other.numbers
    assert "team &lt;0&gt;" in one.drawn(720).body


def test_a_file_has_its_colours_and_a_page_gives_them(board):
    (figure,) = forest(large(board, 3), 4)
    assert "var(--" not in file(figure, 400, 84)
    assert "prefers-color-scheme: dark" in file(figure, 400, 84)
    assert "prefers-color-scheme" not in file(figure, 400)
    assert 'width="84mm"' in file(figure, 400, 84)
    assert "<style" not in svg.inline_svg(figure.drawn(400), 400, "")


def test_what_is_drawn_has_its_value(board):
    """The marks of a forest plot tell value and interval when pointed to."""
    report = large(board, 5)
    (figure,) = forest(report, 2)
    body = figure.drawn(720).body
    first = report.leaderboard[0]
    low, high = first.interval
    said = f"{first.values[board.primary.id]:.2f} [{low:.2f}, {high:.2f}]"
    assert body.count(f"<title>1 team &lt;0&gt;: {said}</title>") == 1


def test_pairs_are_filled_where_they_are_significant(board):
    report = large(board, 12)
    body = next(pairs(report, 4)).drawn(720).body
    upper = np.triu_indices(12, 1)
    sure = (report.certainty.p[upper] <= 0.05).sum()
    assert body.count('class="fill"') == sure
    assert body.count('class="cell"') == 66 - sure
    assert body.count("*</text>") == sure
    assert "-0.0000" not in body


BEGIN = datetime(2026, 3, 1, 10, tzinfo=ZoneInfo("Europe/Ljubljana"))


def arrivals(many, days, seed=3):
    """So many moments within so many days, in no order, of a third as many teams."""
    random = np.random.default_rng(seed)
    return [
        Moment(BEGIN + timedelta(days=days * random.random()), random.random() ** 3,
                f"{LONG}{n % (many // 3 + 1)}", f"team-{n % (many // 3 + 1)}")
        for n in range(many)
    ]  # fmt: skip


def over_time(moments, better="higher", deadlines=(), now=BEGIN):
    return timeline("P@2", moments, better, deadlines, now)


@pytest.mark.parametrize("days", [0, 0.01, 1.5, 12, 40, 300, 3000])
@pytest.mark.parametrize("wide", [320, 720])
@pytest.mark.parametrize("better", ["higher", "lower"])
def test_a_picture_over_time_overprints_nothing(days, wide, better):
    for many in (2, 60):
        closes = [BEGIN + timedelta(days=share * days) for share in (0.5, 0.52, 1.1)]
        figure = over_time(arrivals(many, days), better, closes, BEGIN + timedelta(days=days))
        assert all(texts_apart(figure, wide, f"team-{n}") >= 4 for n in (0, 1))


def way_of(look, moments, **more):
    """The corners of a line."""
    root = ElementTree.fromstring(file(over_time(moments, **more), 720))
    (line,) = (each for each in root.iter(f"{SVG}path") if each.get("class") == look)
    numbers = [float(number) for number in re.findall(r"-?[0-9.]+", line.get("d"))]
    return numbers[0::2], numbers[1::2]


@pytest.mark.parametrize("better", ["higher", "lower"])
def test_the_best_so_far_goes_by_time_alone(better):
    """A late mail has an earlier time than the entries before it."""
    moments = arrivals(30, 20)
    assert way_of("line", moments, better=better) == way_of("line", moments[::-1], better=better)
    across, up = way_of("line", moments, better=better)
    assert across == sorted(across)
    assert up == sorted(up, reverse=better == "higher")  # y grows downwards
    own, _ = way_of("team-1 mine line", moments, better=better)
    assert own[0] > across[0]
    assert own[-1] == across[-1]


@pytest.mark.parametrize(("days", "shown"), rows(__file__, "times_are_round"))
def test_times_are_round(days, shown):
    ends = [Moment(BEGIN + timedelta(days=n * days), 0.5, "a", "team-1") for n in (0, 1)]
    root = ElementTree.fromstring(file(over_time(ends), 480))
    ticks = [each.text for each in root.iter(f"{SVG}text") if each.get("class") == "tick"]
    assert [tick for tick in ticks if "." not in tick] == shown


def test_a_deadline_far_away_squeezes_nothing():
    near, far = (over_time(arrivals(9, 10), deadlines=[BEGIN + timedelta(days=days)])
                 for days in (15, 90))  # fmt: skip
    assert "closes 2026-03-16 10:00" in file(near, 720)
    assert "closes" not in file(far, 720)
    assert "deadline" in near.caption
    assert "deadline" not in far.caption


def test_what_lies_far_behind_stands_at_the_edge():
    moments = [Moment(BEGIN + timedelta(days=n), n / 100, "near", "") for n in range(30)]
    moments.append(Moment(BEGIN, -50.0, "far", ""))
    assert "at the edge" in over_time(moments).caption
    assert "at the edge" not in over_time(moments, "lower").caption


PAIR = ComparedLists(
    ("one <b>", LONG), ["q1", "q2", "q3", "q4"], "AP@10", "topic", "topics", "higher"
)
VALUES = np.array([0.25, 0.5, 1.0, np.nan]), np.array([0.5, 0.5, 0.0, 0.5])


def test_differences_are_sorted_and_share_bars_where_they_are_many():
    figure = differences(PAIR, VALUES[0] - VALUES[1], 2, 80)
    assert [(bar.name, bar.text) for bar in figure.bars] == [
        ("q3", "+1.00"), ("q2", "0.00"), ("q1", "-0.25")
    ]  # fmt: skip
    assert figure.drawn(400).body.count("<rect") == 2  # none for what is equal
    figure = differences(PAIR, VALUES[1], 2, 2)
    assert "Each bar is the mean of 2 consecutive topics" in figure.caption
    assert differences(PAIR, np.full(4, np.nan), 2, 80) is None


def test_more_lists_than_bars_share_them_evenly():
    lists = [f"q{n}" for n in range(11)]
    pair = PAIR._replace(lists=lists)
    figure = differences(pair, np.arange(11.0), 2, 4)
    assert [row.cells[1].text for row in figure.numbers.rows] == ["3", "3", "3", "2"]
    assert figure.numbers.rows[0].cells[0].text == "q10, q9, q8"
    assert "Each bar is the mean of 2 or 3 consecutive topics" in figure.caption
    assert "mean of" not in differences(pair, np.arange(11.0), 2, 11).caption


def test_a_text_shows_both_ends_of_many_differences():
    pair = PAIR._replace(lists=[f"q{n}" for n in range(40)])
    shown = differences(pair, np.arange(40.0) - 20, 2).bars
    assert len(shown) == 21
    assert (shown[0].name, shown[0].text) == ("q39", "+19.00")
    assert shown[10].name == ".. 20 between"
    assert (shown[-1].name, shown[-1].text) == ("q0", "-20.00")


def test_points_in_one_place_are_one_larger_dot():
    first, second = counted_points([(1.0, 1.0)] * 4 + [(0.0, 1.0)])
    assert (first.radius, second.radius) == (6.0, 3.0)
    assert first.title.endswith(", 4 of them")
    assert not second.title.endswith("of them")
