"""Is there anything at all?"""

from __future__ import annotations

from collections.abc import Iterator

from scorer.checks.base import Submitted, check
from scorer.core.problems import Problem


@check("S103", complete=True)
def no_rows(submitted: Submitted) -> Iterator[Problem]:
    """A header alone answers nothing, whatever the rule for missing lists."""
    if len(submitted.table) or submitted.empty:
        return
    public = submitted.public
    what = "only a header" if "columns" in submitted.table.facts else "no rows"
    named = public.lists_called if len(public.lists) != 1 else public.lists_called.removesuffix("s")
    yield Problem("S103", f"{what}; expected rows for {len(public.lists):,} {named}")
