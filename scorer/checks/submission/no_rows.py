"""Is there anything at all?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from scorer.checks.base import Submitted, check
from scorer.checks.tally import FileContext
from scorer.core.problems import Problem


@dataclass(frozen=True, slots=True)
class Rows:
    """Whether there are rows, or lists without any, and whether there is a header."""

    has_rows: bool
    header: bool

    def plus(self, others: Sequence[Rows]) -> Rows:
        """Those of all parts."""
        every = (self, *others)
        return Rows(any(part.has_rows for part in every), any(part.header for part in every))

    def problems(self, whole: FileContext) -> Iterator[Problem]:
        """A problem where there is nothing."""
        if self.has_rows or whole.partial:
            return
        lists = len(whole.public.lists)
        what = "only a header" if self.header else "no rows"
        called = whole.public.lists_called
        named = called if lists != 1 else called.removesuffix("s")
        yield Problem("S103", f"{what}; expected rows for {lists:,} {named}")


@check("S103", scope="row")
def no_rows(submitted: Submitted) -> Rows:
    """A header alone answers nothing, whatever the rule for missing lists."""
    has_rows = bool(len(submitted.table) or submitted.empty)
    return Rows(has_rows, "columns" in submitted.table.facts)
