"""Bejeweled player model."""

import numpy as np

from scorer.core.arrays import Floats
from scorer.metrics import cwl
from scorer.metrics.base import metric
from scorer.metrics.params import Cutoff
from scorer.metrics.quotient import Quotient
from scorer.views.hits import Hits, Judged

ROUNDED = 1e-9  # three gains of 1/3 are 1, whatever their sum is rounded to


def _stops(
    judged: Judged, k: int, T: float, max_grade: float | None, min_grade: float
) -> tuple[Hits, Floats, Floats, Floats]:
    """The hits that are looked at, their gains, and of each list their sum and the last rank."""
    gain = cwl.scaled(judged, max_grade, min_grade)
    goal = T - ROUNDED
    looked_at = (judged.hits.rank <= k) & (judged.hits.sums(gain) < goal)
    hits, gain = judged.hits.where(looked_at), gain[looked_at]
    stopping = hits.where(hits.sums(gain) + gain >= goal)  # at most one a list
    last = np.full(hits.lists, float(k))
    last[stopping.in_list] = stopping.rank
    return hits, gain, hits.total(gain), last


@metric(
    "BPM",
    title="Bejeweled player model",
    source="Zhang et al., SIGIR 2017, doi:10.1145/3077136.3080841; its static form",
    elsewhere={
        "ir_measures": "BPM; sums of thirds may miss a T that they reach",
    },
    formula=r"\frac{1}{K} \sum_{i=1}^{K} u_i, \qquad K = 1 + \sum_{i=1}^{$k - 1} [\sum_{j=1}^{i} "
    r"u_j < $T], \qquad u_i = \frac{\min(\max(g_i, $min_grade), $max_grade) - "
    r"$min_grade}{$max_grade - $min_grade}",
    peers=cwl.PEERS,
    settle=cwl.SETTLE,
)
def bpm(
    judged: Judged,
    *,
    k: Cutoff,
    T: cwl.Goal = 1,
    max_grade: cwl.Highest | None = None,
    min_grade: cwl.Lowest = 0,
) -> Quotient:
    """The gain per item looked at, for a reader who stops with T gained or after k items.

    A grade gains its share of max_grade, 0 to 1; an unjudged item gains 0. The
    reader stops at the first rank where the gains reach T, else at rank k,
    returned or not. The paper's dynamic form, in which gains move T and k, is
    not there, and not in ir_measures either, whose sums of thirds, where the
    highest grade is 3, may miss a T that they reach. A better item moved up can lower
    it: the reader who stops earlier misses what follows.

    Returned a, b, x; a gains 1/2, b gains 1; the reader wants 1:

    >>> judged = Judged.of((["a", "b", "x"], {"a": 1, "b": 2}))
    >>> bpm(judged, k=10).values                     # (1/2 + 1) / 2
    array([0.75])
    """
    hits, gain, gained, last = _stops(judged, k, T, max_grade, min_grade)
    columns = {"gain": gain, "running total": np.cumsum(gain)}
    return Quotient(gained, last, "gain / last rank looked at", lambda: (hits, columns))
