"""chrF."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np
from pydantic import Field

from scorer.core.arrays import Floats
from scorer.metrics.base import metric
from scorer.metrics.explain.steps import Sentence, Steps, formula, grid
from scorer.metrics.explain.tables import Listing
from scorer.metrics.params import Pooling, Relevant
from scorer.metrics.statistic import Sums
from scorer.metrics.text.answers import Lowercase, compared, sacrebleu
from scorer.views.pooled import Statistics
from scorer.views.texts import Texts

Characters = Annotated[int, Field(ge=1, le=20, description="The longest n-grams of characters.")]
Words = Annotated[
    int, Field(ge=0, le=20, description="The longest n-grams of words; 2 for chrF++, 0 for none.")
]
Beta = Annotated[int, Field(ge=1, le=10, description="How many times recall counts.")]


def _peer(characters: int, words: int, beta: int, lowercase: bool = False) -> Any:
    return sacrebleu("chrF").CHRF(characters, words, beta, lowercase)


def _counts(peer: Any, texts: Texts, rel: float) -> Floats:
    """N-grams of the answer, the accepted text and both, of each order, (lists, 3 * orders)."""
    rows = [
        peer._extract_corpus_statistics([text or ""], [[each] for each in accepted or [""]])[0]
        for text, accepted in zip(texts.first(), texts.accepted(rel), strict=True)
    ]
    return np.array(rows, dtype=np.float64).reshape(-1, 3 * peer.order)


def _of_sums(sums: Floats, *, characters: int, words: int, beta: int, **_: Any) -> Floats:
    peer = _peer(characters, words, beta)
    return np.array([peer._compute_f_score(row) for row in sums.tolist()], dtype=np.float64)


def _explain(listing: Listing[Texts], value: float, *, rel: float, **params: Any) -> Steps:
    yield Sentence(*compared(listing.view, rel, "plain"))
    params.pop("average")
    answer, accepted, both = _counts(_peer(**params), listing.view, rel).reshape(-1, 3).T
    columns = {"in both": both, "answer": answer, "accepted": accepted}
    yield grid("N-grams, of each length", columns)
    yield formula("chrF", "F of the mean precision and the mean recall", "{}", value, value=value)


@metric(
    "chrF",
    title="chrF: F of n-grams of characters",
    source="Popović, WMT 2015, doi:10.18653/v1/W15-3049; sacrebleu",
    elsewhere={
        "sacrebleu": "corpus_chrf",
    },
    formula=r"100 \cdot \frac{(1 + $beta^2) P Q}{$beta^2 P + Q}, \qquad P = \text{mean over "
    r"the lengths of n-grams of their precision}, \qquad Q = \text{mean of their "
    r"recall}",
    range=(0, 100),
    statistic=Sums(_of_sums),
    explain=_explain,
)
def chrf(
    texts: Texts,
    *,
    rel: Relevant = 1,
    average: Pooling = "pooled",
    characters: Characters = 6,
    words: Words = 0,
    beta: Beta = 2,
    lowercase: Lowercase = False,
) -> Floats | Statistics:
    """F of the n-grams of characters that the texts and the accepted ones have in common.

    sacrebleu's value, of 0 to 100; its package is in the extra `text`. The n-grams of all
    lists are added up, and make one value. `average=lists` is the mean of the lists' values.
    `words=2` is chrF++. Of several accepted texts the one that fits best counts. Blanks
    count for nothing.

    >>> texts = Texts.of(("the cat sat on the mat", ["the cat is on the mat"]))
    >>> figure = chrf.__scorer__.statistic.figure
    >>> round(figure(chrf(texts), characters=6, words=0, beta=2), 6)
    64.577942
    """
    rows = _counts(_peer(characters, words, beta, lowercase), texts, rel)
    if average == "lists":
        return _of_sums(rows, characters=characters, words=words, beta=beta)
    return Statistics(np.arange(texts.lists, dtype=np.int64), rows, texts.lists)
