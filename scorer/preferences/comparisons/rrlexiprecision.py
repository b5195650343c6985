"""Lexicographic precision by reciprocal ranks."""

import numpy as np

from scorer.core.arrays import Floats
from scorer.preferences.base import AboveZero, comparison
from scorer.views.positions import PositionTable, first_difference


@comparison(
    "rrLexiPrecision",
    title="Lexicographic precision by reciprocal ranks",
    source="Diaz, EVIA 2023, doi:10.20736/0002001353",
)
def rrlexiprecision(lineup: PositionTable, *, rel: AboveZero = 1) -> Floats:
    """How much better the first submission serves the reader who wants one relevant item.

    It is LexiPrecision with a size: at the first relevant item whose positions
    x and y differ the value is 1/x - 1/y, where an item not returned counts 0.
    The difference of two RRs is the same number wherever it is not 0.

    Items with a grade of at least `rel` are relevant; pref_eval counts every
    grade above 0, unless its `-b` says otherwise.

    The first has a at 1 and b at 9; the second a, b, c at 2, 3 and 4:

    >>> from scorer.views.hits import Judged
    >>> from scorer.preferences.base import Positions
    >>> truth = {"a": 1, "b": 1, "c": 1}
    >>> two = [Positions.of(Judged.of((items, truth))) for items in ("a.......b", ".abc")]
    >>> rrlexiprecision(PositionTable.of(two))[0, 1]   # 1/1 - 1/2
    array([0.5])
    """

    def first(a: Floats, b: Floats) -> Floats:
        x, y = first_difference(a, b)
        return 1 / x - 1 / y

    return np.where(lineup.items(rel) > 0, lineup.pairwise(rel, first), np.nan)
