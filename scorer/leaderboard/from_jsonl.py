"""Preferences between submissions read from JSON Lines."""

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
    """The preferences of a comparison."""

    names: list[str]  # of the submissions
    lists: list[str]
    cubes: dict[str, Floats]  # preference -> (submissions, submissions, lists)


def read(path: Path, preferences: Sequence[str] | None = None) -> WrittenPreferences | None:
    """The preferences that `jsonl` wrote; None for any other file.

    `UsageError` if it begins like one, but a line is broken or a pair is missing.
    """
    begun, findings = False, Findings(str(path))
    names: dict[str, int] = {}
    lists: dict[str, int] = {}
    cells: dict[str, list[tuple[int, int, int, float]]] = {}
    try:
        data = read_bytes(path).data.removeprefix(BOM)
        for number, line in read_lines(data, findings).iter_rows():
            if not begun and not _begins(line):
                return None
            begun = True
            if line.strip(" \t"):
                where = f"{printable(path.name)}:{number}"
                for key, value in _parsed_line(line, where, names, lists):
                    cells.setdefault(key, []).append(value)
    except UnreadableError as error:
        findings.add(error.problem)
    if not begun:
        return None
    if findings.fatal:
        raise UsageError(f"{printable(path.name)} cannot be read: {next(iter(findings)).message}")
    if unknown := [name for name in preferences or () if name not in cells]:
        available = join_first(list(cells), 10)
        raise UsageError(
            f"{printable(path.name)} has no preference {quoted(unknown[0])}; it has {available}"
        )
    order = sorted(range(len(names)), key=list(names).__getitem__)
    cubes = {}
    for key in preferences or cells:
        cube = _cube(cells[key], len(names), len(lists))
        if cube is None:
            message = f"{printable(path.name)}: {quoted(key)} needs one line for each pair and list"
            raise UsageError(message)
        cubes[key] = cube[np.ix_(order, order)]
    return WrittenPreferences([list(names)[n] for n in order], list(lists), cubes)


def _begins(line: str) -> bool:
    """Whether a file's first line is one that `jsonl` wrote."""
    try:
        first = parse_json(line)
    except ValueError:
        return False
    return isinstance(first, dict) and {"a", "b", "list", "preferences"} <= first.keys()


def _parsed_line(
    line: str, where: str, names: dict[str, int], lists: dict[str, int]
) -> Iterator[tuple[str, tuple[int, int, int, float]]]:
    """Each preference of a line, with the places of its submissions and list, and its value."""
    wrong = f"{where}: not a line of score compare --format jsonl"
    try:
        row = parse_json(line)
    except ValueError:
        row = None
    match row:
        case {"a": str(a), "b": str(b), "list": str(name), "preferences": dict(values)} if a != b:
            first, other = (names.setdefault(name_of, len(names)) for name_of in (a, b))
            at = lists.setdefault(name, len(lists))
            for key, value in values.items():
                number = math.nan if value is None else value
                if type(number) not in (int, float) or abs(number) > 1:
                    expected = f"{quoted(key)} is {quoted(value)}, expected a number from -1 to 1"
                    raise UsageError(f"{wrong}: {expected}")
                yield key, (first, other, at, float(number))
        case _:
            raise UsageError(wrong)


def _cube(rows: list[tuple[int, int, int, float]], names: int, lists: int) -> Floats | None:
    """The values of all pairs on all lists; None unless each is given once."""
    if len(rows) != names * (names - 1) // 2 * lists:
        return None
    cube: Floats = np.full((names, names, lists), np.nan)
    first, other, at, value = (np.array(column) for column in zip(*rows, strict=True))
    filled = np.zeros(cube.shape, dtype=bool)
    filled[first, other, at] = filled[other, first, at] = True
    if np.count_nonzero(filled) != 2 * len(rows):
        return None
    cube[first, other, at], cube[other, first, at] = value, 0.0 - value
    cube[range(names), range(names)] = 0.0
    return cube
