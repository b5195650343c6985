"""Intentwise rank-biased utility."""

import numpy as np

from scorer.core.arrays import Floats
from scorer.metrics.base import metric
from scorer.metrics.explain.steps import Steps, summed
from scorer.metrics.explain.tables import Listing, ranked_table
from scorer.metrics.params import Cutoff, Persistence
from scorer.metrics.satisfaction import HighestGrade, highest_grade, satisfied_by
from scorer.views.hits import Hits, Judged


def _columns(hits: Hits, max_grade: float, p: float) -> dict[str, Floats]:
    satisfied = satisfied_by(hits.grade, max_grade)
    reading = hits.product(1 - satisfied)
    utility = p ** hits.rank.astype(np.float64)
    return {
        "satisfies": satisfied,
        "still reading": reading,
        "utility": utility,
        "contribution": satisfied * reading * utility,
    }


def _explain(
    listing: Listing[Judged], value: float, *, k: int | None, p: float, max_grade: float | None
) -> Steps:
    hits = listing.view.hits.top(k)
    columns = _columns(hits, highest_grade("iRBU", listing.view, max_grade), p)
    yield ranked_table(listing, hits, columns, k)
    symbols = "sum of still reading × satisfies × p^rank"
    yield summed("iRBU", symbols, "{}", columns["contribution"], value)


@metric(
    "iRBU",
    title="Intentwise rank-biased utility",
    source="Sakai and Zeng, SIGIR 2019, doi:10.1145/3331184.3331215; ACM TOIS 39(2), 2021",
    settle={"max_grade": lambda constants: constants.max_grade},
    explain=_explain,
)
def irbu(
    judged: Judged,
    *,
    k: Cutoff | None = None,
    p: Persistence = 0.99,
    max_grade: HighestGrade | None = None,
) -> Floats:
    """The patience that a reader has left when satisfied: p^r at rank r, on average.

    The reader is that of `ERR`: an item of grade g satisfies with chance
    (2^g - 1) / 2^max_grade and ends the reading. ERR values the end at rank r
    by 1/r, this by p^r. It is the part for one intent of rank-biased utility
    (Amigó et al., SIGIR 2018), without its cost of effort; NTCIR takes p = .99.

    Grades 1, none and 2, chances 1/4, 0 and 3/4:

    >>> judged = Judged.of((["a", "x", "b"], {"a": 1, "b": 2}))
    >>> irbu(judged, p=0.5)                         # 1/4 / 2 + 3/4 * 3/4 / 8
    array([0.1953125])
    """
    hits = judged.hits.top(k)
    return hits.total(_columns(hits, highest_grade("iRBU", judged, max_grade), p)["contribution"])
