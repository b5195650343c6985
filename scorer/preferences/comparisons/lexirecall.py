"""Lexicographic recall."""

import numpy as np

from scorer.core.arrays import Floats
from scorer.preferences.base import AboveZero, comparison
from scorer.views.positions import PositionTable, first_difference, sign_of_difference


@comparison(
    "LexiRecall",
    title="Lexicographic recall",
    source="Diaz and Mitra, Recall, Robustness, and Lexicographic Evaluation, 2023, "
    "doi:10.48550/arXiv.2302.11370",
)
def lexirecall(lineup: PositionTable, *, rel: AboveZero = 1) -> Floats:
    """Which submission serves the reader better who wants every relevant item.

    1 is for the first, -1 for the second, 0 when all positions are the same.
    The one that returned more relevant items wins; between equals the one whose
    last comes first; if that is the same, the one before it decides, and so on.

    Items with a grade of at least `rel` are relevant; pref_eval counts every
    grade above 0, unless its `-b` says otherwise.

    The first has a at 1 and b at 9, and lacks c, which the second has at 4:

    >>> from scorer.views.hits import Judged
    >>> from scorer.preferences.base import Positions
    >>> truth = {"a": 1, "b": 1, "c": 1}
    >>> two = [Positions.of(Judged.of((items, truth))) for items in ("a.......b", ".abc")]
    >>> lexirecall(PositionTable.of(two))[0, 1]      # 2 of 3 returned, against 3
    array([-1.])
    """

    def last(a: Floats, b: Floats) -> Floats:
        return sign_of_difference(*first_difference(a, b, last=True)).astype(np.float64)

    return np.where(lineup.items(rel) > 0, lineup.pairwise(rel, last), np.nan)
