"""The mean preference."""

from scorer.core.arrays import Floats
from scorer.preferences.base import Order, aggregation, ordered, totals


@aggregation(
    "Mean",
    title="Mean preference",
    source="pref_eval's README (github.com/diazf/pref_eval), Evaluating More Than One System; "
    "Diaz and Ferraro, SIGIR 2022, doi:10.1145/3477495.3532033",
    range=(-1, 1),
)
def mean(preferences: Floats) -> Order:
    """How much a submission is preferred, in the mean over lists and over the others.

    Unlike the other aggregations it asks how large preferences are, not only
    which way they point. Between two submissions it is the mean that pref_eval
    prints as its summary (`all`), from the one side and from the other.

    Three submissions and one list:

    >>> import numpy as np
    >>> one_list = np.array([[0, 0.5, 1], [-0.5, 0, 0.2], [-1, -0.2, 0]])[:, :, None]
    >>> mean(one_list)                                     # 1.5 / 2, -0.3 / 2, -1.2 / 2
    Order(groups=((0,), (1,), (2,)), scores=array([ 0.75, -0.15, -0.6 ]))
    """
    return ordered(totals(preferences).mean(axis=1) / max(1, len(preferences) - 1))
