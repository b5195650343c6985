"""Nearly expected reciprocal rank, equation 11."""

from scorer.metrics import cwl
from scorer.metrics.base import metric
from scorer.metrics.quotient import Quotient
from scorer.views.hits import Judged


@metric(
    "NERR11",
    title="Nearly expected reciprocal rank, equation 11",
    source="Azzopardi, Mackenzie and Moffat, ICTIR 2021, doi:10.1145/3471158.3472239",
    elsewhere={
        "ir_measures": "NERR11",
    },
    formula=r"\frac{\sum_{i=1}^{$depth} w_i u_i}{\sum_{i=1}^{$depth} w_i}, \qquad w_i = "
    r"\left(\frac{2 \cdot $T}{i + 2 \cdot $T - 1}\right)^2 \prod_{j=1}^{i-1} (1 - u_j), "
    r"\qquad u_i = \frac{\min(\max(g_i, $min_grade), $max_grade) - $min_grade}{$max_grade - "
    r"$min_grade}",
    peers=cwl.PEERS,
    settle=cwl.SETTLE,
)
def nerr11(
    judged: Judged,
    *,
    T: cwl.Goal = 1,
    max_grade: cwl.Highest | None = None,
    min_grade: cwl.Lowest = 0,
    depth: cwl.Depth = cwl.DEPTH,
) -> Quotient:
    """The gain per item looked at, where gains satisfy the reader of `INSQ`.

    From rank i the reader goes on with chance ((i + 2T - 1) / (i + 2T))^2 times
    1 - gain (equation 11). The default `depth` is that of cwl_eval.

    A grade gains its share of max_grade, 0 to 1, not (2^grade - 1) / 2^max_grade
    as in `ERR`; ir_measures, whose `max_rel` it is, does the same. What NTCIR
    calls nERR, `ERR` over that of the best list, is `nERR`.

    T = 1; returned a, x; a gains 1/2, and rank 2 is looked at with chance 4/9 of 1/2:

    >>> judged = Judged.of((["a", "x"], {"a": 1, "b": 2}))
    >>> nerr11(judged, depth=2).values.round(6)      # 1/2 / (1 + 2/9)
    array([0.409091])
    """
    weights = cwl.inverse_squares(T, depth)
    return cwl.per_look(judged, max_grade, min_grade, weights, satisfied=True)
