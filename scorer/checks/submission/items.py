"""Are the items those of the challenge?"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from scorer.challenge.submission import Submission
from scorer.checks.base import Submitted, check
from scorer.checks.id_tally import IdTally, id_problems
from scorer.checks.ids import (
    ALONE,
    DECIMAL_ID,
    FAULT_CLASSES,
    LOST_BY_TOOLS,
    MOST_PARTS,
    READ_AS_TEXT,
    SPREADSHEET,
    IdFault,
    Known,
    holds,
)
from scorer.checks.rows import describe_fault, first_pairs, occurrences, places, reported
from scorer.checks.tally import MOST_NAMED, FileContext, OverflowCount, refuse_errors
from scorer.core.arrays import Ints, Mask
from scorer.core.id_pattern import OPENING, IdPattern, apart, marked, whole_text
from scorer.core.problems import Problem, Severity
from scorer.core.text import join_first, printable, quoted, unseen
from scorer.formats.form import separator_of
from scorer.tables.columns import CodedColumn
from scorer.views.ranked import among, by_row, is_hashed, named

if TYPE_CHECKING:
    import polars as pl

Suspect = tuple[str, int, int, str | None, int]  # as `IdTally.of` takes them
ITEMS = ("item", "better", "worse")
SUSPICIOUS = ("S308", "S309", "S310", "S312", "S313")
MISFORMED = ("S306", "S307", "S308", "S309", "S310", "S312", "S313")
UNUSUAL = r"[^!-~]|E\+"  # what an id holds that is to be looked at
IDS_TOGETHER = 100_000  # ids that are looked at as one text


class Unknown(NamedTuple):
    """Ids of a column that the challenge does not have."""

    ids: IdTally
    decimals: bool = True  # all of them end in .0

    @property
    def errors(self) -> int:
        """How many there are."""
        return len(self.ids)

    @property
    def errors_at_most(self) -> int:
        """How many there are if no two parts share one."""
        return self.ids.at_most

    def plus(self, others: Sequence[Unknown]) -> Unknown:
        """Those of all parts."""
        decimals = all(part.decimals for part in (self, *others))
        return Unknown(self.ids.plus([part.ids for part in others]), decimals)

    def problems(self, whole: FileContext) -> Iterator[Problem]:
        """One for each id, at its first row."""
        assert whole.known.items is not None
        known, silent = whole.known.items.again(), whole.public.asked is not None

        def problem(name: str, where: str | None, line: int, rows: int) -> Problem:
            if (fault := known.fault(name, self.decimals)) is not None:
                message = describe_fault(fault, "item", rows)
                return Problem(
                    fault.code, message, line=line, list=where, item=name, help=fault.help
                )
            many = f" ({rows:,} rows)" if rows > 1 else ""
            hint = "" if silent else known.hint(name)
            message = f"item {quoted(name)} is not in the catalogue{many}{hint}"
            return Problem("S305", message, line=line, list=where, item=name)

        # what is not asked for has a check of its own
        yield from (p for p in id_problems(self.ids, problem) if not (silent and p.code == "S305"))


class Suspects(NamedTuple):
    """Ids of a column that do not look like ids, where the challenge declares no items."""

    ids: IdTally
    first: Suspect | None = None  # the first id that is not empty
    decimals: bool = True  # all ids that are not empty are decimals
    rows: int = 0
    marked: int = 0  # rows whose id seems to be several, or in quotes

    def plus(self, others: Sequence[Suspects]) -> Suspects:
        """Those of all parts."""
        every = (self, *others)
        first = min(
            (part.first for part in every if part.first), key=lambda id_: id_[1], default=None
        )
        decimals = all(part.decimals for part in every)
        ids = self.ids.plus([part.ids for part in others])
        several = sum(part.marked for part in every)
        return Suspects(ids, first, decimals, sum(part.rows for part in every), several)

    def problems(self, whole: FileContext) -> Iterator[Problem]:
        """Errors for missing ids, warnings for suspicious ones."""
        if self.first is not None and self.decimals:
            name, line, _, where, _ = self.first
            message = f"every item ends in '.0', as {quoted(name)} does; were ids turned into"
            yield Problem("S306", f"{message} decimals?", "warning", line=line, list=where,
                          item=name, help=READ_AS_TEXT)  # fmt: skip

        mark = separator(whole.rules)
        errors = {"S309", "S310", *(["S313"] if 2 * self.marked >= self.rows else [])}

        def problem(name: str, where: str | None, line: int, rows: int) -> Problem:
            fault = _suspicion(name, mark)
            assert fault is not None
            severity: Severity = "error" if fault.code in errors else "warning"
            message, help = describe_fault(fault, "item", rows), fault.help
            return Problem(fault.code, message, severity, None, line, None, where, name, help)

        yield from id_problems(self.ids, problem)


class Misformed(NamedTuple):
    """Ids of a column that have not the form which the challenge asks for."""

    ids: IdTally
    fitting: bool = True  # whether any id has it

    @property
    def errors(self) -> int:
        """How many there are."""
        return len(self.ids)

    @property
    def errors_at_most(self) -> int:
        """How many there are if no two parts share one."""
        return self.ids.at_most

    def plus(self, others: Sequence[Misformed]) -> Misformed:
        """Those of all parts."""
        fitting = any(part.fitting for part in (self, *others))
        return Misformed(self.ids.plus([part.ids for part in others]), fitting)

    def problems(self, whole: FileContext) -> Iterator[Problem]:
        """One for each id, at its first row; before them that none has the form."""
        pattern = id_pattern(str(whole.rules.item_pattern))
        if not self.fitting and len(self.ids) > 1:
            names = join_first([name for name, *_ in self.ids.entries()][:3])
            message = f"no item of this file looks as this challenge's do ({pattern.text}): {names}"
            yield Problem("S313", message)

        def problem(name: str, where: str | None, line: int, rows: int) -> Problem:
            fault = misformed(name, pattern)
            message = describe_fault(fault, "item", rows)
            return Problem(fault.code, message, line=line, list=where, item=name, help=fault.help)

        yield from id_problems(self.ids, problem)


class Columns(NamedTuple):
    """The counts of each column of items."""

    columns: Mapping[str, Any]  # `Unknown`, `Misformed` or `Suspects`, the same for all

    @property
    def errors(self) -> int:
        """How many ids there are that the challenge does not have."""
        return sum(column.errors for column in self._unknown)

    @property
    def errors_at_most(self) -> int:
        """How many there are if no two parts share one."""
        return sum(column.errors_at_most for column in self._unknown)

    @property
    def _unknown(self) -> list[Unknown | Misformed]:
        return [each for each in self.columns.values() if not isinstance(each, Suspects)]

    def plus(self, others: Sequence[Columns]) -> Columns:
        """Those of all parts, which have the same columns."""
        return Columns({
            role: column.plus([part.columns[role] for part in others])
            for role, column in self.columns.items()
        })  # fmt: skip

    def problems(self, whole: FileContext) -> Iterator[Problem]:
        """Those of all columns."""
        for role, column in self.columns.items():
            for problem in column.problems(whole):
                yield replace(problem, role=role)


@check("S305", "S306", "S307", "S308", "S309", "S310", "S312", "S313", scope="row")
def unknown_item(submitted: Submitted) -> Columns:
    """Every item is in the catalogue; without one, every item at least looks like an id."""
    if submitted.rules.texts:
        return Columns({})
    known = submitted.known.items
    ids = {role: by_row(column) for role, column in submitted.table.ids.items() if role != "list"}
    pattern = submitted.rules.item_pattern
    if known is None and pattern is not None:
        form = id_pattern(pattern)
        return Columns({r: _misformed(submitted, ids[r], form) for r in ITEMS if r in ids})
    return Columns({
        role: _suspects(submitted, ids[role])
        if known is None
        else _unknown(submitted, ids[role], known)
        for role in ITEMS
        if role in ids
    })  # fmt: skip


@check("S313", kinds=("grades",))
def misformed_text(submitted: Submitted) -> Iterator[Problem | OverflowCount]:
    """Every text looks as the challenge says."""
    rules, table = submitted.rules, submitted.table
    if rules.text_pattern is None or "item" not in table.ids:
        return
    import polars as pl

    texts = by_row(table.ids["item"])
    whole = whole_text(rules.text_pattern)
    odd = ~pl.Series(texts.texts(np.arange(len(table))), dtype=pl.String).str.contains(whole)
    rows, word = np.flatnonzero(odd.to_numpy()), printable(rules.columns.get("text", "text"), 60)

    def problems(positions: Ints) -> Iterator[Problem]:
        for row in rows[positions].tolist():
            text, name = texts.text(row), submitted.lists.text(row)
            message = f"{word} {quoted(text)} does not look as {rules.text_pattern}"
            yield Problem("S313", message, line=submitted.line(row), list=name, role="item")

    yield from reported(submitted, "S313", rows, problems)


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


def _unknown(submitted: Submitted, ids: CodedColumn, known: Known) -> Unknown:
    """Ids that are not public."""
    wrong = known.places(ids) < 0
    most = max(submitted.rules.limits.errors, MOST_NAMED)
    refuse_errors(int(wrong.sum()), most)  # before each gets a name
    strange_ids = list(_each(submitted, ids, wrong)) if wrong.any() else []
    decimals = all(name.endswith(".0") for name, *_ in strange_ids if name)
    strange = [(*entry, known.class_of(entry[0])) for entry in strange_ids]
    return Unknown(IdTally.of(FAULT_CLASSES, strange), decimals)


def _misformed(submitted: Submitted, ids: CodedColumn, pattern: IdPattern) -> Misformed:
    """Ids that have not the form of the challenge's."""
    wrong = ~_matching(ids, pattern.expression)
    refuse_errors(int(wrong.sum()), max(submitted.rules.limits.errors, MOST_NAMED))
    strange = [
        (*entry, MISFORMED.index(misformed(entry[0], pattern).code))
        for entry in _each(submitted, ids, wrong)
    ]
    return Misformed(IdTally.of(MISFORMED, strange), not wrong.all())


def _matching(ids: CodedColumn, expression: str) -> Mask:
    """Which distinct ids a regular expression is found in."""
    if not is_hashed(ids):
        found = re.compile(expression).search
        return np.array([found(name) is not None for name in ids.names], dtype=bool)
    held: pl.Series = ids.held  # type: ignore[assignment]
    return held.str.contains(expression).to_numpy().astype(bool)


def _suspects(submitted: Submitted, ids: CodedColumn) -> Suspects:
    """The suspicious ids, judged by the file alone."""
    mark, rows = separator(submitted.rules), len(submitted.table)
    suspects = [
        (*entry, SUSPICIOUS.index(fault.code))
        for entry in _each(submitted, ids, _unusual(ids, mark))
        if (fault := _suspicion(entry[0], mark)) is not None
    ]
    several = sum(entry[2] for entry in suspects if entry[4] == SUSPICIOUS.index("S313"))
    first, decimals = None, False
    if len(submitted.table):
        names = ids.names if not is_hashed(ids) else ids.held
        row = int(np.argmin(submitted.table.line))
        start = ids.text(row)
        if start and not DECIMAL_ID.fullmatch(start):  # the usual case
            return Suspects(IdTally.of(SUSPICIOUS, suspects), None, False, rows, several)
        decimals = all(DECIMAL_ID.fullmatch(name) for name in names if name)
        named = np.array([bool(name) for name in names], dtype=bool)
        for name, line, rows, where in _each(submitted, ids, named) if decimals else ():
            first = (name, line, rows, where, 0)
            break
    tally = IdTally.of(SUSPICIOUS, suspects)
    return Suspects(tally, first, decimals or not rows, rows, several)


def _each(
    submitted: Submitted, ids: CodedColumn, wanted: Mask
) -> Iterator[tuple[str, int, int, str | None]]:
    """Each wanted id with its first line, the number of its rows, and its list."""
    if not wanted.any():
        return
    codes, rows, counts = occurrences(ids, wanted, submitted.table.line)
    lines, lists = submitted.table.line[rows].tolist(), submitted.lists.texts(rows)
    yield from zip(named(ids, codes), lines, counts.tolist(), lists, strict=True)


def _unusual(ids: CodedColumn, separator: str | None) -> Mask:
    """Which distinct ids need a look of their own, decided by a cheap look at all of them.

    `separator` is that of several in a cell, if any.
    """
    mask = among(ids, ["", *sorted(LOST_BY_TOOLS)])
    if not is_hashed(ids):
        together = "".join(ids.names)
        if unseen(together) is not None or " " in together or "E+" in together:
            mask = np.ones_like(mask)
        return mask | _matching(ids, marked(separator))
    odd, opening = (False, False) if ids.usual else _looked_at(ids)
    if odd:
        held: pl.Series = ids.held  # type: ignore[assignment]
        strange = held.str.contains(UNUSUAL)
        letters = str(held.filter(strange).str.join("").item()).replace(" ", "")
        if unseen(letters) is None:  # of any script
            strange &= (held.str.strip_chars() != held) | held.str.contains("E+", literal=True)
        mask = mask | strange.to_numpy()
    if opening or separator is not None:
        mask = mask | _matching(ids, marked(separator))
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
    if (made := pattern.meant(name)) is not None:
        code, meant = made
        said = "leading zeros were lost" if code == "S307" else "ids were turned into decimals"
        message = f"{quoted(name)} is not an id; {said} (meant: {quoted(meant)})"
        return IdFault(code, f"{message}, read them as text", meant, READ_AS_TEXT)
    parts = apart(name)
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
    if _mark_pattern(mark).search(name) and (parts := apart(name)) != [name] and parts:
        return IdFault("S313", f"{quoted(name)} {holds(name, parts)}", None, ALONE)
    return None


@cache
def _mark_pattern(mark: str | None) -> re.Pattern[str]:
    return re.compile(marked(mark))


@cache
def id_pattern(text: str) -> IdPattern:
    """The pattern that a challenge asks for, cached."""
    return IdPattern(text)
