"""Interpolated precision."""

from fractions import Fraction
from math import ceil

import numpy as np

from scorer.core.arrays import Floats
from scorer.metrics.base import metric
from scorer.metrics.explain.steps import Sentence, Steps, formula
from scorer.metrics.explain.tables import (
    Listing,
    nothing_relevant,
    only_judged,
    ranked_table,
    relevant_items,
)
from scorer.metrics.params import RecallLevel, Relevant
from scorer.views.hits import Judged


def _explain(
    listing: Listing[Judged], value: float, *, recall: float, rel: float, judged_only: bool
) -> Steps:
    listing = only_judged(listing, judged_only)
    hits, relevant = listing.view.hits.relevant(rel), relevant_items(listing, rel)
    yield relevant
    if not relevant.items:
        yield nothing_relevant("IPrec")
        return
    needed = _needed(recall, len(relevant.items))
    yield Sentence(f"At least {recall:g} × R, {needed:,} of them, are to be found.")
    yield ranked_table(
        listing, hits, {"found so far": hits.nth(), "precision": hits.nth() / hits.rank}
    )
    qualifying = hits.where(hits.nth() >= needed)
    if not qualifying.rank.size:
        yield formula("IPrec", "no such rank", "0", value=value)
        return
    at = int(np.argmax(hits.nth()[-qualifying.rank.size :] / qualifying.rank))
    count, rank = hits.nth()[-qualifying.rank.size :][at], qualifying.rank[at]
    yield formula("IPrec", "highest precision from there", "{} / {}", count, rank, value=value)


@metric(
    "IPrec",
    title="Interpolated precision at a level of recall",
    source="Manning et al., Introduction to Information Retrieval, 2008, section 8.4",
    elsewhere={
        "trec_eval": "iprec_at_recall_0.10; it rounds how many items are needed otherwise",
        "ir_measures": "IPrec; as trec_eval",
    },
    formula=r"\max_{1 \le i \le n} \frac{h_i}{i} [h_i \ge \lceil $recall R \rceil]",
    undefined="nothing is relevant in the truth",
    aliases=("iprec_at_recall",),
    at="recall",
    explain=_explain,
)
def iprec(
    judged: Judged, *, recall: RecallLevel, rel: Relevant = 1, judged_only: bool = False
) -> Floats:
    """The highest precision at any rank where that share of the relevant items is found.

    A rank qualifies when at least ceil(recall * R) relevant items stand at or
    above it, computed exactly; 0 if none qualifies. trec_eval's iprec_at_recall
    rounds otherwise, and asks for too few: version 9 takes recall * R + .9
    without its fraction (1 of 21 items at a recall of .05, where 1.05 need 2),
    version 10 the nearest whole number. ir_measures uses trec_eval.

    Returned a, x, b; a, b and c are relevant. Half of 3 needs 2 of them:

    >>> judged = Judged.of((["a", "x", "b"], {"a": 1, "b": 1, "c": 1}))
    >>> iprec(judged, recall=0.5)                   # 2 / 3
    array([0.66666667])
    >>> iprec(judged, recall=1)
    array([0.])
    """
    if judged_only:
        judged = judged.only_judged()
    hits = judged.hits.relevant(rel)
    counts, which = np.unique(judged.ideal.count(rel), return_inverse=True)
    needed = np.array([_needed(recall, int(count)) for count in counts], dtype=np.int64)[which]
    values = np.where(counts[which] > 0, 0.0, np.nan)
    qualifying = hits.nth() >= needed[hits.in_list]
    np.maximum.at(values, hits.in_list[qualifying], (hits.nth() / hits.rank)[qualifying])
    return values


def _needed(recall: float, relevant: int) -> int:
    """How many of the relevant items a rank must have reached."""
    # as written: .1 of 10 is 1, not a float's 1.0000000000000001
    return ceil(Fraction(str(recall)) * relevant)
