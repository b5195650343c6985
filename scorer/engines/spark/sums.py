"""Sums of very many lists, whose truth Spark reads, too: nothing of a list comes to the driver.

A bucket has all lists of some blocks, of the run and of the truth. It scores them, applies the
challenge's rules, and gives back the sums of these blocks, and what the checks count.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from scorer.checks.base import CheckedLists
from scorer.checks.submission.lists import Counted, Lists
from scorer.core.problems import Findings, Problem
from scorer.engines.spark.pack import unpacked
from scorer.engines.spark.reading import NOTES
from scorer.engines.spark.scoring import (
    NOTE,
    Work,
    batches_merged,
    part_or_why_not,
    refuse_longer,
    rows_of,
)
from scorer.engines.spark.truths import Opening, without_rows
from scorer.results.scorecard import Scorecard
from scorer.results.sums import ListSums, name_hashes
from scorer.scoring.lists import ListsResult, Plan, outcome, score_lists
from scorer.scoring.settle import summed
from scorer.tables.table import Table

LISTS = "unknown_list"  # the check that needs the names of all lists


class Summary(NamedTuple):
    """What the lists of some blocks give; the summaries of any split of the blocks add up."""

    checked: CheckedLists
    sums: Mapping[str, ListSums] = {}  # measure id -> sums
    scored: bool = False  # no list has an error
    refused: tuple[Problem, ...] = ()

    def plus(self, others: Sequence[Summary]) -> Summary:
        """The summary of this one and others."""
        every = (self, *others)
        checked = self.checked.plus([part.checked for part in others])
        if not all(part.scored for part in every):
            return Summary(checked, refused=tuple(p for part in every for p in part.refused))
        sums = {
            key: first.plus([part.sums[key] for part in others]) for key, first in self.sums.items()
        }
        return Summary(checked, sums, True)


def together(parts: Sequence[Summary]) -> Summary:
    """The summary of the lists of all parts."""
    return parts[0].plus(parts[1:])


def summer(opening: bytes, work: Work, seed: int) -> Callable[[Any, Any, Any], Any]:
    """What sums up a bucket, by a pickled `Opening`: from rows of run and truth to `RESULT`."""
    return lambda key, left, right: _summed(
        pickle.loads(opening), work, seed, key[0].as_py(), left, right
    )


def summary_merger(most_errors: int) -> Callable[[Iterator[Any]], Iterator[Any]]:
    """What puts summaries together that a worker has made, so that few come to the driver."""
    return lambda batches: batches_merged(together, most_errors, batches)


def _summed(opening: Opening, work: Work, seed: int, bucket: int, left: Any, right: Any) -> Any:
    import polars  # noqa: F401  # so that ids are hashed alike in all workers

    data = left.column("data").to_pylist()
    if bucket == NOTES:  # those of the truth are known
        return rows_of([(NOTE, each) for each in data])

    def summary() -> Summary:
        truth, table = unpacked(right.column("data").to_pylist()), unpacked(data)
        truth = without_rows(opening.shape) if truth is None else truth
        public, ready = opening.open(bucket, truth)
        plan = replace(work.open(), public=public, truth=ready)
        return summary_of(plan, table, opening, seed)

    return part_or_why_not(summary)


def summary_of(plan: Plan, table: Table | None, opening: Opening, seed: int) -> Summary:
    """The summary of the lists of a bucket.

    `plan` is the challenge, with the bucket's truth, and the public part of its lists.
    """
    if table is None:
        names = tuple(plan.public.lists)
        part = ListsResult(CheckedLists(tallies={LISTS: Counted.of_none(names)}), scored=True)
    else:
        refuse_longer(plan, table)
        part = score_lists(plan, table)
        lists = part.checked.tallies[LISTS]
        assert isinstance(lists, Lists)
        counted = lists.counted(tuple(plan.public.lists))
        tallies = {**part.checked.tallies, LISTS: counted}
        part = part._replace(checked=part.checked._replace(tallies=tallies))
    if not part.scored:
        return Summary(part.checked, refused=part.refused)
    findings = Findings()
    card = outcome(replace(plan, checks=False), part, findings, None).card
    if card is None:
        return Summary(part.checked, refused=tuple(findings))
    summed_card = summed(card, plan.measures, opening.rules, name_hashes(card.lists, seed))
    return Summary(part.checked, summed_card.sums, True)


def card_of(sums: Mapping[str, ListSums], digests: Mapping[str, str]) -> Scorecard:
    """A scorecard without lists, with their sums alone."""
    return Scorecard((), np.empty(0, dtype=bool), {}, digests=digests, sums=sums)
