"""Area under the ROC curve."""

from dataclasses import replace
from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from scorer.judged import Floats, Judged, ratio
from scorer.measures import NotationError, metric
from scorer.params import Cutoff, Relevant


@metric(
    "AUC",
    title="Area under the ROC curve",
    source="Apache Hivemall's auc for ranked lists",
    expected=True,
    settle={"catalogue": lambda constants: constants.catalogue},
    needs=lambda params: (
        ("items",) if params["pairs"] == "all" and params["catalogue"] is None else ()
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

    Pairs within the first k ranks, over TP (k - TP) where TP of them are
    relevant, and .5 where that is 0: Hivemall's, which never asks what was not
    found, and counts the ranks that a short list leaves empty. `pairs=all` is the
    textbook's: all pairs of the catalogue, over R (catalogue - R), where all
    that is not at the first k ranks is tied below them and ties count half.

    Returned a, x, b, y; a, b and c are relevant:

    >>> judged = Judged.of((["a", "x", "b", "y"], {"a": 1, "b": 1, "c": 1}))
    >>> auc(judged, k=4)                            # a over x and y, b over y: 3 / (2 * 2)
    array([0.75])
    >>> auc(judged, pairs="all", catalogue=6)       # c over z, tied, half: (3 + 2 + .5) / (3 * 3)
    array([0.61111111])
    """
    if pairs == "all":
        return _of_all(judged, k, rel, catalogue)
    if judged.hits.spread:
        raise NotationError(
            "AUC(pairs=recommended) has no closed form for ties: expected; it can be all", "pairs"
        )
    found = judged.hits.relevant(rel).top(k)
    hits, depth = found.total(), judged.returned if k is None else k
    last = np.minimum(judged.returned, depth)
    below = (last - hits)[found.in_list] - (found.rank - found.nth())
    shares = ratio(found.total(below), hits * (depth - hits))
    return np.where(np.isnan(shares), 0.5, shares)


def _of_all(judged: Judged, k: int | None, rel: float, catalogue: int | None) -> Floats:
    """A pair is worth 1/2, half more or less by the chance that the higher is at ranks 1 to k."""
    if catalogue is None:
        raise NotationError(
            "AUC(pairs=all) needs to know the catalogue: the challenge must declare `items`",
            "catalogue",
        )
    hits = judged.hits
    found = hits.relevant(rel)
    if not hits.spread:  # every item stands alone
        found = replace(found, before=found.rank - 1, tied=np.ones_like(found.rank))
    wanted = judged.ideal.relevant(rel).total()
    others = catalogue - wanted
    if (judged.returned - found.total() > others).any():
        raise NotationError(f"AUC: catalogue={catalogue} is fewer than there are", "catalogue")
    depth = judged.returned if k is None else np.minimum(judged.returned, k)
    heads, relevant, prior = found.groups()
    at = heads.in_list
    within = heads.within(k)
    hits_within = heads.total(relevant * within)
    below = others[at] - (heads.before - prior) - (heads.tied - relevant)
    above = np.where(heads.before <= depth[at], heads.before - prior, (depth - hits_within)[at])
    missed = (wanted - found.total()) * (depth - hits_within)
    gained = heads.total(relevant * (within * below - above)) - missed
    return 0.5 + ratio(gained, 2 * wanted * others)
