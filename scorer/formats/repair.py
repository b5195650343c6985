"""A repaired copy of a file, as far as no guess is needed.

Only faults whose repair is certain are repaired. Whoever repairs looks at the copy and the list of
changes; scoring never repairs anything.
"""

from __future__ import annotations

import csv
import io
import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from scorer.bytes.files import at_most, beginning, open_bytes
from scorer.bytes.limits import ReadLimits, Unreadable
from scorer.core.errors import UsageError
from scorer.core.id_pattern import MARKS, apart
from scorer.core.text import printable, quoted
from scorer.formats.arrange import SAMPLE, Fits, arrangement, complete_shapes
from scorer.formats.form import WHITESPACE, several
from scorer.formats.header import INDEX
from scorer.formats.read import COMPRESSED
from scorer.tables.marked import AMBIGUOUS, COMMA, percentage, rejoined, unmarked
from scorer.tables.table import TEXT

FIXED = ".fixed."  # in the name of a copy
MOST_REPAIRED = 256 * 1024 * 1024  # bytes of a file that is repaired in memory
MOST_BEFORE = 100  # lines before a header
BEFORE = re.compile(r"\s*(#|sep=.\s*$|\s*$)")
WHOLE = re.compile(r"[0-9]{1,18}")
LARGE = 10**18
LISTED = re.compile(
    r"""\s*['"\[(].*['"\])]\s*""", re.DOTALL
)  # as a program shows a list, or a text
UTF16 = {b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16"}
Meant = Callable[[str], str | None]  # an id -> the known one that it certainly is, if it is none


@dataclass(frozen=True, slots=True)
class Repaired:
    """The bytes of a copy, and what is different in it; or why there can be none."""

    data: bytes
    changes: tuple[str, ...]
    hopeless: str = ""


class Expected(NamedTuple):
    """The columns and ids that a table should have."""

    names: Mapping[str, str]  # role -> what its column is called
    separator: str = ","
    meant: Mapping[str, Meant] = {}  # role -> which known id an unknown one was
    inner: Mapping[str, str] = {}  # role -> what separates several of them in a cell
    fits: Sequence[Mapping[str, Fits]] = ()  # of each shape, by name: whether a text can be a cell
    ranges: Mapping[str, tuple[float, float]] = {}  # by name, what its numbers lie between

    @property
    def numbers(self) -> list[str]:
        """The names of the columns that hold numbers."""
        return list(dict.fromkeys(n for role, n in self.names.items() if role not in TEXT))


def repair(path: Path, expected: Expected | None) -> Repaired:
    """The file with what is certain put right.

    That is its encoding; of a table also lines before the header, separators, blanks, an index
    column, the header's capitals, decimal commas, ids that certainly are known ones, rows given
    twice, and ranks from 0.

    `UsageError` if the file cannot be read, or is too large.

    Without `expected`, of a table of separated columns, only the encoding can be repaired.
    """
    changes: list[str] = []
    text = _decoded(_bytes(path), changes)
    if expected is not None:
        text = _repaired_table(text, expected, changes)
    return Repaired(text.encode("utf-8"), tuple(changes))


def beside(path: Path) -> Path:
    """The path of a repaired copy: `runs/a.csv.gz` -> `runs/a.fixed.csv`."""
    name = path.name
    for suffix in COMPRESSED:
        if name.lower().endswith(suffix):
            name = name[: -len(suffix)]
    stem, dot, suffix = name.rpartition(".")
    return path.with_name(f"{stem}{FIXED}{suffix}" if dot and stem else f"{name}.fixed")


def unpacked_name(path: Path) -> str:
    """The name of a repaired copy in a folder of its own: `runs/a.csv.gz` -> `a.csv`."""
    return beside(path).name.replace(FIXED, ".").removesuffix(".fixed")


def _bytes(path: Path) -> bytes:
    try:
        if beginning(path, 2) in UTF16:  # no table to the readers, which look no further
            data = beginning(path, MOST_REPAIRED + 1)
        else:
            with open_bytes(path, ReadLimits(size=MOST_REPAIRED, unpacked=MOST_REPAIRED)) as stream:
                data = at_most(stream, MOST_REPAIRED + 1)
    except Unreadable as error:
        raise UsageError(f"{printable(path)} cannot be repaired: {error.problem.message}") from None
    if len(data) > MOST_REPAIRED:
        raise UsageError(f"{printable(path)} is too large to be repaired")
    return data


def _decoded(data: bytes, changes: list[str]) -> str:
    if data[:2] in UTF16:
        changes.append("encoding: UTF-16 converted to UTF-8")
        text = data.decode("utf-16", "replace")
    else:
        try:
            text = data.decode("utf-8")
        except UnicodeDecodeError:
            changes.append("encoding: Windows-1252 converted to UTF-8")
            text = data.decode("cp1252", "replace")
    if text.startswith("\ufeff"):
        text = text[1:]
        changes.append("byte-order mark removed")
    if "\0" in text:
        changes.append(f"{text.count(chr(0)):,} NUL bytes removed")
        text = text.replace("\0", "")
    return text


def _repaired_table(text: str, expected: Expected, changes: list[str]) -> str:
    """The table as expected, its cells bare, its index gone."""
    repairs: dict[str, None] = {}
    names, separator = list(expected.names.values()), expected.separator
    text = _headed(text, names, repairs)
    mark = _mark(text, names, separator)
    try:
        rows = [row for row in csv.reader(io.StringIO(text, newline=""), delimiter=mark) if row]
    except csv.Error:
        return text  # a quote that nobody closed: what was meant is unknown
    if mark != separator:
        repairs[f"column separator {mark!r} replaced by {separator!r}"] = None
    bare = [[_stripped(cell) for cell in row] for row in rows]
    if blanks := sum(
        cell.strip(" \t") != clean
        for row, clean_row in zip(rows, bare, strict=True)
        for cell, clean in zip(row, clean_row, strict=True)
    ):
        repairs[f"blanks and invisible characters around {blanks:,} values removed"] = None
    while _is_index(bare, expected):
        repairs[f"index column {bare[0][0]!r} removed"] = None
        bare = [row[1:] for row in bare]
    if bare:
        _rename(bare[0], expected, repairs)
        bare = _arranged(bare, expected, repairs)
        _join(bare, expected, repairs)
        _point(bare, expected, repairs, certain=mark == ";")
        bare = _once(bare, repairs)
        _part(bare, expected, repairs)
        _mean(bare, expected, repairs)
        _from_one(bare, expected, repairs)
    if not repairs:
        return text
    changes.extend(repairs)
    if "\r" in text:
        changes.append("line ends changed to LF")
    output = io.StringIO()
    csv.writer(output, delimiter=separator, lineterminator="\n").writerows(bare)
    return output.getvalue()


def cut_rows(text: str, expected: Expected) -> list[list[str]]:
    """The rows of the beginning of a table, the last of which may be cut off; none if unreadable.

    They begin with the header, or the first row where there is none; cells are bare.
    """
    names = list(expected.names.values())
    text = _headed(text, names, {})
    reader = csv.reader(
        io.StringIO(text, newline=""), delimiter=_mark(text, names, expected.separator)
    )
    try:
        return [list(map(_stripped, row)) for row in islice(filter(None, reader), SAMPLE + 1)]
    except csv.Error:
        return []


def _mark(text: str, names: Sequence[str], separator: str) -> str:
    """The separator of a text's columns."""
    return _separator(text.lstrip("\r\n").split("\n", 1)[0], names, separator)


def _headed(text: str, names: Sequence[str], repairs: dict[str, None]) -> str:
    """The text from its header on: less comments, and less the line that Excel begins with."""
    lines = text.lstrip("\r\n").splitlines(keepends=True)
    before = 0
    while before < min(len(lines), MOST_BEFORE) and BEFORE.match(lines[before]):
        before += 1
    if not before or before == len(lines) or any(name in lines[0] for name in names):
        return text
    repairs[f"{before:,} line{'s' * (before != 1)} before the header removed"] = None
    return "".join(lines[before:])


def _separator(header: str, names: Sequence[str], separator: str) -> str:
    """The separator of the columns: the mark that cuts the header into the most known names."""
    expected = {name.casefold() for name in names}

    def cut(mark: str) -> int:
        return len(
            {_stripped(name.strip('"')).casefold() for name in header.split(mark)} & expected
        )

    return max((separator, ",", ";", "\t", "|"), key=cut)


def _rename(header: list[str], expected: Expected, repairs: dict[str, None]) -> None:
    """Write the names of missing columns with the capitals that are expected."""
    meant: dict[str, list[str]] = {}
    for name in _missing_names(header, expected):
        meant.setdefault(name.casefold(), []).append(name)
    for n, name in enumerate(header):
        matches = meant.get(name.casefold(), [])
        if len(matches) == 1 and name != matches[0] and matches[0] not in header:
            repairs[f"column {quoted(name)} renamed to {quoted(matches[0])}"] = None
            header[n] = matches[0]


def _missing_names(header: Sequence[str], expected: Expected) -> Sequence[str]:
    """Return the names of columns that the header may lack; further columns are not used."""
    complete = complete_shapes(header, expected.fits)
    if not complete:
        return list(expected.names.values())
    order = [expected.names.get(role, role) for role in ("score", "rank")]
    has_items = any(expected.names.get("item") in fits for fits in complete)
    return order if has_items and not any(name in header for name in order) else []


def _arranged(
    rows: list[list[str]], expected: Expected, repairs: dict[str, None]
) -> list[list[str]]:
    """The rows below the header that they certainly should have."""
    found = None if numbers_rows(rows, expected) else arrangement(rows, expected.fits)
    if found is None:
        return rows
    header = ", ".join(map(quoted, found.names))
    if found.kind == "missing":
        repairs[f"header added: {header}"] = None
        return [found.names, *rows]
    repairs[f"header {', '.join(map(quoted, rows[0]))} replaced by {header}"] = None
    return [found.names, *rows[1:]]


def _join(rows: list[list[str]], expected: Expected, repairs: dict[str, None]) -> None:
    """Join the fields of numbers that were cut at their decimal commas."""
    numbers = [n for n, name in enumerate(rows[0]) if name in expected.numbers]
    whole = {
        n: row
        for n, fields in enumerate(rows)
        if (row := rejoined(fields, numbers, len(rows[0]))) is not None
    }
    if all(AMBIGUOUS.fullmatch(row[n]) for row in whole.values() for n in numbers):
        return
    for n, row in whole.items():
        rows[n] = [cell.replace(",", ".") if at in numbers else cell for at, cell in enumerate(row)]
    repairs[f"decimal commas of {len(whole):,} rows replaced by points"] = None


def _point(
    rows: list[list[str]], expected: Expected, repairs: dict[str, None], certain: bool
) -> None:
    """Write numbers plainly: without marks, and with points where a comma is certainly decimal."""
    for name in expected.numbers:
        if name not in rows[0]:
            continue
        at = rows[0].index(name)
        cells = {n: row[at] for n, row in enumerate(rows) if n and at < len(row)}
        ways = {**_shares(cells, expected.ranges.get(name)), **_plain(cells, certain)}
        for what, plain in ways.items():
            for n, text in plain.items():
                rows[n][at] = text
            many = f"{len(plain):,} value{'s' * (len(plain) != 1)}"
            repairs[what.replace("{}", f"{many} of {quoted(name)}")] = None


def _shares(
    cells: Mapping[int, str], range: tuple[float, float] | None
) -> dict[str, dict[int, str]]:
    """The percentages of a column without their sign, where its range leaves one way to write them.

    Divided by 100 or not: one of the two has to lie outside, and the other inside.
    """
    found = {n: pair for n, cell in cells.items() if (pair := percentage(cell)) is not None}
    if range is None or not found:
        return {}
    low, high = range
    inside = [
        way for way in (0, 1) if all(low <= float(pair[way]) <= high for pair in found.values())
    ]
    if len(inside) != 1:
        return {}
    what = ("divided by 100", "left as they are")[inside[0]]
    return {f"percent signs removed from {{}}, {what}": {n: p[inside[0]] for n, p in found.items()}}


def _plain(cells: Mapping[int, str], certain: bool) -> dict[str, dict[int, str]]:
    """The numbers of a column that are written otherwise, plainly, by what is done to them.

    `certain`: a comma is decimal even before three digits.
    """
    marked = {n: found for n, cell in cells.items() if (found := unmarked(cell)) is not None}
    marks = {found.thousands for found in marked.values()} & {",", "."}
    commas = {n: cell for n, cell in cells.items() if COMMA.fullmatch(cell)}
    decimal = any(not AMBIGUOUS.fullmatch(cell) for cell in commas.values())
    if len(marks) > 1 or (marks == {","} and decimal):
        return {}  # one comma parts thousands, another is decimal
    plain = {n: found.plain for n, found in marked.items()}
    for mark in marks:
        alike = {n: c for n, c in cells.items() if AMBIGUOUS.fullmatch(c) and mark in c}
        plain |= {n: cell.replace(mark, "") for n, cell in alike.items()}
    done = {}
    if plain:
        done[f"{next(iter(marked.values())).marks} removed from {{}}"] = plain
    if commas and marks != {","} and (decimal or certain or marks):
        points = {n: cell.replace(",", ".") for n, cell in commas.items()}
        done["decimal commas in {} replaced by points"] = points
    return done


def _part(rows: list[list[str]], expected: Expected, repairs: dict[str, None]) -> None:
    """Separate the ids of cells as the challenge does, where a list of Python's shows them.

    Without brackets it is certain where all cells of several have one other mark, and none has
    the challenge's.
    """
    for role, mark in expected.inner.items():
        name = expected.names.get(role, role)
        if name not in rows[0] or role not in TEXT:
            continue
        at = rows[0].index(name)
        cells = [row[at] for row in rows[1:] if at < len(row)]
        joint = " " if mark == WHITESPACE else mark
        others = [m for m in MARKS if m != joint and any(m in cell for cell in cells)]
        listed = [cell for cell in cells if LISTED.fullmatch(cell)]
        if not cells or (
            len(listed) < len(cells) and (len(others) != 1 or _mark_between_ids(cells, joint))
        ):
            continue
        parted = [joint.join(apart(cell)) for cell in cells]
        if changed := sum(map(str.__ne__, parted, cells)):
            for row, cell in zip((row for row in rows[1:] if at < len(row)), parted, strict=True):
                row[at] = cell
            cells_changed = f"{changed:,} cell{'s' * (changed != 1)} of {quoted(name)}"
            repairs[f"ids of {cells_changed} separated by {joint!r}"] = None


def _mark_between_ids(cells: Sequence[str], joint: str) -> bool:
    """Whether the challenge's own mark stands between ids, not only behind another mark."""
    return any(joint in re.sub(rf"(?<=[{MARKS}]) +", "", cell.strip()) for cell in cells)


def _mean(rows: list[list[str]], expected: Expected, repairs: dict[str, None]) -> None:
    """Replace ids by known ones, where it is certain which one was meant."""
    for role, meant in expected.meant.items():
        name, mark = expected.names.get(role, role), expected.inner.get(role)
        if name not in rows[0]:
            continue
        at, changed, meanings = rows[0].index(name), 0, dict[str, str | None]()
        for row in rows[1:]:
            if at >= len(row):
                continue
            ids = [row[at]] if mark is None else several(row[at], mark)
            for cell in ids:
                if cell not in meanings:
                    meanings[cell] = meant(cell)
            if replaced := sum(meanings[cell] is not None for cell in ids):
                joint = " " if mark in (None, WHITESPACE) else mark
                row[at] = joint.join(meanings[cell] or cell for cell in ids)
                changed += replaced
        if changed:
            example = next(f"{wrong!r} is {right!r}" for wrong, right in meanings.items() if right)
            many = "1 id" if changed == 1 else f"{changed:,} ids"
            repairs[f"{many} of {quoted(name)} replaced by the challenge's ({example})"] = None


def _once(rows: list[list[str]], repairs: dict[str, None]) -> list[list[str]]:
    """Each row once."""
    distinct = list(dict.fromkeys(map(tuple, rows)))
    if again := len(rows) - len(distinct):
        repairs[f"{again:,} duplicate row{'s' * (again != 1)} removed"] = None
    return list(map(list, distinct)) if again else rows


def _from_one(rows: list[list[str]], expected: Expected, repairs: dict[str, None]) -> None:
    """Count ranks from 1 where those of every list count from 0."""
    names = [expected.names.get(role, role) for role in ("list", "rank")]
    if not set(names) <= set(rows[0]):
        return
    in_list, rank = map(rows[0].index, names)
    lowest: dict[str, int] = {}
    for row in rows[1:]:
        if len(row) != len(rows[0]) or not WHOLE.fullmatch(row[rank]):
            return
        lowest[row[in_list]] = min(lowest.get(row[in_list], LARGE), int(row[rank]))
    if lowest and not any(lowest.values()):
        for row in rows[1:]:
            row[rank] = str(int(row[rank]) + 1)
        repairs["ranks now start at 1 instead of 0"] = None


def _is_index(rows: Sequence[Sequence[str]], expected: Expected) -> bool:
    """Whether the first column only counts the rows, in any order, and is not expected."""
    if not numbers_rows(rows, expected):
        return False
    counted = sorted(int(row[0]) for row in rows[1:])
    return any(counted == [*range(start, start + len(counted))] for start in (0, 1))


def numbers_rows(rows: Sequence[Sequence[str]], expected: Expected) -> bool:
    """Whether the first column seems an index: a whole number a row, beside what must be."""
    header = rows[0] if rows else []
    if len(rows) < 2 or not header or not INDEX.fullmatch(header[0]):
        return False
    fewest = min(map(len, expected.fits), default=0)
    if header[0] in expected.names.values() or len(header) <= fewest:
        return False
    numbers = [row[0] for row in rows[1:]]
    return len({*numbers}) == len(numbers) and all(map(WHOLE.fullmatch, numbers))


def _stripped(cell: str) -> str:
    """A cell less the blanks and the invisible characters round it."""
    if cell.isascii():
        return cell.strip()
    start, end = 0, len(cell)
    while start < end and _nothing(cell[start]):
        start += 1
    while end > start and _nothing(cell[end - 1]):
        end -= 1
    return cell[start:end]


def _nothing(character: str) -> bool:
    return character.isspace() or unicodedata.category(character) in ("Cf", "Cc")
