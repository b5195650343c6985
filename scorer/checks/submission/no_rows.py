"""Is there anything at all?"""

from __future__ import annotations

from collections.abc import Iterator

from scorer.checks.base import Submitted, check
from scorer.core.problems import Problem


@check("S103")
def no_rows(submitted: Submitted) -> Iterator[Problem]:
    """A header alone answers nothing, whatever the rule for missing lists."""
    if not len(submitted.table) and not submitted.empty and not submitted.partial:
        lists = len(submitted.public.lists)
        what = "only a header" if "columns" in submitted.table.facts else "no rows"
        called = submitted.public.lists_called
        named = called if lists != 1 else called.removesuffix("s")
        yield Problem("S103", f"{what}; expected rows for {lists:,} {named}")
