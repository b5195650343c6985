"""Parameter types that metrics share: what may be written, and what it means."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import AfterValidator, BeforeValidator, Field, Strict

from scorer.core.arrays import Floats
from scorer.core.errors import ChallengeError

MOST = 2**31 - 1  # items: what ranks are computed in holds this and its neighbours
HIGHEST = 1000  # 2^1000 a few million times over is still finite


def _written(value: object) -> object:
    """The text of a class given as a YAML value: 1 is '1'."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | float):
        return f"{value:.17g}"
    return value


def _increasing(cutoffs: tuple[int, ...]) -> tuple[int, ...]:
    if len(set(cutoffs)) != len(cutoffs):
        raise ValueError("a cut-off is named twice")
    return tuple(sorted(cutoffs))


Cutoff = Annotated[
    int,
    Strict(),
    Field(ge=1, le=MOST, description="Look at the first k ranks only; a positive whole number."),
]
Cutoffs = Annotated[
    tuple[Cutoff, ...],
    Strict(False),
    Field(
        min_length=1,
        description="The cut-offs to average over; positive whole numbers.",
        json_schema_extra={"symbol": "z"},
    ),
    AfterValidator(_increasing),
]
Relevant = Annotated[
    float,
    Field(
        ge=0,
        allow_inf_nan=False,
        description="The lowest grade that counts as relevant; not below 0.",
    ),
]
Gain = Annotated[
    Literal["linear", "exp2"] | Mapping[float, Annotated[float, Field(ge=0)]],
    Field(
        description="What a grade is worth: itself, 2^grade - 1, or a table such as {1: 1, 2: 3} "
        "(others are worth themselves)."
    ),
]
Discount = Annotated[
    Literal["log2", "jarvelin"],
    Field(description="What a gain at rank i is divided by: log2(i + 1), or max(1, log2 i)."),
]
RecallLevel = Annotated[
    float, Field(ge=0, le=1, description="The share of the relevant items to reach, 0 to 1.")
]
Persistence = Annotated[
    float, Field(gt=0, lt=1, description="The chance that the reader goes on to the next item.")
]

Average = Annotated[
    Literal["lists", "pooled"],
    BeforeValidator(lambda value: "lists" if value == "list" else value),
    Field(description="The mean of each list's value, or one value of all lists' rows together."),
]

Pooling = Annotated[
    Literal["lists", "pooled"],
    BeforeValidator(lambda value: "lists" if value == "list" else value),
    Field(
        description="The mean of each list's ratio, or one ratio: the sum of all lists' numerators "
        "over that of their denominators.",
        json_schema_extra={"quiet": True},
    ),
]
EmptySet = Annotated[
    Literal["one", "skip"],
    Field(
        description="The value of a list without a relevant item: 1 where nothing is returned and "
        "0 elsewhere, or none."
    ),
]


def averaged(name: str, params: Mapping[str, Any], word: str) -> str:
    """The heading of a measure with an `average`: per list, or pooled."""
    how = "pooled" if params["average"] == "pooled" else f"per {word}"
    return f"{name.partition('(')[0]} ({how})"


Distance = Annotated[
    Literal["cosine", "jaccard"],
    Field(
        description="Between features: 1 - their cosine, or 1 - the share of the features that "
        "both items have among those that either has (an item has what is not 0)."
    ),
]
Beta = Annotated[float, Field(gt=0, description="How much recall weighs; above 0.")]
Averaged = Annotated[
    Literal["binary", "micro", "macro", "weighted"],
    Field(
        description="binary: of the positive class alone; micro: of all classes' counts together; "
        "macro: the mean of the classes' values; weighted: by how many rows each class has. "
        "Default: binary where there are two classes, else macro."
    ),
]
OverClasses = Annotated[
    Literal["micro", "macro", "weighted"],
    Field(
        description="With more than two classes, or several labels: the mean of the classes' "
        "values (macro), that weighted by how many rows each has, or one of all together (micro)."
    ),
]
Positive = Annotated[
    str,
    BeforeValidator(_written),
    Field(description="The class that binary is about; default: the last of two classes."),
]
Threshold = Annotated[
    float,
    Field(
        ge=0,
        le=1,
        description="The lowest probability that makes a row one of the positive class; used "
        "where a submission has probabilities and no labels.",
    ),
]
Catalogued = Annotated[
    int,
    Strict(),
    Field(ge=1, description="How many items there are; settled by the challenge's items."),
]


ItemColumn = Annotated[
    str, Field(min_length=1, description="A further column of `items`, of the kind number.")
]


def item_needs(parameter: str) -> Callable[[Mapping[str, Any]], tuple[str, ...]]:
    """The `needs` of a metric with a parameter that names a further column of items."""

    def needs(params: Mapping[str, Any]) -> tuple[str, ...]:
        name = params[parameter]
        return () if name is None else (f"items.extra.{name}",)

    return needs


def gained(grade: Floats, gain: str | Mapping[float, float]) -> Floats:
    """The gain of each grade: 0 for a negative one, the grade itself where a table has no entry.

    `ChallengeError` if it is more than a float can hold.
    """
    positive = np.maximum(grade, 0.0)
    if isinstance(gain, Mapping):
        worth = positive.copy()
        for level, value in gain.items():
            worth[grade == level] = value if level >= 0 else 0.0
        return worth
    if gain == "linear":
        return positive
    if (highest := positive.max(initial=0.0)) > HIGHEST:
        raise ChallengeError(
            f"gain=exp2 of grade {highest:g} is too large to add up; write gain=linear or a table"
        )
    return np.exp2(positive) - 1


def discounts(discount: str) -> Callable[[Floats], Floats]:
    """The divisor of a gain, as a function of the rank."""
    if discount == "jarvelin":
        return lambda rank: np.maximum(1.0, np.log2(rank))
    return lambda rank: np.log2(rank + 1)  # +1 since the first item has rank 1


def distances(first: Floats, second: Floats, distance: str) -> Floats:
    """The distances between the items of each row, by their features.

    Features are of shape (rows, features). The result has shape (rows,): 0 to 1, or to 2 by cosine
    of negative features.
    """
    if distance == "jaccard":
        both = ((first != 0) & (second != 0)).sum(axis=1)
        either = ((first != 0) | (second != 0)).sum(axis=1)
        shared: Floats = np.where(either > 0, both / np.maximum(either, 1), 1.0)
        return 1.0 - shared
    lengths = np.sqrt((first**2).sum(axis=1) * (second**2).sum(axis=1))
    products = (first * second).sum(axis=1)
    alike: Floats = np.divide(products, lengths, out=np.zeros(len(first)), where=lengths > 0)
    cosine_distance: Floats = 1.0 - np.clip(alike, -1.0, 1.0)  # rounding may pass 1
    return cosine_distance
