"""Intentwise rank-biased utility."""

import numpy as np

from scorer.metrics.base import metric
from scorer.metrics.params import Cutoff, Persistence
from scorer.metrics.quotient import Quotient, total
from scorer.metrics.satisfaction import HighestGrade, highest_grade, satisfied_by
from scorer.views.hits import Judged


@metric(
    "iRBU",
    title="Intentwise rank-biased utility",
    source="Sakai and Zeng, SIGIR 2019, doi:10.1145/3331184.3331215; ACM TOIS 39(2), 2021",
    formula=r"\sum_{i=1}^{$k} q_i \cdot $p^i \prod_{j=1}^{i-1} (1 - q_j), \qquad q_i = "
    r"\frac{2^{g_i} - 1}{2^{$max_grade}}",
    settle={"max_grade": lambda constants: constants.max_grade},
)
def irbu(
    judged: Judged,
    *,
    k: Cutoff | None = None,
    p: Persistence = 0.99,
    max_grade: HighestGrade | None = None,
) -> Quotient:
    """The patience that a reader has left when satisfied: p^r at rank r, on average.

    The reader is that of `ERR`: an item of grade g satisfies with chance
    (2^g - 1) / 2^max_grade and ends the reading. ERR values the end at rank r
    by 1/r, this by p^r. It is the part for one intent of rank-biased utility
    (Amigó et al., SIGIR 2018), without its cost of effort; NTCIR takes p = .99.

    Grades 1, none and 2, chances 1/4, 0 and 3/4:

    >>> judged = Judged.of((["a", "x", "b"], {"a": 1, "b": 2}))
    >>> irbu(judged, p=0.5).values                  # 1/4 / 2 + 3/4 * 3/4 / 8
    array([0.1953125])
    """
    hits = judged.hits.top(k)
    satisfied = satisfied_by(hits.grade, highest_grade("iRBU", judged, max_grade))
    reading = hits.product(1 - satisfied)
    utility = p ** hits.rank.astype(np.float64)
    shares = satisfied * reading * utility
    return total(
        hits,
        shares,
        "sum of still reading × satisfies × p^rank",
        lambda: {
            "satisfies": satisfied, "still reading": reading, "utility": utility,
            "contribution": shares,
        },
    )  # fmt: skip
