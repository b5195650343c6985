"""Several files as one submission: the rows of each part, its lists named PART/LIST.

Line m of part n, from 0, is numbered n * `LINES_OF_PART` + m in the rows of all parts, so that it
differs from the lines of other parts; `locate_by_part` gives problems the file and the line in it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

import polars as pl

from scorer.core.problems import Findings, Problem
from scorer.core.text import join_first, quoted
from scorer.reading.layout import PART_MARK, Part
from scorer.reading.limits import UnreadableError
from scorer.reading.table import CellPlace, LineTexts, Table

LINES_OF_PART = 1 << 26  # more than a part may have; times MOST_PARTS it fits 32 bits
LINES_IN_MESSAGE = re.compile(r"\b(lines? )(\d[\d,]*)( and (\d[\d,]*))?")


def join_parts(tables: Sequence[Table], parts: Sequence[Part]) -> Table:
    """Return the rows of all parts.

    Raises:
        UnreadableError: A part has other columns than the first, or too many lines.
    """
    frames: list[pl.DataFrame] = []
    empty_lists: dict[str, int] = {}
    columns = [[t.column_name(role) for role in t.frame.columns[1:]] for t in tables]  # [0]: line
    for n, (table, (part, file)) in enumerate(zip(tables, parts, strict=True)):
        if columns[n] != columns[0]:
            message = f"{quoted(file)} has the columns {join_first(columns[n], 9)}, "
            message += f"and {quoted(parts[0].file)} {join_first(columns[0], 9)}"
            raise UnreadableError("S201", message)
        if len(table) and table.frame["line"][-1] >= LINES_OF_PART:
            raise UnreadableError("S104", f"{file} has more than {LINES_OF_PART:,} lines")
        before = n * LINES_OF_PART
        name, line = pl.lit(f"{part}{PART_MARK}") + pl.col("list"), pl.col("line") + before
        frames.append(table.frame.with_columns(line.cast(pl.UInt32), name.alias("list")))
        empty = table.empty_lists.items()
        empty_lists |= {f"{part}{PART_MARK}{name}": before + at for name, at in empty}
    finders = [table.find_cells for table in tables]

    def find_cells(texts: LineTexts, line: int, role: str) -> list[CellPlace]:
        """Return the cells in the texts of the part in which a line is."""
        n, at = divmod(line, LINES_OF_PART)
        find = finders[n]
        prefix = f"{parts[n].name}{PART_MARK}" if role == "list" else ""
        return [
            CellPlace(prefix + place.text, line - at + place.line, place.column)
            for place in (find(texts, at, role) if find is not None else ())
        ]

    frame = pl.concat(frames)
    return replace(tables[0], frame=frame, empty_lists=empty_lists, find_cells=find_cells)


def renumber_line(problem: Problem, n: int) -> Problem:
    """Return a problem of part n, its line numbered as above; no line if the part is missing."""
    line = 0 if problem.code == "S213" else n * LINES_OF_PART + (problem.line or 0)
    return replace(problem, line=line or None)


def locate_by_part(findings: Findings, parts: Sequence[Part]) -> None:
    """Give each problem the file of the submission that it is in, and the line in that file."""

    def local_lines(match: re.Match[str]) -> str:
        first, second = match[2].replace(",", ""), (match[4] or "0").replace(",", "")
        if int(first) < LINES_OF_PART and int(second) < LINES_OF_PART:
            return match[0]
        more = f" and {int(second) % LINES_OF_PART:,}" if match[4] else ""
        return f"{match[1]}{int(first) % LINES_OF_PART:,}{more}"

    def locate(problem: Problem) -> Problem:
        if problem.line is None:
            return problem
        n, line = divmod(problem.line, LINES_OF_PART)
        file = parts[n].file
        path = f"{problem.path}/{file}" if problem.path else file
        message = LINES_IN_MESSAGE.sub(local_lines, problem.message)
        return replace(problem, path=path, line=line or None, message=message)

    if parts:
        findings.replace(locate)
