"""What metrics of classes and numbers share: counts, their figures, and explanations."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from scorer.core.arrays import Floats, Ints, Mask
from scorer.core.text import join_first, quoted
from scorer.metrics.explain.steps import Sentence, Steps, grid
from scorer.metrics.explain.tables import Listing
from scorer.metrics.notation import NotationError
from scorer.metrics.statistic import TooManyTerms
from scorer.views.labelled import Labelled
from scorer.views.pooled import Statistics

MOST_TERMS = 1 << 26  # of a submission's lists: 512 MiB
MOST_CONFUSED = 10_000  # classes of a confusion matrix
SHOWN_CLASSES = 12  # classes of a confusion matrix that an explanation shows


def two(constants: Any) -> bool:
    """Whether a row has one of two classes."""
    return len(constants.classes) == 2 and not constants.several


# what the challenge settles where nothing is written
POSITIVE: Mapping[str, Callable[[Any], Any]] = {
    "positive": lambda constants: constants.classes[-1] if two(constants) else None
}
SETTLE = {**POSITIVE, "average": lambda constants: "binary" if two(constants) else "macro"}


def place(labelled: Labelled, positive: str | None) -> int | None:
    """The code of the positive class, if one is named; `NotationError` if it does not exist."""
    if positive is None:
        return None
    if positive not in labelled.classes:
        message = f"positive={quoted(positive)} is no class; there are"
        raise NotationError(f"{message} {join_first(labelled.classes)}", "positive")
    return labelled.classes.index(positive)


def correlation(first: Floats, second: Floats, weight: Floats) -> float:
    """The weighted correlation of two variables; NaN where one of them is constant.

    All are of shape (rows,); weights are not negative.
    """
    if first.size < 2 or (first == first[0]).all() or (second == second[0]).all():
        return float("nan")
    first, second = (x - np.average(x, weights=weight) for x in (first, second))
    covariance = (weight * first * second).sum()
    coefficient = covariance / np.sqrt((weight * first**2).sum() * (weight * second**2).sum())
    return float(np.clip(coefficient, -1, 1))


def moments(statistics: Statistics, **_: Any) -> Floats:
    """Each list's sums for variances and correlations, from the means of all lists.

    The result has shape (lists, 8): weight, target, its square, error, its square, prediction, its
    square, target times prediction; all but the error from their means, all by the weight.
    """
    target, prediction, weight = statistics.rows.T
    sums = np.zeros((statistics.lists, 8))
    if not weight.sum():
        return sums
    y, p = (column - np.average(column, weights=weight) for column in (target, prediction))
    error = prediction - target
    terms = [np.ones_like(y), y, y**2, error, error**2, p, p**2, y * p]
    sums[statistics.in_list] = np.column_stack(terms) * weight[:, None]
    return sums


def one_label(labelled: Labelled, name: str) -> None:
    """Refuse, by `NotationError`, rows with several labels, for metrics that need one."""
    if labelled.several:
        raise NotationError(f"{name} is not defined for rows with several labels")


def counts(statistics: Statistics) -> Floats:
    """Hits, predicted and true rows of each class, by their weights.

    The result has shape (classes, 3).
    """
    code, true, predicted, weight = statistics.rows.T
    place, classes = code.astype(np.int64), int(code.max(initial=-1)) + 1
    parts = (weight * true * predicted, weight * predicted, weight * true)
    return np.column_stack([np.bincount(place, part, minlength=classes) for part in parts])


def list_counts(statistics: Statistics, **_: Any) -> Floats:
    """Hits, predicted and true rows of each class in each list, for draws of lists.

    The result has shape (lists, 3 x classes): hits, predicted and true of the first class, of the
    second, ..
    """
    code, true, predicted, weight = statistics.rows.T
    classes, lists = int(code.max(initial=-1)) + 1, int(statistics.in_list.max(initial=-1)) + 1
    lists = max(lists, statistics.lists)
    if 3 * lists * classes > MOST_TERMS:
        raise TooManyTerms(f"{lists:,} rows of {classes:,} classes are too many to be drawn")
    table = np.zeros((lists, classes, 3))
    parts = np.column_stack([weight * true * predicted, weight * predicted, weight * true])
    # a list has each class once
    table[statistics.in_list, code.astype(np.int64)] = parts
    return table.reshape(lists, 3 * classes)


def divided(part: Floats, whole: Floats, empty: float = 0.0) -> Floats:
    """The quotients; `empty` where the divisor is 0.

    Divisors broadcast with the dividends; where one is 0, the result is `empty`.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        quotient: Floats = np.asarray(np.divide(part, whole))
    return np.where(whole == 0, empty, quotient)


def confusable(labelled: Labelled) -> None:
    """Refuse more classes than a confusion matrix can have, with `NotationError`."""
    if (size := len(labelled.classes)) > MOST_CONFUSED:
        most = f"{MOST_CONFUSED:,} are the most"
        raise NotationError(f"a confusion matrix of {size:,} classes is too large; {most}")


def confusion(labelled: Labelled, predicted: Ints | Mask) -> Floats:
    """How much weight each true class (rows) has with each predicted one (columns).

    The result has shape (classes, classes + 1); the last column is of rows without a prediction.
    """
    confusable(labelled)
    size = len(labelled.classes)
    column = np.where(predicted < 0, size, predicted)
    cell = labelled.truth * (size + 1) + column
    table = np.bincount(cell.ravel(), labelled.weights, minlength=size * (size + 1))
    return table.astype(np.float64).reshape(size, size + 1)


def whole_number(cell: float) -> float | int:
    """A count as a whole number, a weight as it is."""
    return int(cell) if float(cell).is_integer() else float(cell)


def cells(listing: Listing[Labelled], decided: Ints | Mask) -> Steps:
    """The steps that show the row's cell of the confusion matrix."""
    view, at = listing.view, listing.view.at
    if view.several:
        return several(listing, decided)
    true, predicted = int(view.truth[at]), int(decided[at])
    pair = (view.truth == true) & (decided == predicted)
    count, total = view.weights[pair].sum(), whole_number(view.weights.sum())
    names = [*view.classes, "no prediction"]
    where = f"{names[true]}, predicted as {names[predicted]}" if predicted >= 0 else names[true]
    steps: list[Any] = [
        Sentence(
            f"This row is {where}: one of the {whole_number(count):,} in that cell of the "
            f"confusion matrix, of {total:,} in all."
        )
    ]
    if len(view.classes) <= SHOWN_CLASSES:
        table = confusion(view, decided)
        used = names if table[:, -1].any() else names[:-1]
        columns: dict[str, Any] = {"true \\ predicted": view.classes}
        columns |= {name: [whole_number(c) for c in table[:, n]] for n, name in enumerate(used)}
        matter = [n == true for n in range(len(view.classes))]
        steps.append(grid("The confusion matrix", columns, matter))
    return steps


def several(listing: Listing[Labelled], decided: Ints | Mask) -> Steps:
    """The labels of the row, true and predicted."""
    view, at = listing.view, listing.view.at
    true, predicted = view.truth[at].astype(int), decided[at].astype(int)
    labels = np.flatnonzero(true | predicted)
    yield grid(
        "The labels of this row",
        {
            "label": [view.classes[n] for n in labels.tolist()],
            "true": true[labels],
            "predicted": predicted[labels],
        },
    )
