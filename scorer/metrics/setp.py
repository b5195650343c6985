"""Set precision."""

import numpy as np

from scorer.judged import Floats, Judged, ratio
from scorer.measures import metric
from scorer.params import Relevant


@metric(
    "SetP",
    title="Set precision",
    source="Kent et al., American Documentation 6(2), 1955; as trec_eval's set_P",
    expected=True,
)
def setp(
    judged: Judged, *, rel: Relevant = 1, relative: bool = False, judged_only: bool = False
) -> Floats:
    """The share of all returned items that is relevant.

    Undefined, where trec_eval says 0, for a list that returned nothing.
    ir_measures' `relative=true` is SetRelP.

    Returned a, x, b; a and b are relevant:

    >>> setp(Judged.of((["a", "x", "b"], {"a": 1, "b": 1})))    # 2 / 3
    array([0.66666667])
    """
    if judged_only:
        judged = judged.only_judged()
    best = judged.returned.astype(np.float64)
    if relative:
        best = np.minimum(best, judged.ideal.relevant(rel).total())
    return ratio(judged.hits.relevant(rel).total(), best)
