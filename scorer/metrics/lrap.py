"""Label ranking average precision."""

from __future__ import annotations

import numpy as np

from scorer.core.arrays import Floats, Ints
from scorer.metrics.base import metric
from scorer.metrics.params import Pooling, Relevant
from scorer.metrics.quotient import NOTHING_RELEVANT, Quotient
from scorer.metrics.statistic import Share
from scorer.views.scored import Scored


def _precisions(scored: Scored, rel: float) -> Floats:
    """Of each returned item the share of relevant ones among those that score as much or more.

    0 of items that are not relevant; the result has shape (items,).
    """
    relevant = np.nan_to_num(scored.grade, nan=-np.inf) >= rel
    key = np.where(np.isnan(scored.score), -scored.rank, scored.score)  # ranks without scores
    by = np.lexsort((-key, scored.in_list))
    in_list, score = scored.in_list[by], key[by]
    last = _last_of_ties(in_list, score)
    first = np.searchsorted(in_list, in_list)
    running = np.append(0, np.cumsum(relevant[by]))
    precision = (running[last + 1] - running[first]) / (last + 1 - first)
    values = np.zeros(by.size)
    values[by] = np.where(relevant[by], precision, 0.0)
    return values


def _last_of_ties(in_list: Ints, score: Floats) -> Ints:
    """Where the run of equal scores ends that each row is in."""
    new = np.append(True, (in_list[1:] != in_list[:-1]) | (score[1:] != score[:-1]))[: score.size]
    run = np.cumsum(new) - 1
    ends: Ints = np.append(np.flatnonzero(new)[1:], score.size) - 1
    last: Ints = ends[run]
    return last


@metric(
    "LRAP",
    title="Label ranking average precision",
    source="Tsoumakas, Katakis and Vlahavas, 2010; scikit-learn, "
    "label_ranking_average_precision_score; DCASE 2019 task 2 (lwlrap)",
    elsewhere={
        "scikit-learn": "label_ranking_average_precision_score; 1 where nothing is relevant",
        "DCASE": "lwlrap; average=pooled",
    },
    formula=r"\frac{\sum_{i=1}^{n} r_i \frac{\sum_{j=1}^{n} r_j [s_j \ge s_i]}{\sum_{j=1}^{n} "
    r"[s_j \ge s_i]}}{R}",
    undefined="nothing is relevant in the truth",
    aliases=("LWLRAP",),
    statistic=Share(),
)
def lrap(scored: Scored, *, rel: Relevant = 1, average: Pooling = "lists") -> Quotient:
    """The mean, over relevant items, of the share of relevant ones that score as much or more.

    All items with an equal score stand at the last of their ranks, whatever `ties` says, so
    that equal scores never gain; a relevant item that is not returned counts as 0.
    `average=pooled` takes the relevant items of all lists together: DCASE's label-weighted
    average. In scikit-learn a list without a relevant item is 1; here it has no value.

    Relevant a at rank 1, b tied with x and y at rank 4:

    >>> scores = {"a": 0.9, "b": 0.5, "x": 0.5, "y": 0.5}
    >>> lrap(Scored.of_scores((scores, {"a": 1, "b": 1}))).values      # (1/1 + 2/4) / 2
    array([0.75])
    """
    values = _precisions(scored, rel)
    relevant = scored.judged.ideal.count(rel)
    return Quotient(
        scored.total(values),
        relevant,
        "sum of precisions / R",
        lambda: (scored, {"score": scored.score, "precision": values}),
        relevant=rel,
        undefined=NOTHING_RELEVANT,
    )
