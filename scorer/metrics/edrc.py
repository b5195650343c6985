"""Expected discounted rank correlation."""

from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from scorer.judged import Floats, Ints, ratio
from scorer.measures import metric
from scorer.preferred import Preferred, Squares, closed

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


@metric(
    "EDRC",
    title="Expected discounted rank correlation",
    source="Ackerman and Chen, 2011, https://ceur-ws.org/Vol-811/paper11.pdf",
    range=(-1, 1),
    expected=True,
    needs=lambda params: ("likelihood",) if params["unknown"] == "likelihood" else (),
)
def edrc(
    preferred: Preferred,
    *,
    discount: Step = "linear",
    closure: bool = True,
    unknown: Unknown = 0.5,
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

    >>> said = "C>A C>B C>D A>E B>E D>E"
    >>> preferred = Preferred.of(
    ...     ("A>C A>D A>E C>D B>D", said), ("A>C A>D A>E C>D B>D B>E", said)
    ... )
    >>> edrc(preferred).round(4)    # 2 / (29/6) * (1/2 + 2.5/3 + 2.5/2) - 1, and 3/2 for E
    array([0.069 , 0.1724])
    >>> edrc(preferred, discount="ap").round(4)   # 2 / (3 + 4/2 + 4) * (1 + 2.5/2 + 2.5) - 1
    array([0.0556, 0.1667])
    """

    def value(pairs: Squares) -> Floats:
        said = closed(pairs.said) if closure else pairs.said
        against = said.swapaxes(1, 2)
        rivals = ~(pairs.truth.swapaxes(1, 2) | np.eye(said.shape[1], dtype=bool))
        if unknown == "likelihood":
            assert pairs.likely is not None
            expected = np.where(against, 1 - pairs.likely, pairs.likely)
        else:
            expected = np.full(said.shape, unknown)
        expected[pairs.truth & said] = 1
        expected[pairs.truth & against] = 0
        share = (1 / _divisor(pairs.rank, discount))[:, :, None] * rivals
        share[pairs.rank == 1] = 0
        return 2 * ratio((share * expected).sum(axis=(1, 2)), share.sum(axis=(1, 2))) - 1

    return preferred.values(value)


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
