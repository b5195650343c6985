"""Large files of the organizer's, such as a truth, as tables."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from scorer.io.formats.base import Format
from scorer.io.limits import Limits, Unreadable
from scorer.io.polars_chunks import Doubt, frames
from scorer.io.table import TEXT, CodedColumn, Floats, Schema, Table, largest

if TYPE_CHECKING:
    import polars as pl

Narrow = NDArray[np.int32]
SCATTERED = frozenset({"item", "better", "worse"})  # of other ids, equal ones stand together


def table(path: Path, format: Format, wanted: Sequence[Schema], limits: Limits) -> Table:
    """The whole of a file as a table, such as a large truth.

    Raises:
        Doubt: the thorough reader must look.
    """
    if format.name not in ("csv", "trec"):
        raise Doubt
    texts: dict[str, list[pl.Series]] = {}
    times: dict[str, list[Narrow]] = {}
    numbers: dict[str, list[Floats]] = {}
    rows = 0
    try:
        for layout, frame in frames(path, format, wanted, limits):
            rows += frame.height
            for role, place in layout.places.items():
                column = frame[str(place)]
                if role not in TEXT:
                    numbers.setdefault(role, []).append(_small(column, role))
                    continue
                if role not in SCATTERED:
                    runs = column.rle().struct.unnest()
                    column = runs["value"]
                    times.setdefault(role, []).append(runs["len"].to_numpy().astype(np.int32))
                texts.setdefault(role, []).append(column)
    except Unreadable:
        raise Doubt from None
    if not 0 < rows < 2**31:
        raise Doubt
    ids = {role: _coded(parts, times.get(role)) for role, parts in texts.items()}
    if format.name == "trec" and any(name.startswith("#") for name in ids["list"].names):
        raise Doubt  # a comment
    first = 2 if layout.header else 1
    return Table(
        ids,
        {role: np.concatenate(parts) for role, parts in numbers.items()},
        np.arange(first, first + rows, dtype=np.int32),
        layout.shape,
    )


def _small(column: pl.Series, role: str) -> Floats:
    """Numbers, if they are not too large to compute with."""
    found = column.to_numpy()
    if not (np.abs(found) <= largest(role)).all():
        raise Doubt
    return found


def _coded(parts: list[pl.Series], times: list[Narrow] | None) -> CodedColumn:
    """A column, from its pieces, or from runs and how long each of them is."""
    import polars as pl

    codes, first = _grouped(np.concatenate([part.hash().to_numpy() for part in parts]))
    ends = np.cumsum([len(part) for part in parts])
    names = pl.concat(
        [
            part.gather(rows - (end - len(part)))
            for part, rows, end in zip(
                parts, np.split(first, np.searchsorted(first, ends[:-1])), ends, strict=True
            )
        ],
        rechunk=True,
    )
    for part, mine in zip(parts, np.split(codes, ends[:-1]), strict=True):
        if not (names.gather(mine) == part).all():
            raise Doubt  # two ids have one hash
    return CodedColumn(codes if times is None else np.repeat(codes, np.concatenate(times)), names)


def _grouped(hashes: NDArray[np.uint64]) -> tuple[Narrow, Narrow]:
    """Codes for hashes, in order of appearance, and the row in which each appears first.

    As much of each hash as there is room for is sorted together with its row,
    many times sooner than rows by their hashes. Arrays are used again, since
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
    new = np.append(True, ordered[1:] != ordered[:-1])
    appears = np.zeros(row.size, dtype=bool)
    appears[row[new]] = True
    codes = np.cumsum(appears, dtype=np.int32)
    code = codes[row[new]] - 1
    codes[row] = np.repeat(code, np.diff(np.append(np.flatnonzero(new), row.size)))
    return codes, np.flatnonzero(appears).astype(np.int32)
