"""Are the items those of the challenge?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from scorer.checks.base import Submitted, check, describe_fault, first_rows, places, unknown
from scorer.checks.ids import DECIMAL_ID, LOST_BY_TOOLS, READ_AS_TEXT, SPREADSHEET, Fault, Known
from scorer.core.problems import Problem
from scorer.core.text import quoted, unseen
from scorer.io.table import CodedColumn


@check("S305", "S306", "S307", "S308", "S309", "S310", "S312")
def unknown_item(submitted: Submitted) -> Iterator[Problem]:
    """Every item is in the catalogue; without one, every item at least looks like an id."""
    catalogue = _catalogue(submitted)
    for role in ("item", "better", "worse"):
        if role not in submitted.table.ids:
            continue
        ids = submitted.table.ids[role]
        if catalogue is None:
            yield from _visible(submitted, ids)
        else:
            yield from _unknown(submitted, ids, Known(catalogue))


@check("S305", kinds=("grades",))
def stranger(submitted: Submitted) -> Iterator[Problem]:
    """Every item is a candidate of its list, where the challenge names them."""
    table, public = submitted.table, submitted.public
    if public.candidates is None:
        return
    lists, items, known = submitted.lists, table.ids["item"], public.items or {}
    keys = lists.codes * max(len(items.names), 1) + items.codes
    pairs, first = np.unique(keys, return_index=True)
    strange = [
        row
        for key, row in zip(pairs.tolist(), first.tolist(), strict=True)
        for name, item in [(lists.text(row), items.names[key % len(items.names)])]
        if name in public.candidates and item in known and item not in public.candidates[name]
    ]

    def problem(row: int) -> Problem:
        name, item = lists.text(row), items.text(row)
        message = f"{quoted(item)} is not a candidate of {public.word('list')} {quoted(name)}"
        return Problem("S305", message, line=submitted.line(row), list=name, item=item)

    yield from places(np.array(sorted(strange), dtype=np.int64), problem)


def _catalogue(submitted: Submitted) -> Mapping[str, object] | None:
    """The items there are; of preferences each list's own, which have a check of their own."""
    public = submitted.public
    if public.kind == "preferences":
        return None
    if public.kind == "ratings" and public.asked is not None:
        return dict.fromkeys(item for _, item in public.asked)
    return public.items


def _unknown(submitted: Submitted, ids: CodedColumn, known: Known) -> Iterator[Problem]:
    """Ids that are not public, the first row of each."""
    public, faults = submitted.public, unknown(ids.names, known)
    for name, row, rows in first_rows(ids, faults):
        fault, line, where = faults[name], submitted.line(row), submitted.lists.text(row)
        if fault is not None:
            message = describe_fault(fault, "item", rows)
            yield Problem(fault.code, message, line=line, list=where, item=name, help=fault.help)
        elif public.kind != "ratings" or public.asked is None:
            many = f" ({rows:,} rows)" if rows > 1 else ""
            message = f"item {quoted(name)} is not in the catalogue{many}{known.hint(name)}"
            yield Problem("S305", message, line=line, list=where, item=name)


def _visible(submitted: Submitted, ids: CodedColumn) -> Iterator[Problem]:
    """What the file alone shows: certain of ids that are none, else only a suspicion."""
    decimals = bool(ids.names) and all(DECIMAL_ID.fullmatch(name) for name in ids.names if name)
    together = "".join(ids.names)
    clean = unseen(together) is None and " " not in together and "E+" not in together
    first = next(filter(None, ids.names), "")
    suspects: dict[str, Fault] = {}
    # one look at all of them before a look at each: there can be millions
    for name in ("", *LOST_BY_TOOLS, first) if clean else ids.names:
        if not name or name in LOST_BY_TOOLS:
            fault = Fault("S309", "") if not name else Fault("S310", f"id reads {quoted(name)}")
        elif decimals and name == first:
            message = f"every item ends in '.0', as {quoted(name)} does; were ids turned into"
            fault = Fault("S306", f"{message} decimals?", None, READ_AS_TEXT)
        elif "E+" in name and SPREADSHEET.fullmatch(name):
            fault = Fault("S308", f"{quoted(name)}: has a spreadsheet changed this id?")
        elif hidden := unseen(name) or (" " if name != name.strip() else ""):
            message = f"id {quoted(name)} holds a character that is not seen"
            fault = Fault("S312", f"{message} (U+{ord(hidden):04X})")
        else:
            continue
        suspects[name] = fault
    for name, row, rows in first_rows(ids, suspects):
        fault = suspects[name]
        yield Problem(
            fault.code,
            describe_fault(fault, "item", rows),
            "error" if fault.code in ("S309", "S310") else "warning",
            line=submitted.line(row),
            list=submitted.lists.text(row),
            item=name,
            help=fault.help,
        )
