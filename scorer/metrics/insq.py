"""INSQ."""

from scorer.metrics import cwl
from scorer.metrics.base import metric
from scorer.metrics.quotient import Quotient
from scorer.views.hits import Judged


@metric(
    "INSQ",
    title="Inverse squares",
    source="Moffat, Scholer and Thomas, ADCS 2012, doi:10.1145/2407085.2407092",
    elsewhere={
        "ir_measures": "INSQ",
    },
    formula=r"\frac{\sum_{i=1}^{$depth} w_i u_i}{\sum_{i=1}^{$depth} w_i}, \qquad w_i = "
    r"\left(\frac{2 \cdot $T}{i + 2 \cdot $T - 1}\right)^2, \qquad u_i = "
    r"\frac{\min(\max(g_i, $min_grade), $max_grade) - $min_grade}{$max_grade - $min_grade}",
    peers=cwl.PEERS,
    settle=cwl.SETTLE,
)
def insq(
    judged: Judged,
    *,
    T: cwl.Goal = 1,
    max_grade: cwl.Highest | None = None,
    min_grade: cwl.Lowest = 0,
    depth: cwl.Depth = cwl.DEPTH,
) -> Quotient:
    """The gain per item looked at, for a reader who goes on the more surely the further down.

    From rank i the reader goes on with chance ((i + 2T - 1) / (i + 2T))^2, so
    that rank i weighs (2T / (i + 2T - 1))^2. A grade gains its share of
    max_grade, 0 to 1; an unjudged item gains 0. The paper's ranks are
    endless; cwl_eval and ir_measures weigh 1,000, and so does the default
    `depth`: the difference is below .2 % with T = 1.

    T = 1 and two ranks weigh 1 and 4/9; returned x, a:

    >>> judged = Judged.of((["x", "a"], {"a": 1}))
    >>> insq(judged, depth=2).values.round(6)        # 4/9 / (1 + 4/9)
    array([0.307692])
    """
    return cwl.per_look(judged, max_grade, min_grade, cwl.inverse_squares(T, depth))
