"""Is each row of a table answered once, by a class, probabilities or a number that can be?"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from scorer.checks.base import Submitted, check, first_rows, places, repeated
from scorer.checks.ids import LOST, READ_AS_TEXT, Known
from scorer.core.problems import Problem
from scorer.core.text import join_first, printable, quoted
from scorer.io.table import Floats, number

APART = 1e-3  # how far the sum of a row's probabilities may be from 1: they are rounded
SLACK = 1e-9  # of adding them up


@check("S806", kinds=("labels",))
def row_twice(submitted: Submitted) -> Iterator[Problem]:
    """A row is answered once."""
    lists, word = submitted.lists, submitted.public.word("list")
    rows = np.flatnonzero(submitted.in_named)
    again, first = repeated(lists.codes, rows=rows)
    of = dict(zip(again.tolist(), first.tolist(), strict=True))

    def problem(row: int) -> Problem:
        name = lists.text(row)
        message = (
            f"{word} {quoted(name)} is given twice (first on line {submitted.line(of[row]):,})"
        )
        return Problem("S806", message, line=submitted.line(row), list=name)

    yield from places(again, problem)


@check("S801", "S802", "S803", kinds=("labels",))
def unknown_label(submitted: Submitted) -> Iterator[Problem]:
    """Every label is a class of the challenge."""
    public, separator = submitted.public, submitted.public.separator
    if "label" not in submitted.table.ids or not public.classes:
        return
    ids, word = submitted.table.ids["label"], printable(submitted.table.called("label"), 60)
    known = Known(dict.fromkeys(public.classes))
    if _numbers(ids.names) and not _numbers(public.classes):
        example = next(iter(ids.names))
        message = (
            f"{word} holds numbers, such as {quoted(example)}, where a class is expected: "
            f"{join_first(public.classes)}"
        )
        yield Problem("S803", message, line=submitted.line(0))
        return
    strange: dict[str, str] = {}
    for cell in ids.names:
        labels = [cell] if separator is None else [each.strip() for each in cell.split(separator)]
        if separator is not None and not cell.strip():
            continue  # no label at all
        lost = [each for each in labels if each not in known]
        if lost:
            strange[cell] = lost[0]
    for cell, row, rows in first_rows(ids, strange):
        label, many = strange[cell], f" ({rows:,} rows)" if rows > 1 else ""
        where = submitted.lists.text(row)
        if not label.strip() or label.casefold() in LOST:
            what = f"reads {quoted(label)}" if label.strip() else "is empty"
            message = f"{word} {what}; every row needs a class{many}"
            yield Problem("S802", message, line=submitted.line(row), list=where, help=READ_AS_TEXT)
            continue
        fault = known.fault(label)
        hint = f"; {fault.message}" if fault and fault.meant else known.hint(label)
        if fault and fault.meant and fault.code == "S312":
            hint = f"; it {fault.message.removeprefix(quoted(label)).strip()}"
        message = f"{word} {quoted(label)} is no class of this challenge{many}{hint}"
        yield Problem("S801", message, line=submitted.line(row), list=where)


@check("S804", "S805", kinds=("labels",))
def no_probability(submitted: Submitted) -> Iterator[Problem]:
    """Probabilities lie in 0 to 1, and those of a row sum to 1."""
    table, public = submitted.table, submitted.public
    roles = [role for role in table.numbers if role.startswith("probability[")]
    if not roles:
        return
    likely = np.column_stack([table.numbers[role] for role in roles])
    outside = (likely < 0) | (likely > 1)
    rows = np.flatnonzero(outside.any(axis=1))
    if rows.size:
        row, column = int(rows[0]), int(np.argmax(outside[rows[0]]))
        value = likely[row, column]
        many = f" ({rows.size:,} rows)" if rows.size > 1 else ""
        called = printable(table.called(roles[column]), 60)
        percent = np.nanmin(likely) >= 0 and 1 < np.nanmax(likely) <= 100
        help = "percent? divide by 100" if percent else None
        message = f"{called} {value:.12g} is outside 0 to 1{many}"
        yield _at(submitted, "S804", message, row, rows.size, help)
        return
    if len(roles) == 1 or public.separator is not None or submitted.rules.normalize:
        return
    total = likely.sum(axis=1)
    rows = np.flatnonzero(np.abs(total - 1) > APART + SLACK)
    if rows.size:
        row = int(rows[0])
        many = f" ({rows.size:,} rows)" if rows.size > 1 else ""
        name = submitted.lists.text(row)
        message = (
            f"the probabilities of {public.word('list')} {quoted(name)} sum to "
            f"{total[row]:.6g}, not to 1{many}"
        )
        help = "divide each row by its sum, or in the challenge: submission: {normalize: true}"
        yield _at(submitted, "S805", message, row, rows.size, help)


@check("S505", kinds=("labels",))
def number_out_of_range(submitted: Submitted) -> Iterator[Problem]:
    """A predicted number lies in `submission.range`."""
    predicted = submitted.table.numbers.get("prediction")
    if predicted is None or submitted.rules.range is None:
        return
    low, high = submitted.rules.range
    rows = np.flatnonzero((predicted < low) | (predicted > high))
    if rows.size:
        row, many = int(rows[0]), f" ({rows.size:,} rows)" if rows.size > 1 else ""
        message = f"{predicted[row]:.12g} is outside {low:.12g} to {high:.12g}{many}"
        yield _at(submitted, "S505", message, row, rows.size, None)


@check("S510", kinds=("labels",))
def same_answer(submitted: Submitted) -> Iterator[Problem]:
    """Answers differ from row to row."""
    table = submitted.table
    if len(table) < 2:
        return
    numbers = {r: v for r, v in table.numbers.items() if r not in ("weight",)}
    if not all(_constant(values) for values in numbers.values()):
        return
    if "label" in table.ids and len(table.ids["label"].names) > 1:
        return
    what = (
        f"every {printable(table.called('label'), 60)} is {quoted(table.ids['label'].names[0])}"
        if "label" in table.ids
        else ", ".join(
            f"every {printable(table.called(role), 60)} is {float(values[0])!r}"
            for role, values in numbers.items()
        )
    )
    yield Problem("S510", what, "warning")


def _constant(values: Floats) -> bool:
    return bool((values == values[0]).all())


def _numbers(names: tuple[str, ...]) -> bool:
    return bool(names) and all(number(name)[1] is None for name in names)


def _at(
    submitted: Submitted, code: str, message: str, row: int, rows: int, help: str | None
) -> Problem:
    where = submitted.lists.text(row)
    return Problem(code, message, line=submitted.line(row), list=where, help=help, times=int(rows))
