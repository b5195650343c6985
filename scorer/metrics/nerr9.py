"""Nearly expected reciprocal rank, equation 9."""

import numpy as np

from scorer.metrics import cwl
from scorer.metrics.base import metric
from scorer.metrics.quotient import Quotient
from scorer.views.hits import Judged


@metric(
    "NERR9",
    title="Nearly expected reciprocal rank, equation 9",
    source="Azzopardi, Mackenzie and Moffat, ICTIR 2021, doi:10.1145/3471158.3472239",
    elsewhere={
        "ir_measures": "NERR9",
    },
    formula=r"\frac{\sum_{i=1}^{$k} w_i u_i}{\sum_{i=1}^{$k} w_i}, \qquad w_i = \frac{1}{i} "
    r"\prod_{j=1}^{i-1} (1 - u_j), \qquad u_i = \frac{\min(\max(g_i, $min_grade), "
    r"$max_grade) - $min_grade}{$max_grade - $min_grade}",
    peers=cwl.PEERS,
    settle=cwl.SETTLE,
)
def nerr9(
    judged: Judged, *, k: cwl.Depth, max_grade: cwl.Highest | None = None, min_grade: cwl.Lowest = 0
) -> Quotient:
    """The gain per item looked at, where gains satisfy and the way down tires, to rank k.

    From rank i the reader goes on with chance i / (i + 1) times 1 - gain, and
    nowhere beyond k (equation 9).

    A grade gains its share of max_grade, 0 to 1, not (2^grade - 1) / 2^max_grade
    as in `ERR`; ir_measures, whose `max_rel` it is, does the same. What NTCIR
    calls nERR, `ERR` over that of the best list, is `nERR`.

    Returned a, x; a gains 1/2, and rank 2 is looked at with chance 1/2 of 1/2:

    >>> judged = Judged.of((["a", "x"], {"a": 1, "b": 2}))
    >>> nerr9(judged, k=2).values                    # 1/2 / (1 + 1/4)
    array([0.4])
    """
    weights = 1 / np.arange(1, k + 1)
    return cwl.per_look(judged, max_grade, min_grade, weights, satisfied=True)
