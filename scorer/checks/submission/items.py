"""Are the items those of the challenge?"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from scorer.challenge.submission import Submission
from scorer.checks.base import Submitted, check
from scorer.checks.ids import (
    ALONE,
    DECIMAL_ID,
    LOST_BY_TOOLS,
    MOST_PARTS,
    READ_AS_TEXT,
    SPREADSHEET,
    IdFault,
    Known,
    holds,
)
from scorer.checks.rows import describe_fault, first_pairs, places
from scorer.checks.unknown import WrongId, WrongIds, find_ids, report_ids
from scorer.core.arrays import Mask
from scorer.core.ids import OPENING, IdPattern, split_ids, whole_text, wrapped_id_regex
from scorer.core.problems import Problem, Severity
from scorer.core.text import join_first, printable, quoted, unseen
from scorer.reading.layout import separator_of
from scorer.tables.columns import CodedColumn
from scorer.views.ranked import among, by_row, is_hashed

if TYPE_CHECKING:
    import polars as pl

ITEMS = ("item", "better", "worse")
UNUSUAL = r"[^!-~]|E\+"  # what an id holds that is to be looked at
IDS_TOGETHER = 100_000  # ids that are looked at as one text


@check("S305", "S306", "S307", "S308", "S309", "S310", "S312", "S313")
def unknown_item(submitted: Submitted) -> Iterator[Problem]:
    """Every item is in the catalogue; without one, every item at least looks like an id."""
    if submitted.rules.texts:
        return
    known, pattern = submitted.known.items, submitted.rules.item_pattern
    for role in ITEMS:
        if role not in submitted.table.ids:
            continue
        ids = by_row(submitted.table.ids[role])
        if known is not None:
            problems = _unknown(submitted, ids, known)
        elif pattern is not None:
            problems = _misformed(submitted, ids, id_pattern(pattern))
        else:
            problems = _suspects(submitted, ids)
        yield from (replace(problem, role=role) for problem in problems)


@check("S313", kinds=("grades",))
def misformed_text(submitted: Submitted) -> Iterator[Problem]:
    """Every text looks as the challenge says."""
    rules, table = submitted.rules, submitted.table
    if rules.text_pattern is None or "item" not in table.ids:
        return
    import polars as pl

    texts = by_row(table.ids["item"])
    whole = whole_text(rules.text_pattern)
    odd = ~pl.Series(texts.texts(np.arange(len(table))), dtype=pl.String).str.contains(whole)
    word = printable(rules.columns.get("text", "text"), 60)

    def problem(row: int) -> Problem:
        text, name = texts.text(row), submitted.lists.text(row)
        message = f"{word} {quoted(text)} does not look as {rules.text_pattern}"
        return Problem("S313", message, line=submitted.line(row), list=name, role="item")

    yield from places(np.flatnonzero(odd.to_numpy()), problem)


@check("S305", kinds=("grades",))
def stranger(submitted: Submitted) -> Iterator[Problem]:
    """Every item is a candidate of its list, where the challenge names them."""
    ids, public = submitted.known, submitted.public
    if ids.candidates is None or ids.items is None:
        return
    lists, items = submitted.lists, submitted.table.ids["item"]
    in_list, pair = ids.candidates.find(lists, items)
    strange = np.flatnonzero((in_list >= 0) & (pair < 0))
    strange = first_pairs(submitted, strange[ids.items.has(items, strange)], "item")

    def problem(row: int) -> Problem:
        name, item = lists.text(row), items.text(row)
        message = f"{quoted(item)} is not a candidate of {public.word('list')} {quoted(name)}"
        return Problem("S305", message, line=submitted.line(row), list=name, item=item, role="item")

    yield from places(strange, problem)


def _unknown(submitted: Submitted, ids: CodedColumn, known: Known) -> Iterator[Problem]:
    """Yield a problem for each id that is not public."""
    found = find_ids(submitted, ids, known.places(ids) < 0)
    decimals = found.all_decimals
    faults = {each.name: known.fault(each.name, decimals) for each in found.first}
    known = known.again()

    def code_of(name: str) -> str:
        return "S305" if (fault := faults[name]) is None else fault.code

    def problem(each: WrongId) -> Problem:
        name, line, rows, in_list = each
        if (fault := faults[name]) is not None:
            message = describe_fault(fault, "item", rows)
            return Problem(fault.code, message, line=line, list=in_list, item=name, help=fault.help)
        many = f" ({rows:,} rows)" if rows > 1 else ""
        hint = "" if submitted.public.asked is not None else known.hint(name)
        message = f"item {quoted(name)} is not in the catalogue{many}{hint}"
        return Problem("S305", message, line=line, list=in_list, item=name)

    for each in report_ids(found, code_of, problem):
        # what is not asked for has a check of its own
        if submitted.public.asked is None or each.code != "S305":
            yield each


def _misformed(submitted: Submitted, ids: CodedColumn, pattern: IdPattern) -> Iterator[Problem]:
    """Yield a problem for each id that has not the form which the challenge asks for."""
    wrong = ~_matching(ids, pattern.expression)
    found = find_ids(submitted, ids, wrong)
    if found.total > 1 and wrong.all():
        names = join_first([each.name for each in found.first[:3]])
        message = f"no item of this file looks as this challenge's do ({pattern.text}): {names}"
        yield Problem("S313", message)

    def problem(each: WrongId) -> Problem:
        fault = misformed(each.name, pattern)
        message = describe_fault(fault, "item", each.rows)
        return Problem(
            fault.code, message, line=each.line, list=each.list, item=each.name, help=fault.help
        )

    yield from report_ids(found, lambda name: misformed(name, pattern).code, problem)


def _matching(ids: CodedColumn, expression: str) -> Mask:
    """Which distinct ids a regular expression is found in."""
    if not is_hashed(ids):
        found = re.compile(expression).search
        return np.array([found(name) is not None for name in ids.names], dtype=bool)
    held: pl.Series = ids.held  # type: ignore[assignment]
    return held.str.contains(expression).to_numpy().astype(bool)


def _suspects(submitted: Submitted, ids: CodedColumn) -> Iterator[Problem]:
    """Yield errors for missing ids, and warnings for suspicious ones.

    The challenge declares no items, so that they are judged by the file alone.
    """
    if (first := _first_decimal(submitted, ids)) is not None:
        message = f"every item ends in '.0', as {quoted(first.name)} does; were ids turned into"
        yield Problem("S306", f"{message} decimals?", "warning", line=first.line, list=first.list,
                      item=first.name, help=READ_AS_TEXT)  # fmt: skip
    mark = separator(submitted.rules)
    faults, suspects = dict[str, IdFault](), list[WrongId]()
    for each in find_ids(submitted, ids, _unusual(ids, mark), most=None).first:
        if (fault := _suspicion(each.name, mark)) is not None:
            faults[each.name] = fault
            suspects.append(each)
    several = sum(each.rows for each in suspects if faults[each.name].code == "S313")
    errors = {"S309", "S310", *(["S313"] if 2 * several >= len(submitted.table) else [])}

    def problem(each: WrongId) -> Problem:
        fault = faults[each.name]
        severity: Severity = "error" if fault.code in errors else "warning"
        message = describe_fault(fault, "item", each.rows)
        return Problem(
            fault.code, message, severity, line=each.line, list=each.list, item=each.name,
            help=fault.help,
        )  # fmt: skip

    found = WrongIds(suspects, len(suspects))
    yield from report_ids(found, lambda name: faults[name].code, problem)


def _first_decimal(submitted: Submitted, ids: CodedColumn) -> WrongId | None:
    """Return the first id that is not empty, if all of these are decimals; else None."""
    if not len(submitted.table):
        return None
    start = ids.text(int(np.argmin(submitted.table.line)))
    if start and not DECIMAL_ID.fullmatch(start):  # the usual case
        return None
    names = ids.held if is_hashed(ids) else ids.names
    if not all(DECIMAL_ID.fullmatch(name) for name in names if name):
        return None
    has_name = np.array([bool(name) for name in names], dtype=bool)
    return next(iter(find_ids(submitted, ids, has_name, most=1).first), None)


def _unusual(ids: CodedColumn, separator: str | None) -> Mask:
    """Which distinct ids need a look of their own, decided by a cheap look at all of them.

    `separator` is that of several in a cell, if any.
    """
    mask = among(ids, ["", *sorted(LOST_BY_TOOLS)])
    if not is_hashed(ids):
        together = "".join(ids.names)
        if unseen(together) is not None or " " in together or "E+" in together:
            mask = np.ones_like(mask)
        return mask | _matching(ids, wrapped_id_regex(separator))
    odd, opening = _looked_at(ids)
    if odd:
        held: pl.Series = ids.held  # type: ignore[assignment]
        strange = held.str.contains(UNUSUAL)
        letters = str(held.filter(strange).str.join("").item()).replace(" ", "")
        if unseen(letters) is None:  # of any script
            strange &= (held.str.strip_chars() != held) | held.str.contains("E+", literal=True)
        mask = mask | strange.to_numpy()
    if opening or separator is not None:
        mask = mask | _matching(ids, wrapped_id_regex(separator))
    return mask


def _looked_at(ids: CodedColumn) -> tuple[bool, bool]:
    """Whether an id may be unusual, and whether one may be in quotes or brackets."""
    odd = opening = False
    for start in range(0, len(held := ids.held), IDS_TOGETHER):
        part: pl.Series = held[start : start + IDS_TOGETHER]  # type: ignore[assignment]
        together = part.str.join("").item().encode()
        octets = np.frombuffer(together, dtype=np.uint8)
        plain = not octets.size or (octets.min() > ord(" ") and octets.max() <= ord("~"))
        odd = odd or not plain or b"+" in together
        opening = opening or any(sign.encode() in together for sign in OPENING)
    return odd, opening


def separator(rules: Submission) -> str | None:
    """The separator of several items in a cell; None where a cell has one."""
    word = rules.cells.get("item")
    return None if word is None else separator_of(word)


def misformed(name: str, pattern: IdPattern) -> IdFault:
    """What is wrong with an id that has not the form of the challenge's."""
    if (made := pattern.repair_id(name)) is not None:
        code, meant = made
        said = "leading zeros were lost" if code == "S307" else "ids were turned into decimals"
        message = f"{quoted(name)} is not an id; {said} (meant: {quoted(meant)})"
        return IdFault(code, f"{message}, read them as text", meant, READ_AS_TEXT)
    parts = split_ids(name)
    if parts != [name] and parts and all(map(pattern.fits, parts[:MOST_PARTS])):
        meant_id = parts[0] if len(parts) == 1 else None
        return IdFault("S313", f"{quoted(name)} {holds(name, parts)}", meant_id, ALONE)
    fault = _suspicion(name, None)
    if fault is not None and fault.code != "S313":
        return fault
    return IdFault("S313", f"{quoted(name)} does not look as this challenge's ids ({pattern.text})")


def _suspicion(name: str, mark: str | None) -> IdFault | None:
    """The fault that an id seems to have; `mark` is the separator of several in a cell, if any."""
    if not name:
        return IdFault("S309", "")
    if name in LOST_BY_TOOLS:
        return IdFault("S310", f"id reads {quoted(name)}")
    if "E+" in name and SPREADSHEET.fullmatch(name):
        return IdFault("S308", f"{quoted(name)}: has a spreadsheet changed this id?")
    if hidden := unseen(name) or (" " if name != name.strip() else ""):
        return IdFault(
            "S312", f"id {quoted(name)} contains an invisible character (U+{ord(hidden):04X})"
        )
    if _mark_pattern(mark).search(name) and (parts := split_ids(name)) != [name] and parts:
        return IdFault("S313", f"{quoted(name)} {holds(name, parts)}", None, ALONE)
    return None


@cache
def _mark_pattern(mark: str | None) -> re.Pattern[str]:
    return re.compile(wrapped_id_regex(mark))


@cache
def id_pattern(text: str) -> IdPattern:
    """The pattern that a challenge asks for, cached."""
    return IdPattern(text)
