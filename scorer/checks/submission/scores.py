"""Do the scores say clearly which item comes first?"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from scorer.checks.base import Submitted, check, places
from scorer.core.problems import Problem
from scorer.core.text import quoted

MANY = 0.25  # the share of tied scores that is worth a word


@check("S408", kinds=("grades", "preferences"))
def ranks_and_scores(submitted: Submitted) -> Iterator[Problem]:
    """Scores go down as ranks go up; where they do not, the score ranks."""
    numbers, lists = submitted.table.numbers, submitted.lists
    if "score" not in numbers or "rank" not in numbers:
        return
    score, rank = numbers["score"], numbers["rank"]
    rows = np.flatnonzero(submitted.in_named & ~np.isnan(score) & ~np.isnan(rank))
    # best score first within a rank: what has one rank is in no order
    rows = rows[np.lexsort((-score[rows], rank[rows], lists.codes[rows]))]
    codes = lists.codes[rows]
    value = score[rows]
    rises = (np.diff(codes) == 0) & (value[1:] > value[:-1])
    if rises.any():
        many = len(set(codes[1:][rises].tolist()))
        row = int(rows[1:][rises].min())
        where = f"{many:,} lists" if many > 1 else f"list {quoted(lists.text(row))}"
        message = f"rank and score order disagree in {where}; this challenge ranks by score"
        yield Problem("S408", message, "warning", line=submitted.line(row), list=lists.text(row))


@check("S409", "S411", kinds=("grades", "preferences"))
def tied_scores(submitted: Submitted) -> Iterator[Problem]:
    """Scores differ inside a list, or the challenge's tie rule decides."""
    numbers, lists = submitted.table.numbers, submitted.lists
    if "score" not in numbers or not len(submitted.table):
        return
    rows, score = submitted.order, numbers["score"]
    codes, value = lists.codes[rows], score[rows]
    same = (np.diff(codes) == 0) & (value[1:] == value[:-1])
    if not same.any():
        return
    if submitted.rules.ties != "error":
        tied = np.append(same, False) | np.insert(same, 0, False)
        share = float(tied.sum()) / rows.size
        if share >= MANY:
            message = f"{share:.0%} of the scores tie inside their list; the tie rule decides"
            yield Problem(
                "S409",
                message.replace("%", " %", 1) + f" (ties: {submitted.rules.ties})",
                "warning",
                line=submitted.line(rows[tied].min()),
            )
        return
    later = np.flatnonzero(same) + 1
    later = later[np.unique(codes[later], return_index=True)[1]]  # the first of each list

    def problem(at: int) -> Problem:
        item = submitted.table.ids["item"]
        before, row = sorted((int(rows[at - 1]), int(rows[at])))
        name = lists.text(row)
        message = (
            f"the scores of {quoted(item.text(before))} and {quoted(item.text(row))} tie in "
            f"{submitted.public.word('list')} {quoted(name)} and this challenge allows no ties"
        )
        return Problem("S411", message, line=submitted.line(row), list=name, item=item.text(row))

    yield from places(later[np.argsort(rows[later])], problem)
