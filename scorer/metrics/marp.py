"""Mean average R-precision."""

from typing import Literal

import numpy as np

from scorer.judged import Floats, Judged, ratio
from scorer.measures import metric
from scorer.params import Cutoffs


@metric(
    "MARp",
    title="Mean average R-precision",
    source="ECML PKDD 2011 VideoLectures.Net challenge, evaluation metrics example",
    at="cutoffs",
    expected=True,
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
        depth = np.minimum(items, z)
        if at_cutoff == "include":
            last = np.full(judged.lists, np.inf)  # the grade of the last that counts
            at_depth = ideal.place == depth[ideal.in_list]
            last[ideal.in_list[at_depth]] = ideal.grade[at_depth]
            best = hits.where(hits.grade >= last[hits.in_list])
        else:
            best = hits.where(hits.place <= z)
        values += ratio(best.total(best.within(z)), depth)
    return values / len(cutoffs)
