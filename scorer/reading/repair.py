"""A repaired copy of a file, as far as no guess is needed.

Only faults whose repair is certain are repaired. Whoever repairs looks at the copy and the list of
changes; scoring never repairs anything.
"""

from __future__ import annotations

import csv
import io
import re
import unicodedata
import zipfile
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from scorer.core.errors import UsageError
from scorer.core.ids import MARKS, split_ids
from scorer.core.text import printable, quoted
from scorer.reading.header import PANDAS_INDEX
from scorer.reading.layout import WHITESPACE, split_cell
from scorer.reading.limits import ReadLimits, UnreadableError
from scorer.reading.numbers import AMBIGUOUS, DECIMAL_COMMA, join_decimal_commas, strip_marks
from scorer.reading.open import (
    COMPRESSED_SUFFIXES,
    HEAD,
    ZIP,
    ZIP_DAMAGE,
    is_office,
    read_bytes,
    stored_head,
)
from scorer.reading.schema import TEXT

FIXED = ".fixed."  # in the name of a copy
MOST_REPAIRED = 256 * 1024 * 1024  # bytes of a file that is repaired in memory
MOST_BEFORE = 100  # lines before a header
SAMPLE_ROWS = 200  # of a table whose beginning is looked at
BEFORE_HEADER = re.compile(r"\s*(#|sep=.\s*$|\s*$)")
WHOLE_NUMBER = re.compile(r"[0-9]{1,18}")
BRACKETED = re.compile(r"""\s*['"\[(].*['"\])]\s*""", re.DOTALL)  # as programs show lists
UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")
FindKnownId = Callable[[str], str | None]  # the known id that an unknown one certainly is, if any
Table = list[list[str]]  # the header and the rows, cells without blanks round them


@dataclass(frozen=True, slots=True)
class Repaired:
    """The bytes of a copy, and what is different in it; or why there can be none."""

    data: bytes
    changes: tuple[str, ...]
    hopeless: str = ""


class Expected(NamedTuple):
    """The columns and ids that a table should have.

    Attributes:
        names: role -> what its column is called.
        separator: What separates columns.
        known_ids: role -> what finds the known id that an unknown one was.
        cells: role -> what separates several of them in a cell.
        required: Of each shape that the table may have the columns it must have.
    """

    names: Mapping[str, str]
    separator: str = ","
    known_ids: Mapping[str, FindKnownId] = {}
    cells: Mapping[str, str] = {}
    required: Sequence[Collection[str]] = ()

    @property
    def numbers(self) -> list[str]:
        """The names of the columns that hold numbers."""
        return list(dict.fromkeys(n for role, n in self.names.items() if role not in TEXT))


def repair(path: Path, expected: Expected | None) -> Repaired:
    """Return a file with what is certain put right.

    That is its encoding, and line ends in CR alone. A workbook of one sheet is written as CSV. Of
    a table it is also lines before the header, separators, blanks, an index column, the header's
    capitals, decimal commas, ids that certainly are known ones, rows given twice, and ranks from 0.

    Args:
        path: The file.
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


def beside(path: Path) -> Path:
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
    return beside(path).name.replace(FIXED, ".").removesuffix(".fixed")


def _read_text(path: Path, changes: list[str]) -> str:
    try:
        head = stored_head(path, HEAD)
        # The readers look no further at files that are no text.
        if head[:2] in UTF16_MARKS or (head.startswith(ZIP) and is_office(head)):
            data = stored_head(path, MOST_REPAIRED + 1)
        else:
            data = read_bytes(path, ReadLimits(MOST_REPAIRED, MOST_REPAIRED)).data
    except UnreadableError as error:
        raise UsageError(f"{printable(path)} cannot be repaired: {error.problem.message}") from None
    if len(data) > MOST_REPAIRED:
        raise UsageError(f"{printable(path)} is too large to be repaired")
    if data.startswith(ZIP):
        return _read_workbook(data, path, changes)
    return _decode(data, changes)


def _read_workbook(data: bytes, path: Path, changes: list[str]) -> str:
    """Return the one sheet of an Excel workbook as CSV."""
    name = printable(path)
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
    out = io.StringIO()
    lines = [["" if cell is None else str(cell) for cell in row] for row in rows]
    csv.writer(out, lineterminator="\n").writerows(lines)
    changes.append(f"sheet {quoted(title)} of the workbook written as CSV")
    return out.getvalue()


def _decode(data: bytes, changes: list[str]) -> str:
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
        text = text.replace("\0", "")
    return text


def _repair_table(text: str, expected: Expected, changes: list[str]) -> str:
    """Return a table as expected; as it is if nothing is repaired in it."""
    repairs: list[str] = []
    body = _drop_lines_before_header(text, expected, repairs)
    separator = _find_separator(body, expected)
    try:
        rows = list(csv.reader(io.StringIO(body, newline=""), delimiter=separator))
    except csv.Error:
        return text  # a quote that nobody closed: what was meant is unknown
    rows = [row for row in rows if any(row) or len(row) == 1]  # a row without cells is none
    if separator != expected.separator:
        repairs.append(f"column separator {separator!r} replaced by {expected.separator!r}")
    table = _strip_cells(rows, repairs)
    while _is_row_count(table, expected):
        repairs.append(f"index column {table[0][0]!r} removed")
        table = [row[1:] for row in table]
    if table:
        _rename_columns(table[0], expected, repairs)
        _join_split_decimals(table, expected, repairs)
        _fix_number_marks(table, expected, repairs)
        _fix_decimal_commas(table, expected, repairs, is_certain=separator == ";")
        table = _drop_repeated_rows(table, repairs)
        _fix_id_separators(table, expected, repairs)
        _fix_known_ids(table, expected, repairs)
        _fix_zero_based_ranks(table, expected, repairs)
    if not repairs:
        return text
    changes.extend(dict.fromkeys(repairs))
    if "\r" in body:
        changes.append("line ends changed to LF")
    output = io.StringIO()
    csv.writer(output, delimiter=expected.separator, lineterminator="\n").writerows(table)
    return output.getvalue()


def cut_rows(text: str, expected: Expected) -> Table:
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


def _drop_lines_before_header(text: str, expected: Expected, repairs: list[str]) -> str:
    """Return the text from its header on: without comments, and the line that Excel begins with."""
    lines = text.lstrip("\r\n").splitlines(keepends=True)
    before = 0
    while before < min(len(lines), MOST_BEFORE) and BEFORE_HEADER.match(lines[before]):
        before += 1
    names = expected.names.values()
    if not before or before == len(lines) or any(name in lines[0] for name in names):
        return text
    repairs.append(f"{before:,} line{'s' * (before != 1)} before the header removed")
    return "".join(lines[before:])


def _find_separator(text: str, expected: Expected) -> str:
    """Return the mark that cuts the header into the most known names."""
    header = text.lstrip("\r\n").split("\n", 1)[0]
    known = {name.casefold() for name in expected.names.values()}

    def count_known(mark: str) -> int:
        names = {_strip(name.strip('"')).casefold() for name in header.split(mark)}
        return len(names & known)

    return max((expected.separator, ",", ";", "\t", "|"), key=count_known)


def _strip_cells(rows: Sequence[Sequence[str]], repairs: list[str]) -> Table:
    table = [list(map(_strip, row)) for row in rows]
    changed = sum(
        cell.strip(" \t") != bare
        for row, bare_row in zip(rows, table, strict=True)
        for cell, bare in zip(row, bare_row, strict=True)
    )
    if changed:
        repairs.append(f"blanks and invisible characters around {changed:,} values removed")
    return table


def _rename_columns(header: list[str], expected: Expected, repairs: list[str]) -> None:
    """Write the names of missing columns with the capitals that are expected."""
    by_folded: dict[str, list[str]] = {}
    for name in _missing_names(header, expected):
        by_folded.setdefault(name.casefold(), []).append(name)
    for n, name in enumerate(header):
        matches = by_folded.get(name.casefold(), [])
        if len(matches) == 1 and name != matches[0] and matches[0] not in header:
            repairs.append(f"column {quoted(name)} renamed to {quoted(matches[0])}")
            header[n] = matches[0]


def _missing_names(header: Sequence[str], expected: Expected) -> Collection[str]:
    """Return the names of columns that a header may lack; a further column is an unused one."""
    complete = [names for names in expected.required if {*names} <= {*header}]
    if not complete:
        return expected.names.values()
    order = [expected.names.get(role, role) for role in ("score", "rank")]
    has_items = any(expected.names.get("item") in names for names in complete)
    return order if has_items and {*order}.isdisjoint(header) else []


def _join_split_decimals(table: Table, expected: Expected, repairs: list[str]) -> None:
    """Join the fields of numbers that were cut at their decimal commas."""
    numbers = [n for n, name in enumerate(table[0]) if name in expected.numbers]
    joined = {
        n: row
        for n, fields in enumerate(table)
        if (row := join_decimal_commas(fields, numbers, len(table[0]))) is not None
    }
    if all(AMBIGUOUS.fullmatch(row[n]) for row in joined.values() for n in numbers):
        return
    for n, row in joined.items():
        table[n] = [
            cell.replace(",", ".") if at in numbers else cell for at, cell in enumerate(row)
        ]
    repairs.append(f"decimal commas of {len(joined):,} rows replaced by points")


def _fix_number_marks(table: Table, expected: Expected, repairs: list[str]) -> None:
    """Write numbers without brackets and currencies; marks between thousands may be decimal."""
    for name in expected.numbers:
        found = {n: strip_marks(cell) for n, cell in _column(table, name).items()}
        marked = {n: each for n, each in found.items() if each and not each.has_thousands}
        for n, number in marked.items():
            table[n][table[0].index(name)] = number.text
        if marked:
            marks = next(iter(marked.values())).marks
            count = f"{len(marked):,} value{'s' * (len(marked) != 1)}"
            repairs.append(f"{marks} removed from {count} of {quoted(name)}")


def _fix_decimal_commas(
    table: Table, expected: Expected, repairs: list[str], *, is_certain: bool
) -> None:
    """Write numbers with points where a comma is certainly decimal.

    With `is_certain` it is decimal even before three digits.
    """
    for name in expected.numbers:
        cells = _column(table, name)
        with_comma = {n: cell for n, cell in cells.items() if DECIMAL_COMMA.fullmatch(cell)}
        if not is_certain and all(map(AMBIGUOUS.fullmatch, with_comma.values())):
            continue
        if any("," in cell and strip_marks(cell) for cell in cells.values()):
            continue  # a comma between thousands beside decimal ones
        for n, cell in with_comma.items():
            table[n][table[0].index(name)] = cell.replace(",", ".")
        if with_comma:
            count = f"{len(with_comma):,} value{'s' * (len(with_comma) != 1)}"
            repairs.append(f"decimal commas in {count} of {quoted(name)} replaced by points")


def _column(table: Table, name: str) -> dict[int, str]:
    """Return row number -> cell of a column; none if there is no such column."""
    if name not in table[0]:
        return {}
    at = table[0].index(name)
    return {n: row[at] for n, row in enumerate(table) if n and at < len(row)}


def _drop_repeated_rows(table: Table, repairs: list[str]) -> Table:
    distinct = list(dict.fromkeys(map(tuple, table)))
    repeated = len(table) - len(distinct)
    if repeated:
        repairs.append(f"{repeated:,} duplicate row{'s' * (repeated != 1)} removed")
    return list(map(list, distinct))


def _fix_id_separators(table: Table, expected: Expected, repairs: list[str]) -> None:
    """Separate the ids of cells as the challenge does.

    It is certain if all cells of several have one other mark, and none has the challenge's.
    """
    for role, mark in expected.cells.items():
        name = expected.names.get(role, role)
        cells = _column(table, name) if role in TEXT else {}
        joint = " " if mark == WHITESPACE else mark
        others = [m for m in MARKS if m != joint and any(m in cell for cell in cells.values())]
        if len(others) != 1 or any(map(BRACKETED.fullmatch, cells.values())):
            continue
        # Blanks behind another mark separate nothing.
        bare = [re.sub(rf"(?<=[{MARKS}]) +", "", cell.strip()) for cell in cells.values()]
        if any(joint in cell for cell in bare):
            continue
        changed = 0
        for n, cell in cells.items():
            separated = joint.join(split_ids(cell))
            changed += separated != cell
            table[n][table[0].index(name)] = separated
        if changed:
            count = f"{changed:,} cell{'s' * (changed != 1)} of {quoted(name)}"
            repairs.append(f"ids of {count} separated by {joint!r}")


def _fix_known_ids(table: Table, expected: Expected, repairs: list[str]) -> None:
    """Replace ids by known ones, where it is certain which one was meant."""
    for role, find_known in expected.known_ids.items():
        name, mark = expected.names.get(role, role), expected.cells.get(role)
        joint = " " if mark in (None, WHITESPACE) else mark
        known: dict[str, str | None] = {}
        changed = 0
        for n, cell in _column(table, name).items():
            ids = [cell] if mark is None else split_cell(cell, mark)
            for each in ids:
                if each not in known:
                    known[each] = find_known(each)
            replaced = sum(known[each] is not None for each in ids)
            if replaced:
                table[n][table[0].index(name)] = joint.join(known[each] or each for each in ids)
                changed += replaced
        if changed:
            example = next(f"{wrong!r} is {right!r}" for wrong, right in known.items() if right)
            count = "1 id" if changed == 1 else f"{changed:,} ids"
            message = f"{count} of {quoted(name)} replaced by the challenge's ({example})"
            repairs.append(message)


def _fix_zero_based_ranks(table: Table, expected: Expected, repairs: list[str]) -> None:
    """Count ranks from 1 if those of every list count from 0."""
    names = [expected.names.get(role, role) for role in ("list", "rank")]
    if not set(names) <= set(table[0]):
        return
    in_list, rank = map(table[0].index, names)
    lowest: dict[str, int] = {}
    for row in table[1:]:
        if len(row) != len(table[0]) or not WHOLE_NUMBER.fullmatch(row[rank]):
            return
        lowest[row[in_list]] = min(lowest.get(row[in_list], 1), int(row[rank]))
    if lowest and not any(lowest.values()):
        for row in table[1:]:
            row[rank] = str(int(row[rank]) + 1)
        repairs.append("ranks now start at 1 instead of 0")


def _is_row_count(table: Table, expected: Expected) -> bool:
    """Return whether the first column only counts the rows, in any order, and is not expected."""
    if not numbers_rows(table, expected):
        return False
    numbers = sorted(int(row[0]) for row in table[1:])
    return any(numbers == [*range(start, start + len(numbers))] for start in (0, 1))


def numbers_rows(table: Table, expected: Expected) -> bool:
    """Return whether the first column seems an index: a whole number a row, beside what must be."""
    header = table[0] if table else []
    if len(table) < 2 or not header or not PANDAS_INDEX.fullmatch(header[0]):
        return False
    fewest = min(map(len, expected.required), default=0)
    if header[0] in expected.names.values() or len(header) <= fewest:
        return False
    numbers = [row[0] for row in table[1:]]
    return len({*numbers}) == len(numbers) and all(map(WHOLE_NUMBER.fullmatch, numbers))


def _strip(cell: str) -> str:
    """Return a cell without the blanks and the invisible characters round it."""
    if cell.isascii():
        return cell.strip()
    start, end = 0, len(cell)
    while start < end and _is_invisible(cell[start]):
        start += 1
    while end > start and _is_invisible(cell[end - 1]):
        end -= 1
    return cell[start:end]


def _is_invisible(character: str) -> bool:
    return character.isspace() or unicodedata.category(character) in ("Cf", "Cc")
