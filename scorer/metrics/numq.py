"""Number of lists."""

import numpy as np

from scorer.core.arrays import Floats
from scorer.metrics.base import metric
from scorer.metrics.explain.steps import Sentence, Steps, formula
from scorer.metrics.explain.tables import Listing
from scorer.views.hits import Judged


def _explain(listing: Listing[Judged], value: float) -> Steps:
    yield Sentence("Every list of the truth counts once.")
    yield formula("NumQ", "", "{}", listing.view.lists, value=value)


@metric(
    "NumQ",
    title="Number of lists",
    source="trec_eval's num_q",
    elsewhere={
        "trec_eval": "num_q; without -c of the lists that were answered",
        "ir_measures": "NumQ",
    },
    formula="1",
    aliases=("num_q",),
    range=(0, None),
    aggregate="sum",
    expected=True,
    explain=_explain,
)
def numq(judged: Judged) -> Floats:
    """How many lists there are: 1 for each.

    All lists of the truth, answered or not, as in ir_measures; trec_eval
    without -c counts those that were answered.

    >>> numq(Judged.of((["a"], {"a": 1}), ([], {"b": 1})))
    array([1., 1.])
    """
    return np.ones(judged.lists)
