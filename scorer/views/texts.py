"""Lists whose items are answers in words: the returned texts, and those that the truth accepts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from scorer.core.arrays import Floats, Ints
from scorer.reading.table import Table
from scorer.views.columns import NO_EXTRAS, Extras, View
from scorer.views.join import GradedItems, rank_rows
from scorer.views.ranked import Ties
from scorer.views.recommendations import submitted_scores


@dataclass(slots=True, eq=False)
class Texts(View):
    """The returned texts, by list and rank, and the truth's texts, by list, best grade first."""

    kinds: ClassVar[frozenset[str]] = frozenset({"grades"})
    in_order: ClassVar[bool] = True

    names: Sequence[str]
    in_list: Ints  # the list of each returned text
    rank: Ints  # of each returned text
    text: Sequence[str]
    score: Floats  # of each returned text; NaN in a submission without scores
    truth_list: Ints  # the list of each text of the truth
    truth_text: Sequence[str]
    grade: Floats  # of each text of the truth
    extras: Extras = NO_EXTRAS  # one element a text of the truth, or a returned text

    def first(self) -> list[str | None]:
        """Return the first text of each list; None of a list without texts."""
        texts: list[str | None] = [None] * self.lists
        for n, rank, text in zip(self.in_list.tolist(), self.rank.tolist(), self.text, strict=True):
            if rank == 1:
                texts[n] = text
        return texts

    def accepted(self, rel: float) -> list[list[str]]:
        """Return the truth's texts of each list whose grade is at least `rel`."""
        accepted: list[list[str]] = [[] for _ in range(self.lists)]
        for n, text, grade in zip(
            self.truth_list.tolist(), self.truth_text, self.grade.tolist(), strict=True
        ):
            if grade >= rel:
                accepted[n].append(text)
        return accepted


def join_texts(table: Table, truth: GradedItems, ties: Ties, extras: Extras) -> Texts:
    """Return the view of the returned texts and the truth's, with scores and further columns.

    `extras` of the truth have one element a row of `truth`, the submission's one a row of
    `table`.
    """
    ordered = rank_rows(table, truth.list_names, ties)
    return Texts(
        names=truth.lists,
        in_list=ordered.in_list,
        rank=ordered.rank,
        text=table.frame["item"].gather(ordered.row).to_list(),
        score=submitted_scores(table)[ordered.row],
        truth_list=truth.in_list,
        truth_text=truth.items.to_list(),
        grade=truth.grade,
        extras=extras.at(submission=ordered.row),
    )
