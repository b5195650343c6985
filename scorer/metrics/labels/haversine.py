"""Distance on the globe, in a table of numbers."""

from __future__ import annotations

from scorer.metrics.base import metric
from scorer.metrics.globe import EARTH, LONGITUDE, Longitude, Radius, arc, both_longitudes
from scorer.metrics.labels.further import numbers
from scorer.metrics.quotient import Rowwise
from scorer.metrics.statistic import Share
from scorer.views.labelled import Targets


@metric(
    "Haversine",
    title="Distance on the globe",
    source="Sinnott, Sky and Telescope 68(2), 1984",
    elsewhere={
        "scikit-learn": "haversine_distances; in radians, as radius=1",
    },
    formula=r"\frac{2 \cdot $radius}{n} \sum_{i=1}^{n} \arcsin \sqrt{s_i}, \qquad s_i = "
    r"\sin^2(\frac{\hat{y}_i - y_i}{2}) + \cos(y_i) \cos(\hat{y}_i) "
    r"\sin^2(\frac{\hat{z}_i - z_i}{2}), \qquad y_i, z_i = \text{latitude and "
    r"longitude in radians}",
    range=(0, None),
    better="lower",
    columns=("prediction",),
    needs=both_longitudes,
    statistic=Share(),
)
def haversine(
    targets: Targets, *, longitude: Longitude = LONGITUDE, radius: Radius = EARTH
) -> Rowwise:
    """The mean distance between the true points and the predicted ones, in metres.

    The target is the latitude; the longitude is a further column of both files, `extra:
    {longitude: number}`, both in degrees. The earth is taken for a sphere; `radius=6371`
    gives kilometres, `radius=1` radians.

    A quarter of the equator:

    >>> import numpy as np
    >>> from scorer.views.extras import Extras, NamedColumns
    >>> from scorer.views.labelled import targets
    >>> true, sent = (NamedColumns({"longitude": np.array([x])}, "") for x in (0.0, 90.0))
    >>> rows = targets([0], [0], extras=Extras(true, sent))
    >>> haversine(rows).given.round()                      # π/2 × 6,371,000
    array([10007543.])
    """
    columns = (targets.truth_columns, targets.submission)
    true, sent = (numbers(side, longitude, "Haversine") for side in columns)
    metres = arc(targets.target, true, targets.prediction, sent) * radius
    return Rowwise(targets.mean(metres), lambda: {"distance": metres})
