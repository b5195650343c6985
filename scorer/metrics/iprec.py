"""Interpolated precision."""

from fractions import Fraction
from math import ceil

import numpy as np

from scorer.judged import Floats, Judged
from scorer.measures import metric
from scorer.params import RecallLevel, Relevant


@metric(
    "IPrec",
    title="Interpolated precision at a level of recall",
    source="Manning et al., Introduction to Information Retrieval, 2008, section 8.4",
    at="recall",
)
def iprec(
    judged: Judged, *, recall: RecallLevel, rel: Relevant = 1, judged_only: bool = False
) -> Floats:
    """The highest precision at any rank where that share of the relevant items is found.

    A rank qualifies when at least ceil(recall * R) relevant items stand at or
    above it, computed exactly; 0 if none qualifies. trec_eval's iprec_at_recall
    rounds otherwise, and asks for too few: version 9 takes recall * R + .9
    without its fraction (1 of 21 items at a recall of .05, where 1.05 need 2),
    version 10 the nearest whole number. ir_measures uses trec_eval.

    Returned a, x, b; a, b and c are relevant. Half of 3 needs 2 of them:

    >>> judged = Judged.of((["a", "x", "b"], {"a": 1, "b": 1, "c": 1}))
    >>> iprec(judged, recall=0.5)                   # 2 / 3
    array([0.66666667])
    >>> iprec(judged, recall=1)
    array([0.])
    """
    if judged_only:
        judged = judged.only_judged()
    found = judged.hits.relevant(rel)
    wanted, which = np.unique(judged.ideal.relevant(rel).total(), return_inverse=True)
    level = Fraction(str(recall))  # as written: .1 of 10 is 1, not a float's 1.0000000000000001
    needed = np.array([ceil(level * int(count)) for count in wanted], dtype=np.int64)[which]
    values = np.where(wanted[which] > 0, 0.0, np.nan)
    enough = found.nth() >= needed[found.in_list]
    np.maximum.at(values, found.in_list[enough], (found.nth() / found.rank)[enough])
    return values
