"""Describes a submission in a line, which helps to find why a score is low, without the truth."""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from scorer.challenge.public import Public, ids_of
from scorer.core.text import printable, quoted
from scorer.reading.schema import holds_text
from scorer.reading.table import Table

MOST_CLASSES = 20  # more different labels are counted, not listed with their shares
SHOWN_CLASSES = 5  # classes that are listed with their shares, the most frequent ones


def describe_rows(table: Table, public: Public) -> str:
    """Return how many lists and items a submission has, its classes, and columns of one value.

    Args:
        table: The rows of the submission.
        public: The public part of the challenge.

    Returns:
        A line; empty for a table without rows.
    """
    return "; ".join(_describe(table, public)) if len(table) else ""


def _describe(table: Table, public: Public) -> Iterator[str]:
    names = table.frame["list"].unique()
    word = public.lists_called
    if public.lists:
        known = names.is_in(pl.Series(ids_of(public.lists), dtype=pl.String).implode()).sum()
        yield f"{known:,} of {len(public.lists):,} {word}"
    else:
        yield f"{len(names):,} {word}"
    if "item" in table and public.kind in ("grades", "ratings"):
        yield _describe_items(table)
    if "label" in table:
        yield _describe_labels(table)
    for role in table.frame.columns:
        if role not in ("line", "rank") and not holds_text(role):
            values = table.frame[role].drop_nans()
            if len(values) > 1 and values.min() == values.max():
                yield f"every {printable(table.column_name(role), 60)} is {values[0]:.6g}"


def _describe_items(table: Table) -> str:
    """Return how many items a list has, and how many different ones there are."""
    sizes = table.frame["list"].value_counts()["count"].to_numpy()
    least = int(sizes.min())
    most = int(sizes.max())
    different = table.frame["item"].n_unique()
    span = f"{most:,}" if least == most else f"{least:,} to {most:,}"
    items = f"{span} {'item' if most == 1 else 'items'} a list"
    if len(sizes) == 1:
        return items
    # Lists of n items with n different ones in all have the same items.
    are_same = least == most == different
    return f"{items}, {'the same in every list' if are_same else f'{different:,} different'}"


def _describe_labels(table: Table) -> str:
    """Return the shares of the classes, the largest first, or that there is one."""
    word = printable(table.column_name("label"), 60)
    counts = table.frame.group_by("label", maintain_order=True).len()
    counts = counts.sort("len", descending=True, maintain_order=True)
    if counts.height == 1:
        return f"every {word} is {quoted(counts['label'][0])}"
    if counts.height > MOST_CLASSES:
        return f"{word}: {counts.height:,} different ones"
    shares = [f"{quoted(label)} {n / len(table):.1%}" for label, n in counts.iter_rows()]
    rest = len(shares) - SHOWN_CLASSES
    more = f" and {rest:,} more" if rest > 0 else ""
    return f"{word}: {', '.join(shares[:SHOWN_CLASSES])}{more}"
