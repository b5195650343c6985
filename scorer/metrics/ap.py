"""Average precision."""

from typing import Literal

import numpy as np

from scorer.core.arrays import Floats
from scorer.metrics.base import metric
from scorer.metrics.explain.steps import Sentence, Steps, formula
from scorer.metrics.explain.tables import Listing, only_judged, ranked_table, relevant_items
from scorer.metrics.notation import NotationError
from scorer.metrics.params import Cutoff, Relevant
from scorer.views.hits import Hits, Judged, ratio, steps


def _explain(
    listing: Listing[Judged],
    value: float,
    *,
    k: int | None,
    rel: float,
    denominator: str,
    judged_only: bool,
) -> Steps:
    listing = only_judged(listing, judged_only)
    hits, relevant = listing.view.hits.relevant(rel), relevant_items(listing, rel)
    yield relevant
    if (hits.tied > 1).any() and hits.spread:
        yield ranked_table(listing, hits, {"found": hits.within(k)}, k)
        yield Sentence("The sum is the mean of its values over all orders of the tied items.")
        total = float(_mean(hits, k)[0])
    else:
        top_hits = hits.top(k)
        precision = top_hits.nth() / top_hits.rank
        sums = np.cumsum(precision)
        columns = {"found so far": top_hits.nth(), "precision": precision, "running total": sums}
        yield ranked_table(listing, top_hits, columns, k)
        total = float(precision.sum())
    most, n = len(relevant.items), len(listing.names.returned)
    symbols, divisor = {
        "relevant": ("R", most),
        "capped": ("min(R, k)", most if k is None else min(most, k)),
        "returned": ("min(R, n)", min(most, n)),
        "hits": ("found", hits.top(k).rank.size),
    }[denominator]
    yield formula("AP", f"sum / {symbols}", "{} / {}", total, divisor, value=value)


DIVISORS = {"relevant": "R", "capped": "$most", "returned": r"\min(R, n)", "hits": "h_{$k}"}


@metric(
    "AP",
    title="Average precision",
    source="Harman, Information Processing and Management 28(4), 1992; as trec_eval's map",
    elsewhere={
        "trec_eval": "map, map_cut_10",
        "ir_measures": "AP",
        "ranx": "map",
        "torchmetrics": "RetrievalMAP",
        "Hivemall": "average_precision; denominator=hits",
        "Kaggle": "MAP@K; denominator=capped",
        "lenskit": "AP; without a cut-off denominator=returned",
    },
    formula=lambda params: r"\frac{\sum_{i=1}^{$k} r_i \cdot \frac{h_i}{i}}{$divisor}".replace(
        "$divisor", DIVISORS[params["denominator"]]
    ),
    undefined="nothing is relevant in the truth; with `denominator=hits`, nothing relevant is "
    "found, with `returned`, nothing is returned",
    aliases=("MAP", "map_cut", "average_precision"),
    expected=True,
    explain=_explain,
)
def ap(
    judged: Judged,
    *,
    k: Cutoff | None = None,
    rel: Relevant = 1,
    denominator: Literal["relevant", "capped", "returned", "hits"] = "relevant",
    judged_only: bool = False,
) -> Floats:
    """The precision at each relevant item's rank, averaged over the relevant items.

    Those that were not found, or stand below k, count as 0: the sum is divided
    by R, as in trec_eval and in Hivemall's documentation. Others divide by the
    most that could have been found: by min(R, k) (`denominator=capped`, as
    Kaggle's MAP@K does), or by min(R, n) (`returned`, as lenskit without a
    cut-off). Hivemall's code divides by the relevant items found (`hits`),
    which never asks what was missed; undefined where none was found.

    Returned a, x, b, y; a, b and c are relevant:

    >>> judged = Judged.of((["a", "x", "b", "y"], {"a": 1, "b": 1, "c": 1}))
    >>> ap(judged).round(4)                             # (1/1 + 2/3) / 3
    array([0.5556])
    >>> ap(judged, denominator="hits").round(4)         # (1/1 + 2/3) / 2
    array([0.8333])
    """
    if judged_only:
        judged = judged.only_judged()
    hits = judged.hits.relevant(rel)
    divisor = judged.ideal.count(rel)
    if denominator == "capped" and k is not None:
        divisor = np.minimum(divisor, k)
    elif denominator in ("returned", "hits"):
        if hits.spread:
            raise NotationError(
                f"AP(denominator={denominator}) has no closed form for ties: expected; "
                "it can be relevant, capped",
                "denominator",
            )
        most = judged.returned if denominator == "returned" else hits.top(k).total()
        divisor = np.minimum(divisor, most)
    if hits.spread:
        return ratio(_mean(hits, k), divisor)
    hits = hits.top(k)
    return ratio(hits.total(hits.nth() / hits.rank), divisor)


def _mean(hits: Hits, k: int | None) -> Floats:
    """The sum of precisions, its mean over the orders of tied items.

    A relevant item at step j of a group of t, r of them relevant, has r - 1
    others that each stand above it with chance (j - 1) / (t - 1) (McSherry
    and Najork, ECIR 2008).
    """
    heads, relevant, prior = hits.groups()
    before, tied = heads.before, heads.tied
    others = (relevant - 1) / np.maximum(tied - 1, 1)
    sums = np.zeros(tied.size)
    for step, at in steps(tied if k is None else np.minimum(tied, k - before)):
        above = prior[at] + 1 + (step - 1) * others[at]
        sums[at] += relevant[at] / tied[at] * above / (before[at] + step)
    return heads.total(sums)
