"""Metrics of ranked lists of which the truth judges only some items."""

from __future__ import annotations

import numpy as np

from scorer.metrics.api import metric
from scorer.metrics.parameters import (
    Cutoff,
    Relevant,
)
from scorer.metrics.ratios import Ratio, sum_of_rows
from scorer.views.ranked import Judged

INFAP_SMOOTHING = 0.00001  # trec_eval's


@metric(
    "Bpref",
    title="Binary preference",
    source="Buckley and Voorhees, SIGIR 2004, doi:10.1145/1008992.1009000; as trec_eval's bpref",
    latex=r"\frac{1}{R} \sum_{i=1}^{n} r_i \left(1 - \frac{\min(b_i, R)}{\max(1, \min(N, "
    r"R))}\right), \qquad b_i = \text{judged irrelevant items above rank } i",
    tools="trec_eval: bpref; ir_measures: Bpref; ranx: bpref",
    undefined="nothing is relevant in the truth",
)
def bpref(view: Judged, *, rel: Relevant = 1) -> Ratio:
    """How seldom items judged irrelevant stand above relevant ones; unjudged ones do not count.

    Each relevant item found adds 1 - min(b, R) / min(N, R), where b of the list's N irrelevant
    items stand above it; the sum is divided by R. So does trec_eval since version 8; the paper has
    R in the place of min(N, R). Items with a grade below 0 are unjudged.

    Returned n, a, x, b; a and b are relevant, n and m judged irrelevant:

    >>> view = judged_view((["n", "a", "x", "b"], {"a": 1, "b": 1, "n": 0, "m": 0}))
    >>> bpref(view).values()  # (1 - 1/2 + 1 - 1/2) / 2
    array([0.5])
    """
    judged = view.hits.relevant(0)  # with a grade of 0 or more
    hits, relevant = judged.relevant(rel), view.ideal.count(rel)
    irrelevant = view.ideal.count(0) - relevant
    nth_judged = judged.nth()[judged.grade >= rel]
    above = nth_judged - hits.nth()
    divisor = np.maximum(np.minimum(relevant, irrelevant), 1)  # not 0 / 0 where all are relevant
    share = 1 - np.minimum(above, relevant[hits.in_list]) / divisor[hits.in_list]
    columns = {"irrelevant above": above, "1 - min(b, R) / min(N, R)": share}
    return sum_of_rows(hits, columns, relevant, "R")


@metric(
    "InfAP",
    title="Inferred average precision",
    source="Yilmaz and Aslam, CIKM 2006, doi:10.1145/1183614.1183633; as trec_eval's infAP",
    latex=r"\frac{1}{R} \sum_{i=1}^{n} \frac{r_i}{i} \left(1 + d_i \frac{h_{i-1} + \epsilon}{a_i "
    r"+ 2 \epsilon}\right), \qquad \epsilon = 10^{-5}, \qquad d_i = \text{pooled items "
    r"above rank } i, \qquad a_i = \text{judged items above rank } i",
    tools="trec_eval: infAP; ir_measures: infAP",
    undefined="nothing is relevant in the truth",
)
def infap(view: Judged, *, rel: Relevant = 1) -> Ratio:
    """Average precision, estimated where only a sample of the pool was judged.

    A grade below 0, by convention -1, means pooled but not judged: such items are taken to be
    relevant as often as the judged ones above the same rank, a share that is smoothed by .00001 as
    in trec_eval. Items without any grade were not pooled and are not relevant. The sum is divided
    by the known relevant items.

    Returned a, u, n, b; a and b are relevant, u pooled but not judged, n not relevant.
    At rank 4 all 3 items above are pooled, and 1 of the 2 judged is relevant:

    >>> view = judged_view((["a", "u", "n", "b"], {"a": 1, "b": 1, "u": -1, "n": 0}))
    >>> infap(view).values().round(4)  # (1 + (1/4 + 3/4 * 3/3 * 1/2)) / 2
    array([0.8125])
    """
    pooled, judged = view.hits, view.hits.relevant(0)  # with any grade; with a grade of 0 or more
    hits, relevant = view.hits.relevant(rel), view.ideal.count(rel)
    above = hits.rank - 1.0
    pooled_above = pooled.nth()[pooled.grade >= rel] - 1
    judged_above = judged.nth()[judged.grade >= rel] - 1
    relevant_above = hits.nth() - 1
    share = (relevant_above + INFAP_SMOOTHING) / (judged_above + 2 * INFAP_SMOOTHING)
    pooled_share = pooled_above / np.maximum(above, 1)
    precision = 1 / hits.rank + above / hits.rank * pooled_share * share
    columns = {
        "pooled above": pooled_above,
        "judged above": judged_above,
        "relevant above": relevant_above,
        "precision": precision,
    }
    return sum_of_rows(hits, columns, relevant, "R")


@metric(
    "Judged",
    title="Share of judged items",
    source="ir_measures' Judged, after OpenNIR",
    latex=r"\frac{\sum_{i=1}^{k} a_i}{\min(k, n)}, \qquad a_i = [\text{the item at rank } i "
    r"\text{ is judged}]",
    tools="ir_measures: Judged",
    undefined="nothing is returned",
    ties=("expected",),
)
def judged(view: Judged, *, k: Cutoff) -> Ratio:
    """The share of the first k ranks that the truth says anything about.

    Where it is low, other metrics say little. Any grade counts, also 0 and below. A list shorter
    than k is divided by its length.

    Returned a, x, b; the truth knows a and b:

    >>> judged(judged_view((["a", "x", "b"], {"a": 1, "b": 0})), k=10).values()  # 2 / 3
    array([0.66666667])
    """
    columns, depth = {"judged": view.hits.in_top(k)}, np.minimum(view.returned, k)
    return sum_of_rows(view.hits, columns, depth, "min(k, n)", name="judged")
