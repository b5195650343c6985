"""Nearly expected reciprocal rank, equation 8."""

import numpy as np

from scorer.metrics import cwl
from scorer.metrics.base import metric
from scorer.metrics.quotient import Quotient
from scorer.views.hits import Judged


@metric(
    "NERR8",
    title="Nearly expected reciprocal rank, equation 8",
    source="Azzopardi, Mackenzie and Moffat, ICTIR 2021, doi:10.1145/3471158.3472239",
    elsewhere={
        "ir_measures": "NERR8",
    },
    formula=r"\frac{\sum_{i=1}^{$k} w_i u_i}{\sum_{i=1}^{$k} w_i}, \qquad w_i = \prod_{j=1}^{i-1} "
    r"(1 - u_j), \qquad u_i = \frac{\min(\max(g_i, $min_grade), $max_grade) - "
    r"$min_grade}{$max_grade - $min_grade}",
    peers=cwl.PEERS,
    settle=cwl.SETTLE,
)
def nerr8(
    judged: Judged, *, k: cwl.Depth, max_grade: cwl.Highest | None = None, min_grade: cwl.Lowest = 0
) -> Quotient:
    """The gain per item looked at, for a reader whom gains satisfy, down to rank k.

    From rank i the reader goes on with chance 1 - gain, and nowhere beyond k. It
    is ERR's reader in a C/W/L measure, which ERR itself is not (equation 8).

    A grade gains its share of max_grade, 0 to 1, not (2^grade - 1) / 2^max_grade
    as in `ERR`; ir_measures, whose `max_rel` it is, does the same. What NTCIR
    calls nERR, `ERR` over that of the best list, is `nERR`.

    Returned a, x; a gains 1/2:

    >>> judged = Judged.of((["a", "x"], {"a": 1, "b": 2}))
    >>> nerr8(judged, k=2).values.round(6)           # 1/2 / (1 + 1/2)
    array([0.333333])
    """
    return cwl.per_look(judged, max_grade, min_grade, np.ones(k), satisfied=True)
