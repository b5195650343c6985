"""Normalised expected reciprocal rank."""

import numpy as np

from scorer.core.arrays import Floats
from scorer.metrics.base import metric
from scorer.metrics.params import Cutoff
from scorer.metrics.quotient import Quotient
from scorer.metrics.satisfaction import HighestGrade, highest_grade, satisfied_by
from scorer.views.hits import Hits, Judged


def _shares(hits: Hits, max_grade: float) -> Floats:
    """What each hit adds to ERR."""
    satisfied = satisfied_by(hits.grade, max_grade)
    shares: Floats = satisfied * hits.product(1 - satisfied) / hits.rank
    return shares


@metric(
    "nERR",
    title="Normalised expected reciprocal rank",
    source="Sakai and Song, SIGIR 2011, doi:10.1145/2009916.2010055; as NTCIREVAL",
    elsewhere={
        "NTCIREVAL": "nERR",
    },
    formula=r"\frac{\sum_{i=1}^{$k} \frac{q_i}{i} \prod_{j=1}^{i-1} (1 - q_j)}"
    r"{\sum_{i=1}^{$last} \frac{q^*_i}{i} \prod_{j=1}^{i-1} (1 - q^*_j)}, "
    r"\qquad q_i = \frac{2^{g_i} - 1}{2^{$max_grade}}, "
    r"\qquad q^*_i = \frac{2^{g^*_i} - 1}{2^{$max_grade}}",
    undefined="no judged item has a grade above 0",
    settle={"max_grade": lambda constants: constants.max_grade},
)
def nerr(
    judged: Judged, *, k: Cutoff | None = None, max_grade: HighestGrade | None = None
) -> Quotient:
    """`ERR` of a list over `ERR` of the best list there could be, both down to rank k.

    An item of grade g satisfies with chance (2^g - 1) / 2^max_grade, as in `ERR`;
    NTCIREVAL is given the gains and divides them by the highest plus 1, which
    is the same where they are 2^g - 1. `NERR8` to `NERR11`, "nearly ERR", are
    something else, and so is `nERR_IA`, of subtopics.

    Returned x, a; a satisfies with chance 3/4:

    >>> judged = Judged.of((["x", "a"], {"a": 2}))
    >>> nerr(judged).values                         # 3/4 / 2 over 3/4
    array([0.5])
    """
    highest = highest_grade("nERR", judged, max_grade)
    hits, ideal = judged.hits.top(k), judged.ideal.top(k)
    shares, best = _shares(hits, highest), _shares(ideal, highest)
    return Quotient(
        hits.total(shares),
        ideal.total(best),
        "ERR / ERR of the best",
        lambda: (hits, {"contribution": shares, "running total": np.cumsum(shares)}),
        ideal=lambda: (ideal, {"contribution": best, "running total": np.cumsum(best)}),
    )
