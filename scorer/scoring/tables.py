"""The organizer's files, read as tables; their problems have T codes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from scorer.challenge.model import CLASSES, Challenge, DescribedSource, Source
from scorer.challenge.submission import layout_of
from scorer.core.errors import ChallengeError
from scorer.core.problems import Findings, as_truth_problems
from scorer.core.text import display_path
from scorer.reading.parts import locate_by_part
from scorer.reading.read import read_file
from scorer.reading.schema import Schema
from scorer.reading.table import Table
from scorer.views.columns import read_columns


def read_table(
    challenge: Challenge,
    source: Source,
    shapes: Sequence[Schema],
    findings: Findings,
) -> Table | None:
    """The table in one of the organizer's files, or None; problems of it get T codes."""
    file_findings = Findings(display_path(source.file))
    schemas = [replace(shape, columns={**source.columns, **shape.columns}) for shape in shapes]
    layout = challenge.layout(source)
    table = read_file(source.file, source.format, schemas, file_findings, layout=layout).table
    locate_by_part(file_findings, layout.parts)
    is_split = challenge.splits is not None and challenge.splits.file == source.file
    used = ("S205", "column 'Usage' is not used") if is_split else None  # the splits use it
    told = (p for p in file_findings if (p.code, p.message) != used)
    findings.extend(as_truth_problems(told))
    return None if table is None else replace(table, find_cells=None)  # which cannot be sent


def read_keys(challenge: Challenge, findings: Findings) -> None:
    """Read the files that give the ids of lines without ids, only for their problems."""
    for key, source in challenge.key_files.items():
        if key == CLASSES:
            continue
        shape = Schema(("list",), ("item",), source.columns)
        file_findings = Findings(display_path(source.file))
        layout = layout_of(source)
        read_file(source.file, source.format, [shape], file_findings, layout=layout)
        findings.extend(as_truth_problems(file_findings))


def public_table(challenge: Challenge, source: Source, schema: Schema) -> Table:
    """The columns of a public file that have a role alone; `ChallengeError` if it is unreadable."""
    findings = Findings()
    table = read_table(challenge, source, [schema], findings)
    raise_fatal(findings)
    assert table is not None
    return table


def raise_fatal(findings: Findings) -> None:
    """Raise `ChallengeError` where a finding is an error."""
    if findings.fatal:
        raise ChallengeError(problems=findings)


def tell_cells(table: Table, source: DescribedSource, findings: Findings) -> None:
    """Add the cells of further columns that are no classes."""
    file_findings = Findings(display_path(source.file))
    read_columns(table, source.extra, "", file_findings)
    findings.extend(as_truth_problems(file_findings))
