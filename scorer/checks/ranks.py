"""Do the ranks count 1, 2, 3, ...?"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from scorer.checking import Submitted, check
from scorer.errors import Problem, quoted


@check("S404", "S405", "S406", "S407", kinds=("grades", "preferences"))
def ranks(submitted: Submitted) -> Iterator[Problem]:
    """Where ranks decide, each list has 1 to its length, each once."""
    table = submitted.table
    if "rank" not in table.numbers or "score" in table.numbers:
        return
    rank, lists = table.numbers["rank"], table.ids["list"]
    word = submitted.public.word("list")
    whole = np.isfinite(rank) & (rank == np.floor(rank))
    for row in np.flatnonzero(np.isfinite(rank) & ~whole).tolist():
        said = f"rank '{rank[row]:g}' is not a whole number"
        yield Problem("S407", said, line=int(table.line[row]), list=lists.text(row))
    if not whole.all() or not len(table):
        return
    order = np.lexsort((rank, lists.codes))
    codes, ranks_, lines = lists.codes[order], rank[order], table.line[order]
    starts = np.flatnonzero(np.r_[True, np.diff(codes) != 0])
    for start, end in zip(starts, [*starts[1:], codes.size], strict=True):
        name, mine = lists.names[codes[start]], ranks_[start:end]
        if mine[0] < 1:
            said = f"ranks start at {mine[0]:g} in {word} {quoted(name)}; they start at 1"
            yield Problem("S406", said, line=int(lines[start]), list=name)
            continue
        twice = np.flatnonzero(np.diff(mine) == 0)
        for n in twice.tolist():
            said = f"rank {mine[n]:g} is used twice in {word} {quoted(name)}"
            line = int(max(lines[start + n], lines[start + n + 1]))
            yield Problem("S405", said, line=line, list=name)
        gaps = np.flatnonzero(np.diff(np.r_[0, mine]) > 1)
        if gaps.size and not twice.size:
            missing = int(mine[gaps[0] - 1] + 1) if gaps[0] else 1
            found = ", ".join(f"{r:g}" for r in mine[:6]) + (", ..." if mine.size > 6 else "")
            said = f"rank {missing} is missing in {word} {quoted(name)} ({found})"
            yield Problem("S404", said, line=int(lines[start + gaps[0]]), list=name)
