"""Is each list as long as the challenge asks?"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from scorer.checks.base import Submitted, check, nameless, places
from scorer.core.problems import Problem
from scorer.core.text import quoted


@check("S401", "S402", "S403", kinds=("grades", "preferences"))
def length(submitted: Submitted) -> Iterator[Problem]:
    """A list has as many items as `submission.length` asks, and at least one."""
    wanted, public = submitted.rules.length, submitted.public
    word = public.word("list")
    least, most = (wanted.min or 0, wanted.max) if wanted else (0, None)
    if not (wanted and wanted.min == 0):
        for name, line in submitted.empty.items():
            yield Problem("S403", f"{word} {quoted(name)} is empty", line=line, list=name)
    if wanted is None or "item" not in submitted.table.ids:
        return
    lists = submitted.lists
    sizes = np.bincount(lists.codes, minlength=len(lists.names))
    first = np.zeros(len(lists.names), dtype=np.int64)
    first[lists.codes[::-1]] = np.arange(lists.codes.size)[::-1]
    named = np.array([not nameless(n, public.lists) for n in lists.names], dtype=bool)
    long = named & (sizes > (sizes if most is None else most))
    # a row that could not be read may be the one that seems to be missing
    short = named & (sizes < least) & (sizes > 0) & (not submitted.partial)
    exactly = least == most

    def problem(code: int) -> Problem:
        name, size = lists.names[code], int(sizes[code])
        has = f"{word} {quoted(name)} has {size:,} item{'s' if size != 1 else ''}"
        if exactly:
            message = f"{has}, exactly {least:,} {'is' if least == 1 else 'are'} required"
        elif most is not None and size > most:
            message = f"{has}, at most {most:,} {'is' if most == 1 else 'are'} allowed"
        else:
            message = f"{has}, at least {least:,} {'is' if least == 1 else 'are'} required"
        told = "S401" if exactly or size < least else "S402"
        return Problem(told, message, line=submitted.line(first[code]), list=name)

    for wrong in (long, short):
        codes = np.flatnonzero(wrong)
        yield from places(codes[np.argsort(first[codes])], problem)
