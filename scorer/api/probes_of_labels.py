"""Submissions made from a truth of classes or numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import polars as pl

from scorer.challenge.public import Public
from scorer.core.arrays import Floats, Ints
from scorer.kinds.base import LIKELY
from scorer.kinds.rows import Labels
from scorer.reading.schema import NUMBER, Schema
from scorer.reading.table import Table, make_table
from scorer.views.join import GradedItems

NO_ROWS = np.empty(0, dtype=np.int64)


def of_labels(answers: Labels, public: Public) -> _OfRows:
    """The probes of a truth of classes, of numbers, or of both."""
    if answers.numbered is None:
        alone = answers.truth.ndim == 1 and answers.class_shares is None and not answers.columns
        if alone and answers.constants.classes and "score" not in answers.side.rules.columns:
            return _OfClasses(answers, public.word("list"))
        return _OfRows(answers, public.word("list"))
    names = [public.groups.get(name, "") for name in answers.lists]
    group = np.unique(names, return_inverse=True)[1].reshape(-1)
    return _OfBoth(answers, public.word("list"), group)


@dataclass(frozen=True)
class _OfRows:
    answers: Labels
    word: str  # for a row

    @property
    def truth(self) -> GradedItems:
        return lists_as_items(self.answers.lists)

    @property
    def drawn(self) -> str:
        return f"the truth's rows, each given to another {self.word}"

    @property
    def rows(self) -> int:
        return len(self.answers.lists)

    def perfect(self) -> list[Table]:
        every = np.arange(self.rows)
        alike = dict.fromkeys(self._numbered_columns, self.answers.target)
        tables = [self._of(every)]
        if alike and not self.answers.constants.classes:  # quantiles, ends of intervals, members
            tables.append(self._predicted(self.answers.target, None, **alike))
        return tables

    @property
    def _numbered_columns(self) -> dict[str, Floats | None]:
        """The roles of a submission's further numbers, with the truth's column of that name."""
        side, true = self.answers.side, self.answers.extras.truth
        names = (n for n, kind in side.extra.get("submission", {}).items() if kind == "number")
        return {
            f"{NUMBER}{name}]": true[name] if name in true and true[name].dtype != object else None
            for name in names
        }

    def others(self) -> dict[str, Table]:
        tables = {"empty": self._of(NO_ROWS, NO_ROWS)}
        if not self.answers.constants.classes:
            return tables | {
                "mean": self._predicted(np.full(self.rows, self.answers.target.mean()))
            }
        share = self._membership.mean(axis=0)
        common = np.zeros_like(self._membership)
        if self.answers.constants.several:
            common[:, :] = share >= 0.5
        else:
            common[:, share.argmax()] = 1
        prior = np.broadcast_to(share, self._membership.shape)
        return tables | {"majority": self._labelled(common), "prior": self._labelled(common, prior)}

    def random(self, rng: np.random.Generator) -> Table:
        return self._of(self._dealt(rng))

    tied = random  # rows have no order

    def degraded(self, rng: np.random.Generator, share: float) -> Table:
        lost = rng.random(self.rows) < share
        return self._of(np.where(lost, self._dealt(rng), np.arange(self.rows)))

    def _dealt(self, rng: np.random.Generator) -> Ints:
        """The rows, dealt out anew."""
        return rng.permutation(self.rows)

    @cached_property
    def _membership(self) -> Floats:
        """Which classes each row has, as 0 and 1, or their shares."""
        truth = self.answers.truth
        if self.answers.class_shares is not None:
            return self.answers.class_shares
        if truth.ndim == 2:
            return truth.astype(np.float64)
        return np.eye(len(self.answers.constants.classes))[truth]

    def _of(self, chosen: Ints, rows: Ints | None = None) -> Table:
        """The true answers of the chosen rows, given to `rows`, or to all."""
        if not self.answers.constants.classes:
            columns = self._numbered_columns.items()
            own = {role: column[chosen] for role, column in columns if column is not None}
            return self._predicted(self.answers.target[chosen], rows, **own)
        return self._labelled(self._membership[chosen], rows=rows)

    def _predicted(self, prediction: Floats, rows: Ints | None = None, **further: Floats) -> Table:
        rows = np.arange(self.rows) if rows is None else rows
        return table_of({"list": (rows, self.answers.lists)}, prediction=prediction, **further)

    def _labelled(
        self, has: Floats, probabilities: Floats | None = None, rows: Ints | None = None
    ) -> Table:
        rows = np.arange(self.rows) if rows is None else rows
        classes, several = self.answers.constants.classes, self.answers.constants.several
        if several:
            cells = [self.answers.separator.join(np.array(classes)[row > 0]) for row in has]
            names = tuple(dict.fromkeys(cells))
            codes = np.array([names.index(cell) for cell in cells], dtype=np.int64)
        else:
            names, codes = classes, has.argmax(axis=1) if has.size else NO_ROWS
        columns = self.answers.columns
        shares = has if probabilities is None else probabilities
        numbers = {f"{LIKELY}[{n}]": shares[:, code] for n, code in enumerate(columns)}
        if "score" in self.answers.side.rules.columns:
            numbers["score"] = shares[:, -1]
        ids = {"list": (rows, self.answers.lists), "label": (codes, names)}
        return table_of(ids, **numbers)


@dataclass(frozen=True)
class _OfClasses(_OfRows):
    """Probes of one class a row, of which there may be millions, without probabilities."""

    def others(self) -> dict[str, Table]:
        commonest = np.full(self.rows, np.bincount(self.answers.truth).argmax())
        return {"empty": self._of(NO_ROWS, NO_ROWS), "majority": self._classed(commonest)}

    def _of(self, chosen: Ints, rows: Ints | None = None) -> Table:
        return self._classed(np.asarray(self.answers.truth[chosen], dtype=np.int64), rows)

    def _classed(self, codes: Ints, rows: Ints | None = None) -> Table:
        rows = np.arange(self.rows) if rows is None else rows
        classes = self.answers.constants.classes
        return table_of({"list": (rows, self.answers.lists), "label": (codes, classes)})


@dataclass(frozen=True)
class _OfBoth(_OfRows):
    """Probes where some groups have numbers and others classes; each group is drawn by itself."""

    group: Ints  # of each row

    @property
    def drawn(self) -> str:
        return f"the truth's rows, each given to another {self.word} of its group"

    def others(self) -> dict[str, Table]:
        return {"empty": self._of(NO_ROWS, NO_ROWS), "majority": self._answers(self._common)}

    @cached_property
    def _cells(self) -> tuple[Ints, tuple[str, ...]]:
        """The label of each row, and the distinct ones."""
        answers = self.answers
        assert answers.numbered is not None
        numbers, code = np.unique(answers.target, return_inverse=True)
        classes = answers.constants.classes
        codes = np.where(answers.numbered, len(classes) + code.reshape(-1), answers.truth)
        return codes, (*classes, *map(repr, numbers.tolist()))

    @cached_property
    def _common(self) -> Ints:
        """The commonest label of each row's group; of numbers that is the middle one."""
        codes, _ = self._cells
        assert self.answers.numbered is not None
        common = codes.copy()
        for group in range(int(self.group.max(initial=-1)) + 1):
            members = self.group == group
            if self.answers.numbered[members].any():
                common[members] = np.sort(codes[members])[members.sum() // 2]
            else:
                common[members] = np.bincount(codes[members]).argmax()
        return common

    def _dealt(self, rng: np.random.Generator) -> Ints:
        order = np.arange(self.rows)
        for group in range(int(self.group.max(initial=-1)) + 1):
            members = np.flatnonzero(self.group == group)
            order[members] = rng.permutation(members)
        return order

    def _of(self, chosen: Ints, rows: Ints | None = None) -> Table:
        return self._answers(self._cells[0][chosen], rows)

    def _answers(self, codes: Ints, rows: Ints | None = None) -> Table:
        rows = np.arange(self.rows) if rows is None else rows
        return table_of({"list": (rows, self.answers.lists), "label": (codes, self._cells[1])})


def lists_as_items(lists: tuple[str, ...]) -> GradedItems:
    """A truth in which each list has one item, called as the list, of grade 1."""
    rows = np.arange(len(lists))
    return GradedItems(lists, pl.Series(lists, dtype=pl.String), rows, np.ones(rows.size), rows)


def table_of(ids: Mapping[str, tuple[Ints, Sequence[str] | pl.Series]], **numbers: Floats) -> Table:
    """A submission of these columns, one row after the other."""
    texts = {role: pl.Series(names, dtype=pl.String)[codes] for role, (codes, names) in ids.items()}
    return make_table({**texts, **numbers}, Schema(tuple(ids)))
