"""ROUGE-L: the longest common subsequence of the tokens of texts."""

import re
from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from scorer.metrics.base import metric
from scorer.metrics.params import Relevant
from scorer.metrics.quotient import Quotient
from scorer.metrics.text.answers import compared
from scorer.metrics.text.edits import common
from scorer.views.texts import Texts

OTHERS = re.compile("[^a-z0-9]+")

Tokens = Annotated[
    Literal["latin", "words"],
    Field(
        description="latin: runs of the letters a to z and digits, as in rouge-score; "
        "words: of the letters and digits of every script."
    ),
]


def _tokens(text: str, tokens: str) -> list[str]:
    lower = text.lower()
    return re.findall(r"\w+", lower) if tokens == "words" else OTHERS.sub(" ", lower).split()


def _lengths(answer: list[str], accepted: list[str]) -> tuple[int, int]:
    """Twice the longest common subsequence's length, and the sum of both texts' lengths."""
    return 2 * common(answer, accepted), len(answer) + len(accepted)


@metric(
    "ROUGE_L",
    title="ROUGE-L: F1 of the longest common subsequence",
    source="Lin, Text Summarization Branches Out, ACL 2004; rouge-score",
    elsewhere={
        "rouge-score": "rougeL",
    },
    formula=r"\frac{2 c}{l + m}, \qquad c = \text{length of the longest common subsequence of "
    r"tokens}, \qquad l, m = \text{tokens of the text, and of the accepted one}",
    aliases=("rougeL",),
)
def rouge_l(texts: Texts, *, rel: Relevant = 1, tokens: Tokens = "latin") -> Quotient:
    """F1 of the longest sequence of tokens that is in the first text and in an accepted one.

    Its tokens stand in one order in both texts, others may stand between. Texts stand as in
    `ExactMatch`; of several accepted texts the one that fits best counts. As rouge-score's rougeL
    without a stemmer; `rougeLsum`, which parts texts at line ends, is another measure. It is 0
    where a text has no token.

    >>> texts = Texts.of(("The cat is on the mat.", ["The cat sat on a mat"]))
    >>> rouge_l(texts).values.round(4)                   # the cat on mat: 2 * 4 / (6 + 6)
    array([0.6667])
    """
    pairs = np.zeros((texts.lists, 2))
    for n, (text, accepted) in enumerate(zip(texts.first(), texts.accepted(rel), strict=True)):
        answer = _tokens(text or "", tokens)
        known = [_lengths(answer, _tokens(each, tokens)) for each in accepted or [""]]
        pairs[n] = max(known, key=lambda pair: pair[0] / max(pair[1], 1))
    part, whole = pairs.T
    return Quotient(
        part,
        np.maximum(whole, 1),
        "2 × common / (tokens of the answer + of the accepted text)",
        notes=lambda: compared(texts, rel, "plain"),
    )
