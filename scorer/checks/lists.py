"""Are the lists those of the challenge?"""

from __future__ import annotations

from collections.abc import Iterator

from scorer.checking import Submitted, check
from scorer.errors import Problem, Severity, nearest, quoted, some


@check("S103")
def no_rows(submitted: Submitted) -> Iterator[Problem]:
    """A header alone answers nothing, whatever the rule for missing lists."""
    if not len(submitted.table):
        lists = len(submitted.public.lists)
        yield Problem("S103", f"no rows; expected rows for {lists:,} lists")


@check("S301")
def missing_list(submitted: Submitted) -> Iterator[Problem]:
    """Every list of the challenge is answered."""
    table, public = submitted.table, submitted.public
    given = set(table.ids["list"].names) | {name for name, _ in table.facts.get("empty", ())}
    missing = [name for name in public.lists if name not in given]
    if missing and len(missing) < len(public.lists):
        said = f"{len(missing):,} of {len(public.lists):,} lists are missing: {some(missing)}"
        strict = submitted.rules.missing_list in (None, "error")
        severity: Severity = "error" if strict else "warning"
        yield Problem("S301", said, severity, list=missing[0])


@check("S302", "S311")
def unknown_list(submitted: Submitted) -> Iterator[Problem]:
    """No list is answered that the challenge does not have."""
    table, public = submitted.table, submitted.public
    ids = table.ids["list"]
    unknown = [code for code, name in enumerate(ids.names) if name not in public.lists]
    if unknown and len(unknown) == len(ids.names):
        said = (
            f"no {public.word('list')} of this file is in this challenge; "
            f"is it for another one? it has {some(ids.names)}, expected {some(list(public.lists))}"
        )
        yield Problem("S311", said)
        return
    strict = submitted.rules.unknown_list == "error"
    severity: Severity = "error" if strict else "warning"
    for code in unknown:
        name = ids.names[code]
        near = nearest(name, public.lists) if len(public.lists) <= 20_000 else None
        hint = f"; nearest: {quoted(near)}" if near else ""
        said = f"{public.word('list')} {quoted(name)} is not in this challenge{hint}"
        row = int((ids.codes == code).argmax())
        yield Problem("S302", said, severity, line=int(table.line[row]), list=name)
