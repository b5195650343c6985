"""Compatibility."""

from typing import NamedTuple

import numpy as np

from scorer.core.arrays import Floats, Ints, starts
from scorer.metrics.base import metric
from scorer.metrics.overlap import Agreement
from scorer.metrics.params import Persistence
from scorer.metrics.quotient import Quotient
from scorer.views.hits import Hits, Judged


class _Overlap(NamedTuple):
    """The hits, where each stands in the ideal nearest to the list, and the sums of each list."""

    hits: Hits
    ideal_rank: Ints
    share: Floats  # of each hit
    most: Floats  # of each list: of the ideal with itself
    weight: Floats  # of each list


def _overlap(judged: Judged, p: float) -> _Overlap:
    hits, ideal = (h.where(h.grade > 0) for h in (judged.hits, judged.ideal))
    ideal_size = ideal.total().astype(np.int64)
    depth = np.maximum(judged.returned, ideal_size)
    # equal grades: those returned, as they were returned, and then the others
    new = starts(ideal.in_list, ideal.grade)
    first = (ideal.nth() - 1)[new][np.cumsum(new) - 1] if new.size else ideal.rank
    row = judged.ideal.starts()[hits.in_list] + hits.place - 1
    above = np.zeros(judged.ideal.rank.size, dtype=np.int64)
    above[judged.ideal.grade > 0] = first
    by = np.lexsort((hits.rank, -hits.grade, hits.in_list))
    head = starts(hits.in_list[by], hits.grade[by])
    begin = np.flatnonzero(head)[np.cumsum(head) - 1] if head.size else by
    ideal_rank = np.empty_like(hits.rank)
    ideal_rank[by] = above[row[by]] + np.arange(by.size) - begin + 1
    sums = Agreement(p, int(depth.max(initial=1)))
    share = sums.shares(np.maximum(hits.rank, ideal_rank), depth[hits.in_list])
    most = ideal.total(sums.shares(ideal.nth(), depth[ideal.in_list]))
    return _Overlap(hits, ideal_rank, share, most, sums.weights(np.ones_like(depth), depth))


@metric(
    "Compat",
    title="Compatibility",
    source="Clarke, Vtyurina and Smucker, ACM TOIS 39(3), 2021, doi:10.1145/3451161",
    elsewhere={
        "ir_measures": "Compat; items that were not returned have the score 0",
    },
    formula=lambda params: (
        r"\frac{\sum_{d=1}^{D} $p^{d-1} \frac{X_d}{d}}{\sum_{d=1}^{D} $p^{d-1}$share}, "
        r"\qquad X_d = \text{items among the first } d \text{ of list and ideal}, "
        r"\qquad T = \text{items with a grade above 0}, \qquad D = \max(n, T)".replace(
            "$share", r" \frac{\min(d, T)}{d}" if params["normalize"] else ""
        )
    ),
    undefined="no judged item has a grade above 0",
)
def compat(judged: Judged, *, p: Persistence = 0.95, normalize: bool = True) -> Quotient:
    """How much a list overlaps with the most similar ideal list, depth by depth.

    The rank-biased overlap of the list with an ideal one: the items with a
    grade above 0, best first, equal grades in the order in which they were
    returned. Depth d weighs p^(d - 1), and `normalize` divides by the overlap of
    the ideal with itself, since both are finite. ir_measures puts items that
    were not returned at score 0, before returned ones with a score below 0 and an equal
    grade; here they always follow, so that values differ where scores are negative.

    Returned b, a; a is better; depth 1 shares none, depth 2 both:

    >>> judged = Judged.of((["b", "a"], {"a": 2, "b": 1}))
    >>> compat(judged, p=0.5).values.round(6)       # (0 + 1/2 * 2/2) / (1 + 1/2)
    array([0.333333])
    """
    overlap = _overlap(judged, p)
    symbols, divisor = "overlap of the ideal with itself", overlap.most
    if not normalize:
        symbols, divisor = "weights", np.where(overlap.most > 0, overlap.weight, 0.0)
    columns = {"rank in the ideal": overlap.ideal_rank, "contribution": overlap.share}
    return Quotient(
        overlap.hits.total(overlap.share),
        divisor,
        f"overlap / {symbols}",
        lambda: (overlap.hits, columns | {"running total": np.cumsum(overlap.share)}),
    )
