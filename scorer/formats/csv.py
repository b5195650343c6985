"""Long CSV: a header, then one row for each (list, item)."""

from __future__ import annotations

import io
import re
from collections.abc import Mapping, Sequence
from csv import QUOTE_ALL, QUOTE_MINIMAL, writer
from typing import Any

import numpy as np

from scorer.bytes.limits import NoTable
from scorer.bytes.lines import count_only
from scorer.core.arrays import Mask
from scorer.core.problems import Findings, Problem
from scorer.core.text import printable, quoted
from scorer.formats.base import Rows, format
from scorer.formats.blocks import BLANK, NEWLINE, NONE, QUOTE, TAB, Block, Lines, columns
from scorer.formats.form import NO_SEPARATOR, WHITESPACE, separator_of
from scorer.formats.header import SAMPLE, Unused, resolve, tell_unused
from scorer.formats.read import COMPRESSED
from scorer.formats.records import (
    FIELD_BLANKS,
    Record,
    Start,
    cut_record,
    field_start,
    field_starts,
)
from scorer.formats.separated import Cutter, cutter
from scorer.formats.text import Plain, Request, Row, TextReader, plain_rows
from scorer.tables.marked import rejoined
from scorer.tables.table import DECIMAL, TEXT, Schema

WRITE_JSON = "write one object a line, as pandas does with to_json(orient='records', lines=True)"
JSON = re.compile(r'\[?\s*\{\s*(?:"|$)|\[\s*(?:\[|$)')
EXCEL = re.compile(r"sep=.", re.IGNORECASE)
BETWEEN = re.compile(r"[\s,;|]+")  # ids of one cell
DECIMAL_TEXT = DECIMAL.pattern.replace("++", "+").replace("*+", "*")  # as polars writes it
SAMPLE_LINES = 10_000  # in which the sample is looked for
MARK_NAMES = {",": "comma", "\t": "tab", ";": "semicolon", "|": "bar"}


def as_csv(rows: Rows, columns: Mapping[str, str]) -> bytes:
    """A header, and a line a row."""
    # blanks round a cell without quotes count for nothing
    bare = all(str(cell) == str(cell).strip() for row in rows for cell in row.values())
    text = io.StringIO()
    lines = writer(text, lineterminator="\n", quoting=QUOTE_MINIMAL if bare else QUOTE_ALL)
    roles = list(rows[0]) if rows else ["list", "item"]
    lines.writerow([columns.get(role, role) for role in roles])
    lines.writerows([row[role] for role in roles] for row in rows)
    return text.getvalue().encode()


@format("csv", ".csv", ".tsv", ".txt", write=as_csv)
class Csv(TextReader):
    """A header and rows; quotes as in RFC 4180, blanks round unquoted fields are nothing.

    Columns are separated by commas, in a file called .tsv by tabs.
    """

    begun = False
    separator = ""
    width = 0
    raw: Cutter | None = None  # of a file whose fields have no quotes

    @property
    def _text_place(self) -> int | None:
        """Which field is a text, whose blanks count."""
        if not self.begun or "text" not in self.roles:
            return None
        return self.places[self.roles.index("text")]

    def _headed(
        self, lines: Lines, separator: str, last: bool, findings: Findings
    ) -> tuple[int, Record | None]:
        """The names of the columns, and the line after them; of none where the form names them."""
        names = list(self.request.form.header)
        if not names:
            return self._next(lines, 0, separator, last, findings)
        number, text = lines[0]
        _, first = self._next(lines, 0, separator, last, Findings())
        if first is not None and first[1] == names:
            message = f"the first line names the columns ({printable(text, 60)}); it has none here"
            findings.add(Problem("S212", message, line=number, help="begin with the first row"))
            raise NoTable
        return 0, (number, names, "\n")

    def _next(
        self, lines: Lines, line: int, separator: str, last: bool, findings: Findings
    ) -> tuple[int, Record | None]:
        """The record that begins on a line, and the line after it, as `cut_record` has them."""
        if self.raw is None:
            exact = any("text" in shape.roles for shape in self.request.wanted)
            limits = self.request.limits
            after, record = cut_record(lines, line, separator, last, findings, limits, exact)
            if exact and record is not None:
                blanks, kept = FIELD_BLANKS[separator], self._text_place
                for n, field in enumerate(record[1]):
                    record[1][n] = field if n == kept else field.strip(blanks)
            return after, record
        number, text = lines[line]
        fields = self.raw.fields(text)
        return line + 1, (number, fields, text) if fields else None

    def begin(self, lines: Lines, last: bool, findings: Findings) -> int:
        """Look for the header, and at some rows for what unused columns hold.

        The arguments are those of `TextReader.begin`.
        """
        request = self.request._replace(findings=findings)
        if not len(lines) and self.separator:
            if last:
                raise NoTable
            return 0
        if not self.separator:
            blank = next((n for n in range(len(lines)) if lines[n][1].strip(" \t")), len(lines))
            if blank == len(lines) and last:
                findings.add(Problem("S102", "the file holds nothing but blank lines"))
                raise NoTable
            if blank or not len(lines):
                return blank
            form = request.form
            if not form.header and (problem := _no_header(lines[0], request)) is not None:
                findings.add(problem)
                raise NoTable
            lone = len(form.header) == 1 and not form.separator
            separator = NO_SEPARATOR if lone else _column_separator(lines[0], request)
        else:
            separator = self.separator
        if request.form.header or separator in (WHITESPACE, NO_SEPARATOR):
            self.raw = cutter(request.form, 0, None, separator)
        after, header = self._headed(lines, separator, last, findings)
        if not after and header is None:
            return 0
        if header is None:  # it is wrong, or blank: the next one may be the header
            if after == len(lines) and last:
                raise NoTable
            self.separator = separator
            return after
        sample: list[Record] = []
        unheard, at = Findings(), after
        most = after + SAMPLE_LINES
        while at < min(len(lines), most) and len(sample) < SAMPLE:
            following, record = self._next(lines, at, separator, last, unheard)
            if following == at:
                break
            sample.extend([record] if record is not None else [])
            at = following
        if len(sample) < SAMPLE and at < most and not last:
            return 0
        fit = _header(*header, sample, separator, request)
        if fit is None:
            findings.merge(unheard)
            raise NoTable
        self.separator, names = separator, header[1]
        self.shape, self.roles = fit
        self.width = len(names)
        self.places = [names.index(self.shape.called(role)) for role in self.roles]
        several = {f"cell[{role}]": mark for role, mark in request.form.cells}
        ends = self.places.index(self.width - 1) if self.width - 1 in self.places else -1
        within = several.get(self.roles[ends]) if ends >= 0 else None
        self.raw = cutter(request.form, self.width, within, separator)
        self.facts["columns"] = tuple(names)
        self.begun = True
        return after

    def parse(
        self, lines: Lines, line: int, last: bool, findings: Findings, notes: Any
    ) -> tuple[int, Sequence[Row]]:
        """A record that is not blank, if it has as many fields as the header.

        The arguments are those of `TextReader.parse`.
        """
        after, record = self._next(lines, line, self.separator, last, findings)
        if record is None:
            return after, ()
        number, fields, raw = record
        if len(fields) == self.width:
            return after, [(number, [fields[place] for place in self.places], raw)]
        if not count_only(findings, "S207"):
            message = f"{len(fields):,} fields, expected {self.width:,}"
            more = len(fields) > self.width
            below, column = self._start(raw, self.width) if more else (0, None)
            mark = MARK_NAMES.get(self.separator, "separator")
            hint = f"an unquoted {mark}?" if more and self.raw is None else None
            if self.separator == "," and rejoined(fields, self._numbers, self.width):
                hint = "decimal commas? write points"
            findings.add(Problem("S207", message, line=number + below, column=column, help=hint))
        return after, ()

    @property
    def _numbers(self) -> list[int]:
        """Which columns hold numbers."""
        places = zip(self.roles, self.places, strict=True)
        return sorted(place for role, place in places if role not in TEXT)

    def place(self, raw: str, cell: int, part: int = 0) -> Start:
        """Where a cell's field starts.

        The arguments are those of `TextReader.place`.
        """
        return self._start(raw, self.places[cell])

    def _start(self, raw: str, n: int) -> Start:
        """Where the n-th field of a record starts."""
        if self.raw is not None:
            return 0, self.raw.start(raw, n)
        return field_start(raw, self.separator, n)

    def plain(self, block: Block, notes: Any) -> Plain:
        """The columns of the lines that are whole records with all fields."""
        if self.raw is not None:
            return self._unquoted(self.raw, block)
        data, separator = block.data, ord(self.separator)
        blanks = bool(block.look.blanks) or (separator != TAB and b"\t" in data)
        odd, outside = block.spoiled(), block.octets == separator
        if not block.look.printable and b"\r" in data:
            odd = np.union1d(odd, block.lines_with(b"\r"))
        if quotes := block.look.marks and b'"' in data:
            strange = _quoted(block, outside, separator, blanks)
            odd = np.union1d(odd, strange)
        at = np.arange(block.count)
        frame = None
        if (
            not odd.size
            and self.width > 1
            and int(np.count_nonzero(outside)) == block.count * (self.width - 1)
        ):
            frame = self._columns(data, quotes, blanks, False)
        if frame is None or frame.height != block.count:
            commas = np.searchsorted(np.flatnonzero(outside), block.ends)
            good = np.diff(commas, prepend=0) == self.width - 1
            says = block.ends > block.starts
            good &= says
            good[odd] = False
            odd = np.flatnonzero(says & ~good)
            at = np.flatnonzero(good)
            if not at.size:
                return Plain({}, at, odd)
            frame = self._columns(block.picked(good), quotes, blanks, True)
            if frame is None or frame.height != at.size:
                return Plain({}, NONE, np.arange(block.count))
        plain, _ = plain_rows(frame, dict(zip(self.roles, self.places, strict=True)), at, odd)
        return plain._replace(usual=block.usual(separator))

    def _unquoted(self, raw: Cutter, block: Block) -> Plain:
        """The columns of lines that are cut by their marks alone."""
        odd = block.spoiled()
        if not block.look.printable and b"\r" in block.data:
            odd = np.union1d(odd, block.lines_with(b"\r"))
        frame, at, odd = raw.columns(block, odd)
        if not at.size:
            return Plain({}, at, odd)
        import polars as pl

        numbers = [n for role, n in zip(self.roles, self.places, strict=True) if role not in TEXT]
        frame = frame.with_columns(
            [
                pl.when(pl.col(str(n)).str.contains(f"^(?:{DECIMAL_TEXT})$"))
                .then(pl.col(str(n)))
                .cast(pl.Float64, strict=False)
                .fill_null(float("nan"))
                for n in numbers
            ]
        )
        return plain_rows(frame, dict(zip(self.roles, self.places, strict=True)), at, odd)[0]

    def _columns(self, data: bytes, quotes: bool, blanks: bool, tolerant: bool) -> Any:
        """The columns that are read, as polars cuts them."""
        numbers = [n for role, n in zip(self.roles, self.places, strict=True) if role not in TEXT]
        late = blanks and tolerant  # numbers with blanks round them
        rank = self.whole_ranks and not tolerant and "rank" in self.roles
        frame = columns(
            data,
            self.separator,
            self.width,
            () if late else numbers,
            [*self.places, self.width - 1],  # the last, so that polars counts all fields
            whole=[self.places[self.roles.index("rank")]] if rank else (),
            tolerant=tolerant,
            quotes=quotes,
        )
        self.whole_ranks &= frame is not None
        if frame is None or not blanks:
            return frame
        import polars as pl
        from polars import selectors

        kept = [] if self._text_place is None else [str(self._text_place)]
        texts = selectors.string() - selectors.by_name(*kept, require_all=False)
        frame = frame.with_columns(texts.str.strip_chars(FIELD_BLANKS[self.separator]))
        if late:
            cast = pl.col([str(n) for n in numbers]).cast(pl.Float64, strict=False)
            frame = frame.with_columns(cast)
        return frame


def _quoted(block: Block, outside: Mask, separator: int, blanks: bool) -> Any:
    """The lines whose quotes need the careful parser.

    Args:
        outside: of each byte, whether it is a separator; those inside quotes are cleared.
        blanks: whether there are any, which round a field are nothing but inside quotes are.
    """
    octets = block.octets
    places = np.flatnonzero(octets == QUOTE)
    counts = np.diff(np.searchsorted(places, block.ends), prepend=0)
    odd = [np.flatnonzero(counts & 1)]
    if odd[0].size:
        places = places[np.repeat(counts & 1 == 0, counts)]
    opened, closed = places[0::2], places[1::2]
    before = octets[opened - 1]  # of the first byte: the last one, which is a newline
    bad = (before != separator) & (before != NEWLINE) & (before != QUOTE)
    odd.append(block.lines_at(opened[bad]))
    after = octets[closed + 1]
    bad = (after != separator) & (after != NEWLINE) & (after != QUOTE)
    odd.append(block.lines_at(closed[bad]))
    if blanks:
        beside = np.concatenate([octets[opened + 1], octets[closed - 1]])
        bad = (beside == BLANK) | ((beside == TAB) & (separator != TAB))
        odd.append(block.lines_at(np.concatenate([opened, closed])[bad]))
    inside = np.zeros(octets.size, dtype=np.uint8)
    inside[places] = 1
    np.bitwise_xor.accumulate(inside, out=inside)
    outside &= inside == 0
    return np.unique(np.concatenate(odd))


def _header(
    line: int,
    names: list[str],
    raw: str,
    sample: Sequence[Record],
    separator: str,
    request: Request,
) -> tuple[Schema, tuple[str, ...]] | None:
    """The shape that the header fits and the roles it has; adds what is wrong with it."""
    findings = request.findings
    starts = [start for start, _ in field_starts(raw, separator)] if raw != "\n" else []
    starts += [(0, None)] * (len(names) - len(starts))
    known_names = {shape.called(role) for shape in request.wanted for role in shape.roles}
    cells = () if request.form.header else re.split(r"[,;|\s]+", raw)
    if known_names.isdisjoint(names) and any(map(DECIMAL.fullmatch, cells)):
        message = f"no header; the first line looks like data ({printable(raw.strip(), 60)})"
        shape = request.wanted[0]
        first = separator.join(shape.called(role) for role in shape.required)
        hint = f"begin the file with the names of its columns: {printable(first)}"
        findings.add(Problem("S202", message, line=line, help=hint))
        return None
    if not names[0]:
        message, hint = "unnamed first column; a pandas index?", "write with to_csv(index=False)"
        findings.add(Problem("S203", message, line=line, column=1, help=hint))
    places: dict[str, list[int]] = {}
    for n, name in enumerate(names):
        places.setdefault(name, []).append(n)
    for name, at in places.items():
        if name and len(at) > 1 and not count_only(findings, "S204"):
            times = "twice" if len(at) == 2 else f"{len(at):,} times"
            where = " and ".join(str(n + 1) for n in at[:2]) + (", ..." if len(at) > 2 else "")
            message = f"column {quoted(name)} appears {times} (columns {where})"
            below, column = starts[at[1]]
            findings.add(Problem("S204", message, line=line + below, column=column))
    fit = resolve(names, request, line)
    if fit is not None:
        if not request.form.cells and (problem := _several_ids(*fit, names, sample, separator)):
            findings.add(problem)
            return None
        used = {fit[0].called(role) for role in fit[1]}
        unused = [
            Unused(
                name,
                line + below,
                column,
                [fields[n] for _, fields, _ in sample if len(fields) == len(names)],
                None if name else f"{n + 1:,}, which has no name,",
            )
            for n, (name, (below, column)) in enumerate(zip(names, starts, strict=True))
            if name not in used and (name or n)
        ]
        if not request.form.header:  # the challenge knows of them
            tell_unused(request, *fit, names, unused)
    return fit


def _no_header(first: tuple[int, str], request: Request) -> Problem | None:
    """The problem of a first line that is no header, if its first characters show it."""
    line, text = first[0], first[1].strip(" \t")
    if JSON.match(text):
        message = "this is JSON, not a table of separated columns"
        return Problem("S107", message, line=line, help=f"{WRITE_JSON}, in a file called .jsonl")
    known_names = {shape.called(role) for shape in request.wanted for role in shape.roles}
    if EXCEL.fullmatch(text):
        message = f"no header; {quoted(text)} is a line for a spreadsheet"
    elif text.startswith("#") and known_names.isdisjoint(
        name.strip(' \t"') for name in re.split(r"[,;|\t]", text)
    ):
        message = f"no header; the first line is a comment ({printable(text, 60)})"
    else:
        return None
    hint = "leave out what stands before the names of the columns (score check --fix does)"
    return Problem("S202", message, line=line, help=hint)


def _several_ids(
    shape: Schema,
    roles: tuple[str, ...],
    names: list[str],
    sample: Sequence[Record],
    separator: str,
) -> Problem | None:
    """Whether every cell of the items holds several ids, and every list has one row.

    With a score or rank among the file's `roles` a row is one item.
    """
    if not {"list", "item"} <= set(roles) or any(role not in TEXT for role in roles):
        return None
    in_list, item = (names.index(shape.called(role)) for role in ("list", "item"))
    rows = [record for record in sample if len(record[1]) == len(names)]
    lists = [fields[in_list] for _, fields, _ in rows]
    if not rows or len(set(lists)) < len(lists):
        return None
    if not all(_holds_several(fields[item]) for _, fields, _ in rows):
        return None
    line, fields, raw = rows[0]
    below, column = field_start(raw, separator, item)
    called, cell = quoted(shape.called("item")), quoted(fields[item], 40)
    message = f"column {called} holds several ids in a cell ({cell}); a row has one"
    hint = "write a row for each item, best first, or lines 'u1: 2, 1, 4' in a file called .lists"
    return Problem("S209", message, line=line + below, column=column, help=hint)


def _holds_several(cell: str) -> bool:
    """Whether a cell is several ids: each has a digit, so that they are no words, or in brackets.

    >>> [_holds_several(cell) for cell in ("2 1 4", "['a', 'b']", "The Matrix", "d1")]
    [True, True, False, False]
    """
    bare = cell.strip()
    listed = bare.startswith("[") and bare.endswith("]")
    parts = [part for part in BETWEEN.split(bare.strip("[]")) if part]
    return len(parts) > 1 and (listed or all(any(map(str.isdigit, part)) for part in parts))


def _column_separator(first: tuple[int, str], request: Request) -> str:
    """The separator of the columns; a problem where it is not the expected one."""
    line, text = first
    if request.form.separator:
        return separator_of(request.form.separator)
    suffixes = [s.lower() for s in request.path.suffixes if s.lower() not in COMPRESSED]
    expected = "\t" if suffixes[-1:] == [".tsv"] else ","
    names = {shape.called(role) for shape in request.wanted for role in shape.roles}
    other = next((mark for mark in MARK_NAMES if mark in text), None)
    if expected in text or other is None or text.strip(" \t") in names:
        return expected
    message = f"columns are separated by {quoted(other)}, expected {quoted(expected)}"
    hint = "write with sep=',', or call the file .tsv" if other == "\t" else None
    column = text.index(other) + 1
    request.findings.add(Problem("S206", message, line=line, column=column, help=hint))
    return other
