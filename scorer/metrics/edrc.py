"""Expected discounted rank correlation."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import Field

from scorer.core.arrays import Floats, Ints, Mask
from scorer.metrics.base import metric
from scorer.metrics.explain.steps import ITEMS, Sentence, Steps, formula, grid, summed
from scorer.metrics.explain.tables import Listing
from scorer.metrics.notation import written
from scorer.views.hits import ratio
from scorer.views.pairwise import PairMatrices, Preferred, closed

Step = Annotated[
    Literal["linear", "exp", "log", "ap"],
    Field(description="What an item at truth rank R is divided by: R, 2^R, log2(1 + R), or R - 1."),
]
Unknown = Annotated[
    Annotated[float, Field(ge=0, le=1)] | Literal["likelihood"],
    Field(
        description="What a pair counts on which truth or submission is silent: 0 to 1, "
        "or likelihood, each pair its own."
    ),
]


def _explain(
    listing: Listing[Preferred], value: float, *, discount: str, closure: bool, unknown: float | str
) -> Steps:
    squares = [pairs for _, pairs in listing.view.squares()]
    if not squares:
        yield Sentence("There are no two items to compare, so EDRC is undefined.")
        return
    names, rank = listing.names.truth, squares[0].rank[0]
    expected, rivals = (part[0] for part in _expected(squares[0], closure, unknown))
    counts, divisor = (rivals * expected).sum(axis=1), _divisor(rank, discount)
    counted = np.flatnonzero(rank > 1)
    yield Sentence("W(v): the items that are not below v. Items of rank R = 1 are not counted.")
    for v in counted[:ITEMS].tolist():
        rows = np.flatnonzero(rivals[v])[:ITEMS]
        symbols = " + ".join(f"EP({names[v]}, {names[w]})" for w in rows)
        yield summed(f"C({names[v]})", symbols, "{}", expected[v, rows], counts[v])
    size, shares = rivals.sum(axis=1), np.where(rank > 1, counts / divisor, np.nan)
    columns = {"W(v)": size, "C(v)": counts, "D(v)": divisor, "C(v) / D(v)": shares}
    hidden = {name: np.where(rank > 1, column, np.nan) for name, column in columns.items()}
    yield grid("The items v", {"v": names, "R(v)": rank} | hidden)
    whole, total = (size / divisor)[counted], float(shares[counted].sum())
    yield summed("Z", "sum of |W(v)| / D(v)", "{}", whole, whole.sum())
    symbols, numbers = "2 / Z × sum of C(v) / D(v) - 1", "2 / {} × {} - 1"
    yield formula("EDRC", symbols, numbers, whole.sum(), total, value=value)


STEPS = {"linear": "R_v", "exp": "2^{R_v}", "log": r"\log_2(1 + R_v)", "ap": "R_v - 1"}


def _formula(params: Mapping[str, Any]) -> str:
    unknown = params["unknown"]
    silent = r"\text{its likelihood}" if unknown == "likelihood" else written(unknown)
    return (
        r"\frac{2 \sum_{v} \sum_{w} \frac{x_{v,w}}{D_v}}{\sum_{v} \sum_{w} \frac{1}{D_v}} - 1, "
        rf"\qquad D_v = {STEPS[params['discount']]}, "
        r"\qquad R_v = \text{truth rank of item } v \text{, 2 or more}, "
        r"\qquad w = \text{the other items that are not below } v, "
        r"\qquad x_{v,w} = \text{1 where both prefer } w \text{, 0 where they disagree, else } "
        + silent
    )


@metric(
    "EDRC",
    title="Expected discounted rank correlation",
    source="Ackerman and Chen, 2011, https://ceur-ws.org/Vol-811/paper11.pdf",
    formula=_formula,
    undefined="the truth prefers nothing",
    range=(-1, 1),
    expected=True,
    needs=lambda params: ("likelihood",) if params["unknown"] == "likelihood" else (),
    explain=_explain,
)
def edrc(
    preferred: Preferred, *, discount: Step = "linear", closure: bool = True, unknown: Unknown = 0.5
) -> Floats:
    """How far the submission prefers what the truth prefers, its best items counting most.

    An item's truth rank R is the longest way down to it, through preferences,
    from an item that nothing is preferred to (1). For each item v of rank 2 or
    more, the items w that are not below it count 1 where truth and submission
    prefer w to v, 0 where they disagree, `unknown` where either is silent; v's
    share of them is discounted by R. 1 is the truth's own order, -1 its
    reverse; a truth that leaves pairs open cannot be met with 1.

    The truth is closed transitively, and so is a submission of pairs
    (`closure=false` takes it as it is; the paper does not say). Equal grades,
    equal scores and items that are not returned are silence.

    The paper's Table 1 as printed. Its 5/29 has 3 for item E, which takes
    B > E in the truth:

    >>> stated = "C>A C>B C>D A>E B>E D>E"
    >>> preferred = Preferred.of(
    ...     ("A>C A>D A>E C>D B>D", stated), ("A>C A>D A>E C>D B>D B>E", stated)
    ... )
    >>> edrc(preferred).round(4)    # 2 / (29/6) * (1/2 + 2.5/3 + 2.5/2) - 1, and 3/2 for E
    array([0.069 , 0.1724])
    >>> edrc(preferred, discount="ap").round(4)   # 2 / (3 + 4/2 + 4) * (1 + 2.5/2 + 2.5) - 1
    array([0.0556, 0.1667])
    """

    def value(pairs: PairMatrices) -> Floats:
        expected, rivals = _expected(pairs, closure, unknown)
        share = (1 / _divisor(pairs.rank, discount))[:, :, None] * rivals
        share[pairs.rank == 1] = 0
        return 2 * ratio((share * expected).sum(axis=(1, 2)), share.sum(axis=(1, 2))) - 1

    return preferred.values(value)


def _expected(pairs: PairMatrices, closure: bool, unknown: float | str) -> tuple[Floats, Mask]:
    """What [list, v, w] counts as, and whether w is among those that count for v."""
    stated = closed(pairs.submission) if closure else pairs.submission
    against = stated.swapaxes(1, 2)
    if unknown == "likelihood":
        assert pairs.likely is not None
        expected = np.where(against, 1 - pairs.likely, pairs.likely)
    else:
        expected = np.full(stated.shape, unknown)
    expected[pairs.truth & stated] = 1
    expected[pairs.truth & against] = 0
    return expected, ~(pairs.truth.swapaxes(1, 2) | np.eye(stated.shape[1], dtype=bool))


def _divisor(rank: Ints, discount: str) -> Floats:
    ranks = np.maximum(rank, 2).astype(np.float64)  # those of rank 1 are not counted
    match discount:
        case "exp":
            return np.exp2(ranks)
        case "log":
            return np.log2(1 + ranks)
        case "ap":
            return ranks - 1
    return ranks
