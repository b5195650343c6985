"""What metrics of texts share: how an answer is compared with those that are accepted."""

from __future__ import annotations

import re
import string
from collections import Counter
from typing import Annotated, Literal

from pydantic import Field

PUNCTUATION = str.maketrans("", "", string.punctuation)
ARTICLES = re.compile(r"\b(a|an|the)\b")

Normalize = Annotated[
    Literal["squad", "plain"],
    Field(
        description="squad: in lower case, without punctuation, articles and further blanks; "
        "plain: as they stand, tokens parted by blanks."
    ),
]


def normal(text: str, normalize: str) -> str:
    """A text as it is compared."""
    if normalize == "plain":
        return text
    return " ".join(ARTICLES.sub(" ", text.lower().translate(PUNCTUATION)).split())


def overlap(answer: str, accepted: str) -> tuple[float, float, float]:
    """F1, precision and recall of an answer's tokens; 1 or 0 where either text has none."""
    tokens, accepted_tokens = answer.split(), accepted.split()
    if not tokens or not accepted_tokens:
        same = float(tokens == accepted_tokens)
        return same, same, same
    common = sum((Counter(tokens) & Counter(accepted_tokens)).values())
    if not common:
        return 0.0, 0.0, 0.0
    precision, recall = common / len(tokens), common / len(accepted_tokens)
    return 2 * precision * recall / (precision + recall), precision, recall
