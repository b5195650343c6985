"""Formats: how the lines of a file become text columns, and which format a file has.

A format is a function from the lines of a file to text columns. Its caller decodes the file,
applies the layout, parses numbers and finds the places of problems. A file has the format of its
name; runs and qrels of TREC, which have many names, are recognised by their lines.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import NamedTuple

import polars as pl

from scorer.reading.layout import PLAIN, Layout
from scorer.reading.limits import DEFAULT_LIMITS, ReadLimits, UnreadableError
from scorer.reading.numbers import DECIMAL
from scorer.reading.table import Cells, ReadRequest
from scorer.reading.unpack import read_head, table_suffix, zip_names

HEAD_BYTES = 1 << 16  # of a file, in which its first lines are looked for
MOST_HEAD_LINES = 100  # first lines that are looked at
# Files with these suffixes are of TREC only if no line has a comma, since it may separate cells.
OTHER_SUFFIXES = (".csv", ".tsv", ".json", ".jsonl", ".ndjson")
# Each tuple below has a pattern without commas, then one that allows them: there the second column
# is 0 or Q0 and, in a run, the rank is a whole number, which is hardly chance.
# Qrels: list, iteration, item and grade; the second column is mostly 0, and may be a subtopic.
QRELS_LINES = (
    r"[^\s,]+[ \t]+[^\s,]+[ \t]+[^\s,]+[ \t]+[+-]?[0-9]{1,4}[ \t]*",
    r"[ \t]*\S+[ \t]+[Qq]?0[ \t]+\S+[ \t]+[+-]?[0-9]{1,4}(?:\.[0-9]*)?[ \t]*",
)
# Runs: list, Q0, item, rank, score and tag. What follows the tag is ignored.
RUN_LINES = (
    r"[^\s,]+[ \t]+[^\s,]+[ \t]+[^\s,]+[ \t]+[^\s,]+[ \t]+[+-]?[0-9.][^\s,]*([ \t]+[^\s,]+)?[ \t]*",
    r"[ \t]*\S+[ \t]+[Qq]?0[ \t]+\S+[ \t]+[0-9]+[ \t]+(?:[+-]?[0-9.,]\S*|(?i:[+-]?(?:nan|inf)))"
    r"(?:[ \t].*)?",
)

ReadLines = Callable[[pl.DataFrame, ReadRequest], Cells]
ReadBytes = Callable[[bytes, ReadRequest], Cells]
ReadNames = Callable[[bytes], Sequence[str]]
ReadClean = Callable[[bytes, ReadRequest], "Cells | None"]
Rows = Sequence[Mapping[str, object]]  # each role -> value
WriteRows = Callable[[Rows, Mapping[str, str]], bytes]  # the mapping is role -> name of the column


# Name of a format, as `format:` has it -> the ends of the names of its files, in small letters. The
# module `scorer.reading.NAME` is imported when a file has that format.
SUFFIXES: Mapping[str, tuple[str, ...]] = {
    "csv": (".csv", ".tsv", ".txt"),
    "json": (),
    "jsonl": (".jsonl", ".ndjson", ".json"),
    "lists": (".lists",),
    "parquet": (".parquet", ".pq"),
    "trec": (".run", ".trec", ".res", ".qrels"),
}
CSV_MODULE = "delimited"  # `scorer.reading.csv` would be taken for Python's module


class Format(NamedTuple):
    """A way to write a table in a file: the constant FORMAT of its module.

    Attributes:
        name: As `format:` names it.
        write: Returns a file of rows, for the sample in a kit.
        read_lines: Returns the cells of the lines of a text file; None if its files are no text.
        read_bytes: Returns the cells of the bytes of a file that is no text.
        read_clean: Returns from the bytes of a file what `read_lines` returns, in less time; None
            if the file has anything that needs a careful look, such as quotes or a wrong number.
        read_names: Returns the names of the columns of the bytes of a file that is no text.
        is_document: Whether a file is one value, not rows on lines: its lines have no limit.
    """

    name: str
    write: WriteRows
    read_lines: ReadLines | None = None
    read_bytes: ReadBytes | None = None
    read_clean: ReadClean | None = None
    read_names: ReadNames | None = None
    is_document: bool = False


def load_format(name: str) -> Format:
    """Return the format of a name, after importing its module."""
    module = CSV_MODULE if name == "csv" else name
    format: Format = import_module(f"scorer.reading.{module}").FORMAT
    return format


def find_format(
    path: Path,
    wanted: Format | str | None,
    layout: Layout = PLAIN,
    protected: tuple[Path, ...] | None = None,
) -> Format:
    """Return the format of a file: the wanted one, else by its suffix; else CSV.

    A run of TREC needs no name and no suffix: most of its first lines can be nothing else.

    Args:
        path: The file, which is opened if it is a ZIP archive or may be a run of TREC.
        wanted: The format that the challenge asks for, or its name; None if it asks for none.
        layout: With JSON paths, a file is a JSON document if no format is wanted.
        protected: As in `ReadLimits`.
    """
    if isinstance(wanted, Format):
        return wanted
    if wanted is not None or layout.json:
        return load_format(wanted or "json")
    suffix = table_suffix(path)
    if not suffix and path.suffix.lower() == ".zip":
        names = zip_names(path, protected)
        suffix = table_suffix(Path(names[0])) if len(names) == 1 else ""
    found = next((name for name, suffixes in SUFFIXES.items() if suffix in suffixes), None)
    if found is None or suffix == ".txt":
        lines = first_lines(path, ReadLimits(protected=protected))
        if matching_lines(lines, RUN_LINES[1]):
            return load_format("trec")
    return load_format(found or "csv")


def format_suffix(name: str) -> str:
    """Return the longest suffix of a format at the end of a lower-case file name; or ""."""
    suffixes = [suffix for own in SUFFIXES.values() for suffix in own]
    return max((each for each in suffixes if name.endswith(each)), key=len, default="")


def trec_lines(lines: Sequence[str], path: Path, patterns: Sequence[str]) -> list[str]:
    """Return the first lines of a file that are lines of runs or qrels; [] unless most are.

    `patterns` is `RUN_LINES` or `QRELS_LINES`.
    """
    may_have_commas = table_suffix(path) not in OTHER_SUFFIXES
    found = matching_lines(lines, *(patterns if may_have_commas else patterns[:1]))
    # Names with tabs between them are the header of a table.
    has_header = found and "\t" in lines[0] and not any(map(DECIMAL.fullmatch, lines[0].split()))
    return [] if has_header else found


def first_lines(
    path: Path, limits: ReadLimits = DEFAULT_LIMITS, part: str | None = None
) -> list[str]:
    """Return the first lines that are not blank of a text file; [] if it cannot be read.

    `part` is the name of a file in an archive or folder at `path`.
    """
    try:
        data = read_head(path, HEAD_BYTES, limits, part)
    except (UnreadableError, OSError, ValueError):
        return []
    # Bytes that are not UTF-8 say nothing of the form; the format's reader reports them.
    lines = data.decode("utf-8-sig", "replace").splitlines()
    complete = lines if len(data) < HEAD_BYTES else lines[:-1]  # the last line may be cut off
    return [line for line in complete if line.strip()][:MOST_HEAD_LINES]


def matching_lines(lines: Sequence[str], *patterns: str | re.Pattern[str]) -> list[str]:
    """Return the lines that match one of the patterns if most do, else none.

    What is wrong with the others is for the format's reader to say. Comments do not count.
    """
    found, others = list[str](), 0
    for line in lines:
        if any(re.fullmatch(pattern, line) for pattern in patterns):
            found.append(line)
        elif not line.lstrip().startswith("#"):
            others += 1
    return found if len(found) > others else []
