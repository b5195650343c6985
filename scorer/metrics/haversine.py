"""Distance on the globe, list by list."""

from __future__ import annotations

from itertools import pairwise
from typing import Annotated

import numpy as np
from pydantic import Field, Strict

from scorer.core.arrays import Floats
from scorer.metrics.base import metric
from scorer.metrics.globe import EARTH, LONGITUDE, Longitude, Radius, arc, both_longitudes
from scorer.metrics.quotient import Quotient
from scorer.views.hits import ratio
from scorer.views.rated import Rated

Quantiles = Annotated[
    tuple[Annotated[float, Field(ge=0, le=1)], ...],
    Strict(False),
    Field(
        min_length=1,
        description="Which quantiles of a list's distances are averaged, by linear "
        "interpolation: [0.5, 0.95]. Default: the mean of all distances.",
    ),
]


def _of_lists(rated: Rated, metres: Floats, quantiles: tuple[float, ...]) -> Floats:
    """The mean of each list's quantiles; NaN where it has no rows."""
    edges = np.searchsorted(rated.in_list, np.arange(rated.lists + 1))
    own = (metres[first:end] for first, end in pairwise(edges))
    values = [np.quantile(m, quantiles).mean() if m.size else np.nan for m in own]
    return np.array(values, dtype=np.float64)


FAR = r"\frac{2 \cdot $radius}{n} \sum_{i=1}^{n} \arcsin \sqrt{s_i}"
QUANTILES = (
    r"\frac{1}{\lvert Z \rvert} \sum_{z \in Z} q_z, \qquad Z = $quantiles, \qquad q_z = "
    r"\text{quantile } z \text{ of the list's } 2 \cdot $radius \cdot \arcsin \sqrt{s_i}"
)
METRES = (
    r", \qquad s_i = \sin^2(\frac{\hat{y}_i - y_i}{2}) + \cos(y_i) \cos(\hat{y}_i) "
    r"\sin^2(\frac{\hat{z}_i - z_i}{2}), "
    r"\qquad y_i, z_i = \text{latitude and longitude in radians}"
)


@metric(
    "Haversine",
    title="Distance on the globe",
    source="Sinnott, Sky and Telescope 68(2), 1984; Smartphone Decimeter Challenge, Kaggle 2022",
    formula=lambda params: (FAR if params["quantiles"] is None else QUANTILES) + METRES,
    undefined="a list has no point",
    range=(0, None),
    better="lower",
    needs=both_longitudes,
)
def haversine(
    rated: Rated,
    *,
    longitude: Longitude = LONGITUDE,
    radius: Radius = EARTH,
    quantiles: Quantiles | None = None,
) -> Quotient:
    """The distance between a list's true points and the predicted ones, in metres.

    The rating is the latitude; the longitude is a further column of both files, `extra:
    {longitude: number}`, both in degrees. A list has the mean of its distances, or that of
    some of their quantiles: `quantiles: [0.5, 0.95]` in the Smartphone Decimeter Challenge,
    whose lists are drives.

    Two points of a list, a quarter of the equator and nothing away:

    >>> from dataclasses import replace
    >>> from scorer.views.extras import Extras, NamedColumns
    >>> true, sent = (NamedColumns({"longitude": np.array(x)}, "") for x in ([0., 5], [90., 5]))
    >>> rated = replace(Rated.of(([0, 1], [0, 1])), extras=Extras(true, sent))
    >>> haversine(rated).values.round()
    array([5003772.])
    """
    true, sent = rated.truth[longitude], rated.submission[longitude]
    metres = arc(rated.rating, true, rated.prediction, sent) * radius
    columns = {"distance": metres}
    if quantiles is None:
        values = ratio(rated.total(metres), rated.total())
    else:
        values = _of_lists(rated, metres, quantiles)
    says = "mean of the quantiles" if quantiles else "sum / points"
    return Quotient(values, None, says, lambda: (rated, columns), numbers="{}", terms=(values,))
