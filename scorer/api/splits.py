"""The board's terms and the outcomes of submissions, restricted to some of the lists."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import compress

import numpy as np

from scorer.challenge.model import Challenge
from scorer.challenge.phases import EVERYTHING
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
    """Return split -> which lists it has, with `all` among them; empty if there are no splits.

    Args:
        challenge: The challenge.
        lists: The names of the lists.
        groups: list -> group, for splits that are drawn by group.
        wanted: Names of splits that the challenge must have.

    Raises:
        UsageError: A split is wanted of a challenge without splits.
        UnknownName: The challenge lacks a wanted split.
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
    """Return terms and outcomes as if the truth had only a split's lists, and the board's scope.

    Args:
        terms: The terms of the board of all lists.
        outcomes: The outcome of each submission.
        masks: What `split_masks` returns; if it is empty, there is no scope.
        split: The name of the split; None for all lists.
    """
    if not masks:
        return terms, list(outcomes), None
    restricted_terms, restricted = restrict_to_lists(terms, outcomes, masks[split or EVERYTHING])
    return restricted_terms, restricted, scope_of(terms.challenge, masks, split)


def restrict_to_lists(
    terms: Terms, outcomes: Sequence[Outcome], keep: Mask
) -> tuple[Terms, list[Outcome]]:
    """Return terms and outcomes as if the truth had only some of its lists."""
    lists = tuple(compress(terms.lists, keep))
    return terms._replace(lists=lists), [
        restrict_outcome(outcome, keep, lists) for outcome in outcomes
    ]


def restrict_outcome(outcome: Outcome, keep: Mask, lists: Sequence[str]) -> Outcome:
    """Return an outcome as if the truth had only some of its lists.

    Args:
        outcome: The outcome of a submission on all lists.
        keep: Whether each list is kept.
        lists: The names of the kept lists, which folds need, since a fold has its own lists.
    """
    if outcome.card is None:
        return outcome
    names = set(lists)
    folds = {
        fold: restrict_card(card, np.array([name in names for name in card.lists], dtype=bool))
        for fold, card in outcome.folds.items()
    }
    return outcome._replace(card=restrict_card(outcome.card, keep), folds=folds)
