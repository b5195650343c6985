"""Do the scores say clearly which item comes first?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from scorer.checks.base import Submitted, check
from scorer.checks.rows import places
from scorer.checks.tally import FileContext
from scorer.core.arrays import Floats
from scorer.core.problems import Problem
from scorer.core.text import quoted
from scorer.views.ranked import RankedRows

MANY_TIES = 0.25  # the share of tied scores from which on there is a warning


class Disagreeing(NamedTuple):
    """The lists in which ranks and scores disagree: how many there are, and the first row."""

    lists: int = 0
    line: int = 0
    name: str = ""

    def plus(self, others: Sequence[Disagreeing]) -> Disagreeing:
        """Those of all parts."""
        parts = [part for part in (self, *others) if part.lists]
        if not parts:
            return self
        first = min(parts, key=lambda part: part.line)
        return Disagreeing(sum(part.lists for part in parts), first.line, first.name)

    def problems(self, whole: FileContext) -> Iterator[Problem]:
        """One for all of them."""
        if self.lists:
            where = f"{self.lists:,} lists" if self.lists > 1 else f"list {quoted(self.name)}"
            message = f"rank and score order disagree in {where}; this challenge ranks by score"
            yield Problem("S408", message, "warning", line=self.line, list=self.name)


@check("S408", kinds=("grades", "preferences"), scope="file")
def ranks_and_scores(submitted: Submitted) -> Disagreeing:
    """Scores go down as ranks go up; where they do not, the score ranks."""
    numbers, lists = submitted.table.numbers, submitted.lists
    if "score" not in numbers or "rank" not in numbers:
        return Disagreeing()
    score, rank = numbers["score"], numbers["rank"]
    if not submitted.unread and _agree(submitted.ranked, rank):
        return Disagreeing()
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
        return Disagreeing()
    wrong = rows[1:][rises]
    row = int(wrong[np.argmin(submitted.table.line[wrong])])
    return Disagreeing(
        np.unique(codes[1:][rises]).size, submitted.line(row), lists.text(row)
    )  # fmt: skip


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


class Ties(NamedTuple):
    """How many scores there are, how many tie inside their list, and the first of these."""

    rows: int = 0
    tied: int = 0
    line: int = 0

    def plus(self, others: Sequence[Ties]) -> Ties:
        """Those of all parts."""
        every = (self, *others)
        line = min((part.line for part in every if part.tied), default=0)
        return Ties(sum(part.rows for part in every), sum(part.tied for part in every), line)

    def problems(self, whole: FileContext) -> Iterator[Problem]:
        """A warning where the tie rule decides much."""
        if self.tied and self.tied / self.rows >= MANY_TIES:
            share = f"{self.tied / self.rows:.0%}".replace("%", " %")
            message = f"{share} of the scores tie inside their list; the tie rule decides"
            message += f" (ties: {whole.rules.ties})"
            yield Problem("S409", message, "warning", line=self.line)


@check("S409", kinds=("grades", "preferences"), scope="file")
def many_ties(submitted: Submitted) -> Ties:
    """Few scores are equal inside a list, or the challenge's tie rule decides much."""
    if "score" not in submitted.table.numbers or submitted.rules.ties == "error":
        return Ties()
    ranked = submitted.ranked
    if not ranked.tied.size:
        return Ties(len(ranked))
    tied = np.flatnonzero(ranked.equal)
    return Ties(len(ranked), tied.size, int(submitted.table.line[ranked.at(tied)].min()))


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
