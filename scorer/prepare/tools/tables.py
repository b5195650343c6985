"""Tables: challengeR's, with a row a case of an algorithm, and scores of each row of a file."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Mapping

from scorer.core.text import quoted
from scorer.prepare.tools.base import Case, ToolFile, finite, tool

ALGORITHM = ("alg_name", "algorithm", "alg", "algo")
CASE, TASK, VALUE = ("case", "case_id", "image", "image_id"), ("task", "task_id"), ("value",)
ROW_ID = re.compile(r"(.*_)?(id|case|row|index)", re.IGNORECASE)
ROW_SCORE = re.compile(r"(row_|case_|per_row_)(score|loss|error|metric)", re.IGNORECASE)
LOWER = frozenset({"row_loss", "row_error", "case_loss", "case_error", "per_row_loss",
                   "per_row_error"})  # fmt: skip


def _first_row(head: bytes) -> list[str]:
    """The columns of a table, separated by commas, semicolons or tabs."""
    first = head.lstrip(b"\xef\xbb\xbf").split(b"\n", 1)[0][: 1 << 12].decode("utf-8", "replace")
    try:
        return next(csv.reader([first.strip("\r")], delimiter=_most_common(first)), [])
    except csv.Error:  # as of a file that is no text
        return []


def _most_common(line: str) -> str:
    return max(",;\t", key=line.count)


def _column_of(names: Mapping[str, str], words: tuple[str, ...]) -> str | None:
    return next((names[word] for word in words if word in names), None)


def _challenger_columns(head: bytes) -> tuple[str | None, ...]:
    """The columns of the algorithm, the case, the value and the task, where it has these."""
    names = {name.strip().lower(): name for name in _first_row(head)}
    return tuple(_column_of(names, words) for words in (ALGORITHM, CASE, VALUE, TASK))


@tool("challengeR", lambda head: None not in _challenger_columns(head)[:3], groups=("task",),
      average=("task",), table=True)  # fmt: skip
def challenger(file: ToolFile) -> Iterator[Case]:
    """A case a test case of a task; each algorithm is a system. NA is a missing value."""
    algorithm, case, value, task = _challenger_columns(file.head)
    for line, row in _cells_by_line(file):
        cell = (row[value or ""] or "").strip()
        if cell in ("", "NA", "NaN"):
            continue
        groups = () if task is None else (str(row[task]),)
        name = "/".join((*groups, str(row[case or ""])))
        yield Case(
            str(row[algorithm or ""]), name, {"value": _cell_number(file, cell, line)}, groups
        )


def _is_of_scores(head: bytes) -> bool:
    header = _first_row(head)
    return (
        len(header) == 2
        and ROW_ID.fullmatch(header[0]) is not None
        and ROW_SCORE.fullmatch(header[1]) is not None
    )


@tool("scores of rows", _is_of_scores, lower=LOWER, table=True)
def row_scores(file: ToolFile) -> Iterator[Case]:
    """A case a row of `id,row_score`; the file is the system."""
    for line, row in _cells_by_line(file):
        (_, name), (called, cell) = row.items()
        yield Case(file.stem, str(name), {called.lower(): _cell_number(file, cell or "", line)})


def _cells_by_line(file: ToolFile) -> Iterator[tuple[int, dict[str, str | None]]]:
    """The line and the cells of each row, which has as many as the header."""
    reader = csv.DictReader(io.StringIO(file.text, newline=""), strict=True,
                            delimiter=_most_common(file.text.split("\n", 1)[0]))  # fmt: skip
    try:
        for row in reader:
            if None in row or None in row.values():
                file.wrong("the row has not as many cells as the header", reader.line_num, "S203")
            yield reader.line_num, row
    except csv.Error as error:
        file.wrong(f"the row cannot be read: {error}", reader.line_num)


def _cell_number(file: ToolFile, cell: str, line: int) -> float:
    try:
        value = finite(float(cell))
    except ValueError:
        value = None
    if value is None:
        file.wrong(f"{quoted(cell)} is not a number", line, "S501")
    return value
