"""A repaired copy of a file, as far as no guess is needed.

Only faults whose repair is certain are repaired. Whoever repairs looks at the copy and the list of
changes; scoring never repairs anything.
"""

from __future__ import annotations

import csv
import io
import re
import zipfile
from collections.abc import Callable, Collection, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import NamedTuple
from unicodedata import category

from scorer.core.errors import UsageError
from scorer.core.ids import ID_SEPARATORS, split_ids
from scorer.core.text import printable, quoted
from scorer.reading.header import PANDAS_INDEX
from scorer.reading.layout import WHITESPACE, split_cell
from scorer.reading.limits import ReadLimits, UnreadableError
from scorer.reading.numbers import AMBIGUOUS, DECIMAL_COMMA, join_decimal_commas, strip_marks
from scorer.reading.open import stored_head
from scorer.reading.schema import holds_text
from scorer.reading.signatures import HEAD, ZIP, is_office
from scorer.reading.unpack import COMPRESSED_SUFFIXES, ZIP_DAMAGE, read_bytes
from scorer.reading.write import csv_text

FIXED = ".fixed."  # in the name of a copy
MOST_REPAIRED = 256 * 1024 * 1024  # bytes of a file that is repaired in memory
MOST_BEFORE = 100  # lines before a header
SAMPLE_ROWS = 200  # of a table whose beginning is looked at
BEFORE_HEADER = re.compile(r"\s*(#|sep=.\s*$|\s*$)")
WHOLE_NUMBER = re.compile(r"[0-9]{1,18}")
BRACKETED = re.compile(r"""\s*['"\[(].*['"\])]\s*""", re.DOTALL)  # as a program prints a list
UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")
# Takes ids and returns, for each unknown one that certainly means a known one: its id -> the known.
FindKnownIds = Callable[[Sequence[str]], Mapping[str, str]]
TextRows = list[list[str]]  # the header and the rows, cells without blanks round them


class Repaired(NamedTuple):
    """The bytes of a copy, and its changes."""

    data: bytes
    changes: tuple[str, ...]
    error: str = ""  # why there can be no copy; of one among several files, instead of UsageError


class Expected(NamedTuple):
    """The columns and ids that a table should have.

    Attributes:
        names: role -> what its column is called.
        known_ids: role -> what finds the known ids in place of its unknown ones.
        cells: role -> what separates the ids in a cell that holds several.
        required: The columns that must be there, for each schema that the table may fit.
    """

    names: Mapping[str, str]
    separator: str = ","
    known_ids: Mapping[str, FindKnownIds] = {}
    cells: Mapping[str, str] = {}
    required: Sequence[Collection[str]] = ()

    @property
    def numbers(self) -> list[str]:
        """The names of the columns that hold numbers."""
        return list(dict.fromkeys(n for role, n in self.names.items() if not holds_text(role)))


def repair(path: Path, expected: Expected | None) -> Repaired:
    """Return a file in which all certain faults are repaired.

    In any file: the encoding, and line ends in CR alone; a workbook of one sheet is written as CSV.
    In a table also: lines before the header, separators, quotes round whole lines, blanks, repeated
    headers, an index column, the header's capitals, decimal commas, ids that certainly are known
    ones, rows given twice, ranks from 0.

    Args:
        expected: What a table of separated columns should have; None for other files.

    Raises:
        UsageError: It cannot be read, or is too large.
    """
    changes: list[str] = []
    text = _read_text(path, changes)
    if "\r" in text and "\n" not in text:
        text = text.replace("\r", "\n")
        changes.append("line ends changed from CR to LF")
    if expected is not None:
        text = _repair_table(text, expected, changes)
    return Repaired(text.encode("utf-8"), tuple(changes))


def fixed_path(path: Path) -> Path:
    """Return the path of a repaired copy: `runs/a.csv.gz` -> `runs/a.fixed.csv`."""
    name = path.name
    for suffix in COMPRESSED_SUFFIXES:
        if name.lower().endswith(suffix):
            name = name[: -len(suffix)]
    stem, dot, suffix = name.rpartition(".")
    suffix = "csv" if suffix.lower() == "xlsx" else suffix
    return path.with_name(f"{stem}{FIXED}{suffix}" if dot and stem else f"{name}.fixed")


def unpacked_name(path: Path) -> str:
    """Return the name of a repaired copy in a folder of its own: `runs/a.csv.gz` -> `a.csv`."""
    return fixed_path(path).name.replace(FIXED, ".").removesuffix(".fixed")


def _read_text(path: Path, changes: list[str]) -> str:
    try:
        head = stored_head(path, HEAD)
        # `read_bytes` refuses these two, which can be repaired.
        if head[:2] in UTF16_MARKS or (head.startswith(ZIP) and is_office(head)):
            data = stored_head(path, MOST_REPAIRED + 1)
        else:
            data = read_bytes(path, ReadLimits(MOST_REPAIRED, MOST_REPAIRED)).data
    except UnreadableError as error:
        raise UsageError(f"{printable(path)} cannot be repaired: {error.problem.message}") from None
    if len(data) > MOST_REPAIRED:
        raise UsageError(f"{printable(path)} is too large to be repaired")
    if data.startswith(ZIP):
        return _read_workbook(data, printable(path), changes)
    if data[:2] in UTF16_MARKS:
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
    return text.replace("\0", "")


def _read_workbook(data: bytes, name: str, changes: list[str]) -> str:
    """Return the one sheet of an Excel workbook as CSV."""
    try:
        from openpyxl import load_workbook
    except ModuleNotFoundError:
        message = "is an Excel workbook: save the sheet as CSV (UTF-8), or install what reads it"
        raise UsageError(f"{name} {message}: pip install 'challenge-scorer[excel]'") from None
    try:
        entries = zipfile.ZipFile(io.BytesIO(data)).infolist()
        if sum(entry.file_size for entry in entries) > MOST_REPAIRED:
            raise UsageError(f"{name} is too large to be repaired")
        sheets = load_workbook(io.BytesIO(data), read_only=True, data_only=True).worksheets
        tables = {sheet.title: list(sheet.iter_rows(values_only=True)) for sheet in sheets}
    except (*ZIP_DAMAGE, KeyError, OSError, SyntaxError, TypeError) as error:
        raise UsageError(f"{name} cannot be repaired: {printable(error)}") from None
    filled = {title: rows for title, rows in tables.items() if any(map(any, rows))}
    if len(filled) != 1:
        sheets_word = f"{len(filled)} sheets" if filled else "no sheet with cells"
        raise UsageError(f"{name} is a workbook of {sheets_word}; save one as CSV (UTF-8)")
    [(title, rows)] = filled.items()
    changes.append(f"sheet {quoted(title)} of the workbook written as CSV")
    return csv_text([["" if cell is None else str(cell) for cell in row] for row in rows], ",")


def _repair_table(text: str, expected: Expected, changes: list[str]) -> str:
    """Return a table as expected; as it is if nothing is repaired in it."""
    repairs: list[str] = []
    body = _drop_lines_before_header(text, expected, repairs)
    separator = _find_separator(body, expected)
    try:
        rows = list(csv.reader(io.StringIO(body, newline=""), delimiter=separator))
    except csv.Error:
        return text  # a quote that nobody closed: what was meant is unknown
    # Without blank lines ([]) and lines such as `,,`; a line `""` is a row of one empty cell.
    rows = [row for row in rows if any(row) or len(row) == 1]
    rows = _cut_quoted_lines(rows, separator, expected, repairs)
    if separator != expected.separator:
        repairs.append(f"column separator {separator!r} replaced by {expected.separator!r}")
    table = _Table([list(map(_strip, row)) for row in rows], expected, repairs)
    # Blanks and tabs round a cell mean nothing to scoring, so that alone they are no fault.
    changed = sum(
        cell.strip(" \t") != stripped
        for row, stripped_row in zip(rows, table.rows, strict=True)
        for cell, stripped in zip(row, stripped_row, strict=True)
    )
    if changed:
        repairs.append(f"blanks and invisible characters around {changed:,} values removed")
    if rows and repairs and separator == ";":
        table.note_ambiguous_points()
    if rows:
        table.repair(is_comma_decimal=separator == ";")
    if not repairs:
        return text
    changes.extend(dict.fromkeys(repairs))
    if "\r" in body:
        changes.append("line ends changed to LF")
    return csv_text(table.rows, expected.separator)


def _cut_quoted_lines(
    rows: TextRows, separator: str, expected: Expected, repairs: list[str]
) -> TextRows:
    """Return the rows, after those were cut that were in quotes as a whole."""

    def cut(row: list[str]) -> list[str]:
        is_line = len(row) == 1 and separator in row[0] and not {*row[0]} & {"\n", "\r"}
        return next(csv.reader(row, delimiter=separator)) if is_line else row

    header = cut(rows[0]) if rows else []
    if set(expected.names.values()).isdisjoint(header):
        return rows
    cut_rows = [row if len(line := cut(row)) != len(header) else line for row in rows]
    if changed := sum(row != line for row, line in zip(rows, cut_rows, strict=True)):
        repairs.append(f"quotes round {_count(changed, 'line')} removed")
    return cut_rows


def cut_rows(text: str, expected: Expected) -> TextRows:
    """Return the header and the first rows of a table; none if it cannot be read.

    `text` is the beginning of the table, whose last row may be cut off.
    """
    body = _drop_lines_before_header(text, expected, [])
    reader = csv.reader(io.StringIO(body, newline=""), delimiter=_find_separator(body, expected))
    try:
        rows = islice((row for row in reader if any(row)), SAMPLE_ROWS + 1)
        return [list(map(_strip, row)) for row in rows]
    except csv.Error:
        return []


def has_index_column(rows: TextRows, expected: Expected) -> bool:
    """Return whether a table has all its columns behind a first one that seems an index."""
    header = rows[0] if rows else []
    if len(rows) < 2 or not header or not PANDAS_INDEX.fullmatch(header[0]):
        return False
    fewest = min(map(len, expected.required), default=0)
    if header[0] in expected.names.values() or len(header) <= fewest:
        return False
    numbers = [row[0] for row in rows[1:]]
    return len({*numbers}) == len(numbers) and all(map(WHOLE_NUMBER.fullmatch, numbers))


def _drop_lines_before_header(text: str, expected: Expected, repairs: list[str]) -> str:
    """Return the text from its header on: without comments, and the line that Excel begins with."""
    lines = text.lstrip("\r\n").splitlines(keepends=True)
    before = 0
    while before < min(len(lines), MOST_BEFORE) and BEFORE_HEADER.match(lines[before]):
        before += 1
    # A first line that names columns, as in `#list,item`, may be the header.
    names = expected.names.values()
    if not before or before == len(lines) or any(name in lines[0] for name in names):
        return text
    repairs.append(f"{_count(before, 'line')} before the header removed")
    return "".join(lines[before:])


def _find_separator(text: str, expected: Expected) -> str:
    """Return the mark that cuts the header into the most known names; the expected one if equal."""
    header = text.lstrip("\r\n").split("\n", 1)[0]
    known = {name.casefold() for name in expected.names.values()}

    def count_known(mark: str) -> int:
        names = {_strip(name.strip('"')).casefold() for name in header.split(mark)}
        return len(names & known)

    return max((expected.separator, ",", ";", "\t", "|"), key=count_known)


def _count(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'s' * (count != 1)}"


class _Table:
    """The header and the rows of a table; its methods put them right, and add to `repairs`."""

    def __init__(self, rows: TextRows, expected: Expected, repairs: list[str]) -> None:
        self.rows, self.expected, self.repairs = rows, expected, repairs

    def repair(self, *, is_comma_decimal: bool) -> None:
        """Repair all certain faults; if `is_comma_decimal`, 1,234 certainly means 1.234."""
        self._drop_repeated_headers()
        while self._has_row_numbers():
            self.repairs.append(f"index column {self.rows[0][0]!r} removed")
            self.rows = [row[1:] for row in self.rows]
        self._rename_columns()
        self._join_split_decimals()
        for name in self.expected.numbers:
            self._fix_number_marks(name)
            self._fix_decimal_commas(name, is_certain=is_comma_decimal)
        distinct = list(dict.fromkeys(map(tuple, self.rows)))
        if repeated := len(self.rows) - len(distinct):
            self.repairs.append(f"{_count(repeated, 'duplicate row')} removed")
            self.rows = list(map(list, distinct))
        for role, mark in self.expected.cells.items():
            self._fix_id_separators(role, mark)
        for role, find_known in self.expected.known_ids.items():
            self._fix_known_ids(role, find_known)
        self._fix_zero_based_ranks()

    def _drop_repeated_headers(self) -> None:
        """Remove rows of several cells that are equal to the header."""
        header, *rows = self.rows
        kept = [row for row in rows if row != header or len(row) < 2]
        if repeated := len(rows) - len(kept):
            self.repairs.append(f"{_count(repeated, 'repeated header')} removed")
            self.rows = [header, *kept]

    def _column(self, name: str) -> dict[int, str]:
        """Return row number -> cell of a column; none if there is no such column."""
        if name not in self.rows[0]:
            return {}
        at = self.rows[0].index(name)
        return {n: row[at] for n, row in enumerate(self.rows) if n and at < len(row)}

    def _replace(self, name: str, cells: Mapping[int, str]) -> int:
        """Write row number -> cell into a column; return how many cells changed."""
        changed = 0
        for n, cell in cells.items():
            at = self.rows[0].index(name)
            changed += self.rows[n][at] != cell
            self.rows[n][at] = cell
        return changed

    def _has_row_numbers(self) -> bool:
        """Return whether the first column only counts the rows, in any order."""
        if not has_index_column(self.rows, self.expected):
            return False
        numbers = sorted(int(row[0]) for row in self.rows[1:])
        return any(numbers == [*range(start, start + len(numbers))] for start in (0, 1))

    def _rename_columns(self) -> None:
        """Rename columns whose names differ from missing ones in capitals alone.

        If the header has all that a schema requires, other names are unused columns; but
        a ranking without a column to order it can still lack its score or its rank.
        """
        header, expected = self.rows[0], self.expected
        missing: Collection[str] = expected.names.values()
        complete = [names for names in expected.required if {*names} <= {*header}]
        if complete:
            order = [expected.names.get(role, role) for role in ("score", "rank")]
            is_ranking = any(expected.names.get("item") in names for names in complete)
            missing = order if is_ranking and {*order}.isdisjoint(header) else []
        for n, name in enumerate(header):
            matches = [each for each in missing if each.casefold() == name.casefold()]
            if len(matches) == 1 and name != matches[0] and matches[0] not in header:
                self.repairs.append(f"column {quoted(name)} renamed to {quoted(matches[0])}")
                header[n] = matches[0]

    def _join_split_decimals(self) -> None:
        """Join the fields of numbers that were cut at their decimal commas."""
        header = self.rows[0]
        numbers = [n for n, name in enumerate(header) if name in self.expected.numbers]
        joined = {
            n: row
            for n, fields in enumerate(self.rows)
            if (row := join_decimal_commas(fields, numbers, len(header))) is not None
        }
        if all(AMBIGUOUS.fullmatch(row[n]) for row in joined.values() for n in numbers):
            return  # there are none, or each comma may stand between thousands
        if any(self._ambiguous_points(header[n]) for n in numbers):
            return  # which points may do, too
        for n, row in joined.items():
            self.rows[n] = [
                cell.replace(",", ".") if at in numbers else cell for at, cell in enumerate(row)
            ]
        self.repairs.append(f"decimal commas of {len(joined):,} rows replaced by points")

    def _fix_number_marks(self, name: str) -> None:
        """Remove brackets and currencies of numbers, but no commas or points between thousands.

        These could be decimal ones, and are left to the participant.
        """
        found = {n: strip_marks(cell) for n, cell in self._column(name).items()}
        marked = {n: number for n, number in found.items() if number and not number.has_thousands}
        self._replace(name, {n: number.text for n, number in marked.items()})
        if marked:
            marks = next(iter(marked.values())).marks
            count = _count(len(marked), "value")
            self.repairs.append(f"{marks} removed from {count} of {quoted(name)}")

    def _fix_decimal_commas(self, name: str, *, is_certain: bool) -> None:
        """Write numbers with points where a comma is certainly decimal."""
        cells = self._column(name)
        with_comma = {n: cell for n, cell in cells.items() if DECIMAL_COMMA.fullmatch(cell)}
        if not is_certain and all(map(AMBIGUOUS.fullmatch, with_comma.values())):
            return
        if any("," in cell and strip_marks(cell) for cell in cells.values()):
            return  # in one cell a comma is between thousands, so it may be in the others, too
        if self._ambiguous_points(name):
            return  # 2.000 is hardly 2 where 0,5 is 0.5
        self._replace(name, {n: cell.replace(",", ".") for n, cell in with_comma.items()})
        if with_comma:
            count = _count(len(with_comma), "value")
            self.repairs.append(f"decimal commas in {count} of {quoted(name)} replaced by points")

    def _ambiguous_points(self, name: str) -> list[str]:
        """Return the cells of a column whose points may stand between thousands."""
        cells = self._column(name).values()
        return [cell for cell in cells if "." in cell and AMBIGUOUS.fullmatch(cell)]

    def note_ambiguous_points(self) -> None:
        """Say which numbers are left with a point that may stand between thousands."""
        for name in self.expected.numbers:
            for cell in self._ambiguous_points(name)[:1]:
                rest = f"left, which is {float(cell):g}; is its point between thousands?"
                self.repairs.append(f"{quoted(cell)} of {quoted(name)} is {rest}")

    def _fix_id_separators(self, role: str, mark: str) -> None:
        """Separate the ids of cells as the challenge does.

        That is certain if there is one other mark in the cells, and nowhere the challenge's.
        """
        name, separator = self.expected.names.get(role, role), " " if mark == WHITESPACE else mark
        cells = self._column(name) if holds_text(role) else {}
        others = [
            m for m in ID_SEPARATORS if m != separator and any(m in cell for cell in cells.values())
        ]
        if len(others) != 1 or any(map(BRACKETED.fullmatch, cells.values())):
            return
        # If a blank separates ids, those of `a, b` do not: they follow another mark.
        bare = [re.sub(rf"(?<=[{ID_SEPARATORS}]) +", "", cell.strip()) for cell in cells.values()]
        if any(separator in cell for cell in bare):
            return
        changed = self._replace(name, {n: separator.join(split_ids(c)) for n, c in cells.items()})
        if changed:
            count = f"{_count(changed, 'cell')} of {quoted(name)}"
            self.repairs.append(f"ids of {count} separated by {separator!r}")

    def _fix_known_ids(self, role: str, find_known: FindKnownIds) -> None:
        """Replace ids by known ones, where it is certain which one was meant."""
        name, mark = self.expected.names.get(role, role), self.expected.cells.get(role)
        separator = " " if mark in (None, WHITESPACE) else mark
        cells = {
            n: [cell] if mark is None else split_cell(cell, mark)
            for n, cell in self._column(name).items()
        }
        known = find_known(list(dict.fromkeys(each for ids in cells.values() for each in ids)))
        changed = sum(each in known for ids in cells.values() for each in ids)
        for n, ids in cells.items():
            if not known.keys().isdisjoint(ids):
                self._replace(name, {n: separator.join(known.get(each, each) for each in ids)})
        if changed:
            example = next(f"{wrong!r} is {right!r}" for wrong, right in known.items())
            count = f"{_count(changed, 'id')} of {quoted(name)}"
            self.repairs.append(f"{count} replaced by the challenge's ({example})")

    def _fix_zero_based_ranks(self) -> None:
        """Count ranks from 1 if the ranks of every list count from 0."""
        names = [self.expected.names.get(role, role) for role in ("list", "rank")]
        header, *rows = self.rows
        if not set(names) <= set(header):
            return
        in_list, rank = map(header.index, names)
        if any(len(row) != len(header) or not WHOLE_NUMBER.fullmatch(row[rank]) for row in rows):
            return
        lists_from_0 = {row[in_list] for row in rows if int(row[rank]) == 0}
        if rows and lists_from_0 == {row[in_list] for row in rows}:
            for row in rows:
                row[rank] = str(int(row[rank]) + 1)
            self.repairs.append("ranks now start at 1 instead of 0")


def _strip(cell: str) -> str:
    """Return a cell without the blanks and the invisible characters round it."""
    return cell.strip("".join(c for c in set(cell) if c.isspace() or category(c) in ("Cc", "Cf")))
