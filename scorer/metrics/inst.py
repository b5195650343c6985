"""INST."""

from scorer.metrics import cwl
from scorer.metrics.base import metric
from scorer.metrics.quotient import Quotient
from scorer.views.hits import Judged


@metric(
    "INST",
    title="Inverse squares, adaptive",
    source="Moffat, Bailey, Scholer and Thomas, ADCS 2015, doi:10.1145/2838931.2838938",
    elsewhere={
        "ir_measures": "INST",
    },
    formula=r"\frac{\sum_{i=1}^{$depth} w_i u_i}{\sum_{i=1}^{$depth} w_i}, \qquad w_i = "
    r"\prod_{j=1}^{i-1} \left(\frac{j + 2 \cdot $T - U_j - 1}{j + 2 \cdot $T - "
    r"U_j}\right)^2, \qquad U_j = \sum_{l=1}^{j} u_l, \qquad u_i = \frac{\min(\max(g_i, "
    r"$min_grade), $max_grade) - $min_grade}{$max_grade - $min_grade}",
    peers=cwl.PEERS,
    settle=cwl.SETTLE,
)
def inst(
    judged: Judged,
    *,
    T: cwl.Goal = 1,
    max_grade: cwl.Highest | None = None,
    min_grade: cwl.Lowest = 0,
    depth: cwl.Depth = cwl.DEPTH,
) -> Quotient:
    """The gain per item looked at, for a reader who is after T and loses interest as it is found.

    With G gained down to rank i the reader goes on with chance
    ((i + 2T - G - 1) / (i + 2T - G))^2; `INSQ` is the same with G = 0
    throughout. A grade gains its share of max_grade, 0 to 1; an unjudged item
    gains 0. The paper's ranks are endless; cwl_eval and ir_measures weigh
    1,000, and so does the default `depth`. T is .5 or more: below it a chance
    could exceed 1.

    T = 1, two ranks, returned a, x; the reader goes on with chance (1/2)^2:

    >>> judged = Judged.of((["a", "x"], {"a": 1}))
    >>> inst(judged, depth=2).values                 # 1 / (1 + 1/4)
    array([0.8])
    """
    gain = cwl.scaled(judged, max_grade, min_grade)
    return cwl.adaptive(judged.hits, gain, T, depth).quotient(depth)
