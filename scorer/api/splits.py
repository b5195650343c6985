"""Outcomes of a part of the challenge's lists."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import compress

import numpy as np

from scorer.challenge.leaderboard import EVERYTHING
from scorer.challenge.model import Challenge
from scorer.core.arrays import Mask
from scorer.core.errors import UnknownName, UsageError
from scorer.leaderboard.board import Terms
from scorer.results.report import Scope
from scorer.results.scorecard import Outcome
from scorer.scoring.splits import assign_splits, masks_of, restrict_card, scope_of


def split_masks(
    challenge: Challenge,
    lists: Sequence[str],
    groups: Mapping[str, str],
    wanted: Sequence[str] = (),
) -> dict[str, Mask]:
    """Split, and `all`, -> which lists it has; none where the challenge has no splits.

    `UsageError` if splits are wanted of such a challenge, `UnknownName` if it lacks one of them.
    """
    if challenge.splits is None:
        if wanted:
            raise UsageError("this challenge has no splits; splits: in challenge.yaml makes them")
        return {}
    masks = masks_of(lists, assign_splits(challenge, lists, groups))
    for name in wanted:
        if name not in masks:
            raise UnknownName("split", name, list(masks))
    return masks


def restrict_to_split(
    terms: Terms, outcomes: Sequence[Outcome], masks: Mapping[str, Mask], split: str | None
) -> tuple[Terms, list[Outcome], Scope | None]:
    """Terms and outcomes as if the truth had only a split's lists, and the scope of that.

    `split` None: all lists. There is no scope where there are no splits.
    """
    if not masks:
        return terms, list(outcomes), None
    part, own = restrict_to_lists(terms, outcomes, masks[split or EVERYTHING])
    return part, own, scope_of(terms.challenge, masks, split)


def restrict_to_lists(
    terms: Terms, outcomes: Sequence[Outcome], keep: Mask
) -> tuple[Terms, list[Outcome]]:
    """Terms and outcomes as if the truth had only some of its lists."""
    lists = tuple(compress(terms.lists, keep))
    return terms._replace(lists=lists), [
        restrict_outcome(outcome, keep, lists) for outcome in outcomes
    ]


def restrict_outcome(outcome: Outcome, keep: Mask, lists: Sequence[str]) -> Outcome:
    """An outcome as if the truth had only some of its lists."""
    if outcome.card is None:
        return outcome
    names = set(lists)
    folds = {
        fold: restrict_card(card, np.array([name in names for name in card.lists], dtype=bool))
        for fold, card in outcome.folds.items()
    }
    return outcome._replace(card=restrict_card(outcome.card, keep), folds=folds)
