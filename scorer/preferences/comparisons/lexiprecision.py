"""Lexicographic precision."""

import numpy as np

from scorer.core.arrays import Floats
from scorer.preferences.base import AboveZero, comparison
from scorer.views.positions import PositionTable, first_difference, sign_of_difference


@comparison(
    "LexiPrecision",
    title="Lexicographic precision",
    source="Diaz, EVIA 2023, doi:10.20736/0002001353",
)
def lexiprecision(lineup: PositionTable, *, rel: AboveZero = 1) -> Floats:
    """Which submission serves the reader better who wants one relevant item.

    1 is for the first, -1 for the second, 0 when all positions are the same.
    The one whose first relevant item comes first wins; if that is the same, the
    second decides, and so on. It orders two submissions as RR does, and goes on
    where RR ties.

    Items with a grade of at least `rel` are relevant; pref_eval counts every
    grade above 0, unless its `-b` says otherwise.

    The first has a at 1 and b at 9; the second a, b, c at 2, 3 and 4:

    >>> from scorer.views.hits import Judged
    >>> from scorer.preferences.base import Positions
    >>> truth = {"a": 1, "b": 1, "c": 1}
    >>> two = [Positions.of(Judged.of((items, truth))) for items in ("a.......b", ".abc")]
    >>> lexiprecision(PositionTable.of(two))[0, 1]   # 1 comes before 2
    array([1.])
    """

    def first(a: Floats, b: Floats) -> Floats:
        return sign_of_difference(*first_difference(a, b)).astype(np.float64)

    return np.where(lineup.items(rel) > 0, lineup.pairwise(rel, first), np.nan)
