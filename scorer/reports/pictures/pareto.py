"""The Pareto front: the primary measure against each other axis, the front as steps."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from scorer.core.text import printable
from scorer.reports.document import texts
from scorer.reports.leaderboard.cells import head_of, number
from scorer.reports.pictures import draw
from scorer.reports.pictures.draw import LINE, Axis, Canvas, Figure
from scorer.results.front import FrontAxis
from scorer.results.report import Report

TALL = 260.0  # of the field of dots
LOOKS = {"yes": "dot", "no": "aside"}
MOST = 40  # dots with their names beside them
GAP = 12.0  # between two names


class Spot(NamedTuple):
    """A submission: where it stands, its place in the front, and both numbers as they are shown."""

    name: str
    across: float
    up: float
    place: str
    texts: tuple[str, str]


class Field(NamedTuple):
    """The names of the axes, and which end of each is the better one."""

    across: str
    up: str
    less: bool  # whether less is better across
    falls: bool  # whether less is better upwards


def pareto(report: Report, precision: int) -> Iterator[Figure]:
    """The primary measure upwards against each other axis across, and who is not dominated."""
    front, primary = report.pareto, report.primary
    for n, axis in enumerate(front.axes[1:] if front else (), start=1):
        assert front
        spots = [_spot(report, name, axis, precision) for name in front.names]
        field = Field(printable(axis.id, 60), head_of(primary, report), axis.better == "lower",
                      primary.metric.better == "lower")  # fmt: skip
        line = corners_of([(s.across, s.up) for s in spots], field.less, field.falls)
        title = f"{printable(primary.id)} against {printable(axis.id, 60)}, and the Pareto front"
        numbers = texts(title, ["name", printable(axis.id, 60), head_of(primary, report), "front"],
                        [[s.name, *s.texts, s.place] for s in spots])  # fmt: skip
        key = "pareto" if len(front.axes) == 2 else f"pareto-{n}"
        yield Figure(key, title, _reading(spots, field, len(front.axes)),
                     lambda wide, s=spots, f=field, w=line: _scattered(s, f, w, wide),  # type: ignore[misc]
                     numbers)  # fmt: skip


def _spot(report: Report, name: str, axis: FrontAxis, precision: int) -> Spot:
    """A submission, no more exact than its numbers."""
    assert report.pareto
    row = next(row for row in report.leaderboard if row.name == name)
    primary = report.primary
    up = row.values[primary.id]
    if axis.measure:
        measure = next(each for each in report.measures if each.id == axis.id)
        across = row.values[axis.id]
        text = number(across, measure, precision)
    else:
        text = report.answers[name][axis.id]
        across = float(text)
    return Spot(name, across, up, report.pareto.place(name), (text, number(up, primary, precision)))


def corners_of(
    points: Sequence[tuple[float, float]], less: bool, falls: bool
) -> list[tuple[float, float]]:
    """The corners of what no point dominates in these two numbers, from the best across.

    >>> corners_of([(1, 0.2), (3, 0.9), (2, 0.1)], True, False)
    [(1, 0.2), (3, 0.2), (3, 0.9)]
    """
    corners, best = list[tuple[float, float]](), None
    turn, sign = (1 if less else -1), (1 if falls else -1)
    for across, up in sorted(points, key=lambda p: (turn * p[0], sign * p[1])):
        if best is None or sign * up < sign * best:
            corners += [(across, best)] if best is not None else []
            corners.append((across, up))
            best = up
    return corners


def _reading(spots: Sequence[Spot], field: Field, axes: int) -> str:
    better = "left" if field.less else "right"
    said = [f"Better to the {better}, and {'below' if field.falls else 'above'}."]
    said.append("The steps are the front of these two numbers; what it dominates is on its "
                f"{'right' if field.less else 'left'}.")  # fmt: skip
    if axes > 2:
        said.append("Filled dots are on the front of all numbers together.")
    else:
        said.append("Filled dots are on it.")
    if len(spots) > MOST:
        said.append(f"Of the {len(spots):,} those that are not on the front have no names.")
    return " ".join(said)


def _scattered(
    spots: Sequence[Spot], field: Field, line: Sequence[tuple[float, float]], wide: float
) -> Canvas:
    ups, acrosses = [s.up for s in spots], [s.across for s in spots]
    bottom = 1.6 * LINE + TALL
    on_up = draw.scale(min(ups), max(ups), bottom, 1.6 * LINE, 0.08)
    marks = draw.tick_texts(draw.ticks(on_up.low, on_up.high, 8))
    left = 12 + max(map(draw.length, marks), default=0.0)
    on = draw.scale(min(acrosses), max(acrosses), left, wide - 14, 0.08)
    parts = [draw.up(on_up, left, wide - 14, draw.fitted(field.up, wide)),
             draw.across(on, 1.6 * LINE, bottom, field.across)]  # fmt: skip
    placed = [(on.at(x), on_up.at(y)) for x, y in line]
    placed.append((on.end if field.less else on.start, placed[-1][1]))
    way = "L".join(f"{draw.place(x)} {draw.place(y)}" for x, y in placed)
    parts.append(draw.path(f"M{way}", "line"))
    named = [s for s in spots if len(spots) <= MOST or s.place == "yes"]
    parts += _labels_of_dots(named, on, on_up, wide)
    parts += [
        draw.dot(on.at(s.across), on_up.at(s.up), LOOKS[s.place],
                 f"{s.name}: {field.across} {s.texts[0]}, {field.up} {s.texts[1]}")
        for s in sorted(spots, key=lambda s: s.place == "yes")
    ]  # fmt: skip
    return Canvas(bottom + 2.6 * LINE, "".join(parts))


def _labels_of_dots(spots: Sequence[Spot], on: Axis, on_up: Axis, wide: float) -> Iterator[str]:
    """The names beside their dots, above or below the line; none where there is no room."""
    taken = [(on.at(s.across) - 4, on_up.at(s.up) - 4, 8.0, 8.0) for s in spots]
    for spot in sorted(spots, key=lambda s: s.place != "yes"):
        x, y = on.at(spot.across), on_up.at(spot.up)
        text = draw.fitted(spot.name, wide * 0.3)
        long = draw.length(text)
        for right, below in ((True, -5), (True, 13), (False, -5), (False, 13)):
            start = x + 6 if right else x - 6 - long
            box = (start, y + below - GAP + 2, long, GAP)
            free = on.start <= start and start + long <= wide
            if free and not any(_meet(box, other) for other in taken):
                taken.append(box)
                anchor = "start" if right else "end"
                yield draw.words(x + 6 if right else x - 6, y + below, text, "halo", anchor)
                break


def _meet(one: tuple[float, ...], other: tuple[float, ...]) -> bool:
    return all(one[n] < other[n] + other[n + 2] and other[n] < one[n] + one[n + 2] for n in (0, 1))
