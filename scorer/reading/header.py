"""Which schema the header of a file fits, and what its first lines show to be wrong."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from scorer.core.problems import Problem
from scorer.core.text import join_first, nearest, printable, quoted, suggest_renaming
from scorer.reading.layout import base_role, file_schema, separator_of
from scorer.reading.limits import ReportedError, UnreadableError
from scorer.reading.numbers import AMBIGUOUS, DECIMAL, parse_number
from scorer.reading.schema import ORDERED, Schema, holds_text
from scorer.reading.table import ReadRequest
from scorer.reading.unpack import table_suffix

SAMPLE_ROWS = 100  # that show whether an unused column holds numbers
MOST_NAMES = 1000  # of a header that are searched for what a missing one may have meant
LONGEST_NAME = 100  # characters of a name that is proposed
LISTED_NAMES = 12  # of a header that a message shows
NAMELIKE = re.compile(r"[\w .,#%()\[\]/?-]{1,40}")  # what is shown of a header that fits nothing
# Names of columns that count rows, in small letters and without signs: no scores and no grades.
ROW_NUMBER_NAMES = {"id", "idx", "index", "row", "rowid", "rowindex", "rownumber", "unnamed0"}
PANDAS_INDEX = re.compile(r"|index|level_0|Unnamed: 0(\.[0-9]+)*")  # or without a name
NO_INDEX = "write with to_csv(index=False); score check --fix removes the column"
# What `parse_number` reports in a column of numbers: nothing, that a number is missing (S502, S506)
# or infinite or too large (S503), or that it has a decimal comma (S504).
NUMBER_CODES = {"", "S502", "S503", "S504", "S506"}
WRITE_JSON = "write one object a line, as pandas does with to_json(orient='records', lines=True)"
BEGINS_AS_JSON = re.compile(r'\[?\s*\{\s*(?:"|$)|\[\s*(?:\[|$)')  # {" or [{" or [[, or these alone
EXCEL_SEPARATOR_LINE = re.compile(r"sep=.", re.IGNORECASE)
BETWEEN_IDS = re.compile(r"[\s,;|]+")  # in one cell
SEPARATOR_NAMES = {",": "comma", "\t": "tab", ";": "semicolon", "|": "bar"}

IN_QUOTES = "the line is in quotes as a whole, so that it is one value"
LEAVE_OUT_QUOTES = "leave out the quotes round each line; score check --fix does"

Place = tuple[int, int]  # a line and a character in it, each from 1


@dataclass
class Record:
    """The fields of a record of a delimited file, up to a fault if it has one.

    Attributes:
        line: The line on which it begins, from 1; 0 if the challenge names the columns.
        next_line: The line after the record, or after the line of its fault.
        places: Where each field begins, its quote included; none if `line` is 0.
        is_quoted: Whether a field is quoted, so that even an empty one is a cell.
    """

    line: int
    next_line: int = 0
    fields: list[str] = field(default_factory=list)
    places: list[Place] = field(default_factory=list)
    is_quoted: bool = False
    fault: Problem | None = None

    @property
    def is_empty(self) -> bool:
        """Whether it has no cell, as blank lines and the last rows of a spreadsheet have none."""
        return not self.is_quoted and not any(self.fields)

    def is_in_quotes(self, separator: str) -> bool:
        """Whether its only cell holds separators, so that its line seems quoted as a whole."""
        return self.is_quoted and len(self.fields) == 1 and separator in self.fields[0]


class SchemaMatch(NamedTuple):
    """A schema that a header fits."""

    schema: Schema
    names: Mapping[str, str]  # role -> the name of its column, for the roles that the file has


class UnusedColumn(NamedTuple):
    """A column without a role."""

    name: str
    line: int | None
    column: int | None
    cells: Sequence[str]  # of the first rows
    label: str = ""  # what a message calls it, if its name is empty

    @property
    def counts_rows(self) -> bool:
        """Whether it has a name of ROW_NUMBER_NAMES, and whole numbers that are all different."""
        word = "".join(filter(str.isalnum, self.name.casefold()))
        numbers = [cell.strip() for cell in self.cells]
        is_counted = all(map(str.isdecimal, numbers)) and len(set(numbers)) == len(numbers)
        return word in ROW_NUMBER_NAMES and is_counted

    @property
    def is_numeric(self) -> bool:
        """Whether a cell is a number, perhaps with a decimal comma (S504), and none is a word."""
        codes = {parse_number(cell.strip()).code for cell in self.cells}
        return not codes.isdisjoint(("", "S504")) and codes <= NUMBER_CODES


def match_schema(names: Sequence[str], request: ReadRequest, line: int | None) -> SchemaMatch:
    """Return the schema that a header fits, and the roles it has.

    Args:
        request: Has the schemas; the one with the fewest missing columns is taken.
        line: The line of the header, if the format has one.

    Raises:
        ReportedError: It fits none, as the request's findings say.
        UnreadableError: It has no column that the layout asks for.
    """
    present = set(names)
    try:
        schemas = [file_schema(request.layout, schema, names) for schema in request.schemas]
    except UnreadableError as error:
        raise UnreadableError("S201", error.problem.message, line) from None
    # Wide columns may fit several schemas. The roles whose columns the challenge names show which
    # one it expects: the one that has the most of them.
    distances = [
        (len(schema.missing_roles(present)), len(of_rows.columns.keys() - set(of_rows.roles)))
        for schema, of_rows in zip(schemas, request.schemas, strict=True)
    ]
    schema = schemas[distances.index(min(distances))]
    if missing := schema.missing_roles(present):
        _report_missing_columns(schema, missing, names, request, line)
        raise ReportedError
    columns = {role: schema.column_name(role) for role in schema.roles}
    return SchemaMatch(schema, {role: name for role, name in columns.items() if name in present})


def names_of_roles(names: Sequence[str], request: ReadRequest) -> set[str]:
    """Return the names of the columns that may have a role, whichever schema fits."""
    found: set[str] = set()
    for of_rows in request.schemas:
        try:
            schema = file_schema(request.layout, of_rows, names)
        except UnreadableError:
            continue
        found.update(map(schema.column_name, schema.roles))
    return found.intersection(names)


def _report_missing_columns(
    schema: Schema,
    missing: Sequence[str],
    names: Sequence[str],
    request: ReadRequest,
    line: int | None,
) -> None:
    used = {schema.column_name(role) for role in schema.roles}
    free = [n for n in names[:MOST_NAMES] if n not in used and len(n) < LONGEST_NAME]
    has_used = not used.isdisjoint(names)
    listed = _join_names([name for name in names if has_used or NAMELIKE.fullmatch(name)])
    help, grades = None, [role for role in ("grade", "rating") if role in schema.roles]
    if grades:  # which only a truth has
        roles = dict.fromkeys([*(role for role in schema.required if "[" not in role), *grades])
        named = (f"{role}: {printable(schema.columns.get(role, '...'), 60)}" for role in roles)
        file = printable(request.path.name, 60)
        help = "say which is which: "
        help += f"truth: {{file: {file}, columns: {{{', '.join(named)}}}}}"
    # The only column that is not used, beside others that are, is probably the one that is missing.
    only_free = free[0] if len(missing) == len(free) == 1 and has_used else None
    lacking = [schema.column_name(role) for role in missing]
    similar = {name: close for name in lacking if (close := nearest(name, free) or only_free)}
    if len(lacking) == 1:
        message = f"column {quoted(lacking[0])} is missing; found: {listed}"
        hint = "".join(f"; rename {quoted(close)}?" for close in similar.values())
    else:
        message = f"columns {join_first(lacking, LISTED_NAMES)} are missing; found: {listed}"
        hint = suggest_renaming(similar)
    request.report("S201", message + hint, line, help=help)


def match_header(
    header: Record, sample: Sequence[Record], separator: str, request: ReadRequest
) -> SchemaMatch:
    """Return the schema that the header of a delimited file fits, after reporting its faults.

    `header` is from the file or the layout; `sample` has the first rows.

    Raises:
        ReportedError: It fits none, as the request's findings say.
        UnreadableError: There is no header or no wide column, or a cell holds several ids.
    """
    names, line = header.fields, header.line or None
    if line is not None:
        _refuse_data_as_header(header, separator, request)
        if header.is_in_quotes(separator) and _known_names(request).isdisjoint(names):
            raise UnreadableError("S207", IN_QUOTES, *header.places[0], help=LEAVE_OUT_QUOTES)
    # An unnamed first column is one too many; or it lacks its name, if all columns are needed.
    fewest_needed = min(len(schema.missing_roles([])) for schema in request.schemas)
    if not names[0] and len(names) > fewest_needed:
        message = "unnamed first column; a pandas index?"
        request.report("S203", message, line, 1, NO_INDEX)
    positions: dict[str, list[int]] = {}
    for n, name in enumerate(names):
        positions.setdefault(name, []).append(n)
    for name, found in positions.items():
        if name and len(found) > 1:
            times = "twice" if len(found) == 2 else f"{len(found):,} times"
            columns = f"{found[0] + 1} and {found[1] + 1}" + (", ..." if len(found) > 2 else "")
            message = f"column {quoted(name)} appears {times} (columns {columns})"
            place = header.places[found[1]] if header.places else (None, None)
            request.report("S204", message, *place)
    match = match_schema(names, request, line)
    rows = [row for row in sample if len(row.fields) == len(names)]
    if not (request.layout.cells or match.schema.items_are_texts):
        _refuse_several_ids(match, names, rows)
    if separator == ";" and not request.layout.separator:
        _warn_of_points(match, names, rows, request)
    if line is not None:  # else the challenge knows of all columns
        used = set(match.names.values())
        unused = [
            UnusedColumn(
                name,
                *header.places[n],
                [row.fields[n] for row in rows],
                "" if name else f"{n + 1:,}, which has no name,",
            )
            for n, name in enumerate(names)
            if name not in used and (name or n)  # S203 is about a first one without a name
        ]
        warn_unused_columns(unused, match, names, request)
    return match


def _warn_of_points(
    match: SchemaMatch, names: Sequence[str], rows: Sequence[Record], request: ReadRequest
) -> None:
    """Warn of a column of numbers whose points may all stand between thousands, as in 1.234.

    They do so where semicolons separate columns and commas are decimal.
    """
    for name in (name for role, name in match.names.items() if not holds_text(role)):
        at = names.index(name)
        # With commas in the column, `cast_numbers` is certain.
        cells = [(row.fields[at], row.places[at]) for row in rows if {*row.fields[at]} & {".", ","}]
        if cells and all("." in cell and AMBIGUOUS.fullmatch(cell) for cell, _ in cells):
            cell, place = cells[0]
            message = f"{printable(name, 60)} {quoted(cell)} is read as {float(cell):g}"
            help = f"if its point stands between thousands, write {cell.replace('.', '')}"
            request.report("S504", message, *place, help, severity="warning")


def _known_names(request: ReadRequest) -> set[str]:
    return {schema.column_name(role) for schema in request.schemas for role in schema.roles}


def _refuse_data_as_header(header: Record, separator: str, request: ReadRequest) -> None:
    """Raise UnreadableError if the first line has a number and no name that is known."""
    text = "\n".join(request.texts()[header.line - 1 : header.next_line - 1])
    has_number = any(map(DECIMAL.fullmatch, re.split(r"[,;|\s]+", text)))
    if has_number and _known_names(request).isdisjoint(header.fields):
        message = f"no header; the first line looks like data ({printable(text.strip(), 60)})"
        schema = request.schemas[0]
        first_line = separator.join(map(schema.column_name, schema.required))
        hint = f"begin the file with the names of its columns: {printable(first_line)}"
        raise UnreadableError("S202", message, header.line, help=hint)


def _refuse_several_ids(match: SchemaMatch, names: Sequence[str], rows: Sequence[Record]) -> None:
    """Raise UnreadableError if each cell of the items holds several ids, and each list has a row.

    A file with scores or ranks is not looked at: a row of it is one item.
    """
    if not {"list", "item"} <= set(match.names) or not all(map(holds_text, match.names)):
        return
    at_list, at_item = (names.index(match.names[role]) for role in ("list", "item"))
    lists = {row.fields[at_list] for row in rows}
    has_several = all(_holds_several_ids(row.fields[at_item]) for row in rows)
    if not rows or len(lists) < len(rows) or not has_several:
        return
    name, cell = names[at_item], rows[0].fields[at_item]
    message = f"column {quoted(name)} holds several ids in a cell ({quoted(cell, 40)})"
    hint = "write a row for each item, best first, or lines 'u1: 2, 1, 4' in a file called .lists"
    hint += "; an organizer allows cells: {item: ' '}, or declares a text: text in place of item"
    raise UnreadableError("S209", f"{message}; a row has one", *rows[0].places[at_item], hint)


def _holds_several_ids(cell: str) -> bool:
    """Return whether a cell is several ids: each has a digit, or there are brackets round all.

    >>> [_holds_several_ids(cell) for cell in ("2 1 4", "['a', 'b']", "The Matrix", "d1")]
    [True, True, False, False]
    """
    bare = cell.strip()
    bracketed = bare.startswith("[") and bare.endswith("]")
    ids = [part for part in BETWEEN_IDS.split(bare.strip("[]")) if part]
    return len(ids) > 1 and (bracketed or all(any(map(str.isdigit, part)) for part in ids))


def warn_unused_columns(
    unused: Iterable[UnusedColumn], match: SchemaMatch, names: Sequence[str], request: ReadRequest
) -> None:
    """Report the columns that nothing uses.

    The first one of numbers is also an error if a score or a rank could order the rows and both are
    missing. In a truth without grades, the warning says how to declare a column of numbers.
    """
    schema = match.schema
    if schema.uses_all:
        return
    lacks_order = set(schema.roles) >= ORDERED and ORDERED.isdisjoint(match.names)
    lacks_grades = "grade" in schema.roles and "grade" not in match.names
    for extra in unused:
        label = extra.label or quoted(extra.name)
        message, help = f"column {label} is not used", None
        may_be_meant = (lacks_order or lacks_grades) and extra.name != "" and extra.is_numeric
        if extra.name and PANDAS_INDEX.fullmatch(extra.name) and extra.is_numeric:
            message, help = f"{message}; a pandas index?", NO_INDEX
        elif may_be_meant and not extra.counts_rows:
            columns = {**schema.columns, "score" if lacks_order else "grade": extra.name}
            named = {base_role(role): printable(name, 60) for role, name in columns.items()}
            declared = ", ".join(f"{role}: {name}" for role, name in named.items())
            if lacks_grades:
                file = printable(request.path.name, 60)
                message += "; without grades every row has grade 1. If these are the grades, write "
                message += f"truth: {{file: {file}, columns: {{{declared}}}}}"
            else:
                what = f"no column 'score' or 'rank', and {label} holds numbers that are not used"
                hint = "rename it to 'score' or 'rank'"
                what += f"; found: {_join_names(names)}"
                request.report("S201", what, extra.line, extra.column, hint)
                lacks_order = False  # the error is reported for one column
        request.report("S205", message, extra.line, extra.column, help, severity="warning")


def refuse_wrong_first_line(line: int, text: str, request: ReadRequest) -> None:
    """Raise UnreadableError if the first line of a file is JSON, a comment or Excel's `sep=`."""
    text = text.strip(" \t")
    if BEGINS_AS_JSON.match(text):
        message = "this is JSON, not a table of separated columns"
        raise UnreadableError("S107", message, line, help=f"{WRITE_JSON}, in a file called .jsonl")
    names = {name.strip(' \t"') for name in re.split(r"[,;|\t]", text)}
    if EXCEL_SEPARATOR_LINE.fullmatch(text):
        message = f"no header; {quoted(text)} is a line for a spreadsheet"
    elif text.startswith("#") and _known_names(request).isdisjoint(names):
        message = f"no header; the first line is a comment ({printable(text, 60)})"
    else:
        return
    hint = "leave out what stands before the names of the columns (score check --fix does)"
    raise UnreadableError("S202", message, line, help=hint)


def find_separator(line: int, text: str, request: ReadRequest) -> str:
    """Return the separator of a file's columns, by its first line; report an unexpected one."""
    if request.layout.separator:
        return separator_of(request.layout.separator)
    expected = "\t" if table_suffix(request.path) == ".tsv" else ","
    other = next((mark for mark in SEPARATOR_NAMES if mark in text), None)
    if expected in text or other is None or text.strip(" \t") in _known_names(request):
        return expected
    message = f"columns are separated by {quoted(other)}, expected {quoted(expected)}"
    hint = "write with sep=',', or call the file .tsv" if other == "\t" else None
    request.report("S206", message, line, text.index(other) + 1, hint)
    return other


def _join_names(names: Sequence[str]) -> str:
    more = ", ..." if len(names) > LISTED_NAMES else ""
    listed = ", ".join(name or "(no name)" for name in names[:LISTED_NAMES])
    return printable(listed + more) if names else "no name of a column"
