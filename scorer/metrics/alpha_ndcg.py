"""Alpha normalised discounted cumulative gain."""

from scorer.metrics import diversity
from scorer.metrics.base import metric
from scorer.metrics.params import Relevant
from scorer.metrics.quotient import Quotient
from scorer.views.diverse import Diverse


@metric(
    "alpha_nDCG",
    title="Alpha normalised discounted cumulative gain",
    source="Clarke et al., SIGIR 2008, doi:10.1145/1390334.1390446; as TREC's ndeval",
    elsewhere={
        "ndeval": "alpha-nDCG@10",
        "ir_measures": "alpha_nDCG",
    },
    formula=r"\frac{\sum_{i=1}^{$k} \frac{1}{\log_2(i + 1)} \sum_{s=1}^{S} r_{i,s} (1 - "
    r"$alpha)^{c_{i,s}}}{\sum_{i=1}^{$k} \frac{1}{\log_2(i + 1)} \sum_{s=1}^{S} "
    r"r^*_{i,s} (1 - $alpha)^{c^*_{i,s}}}, \qquad c_{i,s} = \sum_{j=1}^{i-1} r_{j,s}, "
    r"\qquad c^*_{i,s} = \sum_{j=1}^{i-1} r^*_{j,s}, \qquad r^* = \text{as } r "
    r"\text{, of the judged items, each rank with what gains the most there}",
    undefined="no subtopic has a relevant item",
    range=(0, None),
    aliases=("α_nDCG",),
    peers=diversity.PEERS,
)
def alpha_ndcg(
    diverse: Diverse,
    *,
    k: diversity.Shallow,
    alpha: diversity.Redundancy = diversity.HALF,
    rel: Relevant = 1,
    judged_only: bool = False,
) -> Quotient:
    """The discounted gain of new subtopics, over that of the best order of the judged items.

    The gains are those of `alpha_DCG`. The best order puts at each rank the item
    that gains the most there; ties go by item id downwards, as in ndeval and
    ir_measures. To find the very best order is NP-hard, so that a list may exceed 1.

    a is relevant to subtopics 1 and 2, b to 1; returned b, a:

    >>> truth = {"a": {"1": 1, "2": 1}, "b": {"1": 1}}
    >>> diverse = Diverse.of((["b", "a"], truth))
    >>> alpha_ndcg(diverse, k=2).values.round(6)      # (1 + 1.5 / log2(3)) / (2 + 0.5 / log2(3))
    array([0.840606])
    """
    view = diversity.restricted(diverse, judged_only)
    says = "alpha-DCG / that of the best order"
    return diversity.over_best(view, rel, k, alpha, diversity.logarithmic, says)
