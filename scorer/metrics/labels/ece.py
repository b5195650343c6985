"""Expected calibration error."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np
from pydantic import Field, Strict

from scorer.core.arrays import Floats
from scorer.metrics.base import metric
from scorer.metrics.explain.steps import Steps, formula, grid
from scorer.metrics.explain.tables import Listing
from scorer.metrics.labels.base import divided, one_label
from scorer.metrics.statistic import Sums
from scorer.views.labelled import Labelled
from scorer.views.pooled import Statistics

Bins = Annotated[
    int, Strict(), Field(ge=1, le=1000, description="How many intervals of equal width.")
]


def _sums(statistics: Statistics, *, bins: int) -> Floats:
    """Rows, right ones and confidence of each bin, of each list: (lists, 3 bins)."""
    bin, right, confidence, weight = statistics.rows.T
    lists = max(int(statistics.in_list.max(initial=-1)) + 1, statistics.lists)
    table = np.zeros((lists, 3, bins))
    parts = np.column_stack([weight, weight * right, weight * confidence])
    table[statistics.in_list, :, bin.astype(np.int64)] = parts
    return table.reshape(lists, 3 * bins)


def _totals(statistics: Statistics, bins: int) -> Floats:
    """The sums over all lists: shape (1, 3 bins)."""
    bin, right, confidence, weight = statistics.rows.T
    code = bin.astype(np.int64)
    parts = (weight, weight * right, weight * confidence)
    return np.concatenate([np.bincount(code, part, minlength=bins) for part in parts])[None]


def _of_sums(sums: Floats, **_: Any) -> Floats:
    weight, right, confidence = np.split(sums, 3, axis=1)
    return divided(np.abs(right - confidence).sum(axis=1), weight.sum(axis=1), np.nan)


def _figure(statistics: Statistics, *, bins: int) -> float:
    return float(_of_sums(_totals(statistics, bins))[0])


def _explain(listing: Listing[Labelled], value: float, *, bins: int) -> Steps:
    statistics = ece(listing.view, bins=bins)
    weight, right, confidence = np.split(_totals(statistics, bins)[0], 3)
    filled = np.flatnonzero(weight > 0)
    own_bin = int(statistics.rows[listing.view.at, 0])
    yield grid(
        "The bins; this row stands in the one that is marked",
        {
            "confidence": [f"{n / bins:.3g} to {(n + 1) / bins:.3g}" for n in filled.tolist()],
            "rows": weight[filled],
            "mean confidence": confidence[filled] / weight[filled],
            "right": right[filled] / weight[filled],
            "this row": ["*" if n == own_bin else "" for n in filled.tolist()],
        },
        (filled == own_bin).tolist(),
    )
    symbols = "Σ |right - confidence| / rows"
    yield formula("ECE", symbols, "{}", value, value=value)


@metric(
    "ECE",
    title="Expected calibration error",
    source="Guo et al., ICML 2017, arXiv:1706.04599",
    elsewhere={
        "torchmetrics": "CalibrationError",
    },
    formula=r"\sum_{b=1}^{$bins} \frac{n_b}{n} \lvert a_b - c_b \rvert, \qquad n_b = "
    r"\text{rows with a confidence in the interval } b, \qquad a_b = \text{share of "
    r"them that is right}, \qquad c_b = \text{their mean confidence}",
    undefined="there are no rows",
    better="lower",
    aggregate="pooled",
    columns=("probability",),
    statistic=Sums(_of_sums, _sums, _figure),
    explain=_explain,
)
def ece(labelled: Labelled, *, bins: Bins = 15) -> Statistics:
    """How far confidence and accuracy are apart: of rows said with 0.8, four in five are right.

    The confidence of a row is the probability of its likeliest class. Rows fall into
    `bins` intervals of equal width, the upper end of each included; the gaps are
    weighted by the rows. 0 is perfect. It depends on the bins: compare equal ones.

    Two rows of 0.8, one of them right: |1 / 2 - 0.8|:

    >>> from scorer.views.labelled import labelled
    >>> rows = labelled(["a", "b"], {"a": [0.8, 0.8], "b": [0.2, 0.2]})
    >>> round(_figure(ece(rows, bins=10), bins=10), 6)
    0.3
    """
    one_label(labelled, "ECE")
    likely = np.nan_to_num(labelled.likely)
    predicted, confidence = likely.argmax(axis=1), likely.max(axis=1)
    bin = np.clip(np.ceil(confidence * bins) - 1, 0, bins - 1)
    return labelled.pooled(bin, labelled.truth == predicted, confidence, labelled.weights)
