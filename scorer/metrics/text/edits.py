"""Edits between texts, and the accepted text that needs the fewest."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from scorer.metrics.quotient import Quotient
from scorer.metrics.text.answers import compared, normal
from scorer.views.texts import Texts

Unit = Annotated[
    Literal["characters", "tokens"],
    Field(description="What is inserted, deleted or replaced; tokens are parted by blanks."),
]
Over = Annotated[
    Literal["nothing", "truth", "longer"],
    Field(
        description="What edits are divided by: nothing, the length of the accepted text, or that "
        "of the longer text."
    ),
]
Units = Sequence[Hashable]
Length = Callable[[Units, Units], float]  # of an answer and an accepted text

SAYS = {
    "nothing": "1",
    "truth": "length of the accepted text",
    "longer": "length of the longer text",
}
LENGTHS: dict[str, Length] = {
    "nothing": lambda answer, accepted: 1,
    "truth": lambda answer, accepted: len(accepted),
    "longer": lambda answer, accepted: max(len(answer), len(accepted)),
}


def edits(first: Units, second: Units) -> int:
    """The fewest insertions, deletions and replacements that make one of the other.

    The rows of the table of distances are bits of whole numbers: Hyyrö, Nordic Journal of
    Computing 10(1), 2003, after Myers. Of a long and a short text the short one's are bits.
    """
    first, second = sorted((first, second), key=len)
    if not first:
        return len(second)
    places = _places(first)
    every, last = (1 << len(first)) - 1, 1 << len(first) - 1
    up, down, distance = every, 0, len(first)
    for unit in second:
        same = places.get(unit, 0) | down
        diagonal = ((same & up) + up ^ up) | same
        right, left = down | ~(diagonal | up), up & diagonal
        distance += bool(right & last) - bool(left & last)
        right = right << 1 | 1
        up, down = (left << 1 | ~(diagonal | right)) & every, right & diagonal & every
    return distance


def common(first: Units, second: Units) -> int:
    """The length of the longest common subsequence, by the bits of whole numbers as `edits`."""
    first, second = sorted((first, second), key=len)
    places, every = _places(first), (1 << len(first)) - 1
    row = every
    for unit in second:
        matched = row & places.get(unit, 0)
        row = (row + matched | row - matched) & every
    return len(first) - row.bit_count()


def _places(units: Units) -> dict[Hashable, int]:
    """The bits of the places of each unit."""
    places: dict[Hashable, int] = {}
    for n, unit in enumerate(units):
        places[unit] = places.get(unit, 0) | 1 << n
    return places


def units(text: str, unit: str) -> Units:
    """The tokens of a text, or its characters; if trimmed, without blanks at its ends."""
    if unit == "tokens":
        return text.split()
    return text.strip() if unit == "trimmed" else text


def edited(
    texts: Texts, rel: float, normalize: str, unit: str, over: str, average: str
) -> Quotient:
    """The edits of each list's first text over a length, by the accepted text of the lowest ratio.

    No text is an empty one; where the truth accepts none, the empty one is accepted. The length
    of an empty text is 1 for a value of its own, as in jiwer, and 0 in a pooled one.
    """
    pairs = np.zeros((texts.lists, 2))
    for n, (text, accepted) in enumerate(zip(texts.first(), texts.accepted(rel), strict=True)):
        answer = units(normal(text or "", normalize), unit)
        known = [units(normal(each, normalize), unit) for each in accepted or [""]]
        ratios = ((edits(answer, each), LENGTHS[over](answer, each)) for each in known)
        pairs[n] = min(ratios, key=lambda pair: pair[0] / max(pair[1], 1))
    part, whole = pairs.T
    return Quotient(
        part,
        whole if average == "pooled" else np.maximum(whole, 1),
        f"edits / {SAYS[over]}",
        notes=lambda: compared(texts, rel, normalize),
        undefined="The accepted text is empty",
    )
