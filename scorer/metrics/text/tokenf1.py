"""F1 of the tokens of texts."""

import numpy as np

from scorer.core.arrays import Floats
from scorer.metrics.base import metric
from scorer.metrics.explain.steps import Steps, formula, grid
from scorer.metrics.explain.tables import Listing
from scorer.metrics.params import Relevant
from scorer.metrics.text.answers import Normalize, normal, overlap
from scorer.views.texts import Texts


def _of(text: str | None, accepted: list[str], normalize: str) -> list[tuple[float, float, float]]:
    """F1, precision and recall against each accepted text; against nothing where none is."""
    answer = normal("" if text is None else text, normalize)
    return [overlap(answer, normal(candidate, normalize)) for candidate in accepted or [""]]


def _explain(listing: Listing[Texts], value: float, *, rel: float, normalize: str) -> Steps:
    (text,), (accepted,) = listing.view.first(), listing.view.accepted(rel)
    overlaps = _of(text, accepted, normalize)
    f1, precision, recall = zip(*overlaps, strict=True)
    columns = {"accepted": accepted or ["nothing"], "precision": precision, "recall": recall}
    yield grid(f"The answer {text or 'nothing'}", columns | {"F1": f1})
    _, p, r = max(overlaps)
    if not p + r:
        yield formula("TokenF1", "no common token", "{}", 0.0, value=value)
        return
    symbols = "highest 2 × precision × recall / (precision + recall)"
    yield formula("TokenF1", symbols, "2 × {} × {} / ({} + {})", p, r, p, r, value=value)


@metric(
    "TokenF1",
    title="F1 of the tokens of texts",
    source="Rajpurkar et al., EMNLP 2016, doi:10.18653/v1/D16-1264; SQuAD",
    elsewhere={
        "SQuAD": "f1; in percent",
    },
    formula=r"\frac{2 c}{l + m}, \qquad c = \text{tokens in both, of the accepted text that "
    r"fits best}, \qquad l, m = \text{tokens of the text, and of the accepted one}",
    explain=_explain,
)
def tokenf1(texts: Texts, *, rel: Relevant = 1, normalize: Normalize = "squad") -> Floats:
    """The F1 of the first text's tokens against the accepted text that it fits best.

    A list is a question, its items are texts: in the truth the accepted
    answers, in the submission the answer. Tokens are words, counted as often as
    they stand, after the texts are made alike as in `ExactMatch`. Where no answer is
    accepted, or the text has no token, it is 1 where both are nothing, as in SQuAD
    2.0. F1 of classes is `F1`, F1 of chunks of tags `ChunkF1`.

    Two of the answer's three tokens are the accepted ones:

    >>> texts = Texts.of(("the old river Nile", ["river Nile"]))
    >>> tokenf1(texts).round(6)                         # P 2/3, R 1
    array([0.8])
    """
    pairs = zip(texts.first(), texts.accepted(rel), strict=True)
    return np.array([max(_of(*pair, normalize))[0] for pair in pairs], dtype=np.float64)
