"""AP correlation."""

from typing import Literal

import numpy as np

from scorer.core.arrays import Floats, Ints
from scorer.metrics.base import metric
from scorer.metrics.explain.steps import Sentence, Steps, formula, grid
from scorer.metrics.explain.tables import Listing, named
from scorer.views.hits import Hits, Judged, ratio


def _explain(listing: Listing[Judged], value: float, *, over: str) -> Steps:
    hits = listing.view.hits
    agreed, above = _agreed(hits, over)
    items = named(listing, hits)
    if over == "truth":
        ranked = set(items)
        items = tuple(item for item in listing.names.truth if item in ranked)
    shares = agreed / np.maximum(above, 1)
    shares = np.where(above > 0, shares, np.nan)
    sums = np.cumsum(np.nan_to_num(shares))
    if hits.rank.size < 2:
        yield Sentence("Both rank fewer than two of the same items, so TauAP is undefined.")
        return
    title = "truth's order" if over == "truth" else "submission's order"
    yield grid(
        f"The items that both rank, in the {title}",
        {"item": items, "above it": above, "rightly": agreed}
        | {"share": shares, "running total": sums},
    )
    symbols, numbers = "2 / (N - 1) × sum of shares - 1", "2 / ({} - 1) × {} - 1"
    yield formula("TauAP", symbols, numbers, hits.rank.size, np.nansum(shares), value=value)


@metric(
    "TauAP",
    title="AP correlation",
    source="Yilmaz, Aslam and Robertson, SIGIR 2008, doi:10.1145/1390334.1390435",
    elsewhere={
        "papers": "tau_ap",
    },
    formula=lambda params: (
        r"\frac{2}{m - 1} \sum_{i=2}^{m} \frac{c_i}{i - 1} - 1, "
        r"\qquad m = \text{items that both rank}, \qquad c_i = \text{items above the } i"
        r"\text{-th of $side that are above it in the other, too}".replace(
            "$side", "the list" if params["over"] == "submission" else "the truth"
        )
    ),
    undefined="fewer than two items are ranked by both",
    range=(-1, 1),
    strict_order=True,
    judged=2,
    explain=_explain,
)
def tauap(judged: Judged, *, over: Literal["submission", "truth"] = "submission") -> Floats:
    """How well the order agrees with the truth's, mistakes at the top weighing more; -1 to 1.

    For each item but the first, the share of the items above it that the truth
    puts above it too; the mean of these shares, times 2, less 1. Only items
    that both rank are looked at, and fewer than two of them are undefined. It
    is not symmetric: `over=truth` goes down the truth's order instead and asks
    the submission. The truth must be an order: equal grades in a list are a fault of it.

    The order b, a, c, d where the truth has a, b, c, d; above a is b, wrongly:

    >>> judged = Judged.of((["b", "a", "c", "d"], {"a": 5, "b": 4, "c": 3, "d": 2}))
    >>> tauap(judged).round(4)                      # 2/3 * (0/1 + 2/2 + 3/3) - 1
    array([0.3333])
    """
    hits = judged.hits
    agreed, above = _agreed(hits, over)
    shares = agreed / np.maximum(above, 1)  # 0 for the first: nothing is above it
    return 2 * ratio(hits.total(shares), hits.total() - 1) - 1


def _agreed(hits: Hits, over: str) -> tuple[Ints, Ints]:
    """Going down each list: how many items above are rightly there, and how many are."""
    place, above = hits.ordered(hits.place)[0], hits.nth() - 1
    if over == "truth":
        return hits.earlier(above[np.lexsort((place, hits.in_list))]), above
    return hits.earlier(place), above
