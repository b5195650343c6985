"""Accuracy of pairs and ties."""

from __future__ import annotations

from typing import Annotated, NamedTuple

import numpy as np
from pydantic import Field

from scorer.core.arrays import Floats, Ints, Mask
from scorer.metrics.base import metric
from scorer.metrics.params import Pooling
from scorer.metrics.quotient import Quotient
from scorer.metrics.statistic import Share
from scorer.views.scored import Scored

Epsilon = Annotated[
    float, Field(ge=0, description="Scores that differ by no more than this are tied.")
]


class ScoredPairs(NamedTuple):
    """Every two judged items of a list that the submission scores."""

    in_list: Ints
    apart: Floats  # by how much their scores differ
    ordered: Mask  # whether the truth has them in the order of their scores, and not tied
    tied: Mask  # whether the truth ties them

    @classmethod
    def of(cls, scored: Scored) -> ScoredPairs:
        """The pairs of all lists."""
        judged = scored.where(~np.isnan(scored.grade))
        rows = [np.stack(pair) for pair in judged.pairs()]
        one, other = np.concatenate([np.empty((2, 0), dtype=np.int64), *rows], axis=1)
        difference = judged.score[one] - judged.score[other]
        true = judged.grade[one] - judged.grade[other]
        return cls(judged.in_list[one], np.abs(difference), difference * true > 0, true == 0)


def pairs_of_truth(scored: Scored) -> Floats:
    """How many pairs of judged items each list of the truth has."""
    items = scored.judged.ideal.total()
    return items * (items - 1) / 2


@metric(
    "AccEq",
    title="Accuracy of pairs and ties",
    source="Deutsch, Foster and Freitag, EMNLP 2023, arXiv:2305.14324",
    elsewhere={
        "WMT": "acc_eq",
    },
    formula=r"\frac{\sum_{i=1}^{m} \sum_{j=i+1}^{m} a_{i,j}}{\frac{m (m - 1)}{2}}, \qquad "
    r"a_{i,j} = [\lvert s_i - s_j \rvert \le $epsilon \wedge g_i = g_j] + [\lvert s_i "
    r"- s_j \rvert > $epsilon \wedge (s_i - s_j) (g_i - g_j) > 0], \qquad m = "
    r"\text{judged items}",
    undefined="the truth has fewer than two items",
    aliases=("acc_eq",),
    columns=("score",),
    judged=2,
    statistic=Share(),
)
def acceq(scored: Scored, *, epsilon: Epsilon = 0, average: Pooling = "lists") -> Quotient:
    """The share of the pairs of items that scores order, or tie, as the truth does.

    A list is a segment, its items are systems, grades what people gave them: WMT's measure of
    metrics. Pairs with an item that the submission leaves out are wrong. `AccEqCalibrated` chooses
    epsilon; `PairwiseAccuracy` is of systems' means.

    The truth has b and c tied, the scores have b before c:

    >>> scored = Scored.of_scores(({"a": 0.9, "b": 0.3, "c": 0.2}, {"a": 2, "b": 1, "c": 1}))
    >>> acceq(scored).values.round(4)                # ab and ac, of ab, ac and bc
    array([0.6667])
    >>> acceq(scored, epsilon=0.2).values
    array([1.])
    """
    pairs = ScoredPairs.of(scored)
    right = np.where(pairs.apart <= epsilon, pairs.tied, pairs.ordered)
    return Quotient(
        np.bincount(pairs.in_list, right, minlength=scored.lists).astype(np.float64),
        pairs_of_truth(scored),
        "right pairs / pairs",
        undefined="The truth has no pair",
    )
