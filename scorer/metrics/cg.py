"""Cumulative gain."""

from scorer.metrics.base import metric
from scorer.metrics.params import Cutoff, gained
from scorer.metrics.quotient import Quotient, total
from scorer.views.hits import Judged


@metric(
    "CG",
    title="Cumulative gain",
    source="Järvelin and Kekäläinen, ACM TOIS 20(4), 2002, doi:10.1145/582415.582418",
    formula=r"\sum_{i=1}^{$k} g_i",
    range=(0, None),
    expected=True,
)
def cg(judged: Judged, *, k: Cutoff | None = None) -> Quotient:
    """The sum of the returned items' grades; their order does not matter.

    Grades 3, 2 and none:

    >>> cg(Judged.of((["a", "b", "x"], {"a": 3, "b": 2}))).values    # 3 + 2
    array([5.])
    """
    gain = gained(judged.hits.grade, "linear") * judged.hits.within(k)
    return total(judged.hits, gain, "sum of gains", lambda: {"gain": gain})
