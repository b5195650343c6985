"""Submissions as files: their lists, where nothing else names these, and tables of several."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import polars as pl

from scorer.core.problems import Findings, Problem
from scorer.core.text import quoted
from scorer.reading.limits import ReadLimits
from scorer.reading.read import FileTable, find_row_cells
from scorer.reading.schema import EXTRA, Schema, holds_text
from scorer.reading.table import Table
from scorer.scoring.bind import BoundChallenge

# the roles of what was evaluated, and of its runs, where a table has several
SEVERAL = ("system", "run")
MOST_KEPT = 5_000_000  # rows of tables that are kept, of about 50 bytes each
ROW = "\0line"  # a column that no file has
LINE = re.compile(r"\bline (\d+)")


class TablePart(NamedTuple):
    """The part of a table that is one submission."""

    called: str  # model 'a', seed '1'; empty: the whole table is one submission
    lines: Sequence[int]  # of its rows in the table's file

    def located(self, problem: Problem) -> Problem:
        """A problem with the lines of the table; of one that has none it is said what it is of."""
        if problem.line is None:
            called = f" ({self.called})" if self.called else ""
            return replace(problem, message=f"{problem.message}{called}")
        message = LINE.sub(lambda found: f"line {self._line(int(found[1]))}", problem.message)
        return replace(problem, message=message, line=self._line(problem.line), column=None)

    def _line(self, row: int) -> int:
        return int(self.lines[row - 1]) if 0 < row <= len(self.lines) else row


class SubmissionFile(NamedTuple):
    """A submission's file, and its name."""

    name: str
    path: Path
    baseline: bool = False
    label: str = ""  # the name of the file in messages, if not its path
    format: str | None = None  # of data, whatever the challenge says of files
    part: TablePart | None = None  # of a table of several systems or runs
    table: Table | None = None  # what stands instead of a file, where nothing is wrong with it
    is_given: bool = False  # whether somebody gave the name, which else is the file's
    refused: tuple[Problem, ...] = ()  # why its file could not be read, where that is known

    @property
    def display(self) -> str:
        """The name of the file in messages."""
        return self.label or str(self.path)

    @property
    def told(self) -> str:
        """The file, and which part of it is the submission."""
        return f"{self.display}, {called}" if (called := self.part_called) else self.display

    @property
    def part_called(self) -> str:
        """Which part of a table it is; empty: the whole file."""
        return self.part.called if self.part else ""


def with_lists_of(prepared: BoundChallenge, files: Iterable[SubmissionFile]) -> BoundChallenge:
    """The challenge with the lists of these submissions, where neither a truth nor a file has any.

    Files that cannot be read have none.
    """
    challenge = prepared.challenge
    if not challenge.truthless or challenge.lists is not None:
        return prepared
    columns = challenge.submission.columns
    roles = ("list", "measure") if "measure" in columns else ("list",)
    by_value: dict[str | None, set[str]] = {}
    kept: dict[Path, FileTable] = {}
    for file in files:
        table = file.table or _read_of(prepared, file, kept, Schema(roles, (), columns))
        for value, lists in () if table is None else _lists_by_value(table):
            by_value.setdefault(value, set()).update(lists)
    found: dict[str, frozenset[str]] = {}
    for value, names in by_value.items():
        own = frozenset[str]() if value is None else frozenset([value])
        found |= {name: found[name] | own if name in found else own for name in names}
    return prepared._replace(found=found, tables=kept)


def _read_of(
    prepared: BoundChallenge, file: SubmissionFile, kept: dict[Path, FileTable], shape: Schema
) -> Table | None:
    """The table of a file, which is kept to be scored; of one with faults some columns, or None."""
    findings = Findings()
    read = prepared.read(file.path, findings, file.format)
    if read.table is None or len(findings):
        return prepared.read(file.path, Findings(), file.format, [shape]).table
    if sum(len(each.table or ()) for each in kept.values()) + len(read.table) <= MOST_KEPT:
        kept[file.path] = read
    return read.table


def _lists_by_value(table: Table) -> Iterator[tuple[str | None, Iterable[str]]]:
    """The lists that a table has of each value that rows name, or of None."""
    if "measure" not in table:
        yield None, table.frame["list"].unique()
        return
    for (name,), rows in table.frame.select("list", "measure").group_by("measure"):
        yield str(name), rows["list"].unique()


def holds_systems(prepared: BoundChallenge) -> bool:
    """Whether a table may hold several submissions."""
    return any(role in shape.required for shape in prepared.shapes for role in SEVERAL)


def split_systems(
    prepared: BoundChallenge, file: SubmissionFile, folder: Path, several: Sequence[str] = SEVERAL
) -> list[SubmissionFile]:
    """The submissions in a table of several systems, or runs: a file for each, named after it.

    A run of a system is called `system#run`; where no column names the system the file does. One
    with a row that cannot be read is refused. The file itself, with what is wrong, where it cannot
    be read as such a table.
    """
    findings = Findings()
    table = prepared.read(file.path, findings, file.format).table
    refused: Mapping[tuple[str, ...], Sequence[Problem]] | None = {}
    if table is not None and findings.fatal:
        table, refused = _read_as_texts(prepared, file, table, several)
    if table is None or refused is None:
        return [file._replace(refused=tuple(findings))]
    if not len(table) or not any(role in table for role in several):
        return [file]
    folder.mkdir()
    parts = []
    for n, (names, part) in enumerate(_frames(table, several)):
        path = folder / f"{n}.parquet"
        lines = part[ROW].to_list()
        part.drop(ROW).write_parquet(path)
        told = ", ".join(
            f"{table.column_name(role)} {quoted(name)}" for role, name in names.items()
        )
        system = names.get("system") or file.name  # an empty cell is no name
        called = f"{system}#{names['run']}" if "run" in names else system
        whole = SubmissionFile(called, path, label=file.display, format="parquet")
        problems = tuple(refused.get(tuple(names.values()), ()))
        parts.append(whole._replace(part=TablePart(told, lines), refused=problems))
    return parts


def _read_as_texts(
    prepared: BoundChallenge, file: SubmissionFile, table: Table, several: Sequence[str]
) -> tuple[Table, dict[tuple[str, ...], list[Problem]] | None]:
    """Return a table whose numbers are texts, so that each system is told what its own rows lack.

    And what is wrong beside numbers: see `problems_of_parts`.
    """
    names = {role: table.column_name(role) for role in table.frame.columns[1:]}
    columns = {
        role if holds_text(role) else f"{EXTRA}{role}]": name for role, name in names.items()
    }
    findings, shape = Findings(), Schema(tuple(columns), (), columns)
    texts = prepared.read(file.path, findings, file.format, [shape]).table
    assert texts is not None  # as it was read before
    used = [name for role, name in names.items() if holds_text(role)]
    roles = [role for role in several if role in table]
    of_parts = problems_of_parts(file.path, texts, roles, used, findings, prepared.limits)
    return texts, of_parts


def problems_of_parts(
    path: Path,
    table: Table,
    roles: Sequence[str],
    used: Collection[str],
    findings: Findings,
    limits: ReadLimits,
) -> dict[tuple[str, ...], list[Problem]] | None:
    """Return the cells of `roles` in rows that were left out -> what is wrong with these rows.

    None if the part of the table that a row belongs to is not certain: no other row has these
    cells, or a column that may hold numbers stands before them, where a decimal comma shifts all
    that follows.

    Args:
        roles: The columns that tell the parts of the table apart.
        used: The names of the columns of text that are used; others may hold numbers.
        findings: What was found when the table was read.
    """
    problems = [problem for problem in findings if problem.severity == "error"]
    if not problems or not roles:
        return {(): problems} if problems else {}
    lines = [problem.line for problem in problems if problem.line is not None]
    last = max(table.header.index(table.column_name(role)) for role in roles)
    if (
        table.find_cells is None
        or len(lines) < findings.errors  # of some the line is not known
        or not set(used).issuperset(table.header[:last])
    ):
        return None
    cells = find_row_cells(path, table.find_cells, lines, roles, limits)
    parts = set(table.frame.select(roles).unique().rows())
    of_parts: dict[tuple[str, ...], list[Problem]] = {}
    for line, problem in zip(lines, problems, strict=True):
        part = tuple(cells[line].get(role, "") for role in roles)
        if part not in parts:
            return None
        of_parts.setdefault(part, []).append(problem)
    return of_parts


def _frames(table: Table, several: Sequence[str]) -> Iterator[tuple[dict[str, str], pl.DataFrame]]:
    """The rows of each system, or run, with the columns as the file calls them."""
    roles = [role for role in several if role in table]
    by = [table.column_name(role) for role in roles]
    texts_first = sorted(table.frame.columns[1:], key=lambda role: not holds_text(role))
    frame = table.frame.select(
        *(pl.col(role).alias(table.column_name(role)) for role in texts_first),
        pl.col("line").alias(ROW),
    )
    for names, part in frame.group_by(by, maintain_order=True):
        yield dict(zip(roles, map(str, names), strict=True)), part
