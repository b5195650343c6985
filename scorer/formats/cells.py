"""Cells and rows of odd lines: parted, left out, and told where a list is answered twice."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from scorer.bytes.lines import count_only
from scorer.core.arrays import Mask
from scorer.core.problems import Findings, Problem
from scorer.core.text import quoted
from scorer.formats.blocks import Places
from scorer.formats.form import BEFORE_EACH, WHITESPACE
from scorer.formats.text import Plain
from scorer.tables.columns import hashed

if TYPE_CHECKING:
    import polars as pl


class CellNotes(NamedTuple):
    """Notes on a block: of each record its line and list; lists without items."""

    inner: Any
    lines: list[int]
    names: list[str]
    empty: list[tuple[str, int]]
    plain: list[tuple[Places, Any]]  # the same of lines that polars cut


def gathered(columns: Mapping[str, Any], rows: Any) -> dict[str, Any]:
    """Some rows of columns."""
    return {
        role: column[rows] if isinstance(column, np.ndarray) else column.gather(rows)
        for role, column in columns.items()
    }


def without_comments(plain: Plain, comments: Mask) -> Plain:
    """The rows without those of lines that are comments."""
    if not comments.any():
        return plain
    odd = plain.odd[~comments[plain.odd]]
    keep = np.flatnonzero(~comments[plain.at])
    if keep.size == plain.at.size:
        return plain._replace(odd=odd)
    return Plain(gathered(plain.columns, keep), plain.at[keep], odd)


def split_cells(cells: pl.Series, separator: str, good: Mask) -> pl.Series:
    """The several of each cell; `good` is cleared for cells that need the careful parser."""
    import polars as pl

    if len(cells) and cells.str.starts_with(BEFORE_EACH).all():
        return cells.str.slice(1).str.split(BEFORE_EACH)
    text = cells.str.strip_chars(" \t")
    edged = text.str.contains(r"^[\[(]").to_numpy()
    if edged.any():
        good &= ~(edged & text.str.contains(r"""['"]""").to_numpy())
        good &= ~(edged & ~text.str.contains(r"^(\[[^\]]*\]|\([^)]*\))$").to_numpy())
        text = text.str.replace(r"^[\[(](.*)[\])]$", "$1").str.strip_chars(" \t")
    good &= text.str.len_bytes().to_numpy() > 0
    if separator in (" ", WHITESPACE):
        return text.str.replace_all(r"\s+", " ").str.split(" ")
    tokens = text.str.split(separator)
    if (text.str.contains(r"[ \t]")).any():
        tokens = tokens.list.eval(pl.element().str.strip_chars(" \t"))
    return tokens


def tell_twice(records: Sequence[tuple[Any, Any]], word: str, findings: Findings) -> None:
    """Add a problem for each line whose list an earlier line has answered.

    `records` are lines with the names of their lists, or the hashes of these.
    """
    if not records:
        return
    texts = dict[int, str]()
    if all(isinstance(names, list) for _, names in records):
        keys: Any = [name for _, names in records for name in names]
        lines = [line for lines, _ in records for line in lines]
        texts = dict(zip(lines, keys, strict=True))
        if len(set(keys)) == len(keys):
            return
    else:
        lines = np.concatenate([np.asarray(lines) for lines, _ in records]).tolist()
        hashes = np.concatenate([hashed(n) if isinstance(n, list) else n for _, n in records])
        ordered = np.sort(hashes)
        if not (ordered[1:] == ordered[:-1]).any():
            return
        keys = hashes.tolist()
    first_lines: dict[Any, int] = {}
    for line, key in sorted(zip(lines, keys, strict=True)):
        if (first := first_lines.setdefault(key, line)) != line and not count_only(
            findings, "S303"
        ):
            named = f" {quoted(texts[line])}" if texts else ""
            message = f"{word}{named} appears on two lines (first on line {first:,})"
            findings.add(Problem("S303", message, line=line, list=texts.get(line)))
