"""Area under the ROC curve."""

from dataclasses import replace
from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from scorer.core.arrays import Floats, Ints
from scorer.core.errors import SubmissionRejected
from scorer.core.problems import Problem
from scorer.core.text import quoted
from scorer.metrics.base import metric
from scorer.metrics.explain.steps import Sentence, Steps, formula
from scorer.metrics.explain.tables import Listing, ranked_table, relevant_items
from scorer.metrics.notation import NotationError
from scorer.metrics.params import Cutoff, Relevant
from scorer.views.hits import Hits, Judged, ratio


def _explain(
    listing: Listing[Judged], value: float, *, k: int | None, rel: float, pairs: str, catalogue: int
) -> Steps:
    hits = listing.view.hits.relevant(rel)
    if pairs == "all":
        gained, relevant, others = _gained(listing.view, k, rel, catalogue)
        yield relevant_items(listing, rel)
        yield Sentence("The others are the items of the catalogue that are not relevant.")
        yield Sentence("A pair in the right order gains 1, one in the wrong order loses 1.")
        yield ranked_table(listing, hits, {"relevant": hits.within(k)}, k)
        symbols, numbers = "1/2 + gained / (2 R others)", "1/2 + {} / (2 × {} × {})"
        yield formula("AUC", symbols, numbers, gained[0], relevant[0], others[0], value=value)
        return
    hits = hits.top(k)
    below, hit_count = _below(hits, listing.view.returned, k), hits.rank.size
    depth = len(listing.names.returned) if k is None else k
    yield ranked_table(listing, hits, {"others below": below}, k)
    if hit_count in (0, depth):
        yield formula("AUC", "nothing to compare", "1/2", value=value)
        return
    symbols, numbers = "sum / (TP (k - TP))", "{} / ({} × ({} - {}))"
    yield formula("AUC", symbols, numbers, below.sum(), hit_count, depth, hit_count, value=value)


RETURNED = (
    r"\frac{\frac{e}{2} + \sum_{i=1}^{\min($k, n)} (1 - r_i) h_i}{e + h_{$k} ($k - h_{$k})}, "
    r"\qquad e = [h_{$k} ($k - h_{$k}) = 0]"
)
ALL = (
    r"\frac{1}{R (I - R)} \left(\sum_{i=1}^{K} (1 - r_i) h_i "
    r"+ (h_K + \frac{R - h_K}{2}) (I - R - K + h_K)\right), "
    r"\qquad K = \min($k, n), \qquad I = $catalogue"
)


@metric(
    "AUC",
    title="Area under the ROC curve",
    source="Apache Hivemall's auc for ranked lists",
    elsewhere={
        "Hivemall": "auc",
        "scikit-learn": "roc_auc_score; with pairs=all",
    },
    formula=lambda params: RETURNED if params["pairs"] == "recommended" else ALL,
    undefined="with `pairs=all`, nothing is relevant, or everything",
    expected=True,
    settle={"catalogue": lambda constants: constants.catalogue},
    needs=lambda params: (
        ("items",) if params["pairs"] == "all" and params["catalogue"] is None else ()
    ),
    explain=_explain,
    heading=lambda name, params, word: (
        f"{name} of the returned" if params["pairs"] == "recommended" else name
    ),
)
def auc(
    judged: Judged,
    *,
    k: Cutoff | None = None,
    rel: Relevant = 1,
    pairs: Literal["recommended", "all"] = "recommended",
    catalogue: Annotated[
        int, Field(ge=1, description="How many items there are; by default the challenge's.")
    ]
    | None = None,
) -> Floats:
    """The share of pairs of a relevant and another item in which the relevant one is ranked higher.

    By default the AUC of the returned items, which is Hivemall's and not the
    textbook's: pairs within the first k ranks, over TP (k - TP) where TP of them
    are relevant, and .5 where that is 0. It never asks what was not found, and
    counts the ranks that a short list leaves empty; reports head it "AUC of the
    returned". `pairs=all` is the textbook's and scikit-learn's: all pairs of the
    catalogue, over R (catalogue - R), where all that is not at the first k ranks
    is tied below them and ties count half; it needs the challenge's `items`, or
    `catalogue`, the number of items. A list whose other items are more than
    catalogue - R, as only one with unknown items can be, is taken over those.

    Returned a, x, b, y; a, b and c are relevant:

    >>> judged = Judged.of((["a", "x", "b", "y"], {"a": 1, "b": 1, "c": 1}))
    >>> auc(judged, k=4)                            # a over x and y, b over y: 3 / (2 * 2)
    array([0.75])
    >>> auc(judged, pairs="all", catalogue=6)       # c over z, tied, half: (3 + 2 + .5) / (3 * 3)
    array([0.61111111])
    """
    if pairs == "all":
        gained, relevant, others = _gained(judged, k, rel, catalogue)
        return 0.5 + ratio(gained, 2 * relevant * others)
    if judged.hits.spread:
        raise NotationError(
            "AUC(pairs=recommended) has no closed form for ties: expected; it can be all", "pairs"
        )
    hits = judged.hits.relevant(rel).top(k)
    hit_count, depth = hits.total(), judged.returned if k is None else k
    shares = ratio(hits.total(_below(hits, judged.returned, k)), hit_count * (depth - hit_count))
    return np.where(np.isnan(shares), 0.5, shares)


def _refuse_more(judged: Judged, catalogue: int) -> None:
    """Refuse a submission with a list of more items than there are."""
    if (judged.returned > catalogue).any():
        at = int(np.argmax(judged.returned > catalogue))
        name = judged.names[at] if judged.names else str(at)
        message = f"{quoted(name)} has {judged.returned[at]:,} items, and there are {catalogue:,}"
        raise SubmissionRejected(problems=[Problem("S402", message, list=name)])


def _below(hits: Hits, returned: Ints, k: int | None) -> Floats:
    """How many other items of the first k ranks stand below each of these hits."""
    last = returned if k is None else np.minimum(returned, k)
    below: Floats = (last - hits.total())[hits.in_list] - (hits.rank - hits.nth())
    return below


def _gained(
    judged: Judged, k: int | None, rel: float, catalogue: int | None
) -> tuple[Floats, Floats, Floats]:
    """Pairs in the right order less pairs in the wrong one, and each list's R and other items."""
    if catalogue is None:
        raise NotationError(
            "AUC(pairs=all) needs to know the catalogue: the challenge must declare `items`",
            "catalogue",
        )
    hits = judged.hits
    relevant_hits = hits.relevant(rel)
    if not hits.spread:  # every item stands alone
        relevant_hits = replace(
            relevant_hits, before=relevant_hits.rank - 1, tied=np.ones_like(relevant_hits.rank)
        )
    relevant_total = judged.ideal.count(rel)
    if (relevant_total > catalogue).any():
        raise NotationError(f"AUC: catalogue={catalogue} is fewer than there are", "catalogue")
    _refuse_more(judged, catalogue)
    # of a list with unknown items, those returned may be more: to refuse it would tell of the truth
    others = np.maximum(catalogue - relevant_total, judged.returned - relevant_hits.total())
    depth = judged.returned if k is None else np.minimum(judged.returned, k)
    heads, relevant, prior = relevant_hits.groups()
    at = heads.in_list
    within = heads.within(k)
    hits_within = heads.total(relevant * within)
    below = others[at] - (heads.before - prior) - (heads.tied - relevant)
    above = np.where(heads.before <= depth[at], heads.before - prior, (depth - hits_within)[at])
    missed = (relevant_total - relevant_hits.total()) * (depth - hits_within)
    gained = heads.total(relevant * (within * below - above)) - missed
    return gained, relevant_total, others
