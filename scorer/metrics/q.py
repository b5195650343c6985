"""Q-measure."""

from typing import Annotated, Any, Literal

import numpy as np
from pydantic import Field

from scorer.core.arrays import Floats
from scorer.metrics.base import metric
from scorer.metrics.params import Cutoff, Gain, Relevant, gained
from scorer.metrics.quotient import Quotient
from scorer.views.hits import Hits, Judged, ranked_hits

Blend = Annotated[
    float, Field(ge=0, le=1e6, description="How much gains weigh beside counts; 0 or more.")
]


def _blended(
    judged: Judged, k: int | None, rel: float, gain: Any, beta: float
) -> tuple[Hits, dict[str, Floats]]:
    """The relevant hits to rank k; gain so far, the best list's, and the blended ratio of each."""
    ideal_hits = judged.ideal.relevant(rel)
    most = gained(ideal_hits.grade, gain)
    order = np.lexsort((-most, ideal_hits.in_list))  # a table may turn the order of grades
    ideal_hits, most = (
        ranked_hits(ideal_hits.in_list[order], ideal_hits.grade[order], ideal_hits.lists),
        most[order],
    )
    sums = np.append(ideal_hits.sums(most) + most, 0.0)
    hits = judged.hits.relevant(rel).top(k)
    hit_gain = gained(hits.grade, gain)
    so_far = hits.sums(hit_gain) + hit_gain
    relevant = ideal_hits.count(rel).astype(np.int64)[hits.in_list]
    ideal = sums[ideal_hits.starts()[hits.in_list] + np.minimum(hits.rank, relevant) - 1]
    ratios = (hits.nth() + beta * so_far) / (hits.rank + beta * ideal)
    return hits, {"gain so far": so_far, "the best list's": ideal, "blended ratio": ratios}


@metric(
    "Q",
    title="Q-measure",
    source="Sakai, NTCIR-4, 2004; Sakai, Manabe and Koyama, ACM TALIP 4(2), 2005, "
    "doi:10.1145/1105696.1105699; cut as NTCIREVAL does",
    elsewhere={
        "NTCIREVAL": "Q-measure",
    },
    formula=lambda params: (
        r"\frac{1}{$divisor} \sum_{i=1}^{$k} r_i \cdot \frac{h_i + $beta \cdot G_i}"
        r"{i + $beta \cdot G^*_i}, "
        r"\qquad G_i = \sum_{j=1}^{i} r_j v_j, \qquad G^*_i = \sum_{j=1}^{\min(i, R)} v^*_j, "
        r"\qquad v_i = $gain, \qquad v^*_i = $best".replace(
            "$divisor", "R" if params["denominator"] == "relevant" else "$most"
        )
    ),
    undefined="nothing is relevant in the truth",
)
def q(
    judged: Judged,
    *,
    k: Cutoff | None = None,
    rel: Relevant = 1,
    gain: Gain = "linear",
    beta: Blend = 1,
    denominator: Literal["relevant", "capped"] = "capped",
) -> Quotient:
    """Average precision with gains: of each relevant item its blended ratio, over their number.

    At a relevant item's rank r the blended ratio is (C + beta G) / (r + beta G*):
    C relevant items and the gain G so far, and the gain G* of the best list at
    the same rank. With beta = 0 it is `AP`. Cut at k it is divided by
    min(R, k), as NTCIREVAL does; `denominator=relevant` divides by R.

    Returned b, x, a; a gains 2, b gains 1:

    >>> judged = Judged.of((["b", "x", "a"], {"a": 2, "b": 1}))
    >>> q(judged).values.round(6)         # ((1 + 1) / (1 + 2) + (2 + 3) / (3 + 3)) / 2
    array([0.75])
    """
    hits, columns = _blended(judged, k, rel, gain, beta)
    symbols, whole = "R", judged.ideal.count(rel)
    if denominator == "capped" and k is not None:
        symbols, whole = "min(R, k)", np.minimum(whole, k)
    return Quotient(
        hits.total(columns["blended ratio"]), whole, f"sum / {symbols}", lambda: (hits, columns),
        relevant=rel,
    )  # fmt: skip
