"""Preferences between submissions, read from JSON Lines that `score compare` wrote."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from scorer.core.arrays import Floats
from scorer.core.errors import UsageError
from scorer.core.problems import Findings
from scorer.core.text import join_first, printable, quoted
from scorer.reading.json_faults import parse_json
from scorer.reading.limits import UnreadableError
from scorer.reading.lines import read_lines
from scorer.reading.signatures import BOM
from scorer.reading.unpack import read_bytes


class WrittenPreferences(NamedTuple):
    """The preferences between submissions on each list, as a file holds them."""

    names: list[str]  # of the submissions, sorted
    lists: list[str]
    cubes: dict[str, Floats]  # preference -> (submissions, submissions, lists)


class Comparison(NamedTuple):
    """The preference between two submissions on a list: their indices, in the file's order."""

    first: int
    second: int
    list_index: int
    value: float  # above 0 if the first is preferred; NaN without a preference


def read(path: Path, preferences: Sequence[str] | None = None) -> WrittenPreferences | None:
    """Return the preferences in a file that `--format jsonl` wrote; None for any other file.

    Args:
        path: The file.
        preferences: Names of the preferences to return; by default all.

    Raises:
        UsageError: The first line is right, but another one is not, or a pair is missing.
    """
    findings = Findings(str(path))
    names: dict[str, int] = {}  # name -> its index
    lists: dict[str, int] = {}
    comparisons: dict[str, list[Comparison]] = {}  # by preference
    has_first_line = False
    try:
        data = read_bytes(path).data.removeprefix(BOM)
        for number, line in read_lines(data, findings).iter_rows():
            if not has_first_line and not _is_comparison(line):
                return None
            has_first_line = True
            if line.strip(" \t"):
                where = f"{printable(path.name)}:{number}"
                for key, comparison in _parse_line(line, where, names, lists):
                    comparisons.setdefault(key, []).append(comparison)
    except UnreadableError as error:
        findings.add(error.problem)
    if not has_first_line:
        return None
    if findings.fatal:
        raise UsageError(f"{printable(path.name)} cannot be read: {next(iter(findings)).message}")
    if unknown := [name for name in preferences or () if name not in comparisons]:
        available = join_first(list(comparisons), 10)
        raise UsageError(
            f"{printable(path.name)} has no preference {quoted(unknown[0])}; it has {available}"
        )
    order = sorted(range(len(names)), key=list(names).__getitem__)
    cubes = {}
    for key in preferences or comparisons:
        cube = _fill_cube(comparisons[key], len(names), len(lists))
        if cube is None:
            message = f"{printable(path.name)}: {quoted(key)} needs one line for each pair and list"
            raise UsageError(message)
        cubes[key] = cube[np.ix_(order, order)]
    return WrittenPreferences([list(names)[n] for n in order], list(lists), cubes)


def _is_comparison(line: str) -> bool:
    """Return whether a line has the keys that each line of `--format jsonl` has."""
    try:
        first = parse_json(line)
    except ValueError:
        return False
    return isinstance(first, dict) and {"a", "b", "list", "preferences"} <= first.keys()


def _parse_line(
    line: str, where: str, names: dict[str, int], lists: dict[str, int]
) -> Iterator[tuple[str, Comparison]]:
    """Yield the name and the comparison of each preference of a line.

    `names` and `lists` hold the indices of earlier lines; new names are added.
    """
    wrong = f"{where}: not a line of score compare --format jsonl"
    try:
        row = parse_json(line)
    except ValueError:
        row = None
    match row:
        case {"a": str(a), "b": str(b), "list": str(name), "preferences": dict(values)} if a != b:
            first = names.setdefault(a, len(names))
            second = names.setdefault(b, len(names))
            list_index = lists.setdefault(name, len(lists))
            for key, value in values.items():
                number = math.nan if value is None else value
                if type(number) not in (int, float) or abs(number) > 1:
                    expected = f"{quoted(key)} is {quoted(value)}, expected a number from -1 to 1"
                    raise UsageError(f"{wrong}: {expected}")
                yield key, Comparison(first, second, list_index, float(number))
        case _:
            raise UsageError(wrong)


def _fill_cube(comparisons: list[Comparison], names: int, lists: int) -> Floats | None:
    """Return the values, (names, names, lists); None unless each pair has each list once."""
    if len(comparisons) != names * (names - 1) // 2 * lists:
        return None
    first, second, at, value = (np.array(column) for column in zip(*comparisons, strict=True))
    is_filled = np.zeros((names, names, lists), dtype=bool)
    is_filled[first, second, at] = True
    is_filled[second, first, at] = True
    if np.count_nonzero(is_filled) != 2 * len(comparisons):
        return None
    cube: Floats = np.full(is_filled.shape, np.nan)
    cube[first, second, at] = value
    cube[second, first, at] = 0.0 - value  # not -value, so that 0 does not become -0
    cube[range(names), range(names)] = 0.0
    return cube
