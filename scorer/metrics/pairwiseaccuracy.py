"""Pairwise accuracy of metrics, by systems."""

from __future__ import annotations

from typing import Any

import numpy as np

from scorer.core.arrays import Floats
from scorer.metrics.base import metric
from scorer.metrics.explain.steps import Steps, formula, grid
from scorer.metrics.explain.tables import Listing
from scorer.metrics.statistic import Weighted
from scorer.views.pooled import Statistics, code_of
from scorer.views.texts import Texts


def _agreeing(true: Floats, scored: Floats) -> tuple[int, int]:
    """How many pairs of systems both order, or tie, alike, and how many there are."""
    one, other = np.triu_indices(true.size, 1)
    signs = (np.sign(means[one] - means[other]) for means in (true, scored))
    return int(np.equal(*signs).sum()), one.size


def _share(statistics: Statistics, weights: Floats, **_: Any) -> float:
    """The share of right pairs of systems, by their means over lists."""
    weight = weights[statistics.in_list]
    rows, weight = statistics.rows[weight > 0], weight[weight > 0]
    _codes, first, system = np.unique(rows[:, 1], return_index=True, return_inverse=True)
    total = np.bincount(system, weight)
    true, scored = (np.bincount(system, weight * rows[:, n]) / total for n in (2, 3))
    group = rows[first, 0]
    pairs = [_agreeing(true[group == each], scored[group == each]) for each in np.unique(group)]
    right, count = np.sum(pairs, axis=0) if pairs else (0, 0)
    return float(right / count) if count else float("nan")


def _explain(listing: Listing[Texts], value: float) -> Steps:
    _, _, grade, score = pairwiseaccuracy(listing.view).rows.T
    yield grid("Systems", {"system": listing.view.truth_text, "grade": grade, "score": score})
    yield formula("PairwiseAccuracy", "right pairs / pairs", "{}", value, value=value)


@metric(
    "PairwiseAccuracy",
    title="Pairwise accuracy of metrics, by systems",
    source="Kocmi et al., WMT 2021, arXiv:2107.10821",
    formula=r"\frac{a}{P}, \qquad P = \text{pairs of systems of a group}, \qquad a = "
    r"\text{pairs whose mean scores differ in the direction of their mean grades, or "
    r"are equal as these}",
    undefined="no group has two systems",
    aggregate="pooled",
    columns=("score",),
    judged=2,
    explain=_explain,
    statistic=Weighted(_share, smooth=False),
)
def pairwiseaccuracy(texts: Texts) -> Statistics:
    """The share of the pairs of systems that mean scores order as the truth's mean grades do.

    A list is a segment, its items are systems, grades what people gave them, as in `AccEq`; the
    means are over the lists of a group, such as a language pair (in `lists`), and the pairs of all
    groups make one share. A system without a score for one of its segments is
    in no right pair. Equal means agree with equal means alone.

    The truth ties a, b and c, the scores tie a and b alone:

    >>> texts = Texts.of(({"a": 0.5, "b": 0.5, "c": 0.2}, ["a", "b", "c"]))
    >>> value = pairwiseaccuracy.__scorer__.statistic.figure
    >>> round(value(pairwiseaccuracy(texts)), 4)         # ab, of ab, ac and bc
    0.3333
    """
    keys = zip(texts.in_list.tolist(), texts.text, strict=True)
    given = dict(zip(keys, texts.score.tolist(), strict=True))
    groups = texts.extras.list.get("group", np.full(texts.lists, ""))
    pairs = list(zip(texts.truth_list.tolist(), texts.truth_text, strict=True))
    rows = [
        (code_of(group := str(groups[n])), code_of(f"{group}\n{system}"), given.get((n, system)))
        for n, system in pairs
    ]
    table = np.array(rows, dtype=np.float64).reshape(-1, 3)
    return Statistics(texts.truth_list, np.insert(table, 2, texts.grade, axis=1), texts.lists)
