"""Do the scores say clearly which item comes first?"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from scorer.checks.base import Submitted, check
from scorer.checks.rows import places
from scorer.core.arrays import Floats
from scorer.core.problems import Problem
from scorer.core.text import quoted
from scorer.views.ranked import RankedRows

MANY_TIES = 0.25  # the share of tied scores from which on there is a warning


@check("S408", kinds=("grades", "preferences"))
def ranks_and_scores(submitted: Submitted) -> Iterator[Problem]:
    """Scores go down as ranks go up; where they do not, the score ranks."""
    numbers, lists = submitted.table.numbers, submitted.lists
    if "score" not in numbers or "rank" not in numbers:
        return
    score, rank = numbers["score"], numbers["rank"]
    if not submitted.unread and _agree(submitted.ranked, rank):
        return
    rows = np.flatnonzero(submitted.in_named & ~np.isnan(score) & ~np.isnan(rank))
    codes, given = lists.codes[rows], rank[rows]
    further = (codes[1:] == codes[:-1]) & (given[1:] > given[:-1])
    if not (further | (codes[1:] > codes[:-1])).all():  # not in order, as most files are
        # best score first within a rank: what has one rank is in no order
        rows = rows[np.lexsort((-score[rows], given, codes))]
        codes = lists.codes[rows]
    value = score[rows]
    rises = (codes[1:] == codes[:-1]) & (value[1:] > value[:-1])
    if not rises.any():
        return
    wrong = rows[1:][rises]
    row = int(wrong[np.argmin(submitted.table.line[wrong])])
    many, name = np.unique(codes[1:][rises]).size, lists.text(row)
    where = f"{many:,} lists" if many > 1 else f"list {quoted(name)}"
    message = f"rank and score order disagree in {where}; this challenge ranks by score"
    yield Problem("S408", message, "warning", line=submitted.line(row), list=name)


def _agree(ranked: RankedRows, rank: Floats) -> bool:
    """Whether ranks go up in each list, or each is the place of a row with the same score."""
    given = ranked.column(rank)
    up = given[1:] > given[:-1]
    up[ranked.starts[1:] - 1] = True
    if up.all():
        return True
    place = ranked.rank
    other = np.flatnonzero(given != place)
    first, size = ranked.groups(other)
    beyond = given[other] - place[first]
    return bool(((beyond >= 0) & (beyond < size)).all())


@check("S409", kinds=("grades", "preferences"))
def many_ties(submitted: Submitted) -> Iterator[Problem]:
    """Few scores are equal inside a list, or the challenge's tie rule decides much."""
    if "score" not in submitted.table.numbers or submitted.rules.ties == "error":
        return
    ranked = submitted.ranked
    if not ranked.tied.size:
        return
    tied = np.flatnonzero(ranked.equal)
    if tied.size / len(ranked) < MANY_TIES:
        return
    share = f"{tied.size / len(ranked):.0%}".replace("%", " %")
    message = f"{share} of the scores tie inside their list; the tie rule decides"
    message += f" (ties: {submitted.rules.ties})"
    line = int(submitted.table.line[ranked.at(tied)].min())
    yield Problem("S409", message, "warning", line=line)


@check("S411", kinds=("grades", "preferences"))
def tied_scores(submitted: Submitted) -> Iterator[Problem]:
    """Scores differ inside a list, where the challenge allows no ties."""
    if "score" not in submitted.table.numbers or submitted.rules.ties != "error":
        return
    ranked, lists = submitted.ranked, submitted.lists
    if not ranked.tied.size:
        return
    later = ranked.tied + 1
    later = later[np.unique(ranked.run[later], return_index=True)[1]]  # the first of each list
    pairs = ranked.at(np.stack([later - 1, later]))
    line = submitted.table.line
    before, after = np.take_along_axis(pairs, np.argsort(line[pairs], axis=0), axis=0)
    by = np.argsort(line[ranked.at(later)], kind="stable")
    of = dict(zip(after.tolist(), before.tolist(), strict=True))

    def problem(row: int) -> Problem:
        item, name = submitted.table.ids["item"], lists.text(row)
        message = (
            f"the scores of {quoted(item.text(of[row]))} and {quoted(item.text(row))} tie in "
            f"{submitted.public.word('list')} {quoted(name)} and this challenge allows no ties"
        )
        return Problem("S411", message, line=submitted.line(row), list=name, item=item.text(row))

    yield from places(after[by], problem)
