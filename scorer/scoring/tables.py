"""The organizer's files, read as tables; their problems have T codes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import polars as pl

from scorer.challenge.model import CLASSES, Challenge, Source
from scorer.challenge.submission import ClassFile, FileLayout, KeyFile, layout_of
from scorer.core.errors import ChallengeError
from scorer.core.problems import Findings, Problem, as_truth_problems
from scorer.core.text import display_path, format_exact, printable, quoted
from scorer.reading.frame import read_frame
from scorer.reading.limits import DEFAULT_LIMITS, ReadLimits
from scorer.reading.parts import locate_by_part
from scorer.reading.read import header_words, read_file
from scorer.reading.schema import Schema
from scorer.reading.table import Table
from scorer.views.columns import read_columns

MAX_CLASSES = 10_000_000
USAGE_NOT_USED = "column 'Usage' is not used"  # a warning that is wrong if the splits use it


def read_table(
    challenge: Challenge,
    source: Source | KeyFile | ClassFile,
    schemas: Sequence[Schema],
    findings: Findings,
    limits: ReadLimits = DEFAULT_LIMITS,
) -> Table | None:
    """Return the table of an organizer's file; None, after its problems, if it cannot be read.

    A data frame of a Python session may take the place of the file.

    Args:
        challenge: The challenge that names the file.
        source: The section of challenge.yaml that does.
        schemas: The shapes that it may have; the section says what their columns are called.
        findings: Where its problems are added, with T codes.
        limits: The limits of reading.
    """
    renamed = [replace(each, columns={**source.columns, **each.columns}) for each in schemas]
    layout = challenge.layout(source) if isinstance(source, FileLayout) else layout_of(source)
    in_file = Findings(display_path(source.file))
    frame = challenge._frames.get(source.file)
    if frame is None:
        table = read_file(source.file, source.format, renamed, in_file, limits, layout).table
    else:
        table = read_frame(frame, renamed, in_file, limits, layout).table
    locate_by_part(in_file, layout.parts)
    if challenge.splits is not None and challenge.splits.file == source.file:
        problems = [each for each in in_file if each.message != USAGE_NOT_USED]
    else:
        problems = list(in_file)
    add_problems(findings, source.file, problems)
    return None if table is None else replace(table, find_cells=None)  # which cannot be pickled


def read_header(challenge: Challenge, source: Source) -> frozenset[str]:
    """Return the names of columns that a file may have: the words of its first line."""
    frame = challenge._frames.get(source.file)
    if frame is not None:
        return frozenset(frame.columns)
    return header_words(source.file, source.format, challenge.layout(source))


def require_table(
    challenge: Challenge, source: Source, schemas: Sequence[Schema], findings: Findings
) -> Table:
    """Return the table of an organizer's file as `read_table`; `ChallengeError` if it is wrong."""
    table = read_table(challenge, source, schemas, findings)
    raise_errors(findings)
    assert table is not None
    return table


def read_plain_table(file: Path, schemas: Sequence[Schema], findings: Findings) -> Table | None:
    """Return the table of an organizer's file without a section of its own, as `read_table`."""
    in_file = Findings(display_path(file))
    table = read_file(file, None, schemas, in_file).table
    add_problems(findings, file, in_file)
    return table


def add_problems(findings: Findings, file: Path, problems: Iterable[Problem]) -> None:
    """Add problems of an organizer's file, with its path and with T codes."""
    in_file = Findings(display_path(file))
    in_file.extend(problems)
    findings.extend(as_truth_problems(in_file))


def raise_errors(findings: Findings) -> None:
    """Raise `ChallengeError` with all findings if one of them is an error."""
    if findings.fatal:
        raise ChallengeError(problems=findings)


def check_key_files(challenge: Challenge, findings: Findings) -> None:
    """Add the problems of the files that give the ids of the lines of other files."""
    for key, source in challenge.key_files.items():
        if key != CLASSES:
            read_table(challenge, source, [Schema(("list",), ("item",))], findings)


def check_cells(table: Table, source: Source, findings: Findings) -> None:
    """Add the problems of the cells of further columns (`extra:`)."""
    in_file = Findings()
    read_columns(table, source.extra, "", in_file)
    add_problems(findings, source.file, in_file)


def read_classes(challenge: Challenge, findings: Findings) -> tuple[str, ...]:
    """Return the labels of `submission.classes: {file: ..}`, in its order; none without a file."""
    source = challenge.submission.classes
    if isinstance(source, tuple):
        return ()
    words = header_words(source.file, source.format, layout_of(source))
    columns = source.columns or ({"label": next(iter(words))} if len(words) == 1 else {})
    limits = ReadLimits(rows=MAX_CLASSES)
    table = read_table(challenge, source, [Schema(("label",), (), columns)], findings, limits)
    if table is None:
        return ()
    add_problems(findings, source.file, _find_problems_of_classes(table))
    return tuple(table.frame["label"].to_list())


def _find_problems_of_classes(table: Table) -> Iterator[Problem]:
    """Yield a label that stands twice or is empty, and that there are fewer than two."""
    frame = table.frame
    word = printable(table.column_name("label"), 60)
    repeated = frame.filter(~pl.col("label").is_first_distinct())
    for line, label in repeated.head(1).select("line", "label").iter_rows():
        message = f"{word} {quoted(label)} stands twice"
        yield Problem("S304", message, line=line, times=repeated.height)
    for line in frame.filter(pl.col("label") == "")["line"].tail(1):
        yield Problem("S522", f"{word} is empty", line=line)
    if frame.height < 2:
        yield Problem("S103", "there are fewer than two classes")


def find_contradictions(items: Table) -> Iterator[Problem]:
    """Yield numbers of items that differ from the numbers of an earlier row, and counts below 0."""
    roles = [role for role, dtype in items.frame.schema.items() if dtype.is_float()]
    firsts = pl.col("line", *roles).first().over("item").name.prefix("first ")
    frame = items.frame.with_columns(firsts)
    for role in roles:
        difference = pl.col(role) - pl.col(f"first {role}")
        differs = difference.is_not_nan() & (difference != 0)
        is_below = pl.lit(role == "users") & (pl.col(role) < 0)
        columns = ("line", "item", "first line", role, f"first {role}")
        rows = frame.select(*columns, differs=differs, is_below=is_below)
        rows = rows.filter(pl.col("differs") | pl.col("is_below"))
        for line, item, first_line, value, first, differs_here, below in rows.iter_rows():
            message = f"{printable(items.column_name(role), 60)} of item {quoted(item)}"
            message += f" is {format_exact(value)}"
            if below:
                yield Problem("S505", f"{message}, below 0", line=line, item=item)
            if differs_here:
                message += f" here and {format_exact(first)} on line {first_line:,}"
                yield Problem("S304", message, line=line, item=item)


def read_labels(table: Table, role: str, file: Path, findings: Findings) -> dict[str, str]:
    """Return the group or cluster of each list; a list that has two is a problem of the file."""
    rows = table.frame.select("line", "list", role, first=pl.col(role).first().over("list"))
    for line, name, label, first in rows.filter(pl.col(role) != pl.col("first")).iter_rows():
        message = f"{quoted(name)} is in two {role}s, {quoted(first)} and {quoted(label)}"
        findings.add(Problem("T304", message, path=display_path(file), line=line, list=name))
    firsts = rows.unique("list", keep="first", maintain_order=True)
    return dict(firsts.select("list", role).iter_rows())
