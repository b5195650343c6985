"""Mean average R-precision."""

from typing import Literal

import numpy as np

from scorer.core.arrays import Floats
from scorer.metrics.base import metric
from scorer.metrics.explain.steps import NamedItems, Sentence, Steps, formula
from scorer.metrics.explain.tables import Listing, items_to_rank, named, ranked_table
from scorer.metrics.params import Cutoffs
from scorer.views.hits import Hits, Judged, ratio


def _explain(
    listing: Listing[Judged], value: float, *, cutoffs: tuple[int, ...], at_cutoff: str
) -> Steps:
    hits, ideal = listing.view.hits.relevant(0), listing.view.ideal.relevant(0)
    m, shares = ideal.rank.size, list[float]()
    yield Sentence(f"The truth has m = {m:,} items.")
    for z in cutoffs:
        depth = min(m, z)
        relevant, both = (
            _relevant_at(ideal, ideal, z, at_cutoff),
            _relevant_at(hits, ideal, z, at_cutoff),
        )
        both = both.where(both.within(z) > 0)
        yield NamedItems(f"relevant, z = {z}", named(listing, relevant))
        if relevant.rank.size > depth:
            same = f"Item {depth:,} of the truth has grade {relevant.grade[-1]:g}"
            yield Sentence(f"{same}, so that all {relevant.rank.size:,} down to it are relevant.")
        yield NamedItems(f"retrieved, z = {z}", items_to_rank(listing, z))
        if listing.view.hits.spread:
            yield ranked_table(listing, both, {"both": both.within(z)}, z)
        else:
            yield NamedItems(f"both, z = {z}", named(listing, both))
        count = float(both.within(z).sum())
        share = count / depth if depth else np.nan
        yield formula(f"Rp@{z}", "|both| / min(m, z)", "{} / {}", count, depth, value=share)
        shares += [count, depth]
    symbols = " + ".join(f"Rp@{z}" for z in cutoffs)
    numbers = " + ".join(["{} / {}"] * len(cutoffs))
    z = len(cutoffs)
    yield formula("AvgRp", f"({symbols}) / {z}", f"({numbers}) / {z}", *shares, value=value)


@metric(
    "MARp",
    title="Mean average R-precision",
    source="ECML PKDD 2011 VideoLectures.Net challenge, evaluation metrics example",
    formula=r"\frac{1}{\lvert Z \rvert} \sum_{z \in Z} \frac{u_z}{\min(J, z)}, \qquad Z = "
    r"$cutoffs, \qquad u_z = \text{items among the } z \text{ best of the truth and at the first } "
    r"z \text{ ranks}",
    undefined="the truth judges no item 0 or better",
    at="cutoffs",
    expected=True,
    explain=_explain,
)
def marp(
    judged: Judged, *, cutoffs: Cutoffs, at_cutoff: Literal["include", "cut"] = "include"
) -> Floats:
    """How many of a list's best items stand at its first ranks, averaged over several depths.

    At depth z the relevant items are the z best of the truth, together with
    those that have the same grade as the last of them (`at_cutoff=include`, as
    in the challenge), and the hits are divided by min(m, z), where m is how
    many items the truth has (one with a grade below 0 is never relevant).
    There can be more relevant items than that, but never more hits.
    `at_cutoff=cut` takes exactly the first z, equal grades in the order of the
    truth file. The challenge's first example divides by what was retrieved,
    which would reward short lists; its second, and text, by min(m, z).

    The challenge's second example, list 2: truth 1 to 7; depths 5 and 10:

    >>> truth = {str(n): 51.0 - n for n in range(1, 8)}
    >>> judged = Judged.of(("23 2 3 20 10 6 7 8 21 22".split(), truth))
    >>> marp(judged, cutoffs=(5, 10)).round(4)          # (2/5 + 4/7) / 2
    array([0.4857])
    """
    hits, ideal = judged.hits.relevant(0), judged.ideal.relevant(0)
    items = ideal.total()
    values = np.zeros(judged.lists)
    for z in cutoffs:
        relevant = _relevant_at(hits, ideal, z, at_cutoff)
        values += ratio(relevant.total(relevant.within(z)), np.minimum(items, z))
    return values / len(cutoffs)


def _relevant_at(hits: Hits, ideal: Hits, z: int, at_cutoff: str) -> Hits:
    """Those of `hits` that are relevant at depth z."""
    if at_cutoff == "cut":
        return hits.where(hits.place <= z)
    last = np.full(hits.lists, np.inf)  # the grade of the last that counts
    at_depth = ideal.place == np.minimum(ideal.total(), z)[ideal.in_list]
    last[ideal.in_list[at_depth]] = ideal.grade[at_depth]
    return hits.where(hits.grade >= last[hits.in_list])
