"""Checks of cells that are texts: answers in words, and boxes, tags and spans with classes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

import polars as pl

from scorer.checks.base import SLICE_ROWS, Row, SubmissionRows, check, distinct_ids, report_rows
from scorer.checks.ids import IdFault, IdIndex, count_rows, describe_difference
from scorer.checks.numbers import is_number
from scorer.core.ids import TextPattern
from scorer.core.problems import KEPT, Problem, Severity
from scorer.core.text import join_first, printable, quoted


@check("S313", kinds=("grades",))
def misformed_text(rows: SubmissionRows) -> Iterator[Problem]:
    """Every text matches `submission.text_pattern`."""
    rules, form = rows.rules, rows.rules.text_pattern
    if form is None or "item" not in rows.frame.columns:
        return
    word = printable(rules.columns.get("text", "text"), 60)
    # `Schema.with_items` gives texts the role of items.
    wrong = rows.frame.filter(~pl.col("item").str.contains(TextPattern(form).expression))
    message = "{word} {item} does not match {form}"
    for problem in report_rows(wrong, "S313", message, role="item", word=word, form=form):
        yield replace(problem, item=None)  # a text is no item


def find_unknown_names(
    frame: pl.DataFrame, role: str, split: Callable[[str], Iterable[str]] | None, index: IdIndex
) -> pl.DataFrame:
    """Return the names in the cells of a column that an index lacks, in the order of the file.

    `split` returns the names of a cell; None if each cell is one name. The columns are `name`,
    `rows` (how many have it), and the `line`, `list` and `cell` of the first row.
    """
    cells = distinct_ids(frame, role).rename({role: "cell"})
    if split is None:
        return cells.filter(~index.contains(cells["cell"])).with_columns(name="cell")
    parts = [cells.clear().with_columns(name="cell")]
    for part in cells.iter_slices(SLICE_ROWS):
        cell_of_name, names = list[int](), list[str]()
        for number, cell in enumerate(part["cell"]):
            distinct = dict.fromkeys(split(cell))
            cell_of_name += [number] * len(distinct)
            names += distinct
        named = part[cell_of_name].with_columns(name=pl.Series(names, dtype=pl.String))
        parts.append(named.filter(~index.contains(named["name"])))
    first = ("line", "list", "cell")
    return distinct_ids(pl.concat(parts), "name", first, pl.col("rows").sum())


def describe_meaning(fault: IdFault | None, name: str) -> str:
    """Return the end of a message, on the class that a name certainly means; '' if none is."""
    if fault is None or not fault.public_id:
        return ""
    if fault.code == "S312":  # its message names the class again
        return f"; it {describe_difference(name, fault.public_id)}"
    return f"; {fault.message}"


@check("S521")
def unknown_class(rows: SubmissionRows) -> Iterator[Problem]:
    """Every box, tag and span has a class of the challenge.

    Only declared classes may be used. If a challenge declares none, the classes of its truth are
    known: others may be used beside them, and a file that uses none of them gets a warning.
    """
    found = list[Problem]()
    for column in rows.public.class_columns:
        # `split` gives the names of the classes in a cell.
        (role, split), index = column.submission, IdIndex(dict.fromkeys(column.classes))
        if role not in rows.frame.columns or not column.classes:
            continue
        word = rows.column_name(role)
        unknown = find_unknown_names(rows.frame, role, split, index)
        if rows.rules.classes:
            for row in unknown.head(KEPT).iter_rows(named=True):
                message = f"{word}: {quoted(row['name'])} is no class of this challenge"
                if not row["name"]:
                    message = f"{word} {quoted(row['cell'])} names no class"
                message += count_rows(row["rows"])
                found.append(_class_problem(row, message, index, "error"))
        elif unknown.height:
            cells = rows.frame[role].unique()
            if not any(name in index.names for cell in cells for name in split(cell)):
                found.append(_class_warning(unknown, index, word))
    yield from dict.fromkeys(found)  # Several measures may look at one column


def _class_warning(unknown: pl.DataFrame, index: IdIndex, word: str) -> Problem:
    """Return the warning of a file whose classes are all unknown."""
    meant = (name for name in unknown["name"] if describe_meaning(index.explain(name), name))
    name = next(meant, unknown["name"][0])
    row = unknown.row(by_predicate=pl.col("name") == name, named=True)
    message = f"{word}: no class in this file is a class of this challenge"
    if not name:
        message += f", and {quoted(row['cell'])} names none"
    elif name == row["cell"]:
        message += f", such as {quoted(name)}"
    else:
        message += f", such as {quoted(name)} ({quoted(row['cell'])})"
    return _class_problem(row, message, index, "warning")


def _class_problem(row: Row, message: str, index: IdIndex, severity: Severity) -> Problem:
    """Return the problem of a class, with the class that was meant or those that there are."""
    name, help = row["name"], None
    hint = describe_meaning(index.explain(name), name)
    if name and severity == "error":
        hint = hint or index.make_suggester()(name)
    message += hint or f"; it has {join_first([name for name in index.names if name])}"
    if is_number(name) and not any(map(is_number, index.names)):
        help = "write the names of the classes, not their numbers"
    return Problem("S521", message, severity, line=row["line"], list=row["list"], help=help)
