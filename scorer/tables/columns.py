"""Columns of ids: codes into their names, the texts as polars has them, or runs of equal ones."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from scorer.core.arrays import Ints, starts
from scorer.tables.names import HeldNames

if TYPE_CHECKING:
    import polars as pl

Codes = NDArray[np.signedinteger[Any]]  # of 32 bits in a large table
Hashes = NDArray[np.uint64]
Rows: TypeAlias = "Ints | slice"  # a slice where they follow each other, so that none is copied
IdTexts: TypeAlias = "list[str] | pl.Series"  # ids of rows, in a large table as polars has them

FEW_ROWS = 20_000  # that polars is given one by one, unless `numpy.ma` has been imported
TOGETHER = 1 << 20  # rows whose hashes are copied once more sooner than hashed by their chunks
SAMPLE = 1_000  # rows by which it is told whether equal ids stand together


class CodedColumn:
    """A column of ids: each row's code is the place of its text in `names`.

    Args:
        codes: one a row, into `held`.
        held: the distinct ids, in order of appearance; in a large table as polars has them.
    """

    def __init__(self, codes: Codes, held: Sequence[str] | pl.Series) -> None:
        self.codes = codes
        self.held = held

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The distinct ids, in order of appearance."""
        return tuple(self.held if isinstance(self.held, Sequence) else self.held.to_list())

    @cached_property
    def distinct(self) -> frozenset[str]:
        """The distinct ids, to be looked up."""
        return frozenset(self.names)

    @cached_property
    def hashes(self) -> Hashes:
        """The 64-bit hash of each distinct id, as polars makes it; one a code."""
        return hashed(self.held)

    @cached_property
    def row_hashes(self) -> Hashes:
        """The 64-bit hash of each row's id; cheaper than `codes` where these are not made yet."""
        return self.hashes[self.codes]

    @cached_property
    def in_order(self) -> tuple[Sequence[str] | pl.Series, Ints]:
        """The distinct ids in the order of their characters, and the place of each code in it."""
        held = self.held
        if isinstance(held, Sequence):
            by = np.array(sorted(range(len(held)), key=held.__getitem__), dtype=np.int64)
            names: Sequence[str] | pl.Series = tuple(held[n] for n in by.tolist())
        else:
            by = held.arg_sort().to_numpy().astype(np.int64)
            ascend = bool((by[1:] > by[:-1]).all())
            names = held if ascend else held.gather(by)
        place = np.empty_like(by)
        place[by] = np.arange(by.size)
        return names, place

    def text(self, row: int) -> str:
        """The id of one row."""
        return str(self.held[int(self.codes[row])])

    def texts(self, rows: NDArray[np.integer[Any]]) -> list[str]:
        """The ids of some rows."""
        ids = self.gathered(rows)
        return ids if isinstance(ids, list) else ids.to_list()

    def gathered(self, rows: NDArray[np.integer[Any]]) -> IdTexts:
        """The ids of some rows."""
        codes = self.codes[rows]
        if isinstance(self.held, Sequence):
            return [self.held[code] for code in codes.tolist()]
        ids: pl.Series = self.held[codes]
        return ids

    def where(self, rows: Rows) -> CodedColumn:
        """The column of some rows alone."""
        return CodedColumn(self.codes[rows], self.held)

    def any_of(self, ids: Sequence[str]) -> bool:
        """Whether any of these ids is there."""
        if isinstance(self.held, Sequence):
            return not set(ids).isdisjoint(self.held)
        return bool(self.held.is_in(ids).any())


class RecodedColumn(CodedColumn):
    """A column whose ids have other codes, which are worked out when they are asked for."""

    def __init__(self, column: CodedColumn, code: Ints, held: Sequence[str]) -> None:
        self._column, self._code, self.held = column, code, held

    @cached_property
    def codes(self) -> Codes:  # type: ignore[override]
        """The code of each row."""
        codes = self._column.codes
        return self._code[codes] if codes.size else codes


class RunColumn(CodedColumn):
    """A column in which the rows of each id stand together; codes are made when asked for.

    Args:
        ends: where the rows of each id end, in the order of the ids.
    """

    def __init__(self, ends: Ints, held: Sequence[str] | pl.Series) -> None:
        self.ends, self.held = ends, held

    @cached_property
    def sizes(self) -> Ints:
        """How many rows each id has."""
        return np.diff(self.ends, prepend=0)

    @cached_property
    def codes(self) -> Codes:  # type: ignore[override]
        """The code of each row."""
        return np.repeat(np.arange(self.ends.size, dtype=np.int32), self.sizes)

    def text(self, row: int) -> str:
        """The id of one row."""
        return str(self.held[int(np.searchsorted(self.ends, row, side="right"))])


class TextColumn(CodedColumn):
    """A column of ids as polars has it; codes and names are made when they are asked for."""

    def __init__(self, series: pl.Series) -> None:
        self.series = series

    @cached_property
    def in_runs(self) -> bool:
        """Whether equal ids seem to stand together, so that there are few runs of them."""
        return len(self.series[:SAMPLE].rle()) <= SAMPLE // 2

    @cached_property
    def _coded(self) -> tuple[Codes, pl.Series]:
        if not self.in_runs:
            return coded(self.series.get_chunks(), self.row_hashes)
        runs = self.runs
        codes, names = coded([series_of(runs.held)], runs.hashes)
        return np.repeat(codes, runs.sizes), names

    @cached_property
    def codes(self) -> Codes:  # type: ignore[override]
        """The code of each row."""
        return self._coded[0]

    @cached_property
    def held(self) -> pl.Series:  # type: ignore[override]
        """The distinct ids, in order of appearance."""
        return self._coded[1]

    @cached_property
    def row_hashes(self) -> Hashes:
        """The 64-bit hash of each row's id."""
        chunks, at = self.series.get_chunks(), 0
        if len(chunks) == 1 or len(self.series) <= TOGETHER:
            return hashed(self.series)
        hashes = np.empty(len(self.series), dtype=np.uint64)
        for chunk in chunks:  # so that no copy of all is made
            hashes[at : at + len(chunk)] = hashed(chunk)
            at += len(chunk)
        return hashes

    @cached_property
    def runs(self) -> RunColumn:
        """The column with an id for each run of equal ones, which are maybe not different."""
        runs = self.series.rle().struct.unnest()
        return RunColumn(np.cumsum(runs["len"].to_numpy(), dtype=np.int64), runs["value"])

    def text(self, row: int) -> str:
        """The id of one row."""
        return str(self.series[int(row)])

    def gathered(self, rows: NDArray[np.integer[Any]]) -> IdTexts:
        """The ids of some rows."""
        return gathered(self.series, rows)

    def where(self, rows: Rows) -> CodedColumn:
        """The column of some rows alone."""
        part = TextColumn(gathered(self.series, rows))
        part.__dict__["row_hashes"] = self.row_hashes[rows]
        return part

    def any_of(self, ids: Sequence[str]) -> bool:
        """Whether any of these ids is there."""
        return bool(self.series.is_in(ids).any())


class PickedColumn(CodedColumn):
    """Some rows of a column, in another order; codes are made when they are asked for."""

    def __init__(self, column: CodedColumn, rows: Ints) -> None:
        self._column, self._rows = column, rows

    @cached_property
    def codes(self) -> Codes:  # type: ignore[override]
        """The code of each row, as in the whole column."""
        return self._column.codes[self._rows]

    @property
    def held(self) -> Sequence[str] | pl.Series:  # type: ignore[override]
        """The distinct ids of the whole column, in order of appearance."""
        return self._column.held

    @cached_property
    def row_hashes(self) -> Hashes:
        """The 64-bit hash of each row's id."""
        return self._column.row_hashes[self._rows]


def hashed(names: Sequence[str] | pl.Series) -> Hashes:
    """The 64-bit hash of each id, as polars makes it."""
    return series_of(names).hash().to_numpy()


def series_of(names: Sequence[str] | pl.Series) -> pl.Series:
    """Ids as polars has them."""
    import polars as pl

    return names.series if isinstance(names, HeldNames) else pl.Series(names, dtype=pl.String)


def gathered(texts: pl.Series, rows: NDArray[np.integer[Any]] | slice) -> pl.Series:
    """Some of the texts."""
    picked: pl.Series = texts[rows if isinstance(rows, slice) else one_by_one(rows)]
    return picked


def one_by_one(numbers: NDArray[Any]) -> list[Any] | NDArray[Any]:
    """Numbers as polars takes them sooner: for an array it would import `numpy.ma`."""
    few = numbers.size <= FEW_ROWS and "numpy.ma" not in sys.modules
    return numbers.tolist() if few else numbers


def text_of(column: CodedColumn) -> pl.Series:
    """The text of each row, as polars has it."""
    if isinstance(column, TextColumn):
        return column.series
    return gathered(series_of(column.held), column.codes)


def coded(parts: Sequence[pl.Series], hashes: Hashes | None = None) -> tuple[Codes, pl.Series]:
    """The code of each row of a column, and what the codes stand for, in order of appearance."""
    import polars as pl

    if hashes is None:
        every = pl.concat(parts)
        if len(every) and every.is_sorted():  # equal ones follow each other, as lists often do
            new = pl.concat([pl.Series([True]), every[1:] != every[:-1]])
            return new.cum_sum().to_numpy().astype(np.int32) - 1, every.filter(new).rechunk()
        hashes = np.concatenate([part.hash().to_numpy() for part in parts])
    codes, first = grouped(hashes)
    ends = np.cumsum([len(part) for part in parts])
    names = pl.concat(
        [
            gathered(part, rows - (end - len(part)))
            for part, rows, end in zip(
                parts, np.split(first, np.searchsorted(first, ends[:-1])), ends, strict=True
            )
        ],
        rechunk=True,
    )
    seldom = 2 * first.size > codes.size  # does an id come again, so that few rows are compared
    again = np.ones(codes.size, dtype=bool)
    again[first] = False
    for part, part_codes, part_again in zip(
        parts, np.split(codes, ends[:-1]), np.split(again, ends[:-1]), strict=True
    ):
        texts = part
        if seldom:
            rows = np.flatnonzero(part_again)
            texts, part_codes = gathered(part, rows), part_codes[rows]
        if not (gathered(names, part_codes) == texts).all():  # two ids have one hash
            number: dict[str, int] = {}
            recoded = [number.setdefault(name, len(number)) for part in parts for name in part]
            return np.array(recoded, dtype=np.int32), pl.Series(list(number), dtype=pl.String)
    return codes, names


def grouped(hashes: Hashes) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Codes for hashes, in order of appearance, and the row in which each appears first.

    As much of each hash as there is room for is sorted together with its row,
    many times faster than rows by their hashes. Arrays are used again, since
    untouched memory costs more than the work in it.
    """
    bits = hashes.size.bit_length()
    packed = hashes >> np.uint64(bits)
    packed <<= np.uint64(bits)
    packed |= np.arange(hashes.size, dtype=np.uint32)
    packed.sort()
    row = packed.astype(np.int32)  # the lowest bits
    row &= np.int32((1 << bits) - 1)
    ordered = np.take(hashes, row, out=packed, mode="clip")
    if (falls := ordered[1:] < ordered[:-1]).any():  # hashes that only begin alike
        begins = ordered >> np.uint64(bits)
        alike = np.isin(begins, begins[1:][falls])
        by = np.lexsort((row[alike], ordered[alike]))
        row[alike], ordered[alike] = row[alike][by], ordered[alike][by]
    new = starts(ordered)
    appears = np.zeros(row.size, dtype=bool)
    appears[row[new]] = True
    codes = np.cumsum(appears, dtype=np.int32)
    code = codes[row[new]] - 1
    codes[row] = np.repeat(code, np.diff(np.append(np.flatnonzero(new), row.size)))
    return codes, np.flatnonzero(appears).astype(np.int32)
