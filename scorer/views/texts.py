"""Returned items as the texts that they are, beside the texts that the truth accepts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from scorer.core.arrays import Floats, Ints
from scorer.reading.table import Table
from scorer.views.columns import (
    NO_EXTRAS,
    Extras,
)
from scorer.views.join import GradedItems, order
from scorer.views.ranked import Judged, Ties
from scorer.views.recommendations import submitted_scores


@dataclass(frozen=True, slots=True)
class Texts:
    """The returned texts by list and rank, and the texts of the truth, the best first."""

    kinds: ClassVar[frozenset[str]] = frozenset({"grades"})
    in_order: ClassVar[bool] = True  # so that the rule for equal scores matters

    in_list: Ints  # one element a returned text
    rank: Ints
    text: Sequence[str]
    truth_list: Ints  # one element a text of the truth
    truth_text: Sequence[str]
    grade: Floats
    judged: Judged
    score: Floats  # of each returned text; NaN in a submission without scores
    extras: Extras = NO_EXTRAS  # of the truth's texts, and of the returned ones

    @property
    def lists(self) -> int:
        """The number of lists."""
        return self.judged.lists

    @property
    def names(self) -> Sequence[str]:
        """The names of the lists."""
        return self.judged.names

    def first(self) -> list[str | None]:
        """Return the first text of each list; None of a list without texts."""
        texts: list[str | None] = [None] * self.lists
        for n, rank, text in zip(self.in_list.tolist(), self.rank.tolist(), self.text, strict=True):
            if rank == 1:
                texts[n] = text
        return texts

    def accepted(self, rel: float) -> list[list[str]]:
        """Return the texts of each list that the truth accepts."""
        accepted: list[list[str]] = [[] for _ in range(self.lists)]
        for n, text, grade in zip(
            self.truth_list.tolist(), self.truth_text, self.grade.tolist(), strict=True
        ):
            if grade >= rel:
                accepted[n].append(text)
        return accepted

    @classmethod
    def of(cls, *lists: tuple[str | Mapping[str, float] | None, Sequence[str]]) -> Texts:
        """Return the view of a text, or texts with scores, and the accepted ones; for examples."""
        scores = [{s: np.nan} if isinstance(s, str) else s or {} for s, _ in lists]
        pairs = [
            (list(given), dict.fromkeys(accepted, 1.0))
            for given, (_, accepted) in zip(scores, lists, strict=True)
        ]
        judged = replace(Judged.of(*pairs), names=tuple(map(str, range(len(pairs)))))
        texts = [text for given, _ in pairs for text in given]
        return cls(
            np.array([n for n, (given, _) in enumerate(pairs) for _ in given], dtype=np.int64),
            np.array([n for given, _ in pairs for n in range(1, len(given) + 1)], dtype=np.int64),
            texts,
            judged.ideal.in_list,
            [text for _, accepted in pairs for text in accepted],
            judged.ideal.grade,
            judged,
            np.array([score for given in scores for score in given.values()], dtype=np.float64),
        )


def join_texts(
    table: Table, truth: GradedItems, ties: Ties, judged: Judged, extras: Extras
) -> Texts:
    """Return the returned items and the truth's, as texts, with scores and further columns.

    `extras` of the truth have an element for each row of it, those of the submission one for each
    row of `table`.
    """
    ordered = order(table, truth.list_names, ties)
    return Texts(
        ordered.in_list,
        ordered.rank,
        table.frame["item"].gather(ordered.row).to_list(),
        truth.in_list,
        truth.items.to_list(),
        truth.grade,
        judged,
        submitted_scores(table)[ordered.row],
        extras.at(submission=ordered.row),
    )
