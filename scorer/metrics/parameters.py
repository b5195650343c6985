"""Types of parameters that metrics share: what may be written, and what it means."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Annotated, Any, Literal, NamedTuple

import numpy as np
from pydantic import AfterValidator, BeforeValidator, Field, Strict

from scorer.challenge.public import ClassCells
from scorer.core.arrays import Floats
from scorer.core.errors import ChallengeError

MAX_CUTOFF = 2**31 - 1  # items: more than any list has, and far from an overflow of ranks
THRESHOLD_DECIMALS = 10  # to which steps of thresholds are rounded
MAX_EXP2_GRADE = 1000  # a sum of millions of gains of 2^1000 is still finite


class FromChallenge(NamedTuple):
    """Annotates a parameter whose value, if it is None, follows from the challenge."""

    value: Callable[[Any], Any]  # from `scorer.kinds.base.Constants`


class Needs(NamedTuple):
    """Annotates a parameter that needs keys of challenge.yaml."""

    # The parameter's value and all parameters -> the keys, such as "items" or
    # "truth.extra.degree". "history or items.users" asks for one of the two.
    names: Callable[[Any, Mapping[str, Any]], tuple[str, ...]]


class NamesClasses(NamedTuple):
    """Annotates a parameter that says in which cells classes are named, to find unknown classes."""

    # The parameter's value and all parameters -> the cells of the truth and of a submission.
    cells: Callable[[Any, Mapping[str, Any]], tuple[ClassCells, ClassCells]]


class AfterAt:
    """Annotates the parameter that a notation writes after the @, if it is not `k`."""


def _class_name(value: object) -> object:
    """The text of a class that YAML reads as a number or a truth value: 1 is '1'."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | float):
        return f"{value:.17g}"
    return value


def _increasing(cutoffs: tuple[int, ...]) -> tuple[int, ...]:
    if len(set(cutoffs)) != len(cutoffs):
        raise ValueError("a cut-off is named twice")
    return tuple(sorted(cutoffs))


# Options of every measure of ranked lists, and of every ratio

JudgedOnly = Annotated[
    bool, Field(description="Whether unjudged items are taken out of the lists first.")
]
Average = Annotated[
    Literal["lists", "pooled"],
    BeforeValidator(lambda value: "lists" if value == "list" else value),
    Field(
        description="The mean of each list's value, or one value of all lists together: the sum of "
        "the numerators over that of the denominators."
    ),
]

# Ranked lists

Cutoff = Annotated[
    int,
    Strict(),
    Field(
        ge=1, le=MAX_CUTOFF, description="Look at the first k ranks only; a positive whole number."
    ),
]
Cutoffs = Annotated[
    tuple[Cutoff, ...],
    Strict(False),
    Field(min_length=1, description="The cut-offs to average over; positive whole numbers."),
    AfterValidator(_increasing),
    AfterAt(),
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
Persistence = Annotated[
    float, Field(gt=0, lt=1, description="The chance that the reader goes on to the next item.")
]
EmptySet = Annotated[
    Literal["one", "skip"],
    Field(
        description="The value of a list without a relevant item: 1 where nothing is returned and "
        "0 elsewhere, or none."
    ),
]
CatalogueSize = Annotated[
    Annotated[int, Strict(), Field(ge=1)] | None,
    Field(description="How many items there are; by default as many as the challenge's `items`."),
    FromChallenge(lambda constants: constants.catalogue),
]
Catalogue = Annotated[
    CatalogueSize, Needs(lambda catalogue, _: ("items",) if catalogue is None else ())
]
Distance = Annotated[
    Literal["cosine", "jaccard"],
    Field(
        description="Between features: 1 - their cosine, or 1 - the share of the features that "
        "both items have among those that either has (an item has what is not 0)."
    ),
]

Beta = Annotated[float, Field(gt=0, description="How much recall weighs; above 0.")]


def _thresholds(value: Any) -> Any:
    """Numbers, one number, or `first:last:step`; 0.5:0.95:0.05 are 10, the last 0.95."""
    if isinstance(value, str) and value.count(":") == 2:
        first, last, step = (float(part) for part in value.split(":"))
        if not step > 0 or (last - first) / step > 1000:
            raise ValueError("thresholds are written first:last:step")
        count = int(np.floor((last - first) / step + 1e-9)) + 1
        return tuple(round(first + n * step, THRESHOLD_DECIMALS) for n in range(count))
    return (value,) if isinstance(value, int | float) else value


Thresholds = Annotated[
    tuple[Annotated[float, Field(gt=0, le=1)], ...],
    Strict(False),
    BeforeValidator(_thresholds),
    Field(
        min_length=1,
        description="The intersection over union from which on two match: a number, several, or "
        "first:last:step, as '0.5:0.95:0.05'; the value is the mean over all.",
    ),
]

# Classes

Threshold = Annotated[
    float,
    Field(
        ge=0,
        le=1,
        description="The lowest probability that makes a row one of the positive class; used "
        "where a submission has probabilities and no labels.",
    ),
]


def has_two_classes(constants: Any) -> bool:
    """Whether a row has one of two classes."""
    return len(constants.classes) == 2 and not constants.multilabel


Positive = Annotated[
    Annotated[str, BeforeValidator(_class_name)] | None,
    Field(description="The class that binary is about; default: the last of two classes."),
    FromChallenge(lambda constants: constants.classes[-1] if has_two_classes(constants) else None),
]
ClassAverage = Annotated[
    Literal["binary", "micro", "macro", "weighted"] | None,
    Field(
        description="binary: of the positive class alone; micro: of all classes' counts together; "
        "macro: the mean of the classes' values; weighted: by how many rows each class has. "
        "Default: binary where there are two classes, else macro."
    ),
    FromChallenge(lambda constants: "binary" if has_two_classes(constants) else "macro"),
]
MulticlassAverage = Annotated[
    Literal["micro", "macro", "weighted"],
    Field(
        description="With more than two classes, or several labels: the mean of the classes' "
        "values (macro), that weighted by how many rows each has, or one of all together (micro)."
    ),
]

# Further columns, which the challenge declares by `extra`


def _column(description: str, *sections: str) -> Any:
    """The annotations of a parameter that names a further column of some sections of a challenge.

    Args:
        description: Of the parameter.
        *sections: Those of challenge.yaml, such as "truth", that must declare the column.
    """

    def needs(name: str | None, _: Mapping[str, Any]) -> tuple[str, ...]:
        return () if name is None else tuple(f"{section}.extra.{name}" for section in sections)

    return Field(min_length=1, description=description), Needs(needs)


TruthColumn = Annotated[str, *_column("A further column of the truth.", "truth")]
SubmissionColumn = Annotated[str, *_column("A further column of the submission.", "submission")]
BothColumn = Annotated[
    str, *_column("A further column of truth and submission.", "truth", "submission")
]
ListColumn = Annotated[str, *_column("A further column of `lists`.", "lists")]
ItemColumn = Annotated[str, *_column("A further column of `items`.", "items")]


def cap_relevant(relevant: Floats, k: int | None) -> tuple[Floats, str]:
    """The number of relevant items, at most k if k is given, and its formula in words."""
    return (relevant, "R") if k is None else (np.minimum(relevant, k), "min(R, k)")


def gains_of(grade: Floats, gain: str | Mapping[float, float]) -> Floats:
    """The gain of each grade: 0 for a negative one, the grade itself where a table has no entry.

    `ChallengeError` if it is more than a float can hold.
    """
    positive = np.maximum(grade, 0.0)
    if isinstance(gain, Mapping):
        gains = positive.copy()
        for level, value in gain.items():
            gains[grade == level] = value if level >= 0 else 0.0
        return gains
    if gain == "linear":
        return positive
    if (highest := positive.max(initial=0.0)) > MAX_EXP2_GRADE:
        raise ChallengeError(
            f"gain=exp2 of grade {highest:g} is too large to add up; write gain=linear or a table"
        )
    return np.exp2(positive) - 1


def discount_function(discount: str) -> Callable[[Floats], Floats]:
    """The divisor of a gain, as a function of the rank."""
    if discount == "jarvelin":
        return lambda rank: np.maximum(1.0, np.log2(rank))
    return lambda rank: np.log2(rank + 1)  # +1 since the first item has rank 1


def feature_distances(first: Floats, second: Floats, distance: str) -> Floats:
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
    cosine = np.divide(products, lengths, out=np.zeros(len(first)), where=lengths > 0)
    cosine_distance: Floats = 1.0 - np.clip(cosine, -1.0, 1.0)  # rounding may pass 1
    return cosine_distance
