"""Is each rating that is asked for predicted, once and in range?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from scorer.checks.base import Submitted, check
from scorer.checks.rows import places, repeated_items, reported
from scorer.checks.tally import FileContext, OverflowCount
from scorer.core.arrays import Ints, distinct
from scorer.core.problems import Problem, Severity
from scorer.core.text import printable


class Outside(NamedTuple):
    """The predictions that are out of range: how many there are, and the first."""

    rows: int = 0
    line: int = 0
    value: float = 0.0
    name: str = ""
    item: str = ""

    def plus(self, others: Sequence[Outside]) -> Outside:
        """Those of all parts."""
        parts = [part for part in (self, *others) if part.rows]
        if not parts:
            return self
        first = min(parts, key=lambda part: part.line)
        rows = sum(part.rows for part in parts)
        return Outside(rows, first.line, first.value, first.name, first.item)

    def problems(self, whole: FileContext) -> Iterator[Problem]:
        """One for all of them."""
        if self.rows and whole.rules.range is not None:
            low, high = whole.rules.range
            many = f" ({self.rows:,} rows)" if self.rows > 1 else ""
            message = f"{self.value:.12g} is outside {low:.12g} to {high:.12g}{many}"
            yield Problem("S505", message, "error", None, self.line, None, self.name, self.item,
                          times=self.rows)  # fmt: skip


@check("S505", kinds=("ratings", "grades"), scope="row")
def out_of_range(submitted: Submitted) -> Outside:
    """A prediction, or the score of an item, lies in `submission.range`."""
    numbers = submitted.table.numbers
    predicted = numbers.get("prediction", numbers.get("score"))
    if submitted.rules.range is None or predicted is None:
        return Outside()
    low, high = submitted.rules.range
    rows = np.flatnonzero((predicted < low) | (predicted > high))
    if not rows.size:
        return Outside()
    row = int(rows[np.argmin(submitted.table.line[rows])])
    name, item = submitted.lists.text(row), submitted.table.ids["item"].text(row)
    return Outside(int(rows.size), submitted.line(row), float(predicted[row]), name, item)


@check("S507", kinds=("ratings",))
def twice(submitted: Submitted) -> Iterator[Problem | OverflowCount]:
    """A rating is predicted once."""
    table = submitted.table
    again, first = repeated_items(submitted, None)

    def problems(positions: Ints) -> Iterator[Problem]:
        rows = again[positions]
        lists, items = submitted.lists.texts(rows), table.ids["item"].texts(rows)
        lines, before = table.line[rows].tolist(), table.line[first[positions]].tolist()
        for line, earlier, name, item in zip(lines, before, lists, items, strict=True):
            message = f"{_pair_words(name, item)} is predicted twice (first on line {earlier:,})"
            yield Problem("S507", message, line=line, list=name, item=item)

    yield from reported(submitted, "S507", again, problems)


class Predicted(NamedTuple):
    """Which of the predictions to be made there are."""

    given: NDArray[np.uint8] | None  # a bit a pair that is asked for; None: all the same

    def plus(self, others: Sequence[Predicted]) -> Predicted:
        """Those of all parts."""
        given = [part.given for part in (self, *others) if part.given is not None]
        return Predicted(np.bitwise_or.reduce(given)) if given else self

    def problems(self, whole: FileContext) -> Iterator[Problem]:
        """The missing predictions."""
        # no list of this challenge at all is one problem, not a hundred thousand
        if self.given is None or whole.known.asked is None or not self.given.any():
            return
        members = whole.known.asked.members
        many = len(members.item)
        lost = np.flatnonzero(np.unpackbits(self.given, count=many) == 0)
        if not lost.size:
            return
        # the least, so that the order in which they are asked for tells nothing
        in_list = np.searchsorted(members.starts, lost, side="right") - 1
        place = min(distinct(in_list).tolist(), key=members.lists.__getitem__)
        first = int(lost[np.argmax(in_list == place)] - members.starts[place])
        name, item = members.lists[place], members.at(place)[first]
        are = "is" if lost.size == 1 else "are"
        message = (
            f"{lost.size:,} of {many:,} predictions {are} missing; first: {_pair_words(name, item)}"
        )
        if whole.partial:
            message += " (or are in lines that could not be read)"
        strict = whole.rules.missing_list in (None, "error")
        severity: Severity = "error" if strict else "warning"
        yield Problem("S508", message, severity, list=name, item=item)


@check("S508", kinds=("ratings",), scope="file")
def asked(submitted: Submitted) -> Predicted:
    """What is asked for is predicted."""
    if (pairs := submitted.known.asked) is None:
        return Predicted(None)
    given = np.zeros(len(pairs.members.item), dtype=bool)
    row = submitted.asked[1]
    given[row[row >= 0]] = True
    return Predicted(np.packbits(given))


@check("S509", kinds=("ratings",))
def not_asked(submitted: Submitted) -> Iterator[Problem]:
    """Nothing else is predicted."""
    known = submitted.known.items
    if submitted.known.asked is None or known is None:
        return
    lists, items = submitted.lists, submitted.table.ids["item"]
    # a list that is not in the challenge, or an id gone wrong, has its own problem
    public = submitted.number[lists.codes] >= 0 if lists.codes.size else np.empty(0, dtype=bool)
    rows = np.flatnonzero(public & (submitted.asked[1] < 0))
    other = rows[~known.has(items, rows)]
    wrong = [known.fault(item) is not None for item in items.texts(other)] if other.size else []
    rows = np.setdiff1d(rows, other[np.array(wrong, dtype=bool)])
    rows = rows[np.argsort(submitted.table.line[rows], kind="stable")]

    def problem(row: int) -> Problem:
        name, item = lists.text(row), items.text(row)
        message = f"{_pair_words(name, item)} is not asked for"
        return Problem("S509", message, line=submitted.line(row), list=name, item=item)

    yield from places(rows, problem)


def _pair_words(name: str, item: str) -> str:
    return f"({printable(name, 60)}, {printable(item, 60)})"
