"""Does each row of the truth stand once, with a class or number and a weight that can be?"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from scorer.checks.base import Truthful, check
from scorer.checks.ids import LOST, Known
from scorer.checks.rows import first_rows, numbered_rows, places, repeated
from scorer.core.problems import Problem
from scorer.core.text import printable, quoted
from scorer.reading.numbers import parse_number


@check("T806", kinds=("labels", "masks", "boxes"))
def stands_twice(truthful: Truthful) -> Iterator[Problem]:
    """A row stands once, unless it is one box of several."""
    if truthful.challenge.truth.box_columns:
        return
    lists, word = truthful.table.ids["list"], truthful.public.word("list")
    again, first = repeated(lists.codes, rows=np.arange(len(truthful.table)))
    of = dict(zip(again.tolist(), first.tolist(), strict=True))

    def problem(row: int) -> Problem:
        name = lists.text(row)
        message = (
            f"{word} {quoted(name)} stands twice in the truth (first on line "
            f"{truthful.line(of[row]):,})"
        )
        return Problem("T806", message, line=truthful.line(row), list=name)

    yield from places(again, problem)


@check("T801", "T802", kinds=("labels",))
def label_that_is_no_class(truthful: Truthful) -> Iterator[Problem]:
    """Every label is among the classes that the challenge declares, and none is empty."""
    table, separator = truthful.table, truthful.challenge.separators[0]
    if "label" not in table.ids:
        return
    listed = truthful.challenge.classes or truthful.challenge.submission.classes
    ids, declared = table.ids["label"], truthful.public.classes if listed else ()
    known, strange = Known(dict.fromkeys(declared)), dict[str, str]()
    classed = np.ones(len(table), dtype=bool)
    if truthful.public.numbers:
        classed = ~numbered_rows(truthful.public, truthful.table.ids["list"])
    lines = np.flatnonzero(classed if truthful.counted is None else classed & truthful.counted)
    if lines.size < len(table):
        ids = ids.where(lines)
    for cell in ids.names:
        labels = [cell] if separator is None else [part.strip() for part in cell.split(separator)]
        if separator is not None and not cell.strip():
            continue  # no label at all
        for label in labels:
            if not label or label.casefold() in LOST or (declared and label not in known):
                strange.setdefault(cell, label)
    for cell, row, rows in first_rows(ids, strange):
        label, many = strange[cell], f" ({rows:,} rows)" if rows > 1 else ""
        at = int(lines[row])
        word, where = printable(table.called("label"), 60), table.ids["list"].text(at)
        line = truthful.line(at)
        if label and label in known:
            continue
        if not label or (label.casefold() in LOST and not declared):
            what = f"reads {quoted(label)}" if label else "is empty"
            severity = "warning" if label else "error"
            yield Problem("T802", f"{word} {what}{many}", severity, line=line, list=where)  # type: ignore[arg-type]
        else:
            message = f"{word} {quoted(label)} is not among the declared classes{many}"
            yield Problem("T801", f"{message}{known.hint(label)}", line=line, list=where)


@check("T501", "T502", "T503", "T504", "T506", kinds=("labels",))
def number_beside_classes(truthful: Truthful) -> Iterator[Problem]:
    """A row of a group of numbers has a number."""
    if not truthful.public.numbers or "label" not in truthful.table.ids:
        return
    lines = np.flatnonzero(numbered_rows(truthful.public, truthful.table.ids["list"]))
    ids, lists = truthful.table.ids["label"].where(lines), truthful.table.ids["list"]
    faults = {
        name: (number.code, number.message)
        for name in ids.names
        if (number := parse_number(name)).code
    }
    word = printable(truthful.table.called("label"), 60)
    for cell, row, rows in first_rows(ids, faults):
        code, what = faults[cell]
        at, many = int(lines[row]), f" ({rows:,} rows)" if rows > 1 else ""
        message = f"{word} {what}{many}"
        yield Problem(f"T{code[1:]}", message, line=truthful.line(at), list=lists.text(at))


@check("T807", kinds=("labels",))
def weight_below_zero(truthful: Truthful) -> Iterator[Problem]:
    """Weights are not negative, and not all 0."""
    weight = truthful.table.numbers.get("weight")
    if weight is None or not weight.size:
        return
    word = printable(truthful.table.called("weight"), 60)

    def problem(row: int) -> Problem:
        message = f"{word} {weight[row]:.12g} is below 0"
        return Problem("T807", message, line=truthful.line(row))

    yield from places(np.flatnonzero(weight < 0), problem)
    if not (weight > 0).any():
        yield Problem("T807", f"every {word} is 0")


@check("T505", kinds=("labels",))
def target_out_of_range(truthful: Truthful) -> Iterator[Problem]:
    """A target that no prediction may reach makes every submission wrong."""
    target, limits = truthful.table.numbers.get("target"), truthful.challenge.submission.range
    if target is None or limits is None:
        return
    low, high = limits
    rows = np.flatnonzero((target < low) | (target > high))
    if rows.size:
        many = f" ({rows.size:,} rows)" if rows.size > 1 else ""
        message = f"target {target[rows[0]]:.12g} is outside {low:.12g} to {high:.12g}{many}"
        line, times = truthful.line(rows[0]), int(rows.size)
        yield Problem("T505", message, "warning", line=line, times=times)
