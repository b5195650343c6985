"""Is each row of a table answered once, by a class, probabilities or a number that can be?"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from scorer.challenge.public import ClassNames, Public
from scorer.checks.base import Submitted, check
from scorer.checks.ids import LOST, Known
from scorer.checks.rows import first_rows, numbered_rows, places, repeated
from scorer.core.arrays import Floats, Ints, Mask
from scorer.core.problems import KEPT, Problem, Severity
from scorer.core.text import join_first, printable, quoted
from scorer.reading.layout import row_of
from scorer.reading.numbers import parse_number

SUM_TOLERANCE = 1e-6  # of the sum of a row's probabilities, which may be rounded
ROUNDING = 1e-9  # of the addition itself
PERCENT = "percent? divide by 100"
DIVIDE = "divide each row by its sum"
DIVIDED = ("S525", "divided")  # the key of a fault that stops nothing


def beyond_rounding(total: Floats) -> Mask:
    """Which sums of probabilities are further from 1 than rounding explains; not NaN."""
    beyond: Mask = np.abs(total - 1) > SUM_TOLERANCE + ROUNDING
    return beyond


class FirstRow(NamedTuple):
    """Rows with one fault: how many, and the first."""

    rows: int
    line: int
    name: str  # the id of that row
    what: str  # its own words

    @property
    def many(self) -> str:
        """How many rows, in words; empty for one."""
        return f" ({self.rows:,} rows)" if self.rows > 1 else ""


class Faults(NamedTuple):
    """Faults of the rows of a table, by code and label."""

    faults: Mapping[tuple[str, str], FirstRow]
    rest: int = 0  # faults beyond those that are kept
    low: float = math.inf  # of all numbers
    high: float = -math.inf
    words: bool = False  # whether a label is there that is no number
    word: str = ""  # what the column is called

    def problems(self, public: Public) -> Iterator[Problem]:
        """A problem for each fault, in the order of the file."""
        if not self.faults:
            return
        known = Known(ClassNames.of(public.classes).places)
        ordered = sorted(self.faults.items(), key=lambda entry: entry[1].line)
        labels = [entry for entry in ordered if entry[0][0] in ("S521", "S522", "S523")]
        if labels and not self.words and not all(map(_is_number, public.classes)):
            (_, label), first = labels[0]
            message = (
                f"{self.word} holds numbers, such as {quoted(label)}, where a class is expected: "
                f"{join_first(public.classes)}"
            )
            help = "write the names of the classes (LabelEncoder: inverse_transform)"
            yield Problem("S523", message, line=first.line, help=help)
            return
        if (problem := self._by_case(labels, known)) is not None:
            yield problem
            ordered = [entry for entry in ordered if entry not in labels]
        outside = any(code == "S524" for code, _ in self.faults)
        for (code, label), first in ordered:
            if code != "S525" or not outside:  # which then have a reason
                yield self._problem(code, label, first, public, known)
        if self.rest:
            (code, label), first = ordered[-1]
            last = self._problem(code, label, first, public, known)
            yield Problem(last.code, last.message, line=last.line, times=self.rest)

    def _by_case(
        self, labels: Sequence[tuple[tuple[str, str], FirstRow]], known: Known
    ) -> Problem | None:
        """One problem for all labels, where several differ from a class by the same alone."""
        faults = [known.fault(label) for (_, label), _ in labels]
        codes = {fault.code if fault and fault.meant else None for fault in faults}
        if len(labels) < 2 or len(codes) > 1 or None in codes:
            return None
        first, fault = labels[0][1], faults[0]
        rows = sum(fault.rows for _, fault in labels)
        assert fault is not None
        message = (
            f"{rows:,} cells of {self.word} are no class of this challenge, in {len(labels):,} "
            f"spellings: {fault.message}"
        )
        return Problem("S521", message, line=first.line, list=first.name, times=rows)

    def _problem(
        self, code: str, label: str, first: FirstRow, public: Public, known: Known
    ) -> Problem:
        help, times = None, first.rows
        if code == "S522":
            what = f"reads {quoted(label)}" if label.strip() else "is empty"
            message, help = f"{self.word} {what}; every row needs a class", _of_missing(public)
            times = 1
        elif code == "S521":
            fault, times = known.fault(label), 1
            hint = f"; {fault.message}" if fault and fault.meant else known.hint(label)
            if fault and fault.meant and fault.code == "S312":
                hint = f"; it {fault.message.removeprefix(quoted(label)).strip()}"
            message = f"{self.word} {quoted(label)} is no class of this challenge{first.many}{hint}"
            return Problem(code, message, line=first.line, list=first.name)
        else:
            message = first.what
        if code == "S524" and self.low >= 0 and self.high <= 100:
            help = PERCENT
        elif code == "S525":
            help = DIVIDE
        message += first.many
        severity: Severity = "warning" if (code, label) == DIVIDED else "error"
        return Problem(
            code, message, severity, line=first.line, list=first.name, help=help, times=times
        )


def _of_missing(public: Public) -> str:
    """What helps with labels that are missing; a class may be called so, and be read as none."""
    if any(name.casefold() in LOST for name in public.classes):
        return "read and write labels as text (in pandas: dtype=str, keep_default_na=False)"
    return "predict a class for each of these rows (in pandas: fillna with one)"


@check("S526", kinds=("labels", "masks", "boxes"))
def row_twice(submitted: Submitted) -> Iterator[Problem]:
    """A row is answered once."""
    lists, word = submitted.lists, submitted.public.word("list")
    rows = np.flatnonzero(submitted.in_named)
    again, first = repeated(lists.codes, rows=rows)
    wide = "list" in submitted.rules.wide
    if wide:  # a line is a row, whose columns are all given twice
        one = np.unique(submitted.table.line[again], return_index=True)[1]
        again, first = again[one], first[one]
    of = dict(zip(again.tolist(), first.tolist(), strict=True))

    def problem(row: int) -> Problem:
        name = lists.text(row)
        called = quoted(row_of(name) if wide else name)
        message = f"{word} {called} is given twice (first on line {submitted.line(of[row]):,})"
        return Problem("S526", message, line=submitted.line(row), list=name, role="list")

    yield from places(again, problem)


@check("S521", "S522", "S523", kinds=("labels",))
def unknown_label(submitted: Submitted) -> Iterator[Problem]:
    """Every label is a class of the challenge."""
    public, separator = submitted.public, submitted.public.separator
    if "label" not in submitted.table.ids or not public.classes:
        return
    ids, classes = submitted.table.ids["label"], ClassNames.of(public.classes).places
    lines = np.arange(len(submitted.table))
    if public.numbers:
        lines = lines[~numbered_rows(submitted.public, submitted.lists)]
        ids = ids.where(lines)
    strange: dict[str, str] = {}  # a cell -> the label that is none
    words = False
    for cell in ids.names:
        labels = [cell] if separator is None else [part.strip() for part in cell.split(separator)]
        words = words or not _is_number(cell)
        if separator is not None and not cell.strip():
            continue  # no label at all
        lost = next((part for part in labels if part not in classes), None)
        if lost is not None:
            strange[cell] = lost
    faults, rest = dict[tuple[str, str], FirstRow](), 0
    for cell, row, rows in first_rows(ids, strange):
        label = strange[cell]
        code = "S521" if label.strip() and label.casefold() not in LOST else "S522"
        at = int(lines[row])
        if (first := faults.get((code, label))) is not None:
            faults[code, label] = first._replace(rows=first.rows + rows)
        elif len(faults) < 2 * KEPT:
            faults[code, label] = _at(submitted, at, rows, label)
        else:
            rest += 1
    word = printable(submitted.table.called("label"), 60)
    yield from Faults(faults, rest, words=words, word=word).problems(public)


@check("S501", "S502", "S503", "S504", "S505", "S506", kinds=("labels",))
def number_beside_classes(submitted: Submitted) -> Iterator[Problem]:
    """A row of a group of numbers has a number, which lies in `submission.range`."""
    if not submitted.public.numbers or "label" not in submitted.table.ids:
        return
    lines = np.flatnonzero(numbered_rows(submitted.public, submitted.lists))
    ids = submitted.table.ids["label"].where(lines)
    low, high = submitted.rules.range or (-math.inf, math.inf)
    strange: dict[str, tuple[str, str]] = {}
    for code in np.unique(ids.codes).tolist():
        number = parse_number(cell := ids.names[code])
        if number.code:
            strange[cell] = number.code, number.message
        elif not low <= number.value <= high:
            strange[cell] = ("S505", f"{number.value:.12g} is outside {low:.12g} to {high:.12g}")
    word = printable(submitted.table.called("label"), 60)
    faults, rest = dict[tuple[str, str], FirstRow](), 0
    for cell, row, rows in first_rows(ids, strange):
        code, what = strange[cell]
        if len(faults) < 2 * KEPT:
            faults[code, cell] = _at(submitted, int(lines[row]), rows, f"{word} {what}")
        else:
            rest += 1
    yield from Faults(faults, rest).problems(submitted.public)


@check("S524", "S525", kinds=("labels",))
def no_probability(submitted: Submitted) -> Iterator[Problem]:
    """Probabilities lie in 0 to 1, and those of a row sum to 1."""
    table, public = submitted.table, submitted.public
    roles = [role for role in table.numbers if role.startswith("probability[")]
    if not roles or not len(table):
        return
    likely = np.column_stack([table.numbers[role] for role in roles])
    outside = (likely < 0) | (likely > 1)
    faults = {}
    rows = np.flatnonzero(outside.any(axis=1))
    if rows.size:
        row = _first_row(submitted, rows)
        column = int(np.argmax(outside[row]))
        called = printable(table.called(roles[column]), 60)
        what = f"{called} {likely[row, column]:.12g} is outside 0 to 1"
        faults["S524", ""] = _at(submitted, row, rows.size, what)
    if len(roles) > 1 and public.separator is None:
        total = likely.sum(axis=1)
        off = beyond_rounding(total)
        divided = off & (total > 0) & (submitted.rules.sums == "normalize")
        for label, mask, more in (
            ("", off & ~divided, ""),
            (DIVIDED[1], divided, ", and are divided by their sum"),
        ):
            if not mask.any():
                continue
            row = _first_row(submitted, rows := np.flatnonzero(mask))
            of = f"{public.word('list')} {quoted(submitted.lists.text(row))}"
            what = f"the probabilities of {of} sum to {total[row]:.9g}, not to 1{more}"
            faults["S525", label] = _at(submitted, row, rows.size, what)
    answered = likely[~np.isnan(likely)]
    low, high = (answered.min(), answered.max()) if answered.size else (math.inf, -math.inf)
    yield from Faults(faults, low=float(low), high=float(high)).problems(public)


@check("S505", kinds=("labels",))
def number_out_of_range(submitted: Submitted) -> Iterator[Problem]:
    """Predicted numbers, scores and probabilities lie in `submission.range`."""
    if submitted.rules.range is None:
        return
    faults, (low, high) = {}, submitted.rules.range
    for role, predicted in submitted.table.numbers.items():
        if role not in ("prediction", "score") and not role.startswith("probability["):
            continue
        rows = np.flatnonzero((predicted < low) | (predicted > high))
        if role.startswith("probability["):  # else that is a fault of its own
            rows = rows[(predicted[rows] >= 0) & (predicted[rows] <= 1)]
        if rows.size:
            row = _first_row(submitted, rows)
            of = "" if role == "prediction" else f"{printable(submitted.table.called(role), 60)} "
            what = f"{of}{predicted[row]:.12g} is outside {low:.12g} to {high:.12g}"
            faults["S505", role] = _at(submitted, row, rows.size, what)
    yield from Faults(faults).problems(submitted.public)


@check("S510", kinds=("labels",))
def same_answer(submitted: Submitted) -> Iterator[Problem]:
    """Answers differ from row to row."""
    table = submitted.table
    if len(table) < 2:
        return
    label = table.ids.get("label")
    if label is not None and len(label.names) > 1:
        return
    if any((values != values[0]).any() for values in table.numbers.values()):
        return
    if label is not None:
        descriptions = [f"every {printable(table.called('label'), 60)} is {quoted(label.names[0])}"]
    else:
        descriptions = [
            f"every {printable(table.called(role), 60)} is {float(values[0])!r}"
            for role, values in table.numbers.items()
        ]
    more = f" and {len(descriptions) - 3:,} more so" if len(descriptions) > 4 else ""
    yield Problem("S510", ", ".join(descriptions[: 3 if more else 4]) + more, "warning")


def _is_number(name: str) -> bool:
    return not parse_number(name).code


def _first_row(submitted: Submitted, rows: Ints) -> int:
    """The one of these rows that is first in the file."""
    return int(rows[np.argmin(submitted.table.line[rows])])


def _at(submitted: Submitted, row: int, rows: int, what: str) -> FirstRow:
    return FirstRow(int(rows), submitted.line(row), submitted.lists.text(row), what)
