"""Expected reciprocal rank."""

from scorer.metrics.base import metric
from scorer.metrics.params import Cutoff
from scorer.metrics.quotient import Quotient, total
from scorer.metrics.satisfaction import HighestGrade, highest_grade, satisfied_by
from scorer.views.hits import Judged


@metric(
    "ERR",
    title="Expected reciprocal rank",
    source="Chapelle et al., CIKM 2009, doi:10.1145/1645953.1646033",
    elsewhere={
        "ir_measures": "ERR",
        "gdeval": "err@20; its highest grade is always 4",
    },
    formula=r"\sum_{i=1}^{$k} \frac{q_i}{i} \prod_{j=1}^{i-1} (1 - q_j), \qquad q_i = "
    r"\frac{2^{g_i} - 1}{2^{$max_grade}}",
    settle={"max_grade": lambda constants: constants.max_grade},
)
def err(
    judged: Judged, *, k: Cutoff | None = None, max_grade: HighestGrade | None = None
) -> Quotient:
    """One over the rank at which a reader who goes down the list is satisfied, on average.

    An item of grade g satisfies with chance (2^g - 1) / 2^max_grade, and ends
    the reading. max_grade is the highest grade of the whole truth, of all
    lists; gdeval always takes 4.

    Grades 1, none and 2, chances 1/4, 0 and 3/4:

    >>> judged = Judged.of((["a", "x", "b"], {"a": 1, "b": 2}))
    >>> err(judged).values                          # 1/4 + 3/4 * 3/4 / 3
    array([0.4375])
    """
    max_grade = highest_grade("ERR", judged, max_grade)
    hits = judged.hits.top(k)
    satisfied = satisfied_by(hits.grade, max_grade)
    reading = hits.product(1 - satisfied)
    shares = satisfied * reading / hits.rank
    return total(
        hits,
        shares,
        "sum of still reading × satisfies / rank",
        lambda: {"satisfies": satisfied, "still reading": reading, "contribution": shares},
    )
