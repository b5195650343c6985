"""BLEU."""

from __future__ import annotations

from typing import Annotated, Any, Literal

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

ORDERS = 4  # of n-grams
PEER = {"blanks": "none", "nothing": "none"}  # which a notation takes for no value

Tokenize = Annotated[
    Literal["13a", "intl", "char", "zh", "blanks"],
    Field(
        description="How a text is parted: as by mteval-v13a, international, into characters, "
        "Chinese, at blanks alone."
    ),
]
Smooth = Annotated[
    Literal["exp", "floor", "add-k", "nothing"],
    Field(description="How sacrebleu counts an order of n-grams without a match."),
]


def _counts(texts: Texts, rel: float, tokenize: str, lowercase: bool) -> Floats:
    """Length, reference length, matches and n-grams of each order, (lists, 2 + 2 * orders)."""
    bleu = sacrebleu("BLEU").BLEU(
        tokenize=PEER.get(tokenize, tokenize), lowercase=lowercase, effective_order=True, force=True
    )
    rows = []
    for text, accepted in zip(texts.first(), texts.accepted(rel), strict=True):
        found = bleu.sentence_score(text or "", accepted or [""])
        rows.append([found.sys_len, found.ref_len, *found.counts, *found.totals])
    return np.array(rows, dtype=np.float64).reshape(-1, 2 + 2 * ORDERS)


def _value(row: Floats, smooth: str, effective: bool) -> float:
    length, reference, *counts = row.tolist()
    found = sacrebleu("BLEU").BLEU.compute_bleu(
        counts[:ORDERS],
        counts[ORDERS:],
        int(length),
        int(reference),
        PEER.get(smooth, smooth),
        None,
        effective,
    )
    return float(found.score)


def _of_sums(sums: Floats, *, smooth: str, average: str, **_: Any) -> Floats:
    return np.array([_value(row, smooth, average == "lists") for row in sums], dtype=np.float64)


def _explain(
    listing: Listing[Texts], value: float, *, rel: float, tokenize: str, lowercase: bool, **_: Any
) -> Steps:
    yield Sentence(*compared(listing.view, rel, "plain"))
    length, reference, *counts = _counts(listing.view, rel, tokenize, lowercase)[0].tolist()
    columns = {"n": range(1, ORDERS + 1), "matches": counts[:ORDERS], "n-grams": counts[ORDERS:]}
    yield grid(f"{length:g} tokens, {reference:g} of the accepted text", columns)
    yield formula("BLEU", "brevity penalty × geometric mean of matches / n-grams", "{}", value,
                  value=value)  # fmt: skip


@metric(
    "BLEU",
    title="BLEU",
    source="Papineni et al., ACL 2002, doi:10.3115/1073083.1073135; Post, WMT 2018; sacrebleu",
    elsewhere={
        "sacrebleu": "corpus_bleu",
    },
    formula=r"100 \cdot \min(1, e^{1 - \frac{M}{l}}) \prod_{j=1}^{4} "
    r"\left(\frac{m_j}{t_j}\right)^{\frac{1}{4}}, \qquad l, M = \text{tokens of the "
    r"texts, and of the accepted ones}, \qquad m_j = \text{n-grams of } j \text{ "
    r"tokens that are in both}, \qquad t_j = \text{n-grams of } j \text{ tokens of "
    r"the texts}",
    range=(0, 100),
    statistic=Sums(_of_sums),
    explain=_explain,
)
def bleu(
    texts: Texts,
    *,
    rel: Relevant = 1,
    average: Pooling = "pooled",
    tokenize: Tokenize = "13a",
    lowercase: Lowercase = False,
    smooth: Smooth = "exp",
) -> Floats | Statistics:
    """The n-grams that the texts have in common with the accepted ones, of one to four words.

    sacrebleu's value, of 0 to 100; its package is in the extra `text`. The matches of all
    lists are added up, and make one value. `average=lists` is the mean of the lists' values,
    which count no order of n-grams that a text is too short for. All accepted texts of a list are
    its references. It is 0 where nothing matches.

    >>> texts = Texts.of(("the cat sat on the mat", ["the cat is on the mat"]))
    >>> figure = bleu.__scorer__.statistic.figure
    >>> round(figure(bleu(texts), smooth="exp", average="pooled"), 6)
    37.991784
    """
    rows = _counts(texts, rel, tokenize, lowercase)
    if average == "lists":
        return _of_sums(rows, smooth=smooth, average=average)
    return Statistics(np.arange(texts.lists, dtype=np.int64), rows, texts.lists)
