"""Nearly expected reciprocal rank, equation 10."""

import numpy as np

from scorer.metrics import cwl
from scorer.metrics.base import metric
from scorer.metrics.params import Persistence
from scorer.metrics.quotient import Quotient
from scorer.views.hits import Judged


@metric(
    "NERR10",
    title="Nearly expected reciprocal rank, equation 10",
    source="Azzopardi, Mackenzie and Moffat, ICTIR 2021, doi:10.1145/3471158.3472239",
    elsewhere={
        "ir_measures": "NERR10",
    },
    formula=r"\frac{\sum_{i=1}^{$depth} w_i u_i}{\sum_{i=1}^{$depth} w_i}, \qquad w_i = $p^{i-1} "
    r"\prod_{j=1}^{i-1} (1 - u_j), \qquad u_i = \frac{\min(\max(g_i, $min_grade), "
    r"$max_grade) - $min_grade}{$max_grade - $min_grade}",
    peers=cwl.PEERS,
    settle=cwl.SETTLE,
)
def nerr10(
    judged: Judged,
    *,
    p: Persistence = 0.9,
    max_grade: cwl.Highest | None = None,
    min_grade: cwl.Lowest = 0,
    depth: cwl.Depth = cwl.DEPTH,
) -> Quotient:
    """The gain per item looked at, where gains satisfy a reader who else goes on with chance p.

    From rank i the reader goes on with chance p times 1 - gain (equation 10). The
    default `depth` is that of cwl_eval, whose p is .9 where none is given.

    A grade gains its share of max_grade, 0 to 1, not (2^grade - 1) / 2^max_grade
    as in `ERR`; ir_measures, whose `max_rel` it is, does the same. What NTCIR
    calls nERR, `ERR` over that of the best list, is `nERR`.

    Returned a, x; a gains 1/2, and rank 2 is looked at with chance .9 of 1/2:

    >>> judged = Judged.of((["a", "x"], {"a": 1, "b": 2}))
    >>> nerr10(judged, depth=2).values.round(6)      # 1/2 / (1 + .45)
    array([0.344828])
    """
    weights = p ** np.arange(depth, dtype=np.float64)
    return cwl.per_look(judged, max_grade, min_grade, weights, satisfied=True)
