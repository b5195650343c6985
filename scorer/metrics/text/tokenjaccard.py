"""Jaccard similarity of the tokens of texts."""

import numpy as np

from scorer.metrics.base import metric
from scorer.metrics.params import Relevant
from scorer.metrics.quotient import Quotient
from scorer.metrics.text.answers import Normalize, compared, normal
from scorer.views.texts import Texts


def _shared(answer: str, accepted: str) -> tuple[int, int]:
    """How many different tokens both texts have, and how many either; 1 and 1 without tokens."""
    first, second = set(answer.split()), set(accepted.split())
    return (len(first & second), len(first | second)) if first | second else (1, 1)


@metric(
    "TokenJaccard",
    title="Jaccard similarity of the tokens of texts",
    source="Jaccard, New Phytologist 11(2), 1912, doi:10.1111/j.1469-8137.1912.tb05611.x",
    formula=r"\frac{\lvert A \cap B \rvert}{\lvert A \cup B \rvert}, \qquad A, B = "
    r"\text{different tokens of the text, and of the accepted one}",
)
def tokenjaccard(texts: Texts, *, rel: Relevant = 1, normalize: Normalize = "lower") -> Quotient:
    """The different tokens of the first text and an accepted one: those of both, of all there are.

    Texts stand as in `ExactMatch`; tokens are parted by blanks and count once, however
    often they stand. Of several accepted texts the one that fits best counts. It is 1 where both
    texts have no token, and where no answer is accepted and none is given.

    >>> texts = Texts.of(("so very Sad", ["sad", "so sad"]), (None, ["yes"]), ("", [""]))
    >>> tokenjaccard(texts).values.round(4)              # so sad, of so very sad
    array([0.6667, 0.    , 1.    ])
    """
    pairs = np.zeros((texts.lists, 2))
    for n, (text, accepted) in enumerate(zip(texts.first(), texts.accepted(rel), strict=True)):
        answer = normal(text or "", normalize)
        known = [_shared(answer, normal(each, normalize)) for each in accepted or [""]]
        pairs[n] = max(known, key=lambda pair: pair[0] / pair[1])
    part, whole = pairs.T
    return Quotient(
        part,
        whole,
        "tokens in both / tokens in either",
        notes=lambda: compared(texts, rel, normalize),
    )
