"""Submissions made from a truth of masks or boxes: the cells of its images."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from scorer.api.probes_of_labels import NO_ROWS, lists_as_items, table_of
from scorer.core.arrays import Ints
from scorer.kinds.base import OpenTruth
from scorer.kinds.images import Images, TrueMasks
from scorer.reading.table import Table
from scorer.views.join import GradedItems


def of_cells(answers: OpenTruth | None, word: str) -> _OfCells:
    """The probes of a truth of masks or boxes."""
    assert isinstance(answers, Images)
    role = "runs" if isinstance(answers, TrueMasks) else "boxes"
    return _OfCells(role, answers.lists, tuple(answers.answers(())[role]), word)


@dataclass(frozen=True)
class _OfCells:
    role: str
    lists: tuple[str, ...]
    cells: tuple[str, ...]  # the true one of each list, as a submission writes it
    word: str  # for a list

    @property
    def truth(self) -> GradedItems:
        return lists_as_items(self.lists)

    @property
    def drawn(self) -> str:
        return f"the truth's cells, each given to another {self.word}"

    @property
    def rows(self) -> int:
        return len(self.lists)

    def perfect(self) -> list[Table]:
        return [self._of(np.arange(self.rows))]

    def others(self) -> dict[str, Table]:
        nothing = table_of({"list": (np.arange(self.rows), self.lists),
                            self.role: (np.zeros(self.rows, dtype=np.int64), ("",))})  # fmt: skip
        return {"nothing": nothing, "empty": self._of(NO_ROWS, NO_ROWS)}

    def random(self, rng: np.random.Generator) -> Table:
        return self._of(rng.permutation(self.rows))

    tied = random  # cells have no order

    def degraded(self, rng: np.random.Generator, share: float) -> Table:
        lost = rng.random(self.rows) < share
        return self._of(np.where(lost, rng.permutation(self.rows), np.arange(self.rows)))

    def _of(self, chosen: Ints, rows: Ints | None = None) -> Table:
        """The true cells of the chosen lists, given to `rows`, or to all."""
        rows = np.arange(self.rows) if rows is None else rows
        names = tuple(dict.fromkeys(self.cells))
        code = {name: n for n, name in enumerate(names)}
        codes = np.array([code[self.cells[n]] for n in chosen.tolist()], dtype=np.int64)
        return table_of({"list": (rows, self.lists), self.role: (codes, names)})
