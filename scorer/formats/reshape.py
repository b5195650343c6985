"""Rows of a file that is not plain, from the cells that its format cuts.

The reader of a format cuts the lines, careful or by polars; this one makes the rows of each
record, so that what follows sees the same columns, lines and findings as of a plain file.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from scorer.bytes.lines import count_only
from scorer.core.arrays import Mask
from scorer.core.problems import Findings, Problem
from scorer.core.text import printable, quoted
from scorer.formats.blocks import Block, Lines, Places
from scorer.formats.cells import CellNotes, gathered, split_cells, tell_twice, without_comments
from scorer.formats.form import (
    CutSchema,
    Keys,
    KeyTable,
    joined_name,
    outer_roles,
    several,
    whole_role,
)
from scorer.formats.text import Piece, Plain, Request, Row, TextReader, all_lines, has_blank_lines
from scorer.tables.table import TEXT, largest

if TYPE_CHECKING:
    import polars as pl

STRIDE = 1 << 32  # between the parts of one wide column and those of the next


class Reshaped(TextReader):
    """A reader of records, of each of which rows are made.

    `keys` reads the files that say what lines or values are about.
    """

    def __init__(
        self,
        cutter: Callable[[Request], TextReader],
        request: Request,
        keys: Callable[[Keys], KeyTable],
    ) -> None:
        super().__init__(request)
        self.form, self._keys_of = request.form, keys
        self.inner = cutter(request)
        self.begun = False
        self._to_skip = self.form.skip
        self._first = 1  # the first line that is neither skipped nor a header
        self._last = 0
        self.records: list[tuple[Any, Any]] = []  # lines, and names or their hashes
        self._several = dict(self.form.cells)
        if self.inner.begun and not self._to_skip and not self.form.comment:
            self._settle_shape()

    def _settle_shape(self) -> None:
        """Take over what the inner reader has learnt of the file."""
        inner, form = self.inner, self.form
        self.facts, self.begun = inner.facts, True
        self.cut = inner.shape if isinstance(inner.shape, CutSchema) else None
        if self.cut is None:  # only lines are left out
            self.shape, self.roles, self.lenient = inner.shape, inner.roles, inner.lenient
            return
        self.shape, cut = self.cut.outer, self.cut
        self.roles = outer_roles(form, cut, inner.roles)
        self.lenient = inner.lenient
        wide = set(cut.required[len(cut.required) - len(cut.wide) :])
        self._wide = [n for n, role in enumerate(inner.roles) if role in wide]
        self._scalar = {
            role: n
            for n, role in enumerate(inner.roles)
            if n not in set(self._wide) and not role.startswith("cell[")
        }
        self._cells = {
            whole_role(role): n for n, role in enumerate(inner.roles) if role.startswith("cell[")
        }

    @cached_property
    def _keys(self) -> KeyTable:
        assert self.form.lines is not None
        return self._keys_of(self.form.lines)

    @cached_property
    def _between(self) -> list[int]:
        """The lines, from the first row on, that are comments or blank and so of no row."""
        blank = not self._blank_is_empty
        if not self.form.comment and not (blank and has_blank_lines(self.request)):
            return []

        def says_nothing(text: str) -> bool:
            return self._is_comment(text) or (blank and not text.strip())

        return [
            number
            for number, text in all_lines(self.request)
            if number >= self._first and says_nothing(text)
        ]

    @cached_property
    def _candidates(self) -> Mapping[str, list[str]]:
        assert self.form.candidates is not None
        return self._keys_of(self.form.candidates).by_list

    def begin(self, lines: Lines, last: bool, findings: Findings) -> int:
        """Skip what is no row, then let the inner reader look at what follows.

        The arguments are those of `TextReader.begin`.
        """
        used = 0
        while used < len(lines) and (self._to_skip or self._is_comment(lines[used][1])):
            self._to_skip = max(self._to_skip - 1, 0)
            used += 1
        if used:
            return used
        if not self.inner.begun:
            used = self.inner.begin(lines, last, findings)
        if self.inner.begun:
            self._settle_shape()
            self._first = lines.first + used
            self._last = self._first - 1
        return used

    def _is_comment(self, text: str) -> bool:
        return bool(self.form.comment) and text.startswith(self.form.comment)

    def parse(
        self, lines: Lines, line: int, last: bool, findings: Findings, notes: CellNotes
    ) -> tuple[int, Sequence[Row]]:
        """The rows of a record.

        The arguments are those of `TextReader.parse`.
        """
        number, text = lines[line]
        if self._is_comment(text):
            return line + 1, ()
        after, records = self.inner.parse(lines, line, last, findings, notes.inner)
        if self.cut is None:
            return after, records
        if not records and self._blank_is_empty and not text.strip():
            records = [(number, [""] * len(self.inner.roles), text)]
        rows: list[Row] = []
        for record in records:
            rows.extend(self._rows(record[0], record[1], record[2], findings, notes))
        return after, rows

    @property
    def _blank_is_empty(self) -> bool:
        """Whether a blank line is an answer, of no items."""
        return self.form.lines is not None and "item" in self._several

    def _rows(
        self, line: int, cells: Sequence[str], raw: str, findings: Findings, notes: CellNotes
    ) -> Iterator[Row]:
        shared = {role: cells[n] for role, n in self._scalar.items()}
        if self.form.lines is not None:
            at = line - self._first - bisect_left(self._between, line)
            if not 0 <= at < len(self._keys.lists):
                if not count_only(findings, "S210"):
                    findings.add(self._too_many(line))
                return
            shared["list"] = self._keys.lists[at]
            if self._keys.items is not None:
                shared["item"] = self._keys.items[at]
        if self._wide:
            assert self.form.wide
            assert self.cut
            role, cut = self.form.wide[0], self.cut
            for k, (label, n) in enumerate(zip(cut.wide, self._wide, strict=True)):
                value = cells[n]
                if cut.value in TEXT and not value.strip():
                    continue  # no item at this rank
                key = joined_name(label, shared["list"]) if role == "list" else label
                row = {**shared, role: key, cut.value: value}
                yield line, [row[r] for r in self.roles], raw, k * STRIDE
            return
        if not self._cells:
            yield line, [shared[r] for r in self.roles], raw, 0
            return
        parts = {role: several(cells[n], self._several[role]) for role, n in self._cells.items()}
        if self.form.vector:
            parts["item"] = self._candidates.get(shared["list"], [])
            if shared["list"] not in self._candidates:
                parts["item"] = ["?"] * len(
                    next(iter(parts.values()))
                )  # the check of unknown lists reports it
        name = shared.get("list", "")
        notes.lines.append(line)
        notes.names.append(name)
        sizes = {len(values) for values in parts.values()}
        if len(sizes) > 1:
            if not count_only(findings, "S211"):
                findings.add(self._uneven(line, name, raw, parts))
            return
        if not sizes.difference({0}):
            notes.empty.append((name, line))
            return
        for k in range(sizes.pop()):
            row = shared | {role: values[k] for role, values in parts.items()}
            yield line, [row[r] for r in self.roles], raw, k

    def _too_many(self, line: int) -> Problem:
        rows = len(self._keys.lists)
        message = f"a line too many; the file has one for each of the {rows:,} rows of "
        return Problem("S210", message + quoted(self._keys.name), line=line)

    def _uneven(self, line: int, name: str, raw: str, parts: Mapping[str, list[str]]) -> Problem:
        word = printable(self.shape.called("list"), 60)
        column = self.inner.place(raw, next(iter(self._cells.values())))
        if self.form.vector:
            role = next(iter(self._cells))
            message = (
                f"{len(parts[role]):,} values in {quoted(self.shape.called(role))}; {word} "
                f"{quoted(name)} has {len(parts['item']):,} candidates, which have one each"
            )
        else:
            counts = " and ".join(
                f"{len(values):,} in {quoted(self.shape.called(role))}"
                for role, values in parts.items()
            )
            message = f"{counts}; each item has one of each"
        return Problem("S211", message, line=line + column[0], column=column[1], list=name)

    def called(self, role: str, part: int = 0) -> str:
        """The name of the column; of wide ones that of the part.

        The arguments are those of `TextReader.called`.
        """
        if self.cut is not None and self._wide and role == self.cut.value:
            return self.cut.called(f"{role}[{part // STRIDE}]")
        return self.shape.called(role)

    def place(self, raw: str, cell: int, part: int = 0) -> tuple[int, int | None]:
        """Where the cell of the file stands that a cell of a row is made of.

        The arguments are those of `TextReader.place`.
        """
        role = self.roles[cell]
        if self.cut is None:
            return self.inner.place(raw, cell, part)
        if role in self._scalar:
            return self.inner.place(raw, self._scalar[role])
        if self._wide and role == self.cut.value:
            return self.inner.place(raw, self._wide[part // STRIDE])
        if role not in self._cells:
            return 0, None
        below, column = self.inner.place(raw, self._cells[role])
        if below or column is None:
            return below, column
        quote = raw[column - 1 : column] == '"'
        text = raw[column - 1 + quote :]
        return 0, column + quote + self.inner.inside(text, self._several[role], part)

    def notes(self) -> CellNotes:
        """An empty note on the records of a block."""
        return CellNotes(self.inner.notes(), [], [], [], [])

    def plain(self, block: Block, notes: CellNotes) -> Plain:
        """The rows of the records that polars cuts."""
        plain = self.inner.plain(block, notes.inner)
        if self.form.comment:
            plain = without_comments(plain, self._comments(block))
        if self.cut is None or not plain.at.size:
            return self._with_blank(block, plain)

        columns, at, odd = dict(plain.columns), plain.at, plain.odd
        if self.form.lines is not None:
            row = at + block.first - self._first
            if self._between:
                row = row - np.searchsorted(self._between, at + block.first)
            inside = row < len(self._keys.lists)
            if not inside.all():
                odd = np.union1d(odd, at[~inside])
                at, row = at[inside], row[inside]
                columns = gathered(columns, np.flatnonzero(inside))
            columns["list"] = self._key_column("lists").gather(row)
            if self._keys.items is not None:
                columns["item"] = self._key_column("items").gather(row)
        if self._wide:
            columns, at = self._widened(columns, at)
        elif self._cells:
            columns, at, odd = self._split(columns, at, odd, block, notes)
        return self._with_blank(block, Plain({r: columns[r] for r in self.roles}, at, odd))

    def _with_blank(self, block: Block, plain: Plain) -> Plain:
        """The same with blank lines left to the careful parser, where they are answers."""
        if self.cut is None or not self._blank_is_empty:
            return plain
        blank = np.flatnonzero(block.ends - block.starts <= 1)
        return plain._replace(odd=np.union1d(plain.odd, blank)) if blank.size else plain

    def _comments(self, block: Block) -> Mask:
        """Which lines are comments."""
        marks = tuple(word.encode() for word in self.form.comment)
        commented = np.zeros(block.count, dtype=bool)
        for mark in marks:
            heads = np.flatnonzero(block.octets[block.starts] == mark[0])
            for n in heads.tolist():
                start = int(block.starts[n])
                commented[n] |= block.data.startswith(mark, start)
        return commented

    def _key_column(self, name: str) -> pl.Series:
        import polars as pl

        cache = vars(self).setdefault("_series", {})
        if name not in cache:
            cache[name] = pl.Series(getattr(self._keys, name), dtype=pl.String)
        series: pl.Series = cache[name]
        return series

    def _widened(self, columns: Mapping[str, Any], at: Places) -> tuple[dict[str, Any], Places]:
        """A row for each wide column of a record."""
        import polars as pl

        assert self.form.wide
        assert self.cut
        role, cut = self.form.wide[0], self.cut
        width, wide_roles = len(self._wide), [self.inner.roles[n] for n in self._wide]
        by = np.repeat(np.arange(at.size), width)
        widened = gathered({r: c for r, c in columns.items() if r not in set(wide_roles)}, by)
        labels = pl.Series(list(cut.wide) * at.size, dtype=pl.String)
        if cut.value in TEXT:
            values = pl.DataFrame([columns[r].alias(str(n)) for n, r in enumerate(wide_roles)])
            widened[cut.value] = values.select(pl.concat_list(pl.all())).to_series().explode()
        else:
            widened[cut.value] = np.column_stack([columns[r] for r in wide_roles]).ravel()
        if role == "list":
            widened["list"] = labels + joined_name("", "") + widened["list"]
        else:
            widened[role] = labels if role in TEXT else labels.cast(pl.Float64).to_numpy()
        at = at[by]
        if cut.value in TEXT:
            full = np.flatnonzero((widened[cut.value].str.strip_chars(" \t") != "").to_numpy())
            if full.size < at.size:
                widened, at = gathered(widened, full), at[full]
        return widened, at

    def _split(
        self, columns: Mapping[str, Any], at: Places, odd: Places, block: Block, notes: CellNotes
    ) -> tuple[dict[str, Any], Places, Places]:
        """A row for each of several in the cells of a record."""
        import polars as pl

        sizes, parts = None, dict[str, Any]()
        good = np.ones(at.size, dtype=bool)
        for role in self._cells:
            cut = split_cells(columns[f"cell[{role}]"], self._several[role], good)
            size = cut.list.len().to_numpy().astype(np.int64)
            parts[role] = cut
            good &= size > 0  # an empty list is rare, and left to the careful parser
            if sizes is not None:
                good &= size == sizes
            sizes = size
        assert sizes is not None
        if self.form.vector:
            candidates = self._sizes(columns["list"])
            good &= candidates == sizes
        rows = np.flatnonzero(good)
        spread = {
            role: cut.gather(rows).explode() if rows.size else pl.Series([], dtype=pl.String)
            for role, cut in parts.items()
        }
        by = np.repeat(rows, sizes[rows])
        bad = np.zeros(at.size, dtype=bool)
        numbers: dict[str, Any] = {}
        for role, tokens in spread.items():
            if role not in TEXT:
                values = tokens.cast(pl.Float64, strict=False).fill_null(np.nan).to_numpy()
                numbers[role] = values
                bad[by[~(np.abs(values) <= largest(role))]] = True
        if bad.any():
            keep = np.flatnonzero(~bad[by])
            spread, numbers = gathered(spread, keep), gathered(numbers, keep)
            by, good = by[keep], good & ~bad
            rows = np.flatnonzero(good)
        if not good.all():
            odd = np.union1d(odd, at[~good])
        split = gathered({r: columns[r] for r in self._scalar if r in columns}, by)
        if self.form.lines is not None:
            split |= gathered({r: columns[r] for r in ("list",)}, by)
        split |= spread | numbers
        if self.form.vector:
            names = columns["list"].gather(rows).to_list()
            split["item"] = pl.Series(
                [item for name in names for item in self._candidates[name]], dtype=pl.String
            )
        if "list" in columns and rows.size:
            notes.plain.append((at[rows] + block.first, columns["list"].gather(rows)))
        return split, at[by], odd

    def _sizes(self, lists: pl.Series) -> Places:
        """How many candidates each of some lists has; -1 of one that has none."""
        candidates = self._candidates
        return np.array([len(candidates.get(name, ())) or -1 for name in lists.to_list()])

    def column(self, lines: Lines, line: int, role: str, cell: str) -> int | None:
        """At which character of a line a cell begins, of whatever row of the record.

        The arguments are those of `TextReader.column`.
        """
        if self.cut is None:
            return self.inner.column(lines, line, role, cell)
        return super().column(lines, line, role, cell)

    def settle(self, piece: Piece) -> None:
        """Take what was noted, in the order of the file."""
        notes: CellNotes = piece.notes
        piece.notes = notes.inner
        self.inner.settle(piece)
        self.facts = self.inner.facts
        self._last = max(self._last, piece.block.first + piece.block.count - 1)
        if self.cut is None:
            return
        if self._cells:
            piece.facts["empty"] = tuple(sorted(notes.empty, key=lambda entry: entry[1]))
            if "list" in self.roles and self.form.lines is None:
                if notes.lines:
                    self.records.append((notes.lines, notes.names))
                for lines, names in notes.plain:
                    self.records.append((lines, names.hash().to_numpy()))

    def end(self, findings: Findings) -> None:
        """Add the problems of lists that are given on two lines, and of missing lines."""
        self.inner.end(findings)
        if self.cut is None:
            return
        rows = self._last - self._first + 1
        if self.form.lines is not None:
            rows -= bisect_right(self._between, self._last)
        if self.form.lines is not None and rows < len(self._keys.lists):
            message = (
                f"{rows:,} line{'s' * (rows != 1)}, expected {len(self._keys.lists):,}: one for "
                f"each row of {quoted(self._keys.name)}"
            )
            findings.add(Problem("S210", message, line=max(self._last, 1)))
        tell_twice(self.records, printable(self.shape.called("list"), 60), findings)
