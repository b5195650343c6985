"""Columns of the board beside measures: splits, answers, the Pareto front, tracks; sentences."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from scorer.challenge.leaderboard import Question
from scorer.core.text import join_first, printable, unit
from scorer.reports.document import Cell, Column
from scorer.reports.leaderboard.cells import has_ranges, number, place
from scorer.results.front import Front
from scorer.results.report import Report

MAX_ANSWER = 80  # characters of an answer in the table
MAX_NAMES = 10  # submissions that a sentence names
SORT_KEYS = {"yes": "0", "no": "1"}  # of cells that say whether a submission is on the front


class ExtraColumn(NamedTuple):
    """A column, and the cell of each submission that has one."""

    column: Column
    cells: Mapping[str, Cell]


def extra_columns(report: Report, last: int, precision: int) -> Iterator[ExtraColumn]:
    """Yield what the board has beside measures: splits, answers, the front, ranks in tracks.

    Args:
        report: The report of the board.
        last: The priority of columns of text, which are left out before measures in little room.
        precision: Decimals of values.
    """
    primary = report.primary
    for split in report.splits or ():
        name = (split.scope and split.scope.split) or "all"
        first = "descending" if primary.metric.better == "higher" else "ascending"
        cells = {}
        for row in split.leaderboard:
            value = number(row.values[primary.id], primary, precision)
            cells[row.name] = Cell(f"{value} ({row.rank})" if row.rank else value, value)
        yield ExtraColumn(Column(f"{name} (rank)", "number", 2, first), cells)
    for key, question in report.definition.questions.items():
        if any(key in own for own in report.answers.values()):
            yield ExtraColumn(
                _answer_column(key, question, last), _answer_cells(key, question, report)
            )
    if front := report.pareto:
        places = {name: front.place(name) for name in front.names}
        cells = {
            name: Cell(word, SORT_KEYS[word], marks=["best"] * (word == "yes"))
            for name, word in places.items()
            if word
        }
        yield ExtraColumn(Column("front", "number", 1, "ascending"), cells)
    for board in report.tracks or ():
        assert board.track is not None
        with_ranges = has_ranges(board)
        ranks = {
            row.name: Cell(place(row, with_ranges), str(row.rank or ""))
            for row in board.leaderboard
        }
        yield ExtraColumn(Column(board.track.id, "number", 2, "ascending"), ranks)


def _answer_column(key: str, question: Question, last: int) -> Column:
    if question.type != "number":
        return Column(key, "text", last, "ascending", cut=MAX_ANSWER)
    arrow = " ↓" if question.better == "lower" else ""
    first = "descending" if question.better == "higher" else "ascending"
    return Column(f"{key}{arrow}", "number", 2 if question.better else last, first)


def _answer_cells(key: str, question: Question, report: Report) -> dict[str, Cell]:
    empty = Cell("-", "") if question.type == "number" else Cell()
    texts = {row.name: report.answers.get(row.name, {}).get(key, "") for row in report.leaderboard}
    return {name: Cell(text, text) if text else empty for name, text in texts.items()}


def describe_front(front: Front) -> Iterator[str]:
    """Yield sentences on who is on the Pareto front, and by which numbers."""
    by = ", ".join(f"{printable(axis.id, 60)}, {axis.better} is better" for axis in front.axes[:-1])
    last = front.axes[-1]
    yield (
        f"On the Pareto front of {by}, and {printable(last.id, 60)}, {last.better} is better: "
        f"{join_first(front.front, MAX_NAMES)}. No other one is at least as good in each, and "
        "better in one."
    )
    if front.without:
        yield f"In no front, for want of a number: {join_first(front.without, MAX_NAMES)}."


def scope_of_track(board: Report, report: Report) -> str:
    """Return a sentence on the submissions and the lists of a track's board; `report` has all."""
    track = board.track
    assert track is not None
    lists = f"{len(report.lists):,} {unit(report.called, len(report.lists))}"
    answers = " and ".join(
        f"{printable(key, 60)} {' or '.join(printable(value, 60) for value in values)}"
        for key, values in track.answer.items()
    )
    submissions = f"Submissions with {answers}" if answers else "All submissions"
    if not track.group:
        return f"{submissions}, on all {lists}."
    groups = ", ".join(printable(name, 60) for name in track.group)
    return f"{submissions}, on {len(board.lists):,} of {lists}: {groups}."
