"""Do the preferences of each list fit together?"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from scorer.checks.base import Submitted, check
from scorer.checks.pairs import faults, joined
from scorer.core.arrays import starts
from scorer.core.problems import Problem
from scorer.core.text import quoted
from scorer.io.table import Ints


@check("S701", "S702", "S703", "S705", kinds=("preferences",))
def contradictions(submitted: Submitted) -> Iterator[Problem]:
    """Nothing is preferred to itself, not even by way of other items."""
    if "better" in submitted.table.ids:
        yield from faults(submitted.table, submitted.public.word("list"))


@check("S704", kinds=("preferences",))
def strange_item(submitted: Submitted) -> Iterator[Problem]:
    """Every item is one of its list's."""
    table, public = submitted.table, submitted.public
    lists, word = table.ids["list"], public.word("list")
    roles = ("better", "worse") if "better" in table.ids else ("item",)
    names, codes = joined(*(table.ids[role] for role in roles))
    in_list, item = np.tile(lists.codes, len(roles)), np.concatenate(codes)
    row = np.tile(np.arange(len(table)), len(roles))
    first = _first(in_list, item, row)
    for n, code, at in sorted(
        zip(row[first].tolist(), item[first].tolist(), first.tolist(), strict=True)
    ):
        name, item_name = lists.text(n), names[code]
        known = (public.candidates or {}).get(name)
        if item_name and known is not None and item_name not in known:
            message = f"item {quoted(item_name)} is in no preference of {word} {quoted(name)}"
            yield Problem("S704", message, line=int(table.line[n]), list=name, item=item_name,
                          role=roles[at // len(table)])  # fmt: skip


def _first(in_list: Ints, item: Ints, row: Ints) -> Ints:
    """Where each (list, item) comes first."""
    by = np.lexsort((row, item, in_list))
    new = starts(in_list[by], item[by])
    return by[new]
