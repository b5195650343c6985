"""Submissions made from the truth: the best there is, its reverse, and random ones.

They are tables, and meet the truth as any submission does; no check is asked.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Protocol

import numpy as np

from scorer.api.probes_of_grades import of_grades, with_extra_columns
from scorer.api.probes_of_items import of_preferences, of_ratings
from scorer.api.probes_of_labels import of_labels
from scorer.core.errors import PluginError, UsageError
from scorer.core.problems import Findings, Problem
from scorer.core.text import join_first
from scorer.kinds.preferences import Preferences
from scorer.kinds.ranking import Grades
from scorer.kinds.rows import Labels, Ratings
from scorer.metrics.notation import Measure
from scorer.reading.table import Table
from scorer.results.report import Value
from scorer.results.scorecard import UNDEFINED, Scorecard
from scorer.scoring.aggregate import aggregate_folds, aggregate_values, values_of_lists
from scorer.scoring.open import OpenChallenge
from scorer.scoring.submission import join_truths, score_views
from scorer.views.join import GradedItems
from scorer.views.recommendations import Returned


class Probes(Protocol):
    """The submissions that can be made from one kind of truth."""

    @property
    def truth(self) -> GradedItems:
        """The truth that they are made from."""
        ...

    @property
    def drawn(self) -> str:
        """Where random submissions are drawn from, in words."""
        ...

    @property
    def rows(self) -> int:
        """How many rows a random submission has."""
        ...

    def perfect(self) -> list[Table]:
        """The best there is: a measure's ceiling is the best value of any of them."""
        ...

    def others(self) -> dict[str, Table]:
        """Those that make sense for this kind, by name: reversed, constant, tied, empty."""
        ...

    def random(self, rng: np.random.Generator) -> Table:
        """One that knows nothing."""
        ...

    def tied(self, rng: np.random.Generator) -> Table:
        """As the tied one, were the items called otherwise, at random."""
        ...

    def degraded(self, rng: np.random.Generator, share: float) -> Table:
        """The perfect one with a share of what it says left to chance."""
        ...


def probes(ready: OpenChallenge) -> Probes:
    """The probes of a challenge whose truth is open; `UsageError` if its kind has none."""
    kind = ready.bound.kind
    if kind.name in ("masks", "boxes"):
        from scorer.api.probes_of_cells import of_cells  # which few challenges need

        return of_cells(ready.truth, ready.public.word("list"))
    match ready.truth:
        case Grades() as answers:
            return of_grades(ready, answers.truth)
        case Ratings() as answers:
            return of_ratings(answers.truth)
        case Preferences() as answers:
            return of_preferences(answers.truth, answers.orders)
        case Labels() as answers:
            return of_labels(answers, ready.public)
    raise UsageError(f"the kind {kind.name} says no submissions that can be made from a truth")


def cards(ready: OpenChallenge, table: Table) -> tuple[Scorecard, Mapping[str, Scorecard]]:
    """The scorecards of a table: over the whole truth, and of each fold."""
    views = join_truths(ready.plan, with_extra_columns(ready, table, true_values=False))
    scored = score_views(ready.plan, views, Findings())
    if scored.card is None:
        raise PluginError(" ".join(each.cause or each.message for each in scored.findings))
    return scored.card, scored.folds


def values_of_table(ready: OpenChallenge, table: Table) -> dict[str, Value]:
    """The value of a table by each measure, after the challenge's rules."""
    card, folds = cards(ready, table)
    rules = ready.bound.rules
    return {
        m.id: aggregate_folds(folds, card.lists, m, rules)
        if folds
        else aggregate_values(card, m, rules)
        for m in ready.measures
    }


def unanswerable(ready: OpenChallenge) -> Iterator[Problem]:
    """Lists that have no value whatever is submitted, where the challenge allows no such list.

    Beside the perfect submission a random one is asked, since a measure may
    want more items than the truth names.
    """
    strict = tuple(m for m in ready.measures if _strict(ready, m))
    if not strict or not has_probes(ready):
        return
    assert ready.truth is not None
    by_id = {part.id: part for m in strict for part in m.all_parts}
    restricted = replace(ready, measures=tuple(by_id.values()))
    path, word = str(ready.bound.challenge.truth.file), ready.public.word("list")
    for measure, names in _lists_without_value(restricted).items():
        if lists := [name for name in ready.truth.lists if name in names]:
            message = (
                f"{measure} has no value for {word} {join_first(lists)}, whatever is submitted"
            )
            help = "leave such lists out of the truth, or write undefined: skip"
            yield Problem("T511", message, path=path, list=lists[0], help=help, times=len(lists))


def _lists_without_value(ready: OpenChallenge) -> dict[str, set[str]]:
    """The lists of which no attempt has a value, by measure."""
    without_value: dict[str, set[str]] = {}
    for table in _attempts(probes(ready)):
        fold_cards = cards(ready, table)
        for m in ready.measures:
            if not _strict(ready, m):
                continue  # only part of another
            names = _undefined(ready, m, fold_cards)
            without_value[m.id] = names & without_value.get(m.id, names)
        if not any(without_value.values()):
            break
    return without_value


def has_probes(ready: OpenChallenge) -> bool:
    """Whether submissions can be made from its truth."""
    try:
        probes(ready)
    except UsageError:
        return False
    return True


def _attempts(probe_set: Probes) -> Iterator[Table]:
    yield from probe_set.perfect()
    yield probe_set.random(np.random.default_rng(1))


def _strict(ready: OpenChallenge, measure: Measure) -> bool:
    """Whether a list without a value is the truth's fault, if anyone's."""
    about = measure.of_lists and measure.metric.view is not Returned
    return about and ready.bound.rules[measure.id].undefined == "error"


def _undefined(
    ready: OpenChallenge, measure: Measure, fold_cards: tuple[Scorecard, Mapping[str, Scorecard]]
) -> set[str]:
    (card, folds), rules = fold_cards, ready.bound.rules
    return {
        scorecard.lists[n]
        for scorecard in folds.values() or [card]
        for n in np.flatnonzero(values_of_lists(scorecard, measure, rules)[1] >= UNDEFINED).tolist()
    }
