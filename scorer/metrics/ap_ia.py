"""Intent-aware average precision."""

import numpy as np

from scorer.core.arrays import Floats
from scorer.metrics import diversity
from scorer.metrics.base import metric
from scorer.metrics.params import Relevant
from scorer.metrics.quotient import Quotient
from scorer.views.diverse import Diverse, Facets


def _shares(view: Diverse, facets: Facets, rel: float) -> Floats:
    """What each relevant item adds to the average precision of its subtopic."""
    relevant = np.sort(view.judged_facets(rel).key)
    first, last = (np.searchsorted(relevant, facets.key, side) for side in ("left", "right"))
    shares: Floats = (facets.before() + 1) / facets.rank / (last - first)
    return shares


@metric(
    "AP_IA",
    title="Intent-aware average precision",
    source="Agrawal et al., WSDM 2009, doi:10.1145/1498759.1498766; as TREC's ndeval",
    elsewhere={
        "ndeval": "MAP-IA",
        "ir_measures": "AP_IA",
    },
    formula=r"\frac{1}{S} \sum_{s=1}^{S} \frac{1}{R_s} \sum_{i=1}^{n} \frac{r_{i,s}}{i} "
    r"\sum_{j=1}^{i} r_{j,s}",
    undefined="no subtopic has a relevant item",
    aliases=("MAP_IA",),
    peers=diversity.PEERS,
)
def ap_ia(diverse: Diverse, *, rel: Relevant = 1, judged_only: bool = False) -> Quotient:
    """The mean over subtopics of the average precision for each.

    A subtopic without a relevant item does not count; the others count alike,
    where the paper weighs them by how likely they are meant. Undefined where
    there is none.

    a is relevant to subtopics 1 and 2, b to 1; returned b, a:

    >>> truth = {"a": {"1": 1, "2": 1}, "b": {"1": 1}}
    >>> diverse = Diverse.of((["b", "a"], truth))
    >>> ap_ia(diverse).values                  # ((1/1 + 2/2) / 2 + 1/2) / 2
    array([0.75])
    """
    view = diversity.restricted(diverse, judged_only)
    facets = view.hit_facets(rel)
    return diversity.quotient(
        view,
        facets,
        _shares(view, facets, rel),
        view.subtopics(rel),
        "sum over subtopics / subtopics",
    )
