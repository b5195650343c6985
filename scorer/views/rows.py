"""Classes or numbers predicted for the rows of a table, and ratings for the items of lists."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from scorer.core.arrays import Floats, Ints, Mask, starts, sum_by_list
from scorer.core.errors import ChallengeError
from scorer.views.columns import NO_EXTRAS, Extras, View


@dataclass(eq=False)
class LabelledRows(View):
    """The rows of the truth, each a list of its own. All arrays have one element a row."""

    kinds: ClassVar[frozenset[str]] = frozenset({"labels"})

    names: Sequence[str]  # the rows' ids
    answered: Mask  # whether the submission has the row
    weight: Floats | None  # None: all rows count alike
    # Further columns, one element a row; '' or NaN of the submission where a row is not answered.
    extras: Extras = field(default=NO_EXTRAS, kw_only=True)
    at: int = field(default=-1, kw_only=True)  # the row that an explanation is about
    # The number of each rating's list, ascending; None for a table.
    rated_list: Ints | None = field(default=None, kw_only=True)

    @cached_property
    def weights(self) -> Floats:
        """The weight of each row."""
        return np.ones(self.in_list.size) if self.weight is None else self.weight

    @cached_property
    def in_list(self) -> Ints:
        """The number of each row's list: in a table, the row's own number."""
        return np.arange(self.lists) if self.rated_list is None else self.rated_list

    def total(self, values: ArrayLike = 1.0) -> Floats:
        """Return the sum of `values` over each list's rows; 0 without rows."""
        return sum_by_list(self.in_list, values, self.lists)


class Tallies(NamedTuple):
    """Pairs of a row and a class that is true or predicted there; all of shape (pairs,)."""

    in_list: Ints  # the number of the row
    code: Ints  # of the class
    true: Floats  # 1 where the row truly has the class, else 0
    predicted: Floats  # 1 where it is predicted, else 0
    weight: Floats  # of the row


@dataclass(eq=False)
class Labelled(LabelledRows):
    """True classes beside those that a submission names, or their probabilities.

    `truth` and `label` are codes, indices into `classes`, with -1 for no class. With several
    labels a row, they have the shape (rows, classes) and say which labels the row has.
    """

    classes: tuple[str, ...]
    truth: Ints | Mask
    label: Ints | Mask | None  # None: the submission has probabilities alone
    probability: Floats | None = None  # (rows, classes); NaN in rows that are not answered
    score: Floats | None = None  # same shape: any numbers, higher for likelier classes
    # Shares of the classes, (rows, classes), of which `truth` is the greatest; None for one class.
    class_shares: Floats | None = field(default=None, kw_only=True)

    @property
    def multilabel(self) -> bool:
        """Whether a row can have several labels."""
        return self.truth.ndim == 2

    def require_probabilities(self) -> Floats:
        """Return the probabilities; `ChallengeError` if the challenge has no such columns."""
        if self.probability is None:
            if self.score is not None:
                raise ChallengeError(
                    "scores are no probabilities; AUROC and AveragePrecision take them"
                )
            raise ChallengeError(
                f"there are no probabilities; classes: {len(self.classes):,}; two have one "
                "column of them, others one for each class"
            )
        return self.probability

    @property
    def true_probability(self) -> Floats:
        """The probability of each row's true class."""
        probability: Floats = self.require_probabilities()[np.arange(self.lists), self.truth]
        return probability

    def likelihoods(self) -> dict[str, Any]:
        """Return columns for explanations, by heading: each row's true class, its probability."""
        true = [self.classes[code] for code in self.truth.tolist()]
        return {"true": true, "its probability": self.true_probability}

    @cached_property
    def _results(self) -> dict[tuple[str, int | None, float], Any]:
        """The results of methods, by their arguments: many measures ask for the same."""
        return {}

    def predicted_classes(self, positive: int | None = None, threshold: float = 0.5) -> Ints | Mask:
        """Return the submission's labels, in the shape of `truth`; else those it finds likeliest.

        With two classes that is `positive`, a code, if its probability is at least `threshold`.
        With more, or without `positive`, it is the class of the highest probability, the first of
        equal ones; -1 in rows without an answer. With several labels a row, it is each label that
        reaches `threshold`.
        """
        if self.label is not None:
            return self.label
        key = "predicted_classes", positive, threshold
        if key not in self._results:
            self._results[key] = self._likeliest(positive, threshold)
        codes: Ints | Mask = self._results[key]
        return codes

    def _likeliest(self, positive: int | None, threshold: float) -> Ints | Mask:
        """Return the labels that follow from the probabilities, as in `predicted_classes`."""
        probability = self.require_probabilities()
        if self.multilabel:
            several: Mask = probability >= threshold
            return several
        if len(self.classes) == 2 and positive is not None:
            codes = np.where(probability[:, positive] >= threshold, positive, 1 - positive)
        else:
            codes = np.argmax(np.nan_to_num(probability, nan=-1.0), axis=1)  # NaN: unanswered
        return np.where(self.answered, codes, -1)

    def tallies(self, positive: int | None = None, threshold: float = 0.5) -> Tallies:
        """Return the true classes of each row and its `predicted_classes`."""
        key = "tallies", positive, threshold
        if key not in self._results:
            self._results[key] = self._make_tallies(self.predicted_classes(positive, threshold))
        tallies: Tallies = self._results[key]
        return tallies

    def _make_tallies(self, predicted_code: Ints | Mask) -> Tallies:
        """Return the pairs of each row with its true and its predicted classes."""
        if self.multilabel:
            rows, code = np.nonzero(self.truth | predicted_code.astype(bool))
            true, predicted = self.truth[rows, code], predicted_code[rows, code]
        else:
            # A row has a pair with its true class, then one with a wrongly predicted class, if any.
            is_right = self.truth == predicted_code
            is_wrong = ~is_right & (predicted_code >= 0)
            rows = np.repeat(np.arange(self.lists), 1 + is_wrong)
            true = starts(rows)  # the first pair of each row
            code = np.where(true, self.truth[rows], predicted_code[rows])
            predicted = ~true | is_right[rows]
        return Tallies(
            rows.astype(np.int64, copy=False),
            code.astype(np.int64, copy=False),
            true.astype(np.float64),
            predicted.astype(np.float64),
            self.weights[rows],
        )


def indicator_matrix(codes: Ints | Mask, classes: int) -> Floats:
    """Return which labels each row has, as 0 and 1: shape (rows, classes).

    `codes` are one class a row, or indicators of shape (rows, classes).
    """
    has = codes if codes.ndim == 2 else codes[:, None] == np.arange(classes)
    values: Floats = has.astype(np.float64)
    return values


@dataclass(eq=False)
class Targets(LabelledRows):
    """True numbers beside a submission's predictions; NaN where one is missing.

    Each row of a table is a list of its own; a rating is in the list that `rated_list` says.
    """

    kinds: ClassVar[frozenset[str]] = frozenset({"labels", "ratings"})

    target: Floats
    prediction: Floats
    # The index of each row in the truth's file; None for the same order.
    file_row: Ints | None = field(default=None, kw_only=True)

    @property
    def error(self) -> Floats:
        """Each prediction less its target."""
        return self.prediction - self.target
