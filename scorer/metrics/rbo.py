"""Rank-biased overlap."""

from typing import Literal, NamedTuple

import numpy as np

from scorer.core.arrays import Floats, Ints, Mask
from scorer.metrics.base import metric
from scorer.metrics.overlap import Agreement
from scorer.metrics.params import Persistence
from scorer.metrics.quotient import Quotient
from scorer.views.hits import Hits, Judged


class _Overlap(NamedTuple):
    """The common items, and the terms of equation 32 of each list."""

    hits: Hits
    place: Ints  # of each hit in the truth's ranking
    share: Floats  # of each hit: sum of p^(d - 1) / d over the depths at which it is common
    seen: Floats  # (1 - p) times the sum of shares
    beyond: Floats  # of the depths that only the longer list has
    rest: Floats  # of all depths below both
    defined: Mask


def _overlap(judged: Judged, p: float) -> _Overlap:
    hits, ideal = (h.where(h.grade >= 0) for h in (judged.hits, judged.ideal))
    size, returned = ideal.total().astype(np.int64), judged.returned
    short, long = np.minimum(size, returned), np.maximum(size, returned)
    sums = Agreement(p, int(long.max(initial=1)))
    depth = np.maximum(hits.rank, hits.place)
    share = sums.shares(depth, long[hits.in_list])
    seen = (1 - p) * hits.total(share)
    common = hits.total(depth <= short[hits.in_list])  # within the shorter one's length
    most = np.maximum(short, 1)
    beyond = sums.weights(short + 1, long) - short * sums.shares(short + 1, long)
    everything = hits.total()
    rest = ((everything - common) / np.maximum(long, 1) + common / most) * p ** long.astype(float)
    return _Overlap(hits, hits.place, share, seen, (1 - p) * common / most * beyond, rest, size > 0)


LETTERS = (
    r", \qquad X_d = \text{items among the first } d \text{ of list and truth}, "
    r"\qquad s = \text{length of the shorter}, \qquad l = \text{length of the longer}"
)
SEEN = r"\frac{1 - $p}{$p} \sum_{d=1}^{l} \frac{X_d}{d} \cdot $p^d" + LETTERS
EXTRAPOLATED = (
    r"\frac{1 - $p}{$p} \left(\sum_{d=1}^{l} \frac{X_d}{d} \cdot $p^d "
    r"+ \sum_{d=s+1}^{l} \frac{X_s (d - s)}{\max(s, 1) d} \cdot $p^d\right) "
    r"+ \left(\frac{X_l - X_s}{l} + \frac{X_s}{\max(s, 1)}\right) \cdot $p^l" + LETTERS
)


@metric(
    "RBO",
    title="Rank-biased overlap",
    source="Webber, Moffat and Zobel, ACM TOIS 28(4), 2010, doi:10.1145/1852102.1852106",
    formula=lambda params: EXTRAPOLATED if params["tail"] == "extrapolated" else SEEN,
    undefined="the truth ranks nothing",
)
def rbo(
    judged: Judged, *, p: Persistence = 0.9, tail: Literal["extrapolated", "zero"] = "extrapolated"
) -> Quotient:
    """How much a list overlaps with the truth's ranking, depth by depth, the top counting most.

    The share of common items among the first d weighs (1 - p) p^(d - 1). Lists
    end, and what follows is extrapolated from the overlap at their ends
    (equation 32, RBO_ext, lists of unequal length as well); `tail=zero` adds
    nothing, which is what is certain. The truth's ranking is its items with a grade of 0 or
    more, best first, equal grades as they stand in its file. Unlike `Compat`,
    an item counts by its rank and not by its grade. Undefined without a truth.

    Returned b, a; the truth ranks a, b; depth 1 shares none, depth 2 both:

    >>> judged = Judged.of((["b", "a"], {"a": 2, "b": 1}))
    >>> rbo(judged, p=0.5).values                    # 1/2 * (0 + 1/2 * 2/2) + (1/2)^2 * 2/2
    array([0.5])
    >>> rbo(judged, p=0.5, tail="zero").values
    array([0.25])
    """
    overlap = _overlap(judged, p)
    symbols, terms = "seen", [overlap.seen]
    if tail != "zero":
        symbols += " + beyond the shorter + below both"
        terms += [overlap.beyond, overlap.rest]
    columns = {"rank in the truth": overlap.place, "contribution": (1 - p) * overlap.share}
    return Quotient(
        np.where(overlap.defined, sum(terms), np.nan),
        None,
        symbols,
        lambda: (overlap.hits, columns),
        " + ".join(["{}"] * len(terms)),
        terms,
        undefined="The truth ranks nothing",
    )
