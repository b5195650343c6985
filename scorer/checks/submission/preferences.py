"""Do the preferences of each list fit together?"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from scorer.checks.base import Submitted, check
from scorer.checks.pairs import faults, row_codes
from scorer.core.arrays import starts
from scorer.core.problems import Problem
from scorer.core.text import quoted


@check("S701", "S702", "S703", "S705", kinds=("preferences",))
def contradictions(submitted: Submitted) -> Iterator[Problem]:
    """Nothing is preferred to itself, not even by way of other items."""
    if "better" in submitted.table.ids:
        yield from faults(submitted.table, submitted.public.word("list"))


@check("S704", kinds=("preferences",))
def strange_item(submitted: Submitted) -> Iterator[Problem]:
    """Every item is one of its list's."""
    table, lists, word = submitted.table, submitted.lists, submitted.public.word("list")
    if (known := submitted.known.candidates) is None:
        return
    roles = ("better", "worse") if "better" in table.ids else ("item",)
    placements = [known.find(lists, table.ids[role]) for role in roles]
    strange = [np.flatnonzero((in_list >= 0) & (pair < 0)) for in_list, pair in placements]
    if not any(rows.size for rows in strange):
        return
    keys = row_codes(*(table.ids[role] for role in roles))
    row, of = np.concatenate(strange), np.repeat(np.arange(len(roles)), [r.size for r in strange])
    key = np.concatenate([codes[rows] for codes, rows in zip(keys, strange, strict=True)])
    in_list = lists.codes[row]
    by = np.lexsort((of, row, key, in_list))
    first = by[starts(in_list[by], key[by])]
    for n in first[np.lexsort((of[first], row[first]))].tolist():
        role, at = roles[of[n]], int(row[n])
        name, item = lists.text(at), table.ids[role].text(at)
        if item:  # an empty one has its own problem
            message = f"item {quoted(item)} is in no preference of {word} {quoted(name)}"
            yield Problem("S704", message, line=submitted.line(at), list=name, item=item,
                          role=role)  # fmt: skip
