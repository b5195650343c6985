"""TREC's runs and qrels, recognised by their lines, whatever the name of the file is."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from scorer.reading.limits import DEFAULT_LIMITS, ReadLimits, UnreadableError
from scorer.reading.open import read_head, table_suffix

HEAD = 1 << 16  # bytes of a file that are looked at
MOST_LINES = 100  # of them
OTHER_SUFFIXES = (".csv", ".tsv", ".json", ".jsonl", ".ndjson")  # whose lines may have commas
# Qrels: list, iteration, item and grade; the second column is mostly 0, and may be a subtopic.
QRELS_LINE = re.compile(r"[^\s,]+[ \t]+[^\s,]+[ \t]+[^\s,]+[ \t]+[+-]?[0-9]{1,4}[ \t]*")
CERTAIN_QRELS_LINE = re.compile(
    r"[ \t]*\S+[ \t]+[Qq]?0[ \t]+\S+[ \t]+[+-]?[0-9]{1,4}(?:\.[0-9]*)?[ \t]*"
)
# Runs: list, Q0, item, rank, score and tag. What follows the tag is ignored.
RUN_LINE = re.compile(
    r"[^\s,]+[ \t]+[^\s,]+[ \t]+[^\s,]+[ \t]+[^\s,]+[ \t]+[+-]?[0-9.][^\s,]*([ \t]+[^\s,]+)?[ \t]*"
)
CERTAIN_RUN_LINE = re.compile(
    r"[ \t]*\S+[ \t]+[Qq]?0[ \t]+\S+[ \t]+[0-9]+[ \t]+(?:[+-]?[0-9.,]\S*|(?i:[+-]?(?:nan|inf)))"
    r"(?:[ \t].*)?"
)


def is_qrels(lines: Sequence[str], path: Path) -> bool:
    """Return whether the first lines of a file are judgments of TREC."""
    return _all_match(lines, QRELS_LINE) or (
        table_suffix(path) not in OTHER_SUFFIXES and _all_match(lines, CERTAIN_QRELS_LINE)
    )


def is_run(lines: Sequence[str], path: Path) -> bool:
    """Return whether the first lines of a file are a run of TREC."""
    return _all_match(lines, RUN_LINE) or (
        table_suffix(path) not in OTHER_SUFFIXES and _all_match(lines, CERTAIN_RUN_LINE)
    )


def is_certain_run(path: Path, own: Sequence[Path] | None) -> bool:
    """Return whether most of the first lines of a file can only be lines of a run.

    `own` are the challenge's own files if the file was sent.
    """
    limits = ReadLimits(own=None if own is None else tuple(own))
    lines = data_lines(first_lines(path, limits))
    return 2 * sum(CERTAIN_RUN_LINE.fullmatch(line) is not None for line in lines) > len(lines)


def first_lines(
    path: Path, limits: ReadLimits = DEFAULT_LIMITS, part: str | None = None
) -> list[str]:
    """Return the first lines that are not blank of a text file, or of a part of one.

    A file that cannot be read has no lines.
    """
    try:
        data = read_head(path, HEAD, limits, part)
        text = data.decode("utf-8-sig", "strict" if len(data) < HEAD else "ignore")
    except (UnreadableError, OSError, ValueError):
        return []
    lines = text.splitlines()
    whole = lines if len(data) < HEAD else lines[:-1]
    return [line for line in whole[: 2 * MOST_LINES] if line.strip()][:MOST_LINES]


def data_lines(lines: Sequence[str]) -> list[str]:
    """Return the lines without the comments of TREC."""
    return [line for line in lines if not line.lstrip().startswith("#")]


def _all_match(lines: Sequence[str], form: re.Pattern[str]) -> bool:
    found = data_lines(lines)
    return bool(found) and all(form.fullmatch(line) for line in found)
