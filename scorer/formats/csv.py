"""Long CSV: a header, then one row for each (list, item)."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from csv import QUOTE_ALL, QUOTE_MINIMAL, writer
from functools import cached_property
from typing import Any

import numpy as np

from scorer.bytes.limits import NoTable
from scorer.bytes.lines import count_only
from scorer.core.arrays import Mask
from scorer.core.problems import Findings, Problem
from scorer.core.text import printable
from scorer.formats.base import Rows, format
from scorer.formats.blocks import BLANK, NEWLINE, NONE, QUOTE, TAB, Block, Lines, columns
from scorer.formats.first_line import MARK_NAMES, column_separator, header_of, no_header
from scorer.formats.form import NO_SEPARATOR, WHITESPACE
from scorer.formats.header import SAMPLE, tells_all
from scorer.formats.records import FIELD_BLANKS, Record, Start, cut_record, field_start
from scorer.formats.separated import Cutter, cutter
from scorer.formats.text import Plain, Row, TextReader, plain_rows
from scorer.tables.marked import rejoined
from scorer.tables.table import DECIMAL, TEXT

DECIMAL_TEXT = DECIMAL.pattern.replace("++", "+").replace("*+", "*")  # as polars writes it
SAMPLE_LINES = 10_000  # in which the sample is looked for


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

    @cached_property
    def _exact(self) -> bool:
        """Whether blanks are kept until it is known which field is a text."""
        return any("text" in shape.roles for shape in self.request.wanted)

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
            exact, limits = self._exact, self.request.limits
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
            if not form.header and (problem := no_header(lines[0], request)) is not None:
                findings.add(problem)
                raise NoTable
            lone = len(form.header) == 1 and not form.separator
            separator = NO_SEPARATOR if lone else column_separator(lines[0], request)
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
        sample, unheard = list[Record](), Findings()
        if not tells_all(header[1], request):
            at, most = after, after + SAMPLE_LINES
            while at < min(len(lines), most) and len(sample) < SAMPLE:
                following, record = self._next(lines, at, separator, last, unheard)
                if following == at:
                    break
                sample.extend([record] if record is not None else [])
                at = following
            if len(sample) < SAMPLE and at < most and not last:
                return 0
        fit = header_of(*header, sample, separator, request)
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

    def plain_cells(self, block: Block, notes: Any) -> Sequence[Sequence[str]] | None:
        """The fields where each line has all, without quotes and blanks round them.

        The arguments are those of `TextReader.plain_cells`.
        """
        mark = self.separator
        if self.raw is not None or self.width == 1 or _round_fields(block, mark.encode()):
            return None
        if (fields := block.fields(ord(mark), self.width)) is None:
            return None
        return [fields[place :: self.width] for place in self.places]

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


def _round_fields(block: Block, mark: bytes) -> bool:
    """Whether a blank stands beside a separator or the end of a line."""
    if not block.look.blanks:
        return False
    beside = (b" " + mark, mark + b" ", b"\n ", b" \n")
    return block.data.startswith(b" ") or any(pair in block.data for pair in beside)


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
