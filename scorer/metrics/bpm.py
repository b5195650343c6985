"""Bejeweled player model."""

import numpy as np

from scorer.core.arrays import Floats
from scorer.metrics import cwl
from scorer.metrics.base import metric
from scorer.metrics.explain.steps import Steps, formula
from scorer.metrics.explain.tables import Listing, ranked_table
from scorer.metrics.params import Cutoff
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


def _explain(
    listing: Listing[Judged],
    value: float,
    *,
    k: int,
    T: float,
    max_grade: float | None,
    min_grade: float,
) -> Steps:
    hits, gain, gained, last = _stops(listing.view, k, T, max_grade, min_grade)
    yield ranked_table(listing, hits, {"gain": gain, "running total": np.cumsum(gain)}, k)
    parts = float(gained[0]), float(last[0])
    yield formula("BPM", "gain / last rank looked at", "{} / {}", *parts, value=value)


@metric(
    "BPM",
    title="Bejeweled player model",
    source="Zhang et al., SIGIR 2017, doi:10.1145/3077136.3080841; its static form",
    peers=cwl.PEERS,
    settle=cwl.SETTLE,
    explain=_explain,
)
def bpm(
    judged: Judged,
    *,
    k: Cutoff,
    T: cwl.Goal = 1,
    max_grade: cwl.Highest | None = None,
    min_grade: cwl.Lowest = 0,
) -> Floats:
    """The gain per item looked at, for a reader who stops with T gained or after k items.

    A grade gains its share of max_grade, 0 to 1; an unjudged item gains 0. The
    reader stops at the first rank where the gains reach T, else at rank k,
    returned or not. The paper's dynamic form, in which gains move T and k, is
    not there, and not in ir_measures either, whose sums of thirds, where the
    highest grade is 3, may miss a T that they reach. A better item moved up can lower
    it: the reader who stops earlier misses what follows.

    Returned a, b, x; a gains 1/2, b gains 1; the reader wants 1:

    >>> judged = Judged.of((["a", "b", "x"], {"a": 1, "b": 2}))
    >>> bpm(judged, k=10)                            # (1/2 + 1) / 2
    array([0.75])
    """
    _, _, gained, last = _stops(judged, k, T, max_grade, min_grade)
    values: Floats = gained / last
    return values
