"""Hold submissions against each other, list by list."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from scorer.api.submissions import (
    Named,
    Progress,
    loaded,
    named_files,
    scored_files,
    terms_of,
)
from scorer.challenge.model import Challenge
from scorer.compare.base import bind, comparisons, every
from scorer.compare.base import preferences as preferred
from scorer.core.errors import UsageError
from scorer.leaderboard.board import ranked
from scorer.prepare.bind import prepare
from scorer.prepare.open import opened
from scorer.prepare.probes import answerable
from scorer.results.report import Report
from scorer.views.positions import Positions

if TYPE_CHECKING:
    from scorer.results.comparison import Pairing


def compare(
    challenge: Challenge | Path | str,
    submissions: Iterable[Named | Path | str],
    preferences: Sequence[str] | None = None,
    *,
    allow_plugins: bool = False,
    progress: Progress | None = None,
) -> tuple[Report, Pairing]:
    """Score submissions and hold every pair against each other, list by list.

    `preferences` are notations such as `RPP(rel=2)`; by default all there are,
    where the challenge has ranked lists. How sure the board is, the report does not
    say: the pairs have intervals and tests of their own. Raises as `score` does, and
    `UsageError` with fewer than two submissions that can be scored.
    """
    from scorer.compare.pairs import pairing

    prepared = prepare(loaded(challenge), allow_plugins)
    of_grades = prepared.kind.name == "grades"
    if preferences is not None and not of_grades:
        raise UsageError(
            f"preferences compare ranked lists; this challenge has {prepared.kind.name}"
        )
    asked = tuple(bind(comparisons(), notation) for notation in preferences or ())
    if preferences is None and of_grades:
        asked = every(comparisons())
    ready = answerable(opened(prepared, views=frozenset({Positions} if asked else ())))
    files = named_files(submissions)
    scored = scored_files(ready, files, progress)
    report = ranked(terms_of(ready), scored)
    cards = {each.name: each.card for each in scored if each.card is not None}
    if len(cards) < 2:
        return report, pairing(tuple(cards), report.lists, {}, {})
    positions = [card.positions for card in cards.values() if card.positions is not None]
    cubes = {each.name: preferred(each, positions) for each in asked}
    values = {
        measure.id: np.array([each.values[measure.id].per_list for each in scored if each.valid])
        for measure in ready.measures
        if measure.metric.aggregate == "mean"
        and all(measure.id in card.values for card in cards.values())
    }
    measures = [measure for measure in ready.measures if measure.id in values]
    rules = prepared.challenge.leaderboard
    return report, pairing(tuple(cards), report.lists, cubes, values, measures, rules)
