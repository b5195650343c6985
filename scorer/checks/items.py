"""Are the items of each list in order?"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from scorer.checking import Submitted, check
from scorer.errors import Problem, nearest, quoted


@check("S304", kinds=("grades",))
def duplicate_item(submitted: Submitted) -> Iterator[Problem]:
    """A list names an item once."""
    table = submitted.table
    lists, items = table.ids["list"], table.ids["item"]
    order = np.lexsort((np.arange(len(table)), items.codes, lists.codes))
    same = (np.diff(lists.codes[order]) == 0) & (np.diff(items.codes[order]) == 0)
    first = 0
    for n in np.flatnonzero(same).tolist():
        if n == 0 or not same[n - 1]:
            first = int(order[n])
        again = int(order[n + 1])
        name, item = lists.text(again), items.text(again)
        said = (
            f"item {quoted(item)} is given twice in {submitted.public.word('list')} "
            f"{quoted(name)} (first on line {table.line[first]})"
        )
        yield Problem("S304", said, line=int(table.line[again]), list=name, item=item)


@check("S305", kinds=("grades",))
def unknown_item(submitted: Submitted) -> Iterator[Problem]:
    """Every item is in the catalogue, where the challenge has one."""
    catalogue = submitted.public.items
    if catalogue is None:
        return
    table = submitted.table
    lists, items = table.ids["list"], table.ids["item"]
    unknown = np.array([name not in catalogue for name in items.names], dtype=bool)
    for row in np.flatnonzero(unknown[items.codes]).tolist():
        item = items.text(row)
        near = nearest(item, catalogue) if len(catalogue) <= 20_000 else None
        hint = f"; nearest: {quoted(near)}" if near else ""
        said = f"item {quoted(item)} is not in the catalogue{hint}"
        yield Problem("S305", said, line=int(table.line[row]), list=lists.text(row), item=item)


@check("S401", "S402", "S403", kinds=("grades",))
def length(submitted: Submitted) -> Iterator[Problem]:
    """Each list is as long as the challenge asks."""
    table, wanted = submitted.table, submitted.rules.length
    word = submitted.public.word("list")
    for name, line in table.facts.get("empty", ()):
        yield Problem("S403", f"{word} {quoted(name)} is empty", line=line, list=name)
    if wanted is None:
        return
    lists = table.ids["list"]
    sizes = np.bincount(lists.codes, minlength=len(lists.names))
    lines = np.zeros(len(lists.names), dtype=np.int64)
    lines[lists.codes[::-1]] = table.line[::-1]
    for code, size in enumerate(sizes.tolist()):
        name, line = lists.names[code], int(lines[code])
        exactly = wanted.min is not None and wanted.min == wanted.max
        has = f"{word} {quoted(name)} has {size:,} item{'s' if size != 1 else ''}"
        if exactly and size != wanted.min:
            said = f"{has}, exactly {wanted.min:,} are required"
            yield Problem("S401", said, line=line, list=name)
        elif wanted.max is not None and size > wanted.max:
            yield Problem(
                "S402", f"{has}, at most {wanted.max:,} are allowed", line=line, list=name
            )
        elif wanted.min is not None and size < wanted.min:
            said = f"{has}, at least {wanted.min:,} are required"
            yield Problem("S401", said, line=line, list=name)
