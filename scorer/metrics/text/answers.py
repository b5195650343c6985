"""What metrics of texts share: how an answer is compared with those that are accepted."""

from __future__ import annotations

import re
import string
from collections import Counter
from typing import Annotated, Any, Literal

from pydantic import Field

from scorer.core.errors import ChallengeError
from scorer.core.text import quoted
from scorer.views.texts import Texts

PUNCTUATION = str.maketrans("", "", string.punctuation)
ARTICLES = re.compile(r"\b(a|an|the)\b")

Normalize = Annotated[
    Literal["squad", "lower", "plain"],
    Field(
        description="squad: in lower case, without punctuation, articles and further blanks; "
        "lower: in lower case; plain: as they stand. Tokens are parted by blanks."
    ),
]
Lowercase = Annotated[bool, Field(description="Whether capital letters are equal to small ones.")]


def normal(text: str, normalize: str) -> str:
    """A text as it is compared."""
    if normalize != "squad":
        return text.lower() if normalize == "lower" else text
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


def compared(texts: Texts, rel: float, normalize: str) -> list[str]:
    """The only list's answer and accepted texts, as sentences."""
    (text,), (accepted,) = texts.first(), texts.accepted(rel)
    known = ", ".join(quoted(normal(each, normalize)) for each in accepted) or "nothing"
    return [f"The answer: {quoted(normal(text or '', normalize))}. Accepted: {known}."]


def sacrebleu(name: str) -> Any:
    """The module with sacrebleu's metrics, for that metric; `ChallengeError` if it is missing."""
    try:
        from sacrebleu import metrics
    except ImportError:
        message = f"{name} needs the package sacrebleu: pip install 'challenge-scorer[text]'"
        raise ChallengeError(message) from None
    return metrics
