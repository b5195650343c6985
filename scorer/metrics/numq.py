"""Number of lists."""

import numpy as np

from scorer.judged import Floats, Judged
from scorer.measures import metric


@metric(
    "NumQ",
    title="Number of lists",
    source="trec_eval's num_q",
    range=(0, None),
    aggregate="sum",
    expected=True,
)
def numq(judged: Judged) -> Floats:
    """How many lists there are: 1 for each.

    All lists of the truth, answered or not, as in ir_measures; trec_eval
    without -c counts those that were answered.

    >>> numq(Judged.of((["a"], {"a": 1}), ([], {"b": 1})))
    array([1., 1.])
    """
    return np.ones(judged.lists)
