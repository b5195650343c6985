"""Is each list as long as the challenge asks?"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from scorer.checks.base import Submitted, check
from scorer.checks.rows import occurrences, places
from scorer.core.arrays import Mask
from scorer.core.problems import Problem
from scorer.core.text import join_first, quoted


@check("S401", "S402", "S403", kinds=("grades", "preferences"))
def length(submitted: Submitted) -> Iterator[Problem]:
    """A list has at most as many items as `submission.length` asks, and at least one.

    An answer that is said to be none, as by SQuAD's `""`, is one where no length is asked.
    """
    limits, word = submitted.rules.lengths, submitted.public.word("list")
    answers = limits is None and submitted.table.facts.get("answers")
    if not (answers or (limits and limits.min == 0)):
        for name, line in submitted.empty.items():
            message = f"{word} {quoted(name)} is empty"
            yield Problem("S403", message, line=line, list=name, role="list")
    if limits is not None and limits.max is not None and "item" in submitted.table.ids:
        sizes = _sizes(submitted)
        yield from _wrong(submitted, ~submitted.nameless_lists & (sizes > limits.max))


@check("S401", kinds=("grades", "preferences"), complete=True)
def too_short(submitted: Submitted) -> Iterator[Problem]:
    """A list has at least as many items as `submission.length` asks.

    A row that could not be read may be the one that seems to be missing.
    """
    limits = submitted.rules.lengths
    if limits is not None and limits.min and "item" in submitted.table.ids:
        sizes = _sizes(submitted)
        short = ~submitted.nameless_lists & (sizes < limits.min) & (sizes > 0)
        yield from _wrong(submitted, short)


@check("S401", kinds=("grades",), complete=True)
def without_candidates(submitted: Submitted) -> Iterator[Problem]:
    """A list has all of its candidates, where `submission.complete` asks for them."""
    candidates, lists = submitted.public.candidates, submitted.lists
    if candidates is None or not submitted.public.complete:
        return
    sizes = _sizes(submitted)
    numbers = [len(candidates.get(name, ())) for name in lists.names]
    short = ~submitted.nameless_lists & (sizes > 0) & (sizes < np.array(numbers, dtype=np.int64))
    _, rows, _ = occurrences(lists, short, submitted.table.line)
    word, item = submitted.public.word("list"), submitted.public.word("item")

    def problem(row: int) -> Problem:
        code, name = int(lists.codes[row]), lists.text(row)
        given = submitted.table.ids["item"].where(np.flatnonzero(lists.codes == code))
        lost = sorted(candidates[name].difference(given.text(n) for n in range(len(given.codes))))
        message = (
            f"{word} {quoted(name)} has {sizes[code]:,} of its {len(candidates[name]):,} "
            f"candidates, and all are required; without {item} {join_first(lost)}"
        )
        return Problem("S401", message, line=submitted.line(row), list=name)

    yield from places(rows, problem)


def _sizes(submitted: Submitted) -> np.ndarray[tuple[int], np.dtype[np.intp]]:
    """How many items each distinct list has."""
    return np.bincount(submitted.lists.codes, minlength=len(submitted.lists.held))


def _wrong(submitted: Submitted, wrong: Mask) -> Iterator[Problem]:
    """Problems of lists that are too long or too short."""
    if not wrong.any():
        return
    lists, limits, word = submitted.lists, submitted.rules.lengths, submitted.public.word("list")
    assert limits is not None
    least, most = limits.min or 0, limits.max
    rules, noun, of = submitted.rules, "item", ""
    if rules.texts:
        noun, of = "text", f" in column {quoted(rules.columns.get('text', 'text'))}"
    exactly = least == most
    _, rows, sizes = occurrences(lists, wrong, submitted.table.line)
    size_of = dict(zip(rows.tolist(), sizes.tolist(), strict=True))

    def problem(row: int) -> Problem:
        name, size = lists.text(row), size_of[row]
        has = f"{word} {quoted(name)} has {size:,} {noun}{'s' if size != 1 else ''}{of}"
        if exactly:
            message = f"{has}, exactly {least:,} {'is' if least == 1 else 'are'} required"
        elif most is not None and size > most:
            message = f"{has}, at most {most:,} {'is' if most == 1 else 'are'} allowed"
        else:
            message = f"{has}, at least {least:,} {'is' if least == 1 else 'are'} required"
        code = "S401" if exactly or size < least else "S402"
        return Problem(code, message, line=submitted.line(row), list=name)

    yield from places(rows, problem)
