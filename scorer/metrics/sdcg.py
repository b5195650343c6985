"""Scaled discounted cumulative gain."""

import numpy as np

from scorer.metrics import cwl
from scorer.metrics.base import metric
from scorer.metrics.quotient import Quotient
from scorer.views.hits import Judged


@metric(
    "SDCG",
    title="Scaled discounted cumulative gain",
    source="Azzopardi, Thomas and Moffat, SIGIR 2019, doi:10.1145/3331184.3331398; as cwl_eval's",
    elsewhere={
        "ir_measures": "SDCG",
    },
    formula=r"\frac{\sum_{i=1}^{$k} w_i u_i}{\sum_{i=1}^{$k} w_i}, \qquad w_i = "
    r"\frac{1}{\log_2(i + 1)}, \qquad u_i = \frac{\min(\max(g_i, $min_grade), $max_grade) - "
    r"$min_grade}{$max_grade - $min_grade}",
    peers={**cwl.PEERS, "dcg": {"log2": {}}},
    settle=cwl.SETTLE,
)
def sdcg(
    judged: Judged, *, k: cwl.Depth, max_grade: cwl.Highest | None = None, min_grade: cwl.Lowest = 0
) -> Quotient:
    """How near a list's discounted gain comes to that of k items of the highest grade.

    The gain at rank i, 0 to 1, is divided by log2(i + 1), and the sum by that
    of k full gains: `nDCG` as if at least k items of the highest grade were
    there, so that 1 is out of reach where there are fewer.

    Returned x, a; a has the highest grade:

    >>> judged = Judged.of((["x", "a"], {"a": 2}))
    >>> sdcg(judged, k=2).values.round(6)            # 1/log2(3) / (1 + 1/log2(3))
    array([0.386853])
    """
    return cwl.per_look(judged, max_grade, min_grade, 1 / np.log2(np.arange(2, k + 2)))
