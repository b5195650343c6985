"""Lists whose items are answers in words: the returned texts, and those that the truth accepts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from scorer.core.arrays import Floats, Ints
from scorer.reading.table import Table
from scorer.views.columns import NO_EXTRAS, Extras
from scorer.views.join import GradedItems, rank_rows
from scorer.views.ranked import Judged, Ties
from scorer.views.recommendations import submitted_scores


@dataclass(frozen=True, slots=True)
class Texts:
    """The returned texts, by list and rank, and the truth's texts, by list, best grade first."""

    kinds: ClassVar[frozenset[str]] = frozenset({"grades"})
    in_order: ClassVar[bool] = True  # so that the rule for equal scores matters

    in_list: Ints  # the list of each returned text
    rank: Ints  # of each returned text
    text: Sequence[str]
    truth_list: Ints  # the list of each text of the truth
    truth_text: Sequence[str]
    grade: Floats  # of each text of the truth
    judged: Judged  # the same lists
    score: Floats  # of each returned text; NaN in a submission without scores
    extras: Extras = NO_EXTRAS  # one element a text of the truth, or a returned text

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
        """Return the truth's texts of each list with at least that grade."""
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
        scores = [{sent: np.nan} if isinstance(sent, str) else sent or {} for sent, _ in lists]
        pairs = [
            (list(sent), dict.fromkeys(accepted, 1.0))
            for sent, (_, accepted) in zip(scores, lists, strict=True)
        ]
        judged = Judged.of(*pairs)
        return cls(
            np.array([n for n, (sent, _) in enumerate(pairs) for _ in sent], dtype=np.int64),
            np.array([n for sent, _ in pairs for n in range(1, len(sent) + 1)], dtype=np.int64),
            [text for sent, _ in pairs for text in sent],
            judged.ideal.in_list,
            [text for _, accepted in pairs for text in accepted],
            judged.ideal.grade,
            judged,
            np.array([score for sent in scores for score in sent.values()], dtype=np.float64),
        )


def join_texts(
    table: Table, truth: GradedItems, ties: Ties, judged: Judged, extras: Extras
) -> Texts:
    """Return the view of the returned texts and the truth's, with scores and further columns.

    `extras` of the truth have one element a row of `truth`, those of the submission one a row of
    `table`.
    """
    ordered = rank_rows(table, truth.list_names, ties)
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
