"""Explains ids that are not public: look-alikes, lost zeros, decimals, spreadsheets, quotes.

Only public ids are ever compared with, so that no message can give an answer away.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, cached_property
from typing import NamedTuple

import numpy as np
import polars as pl

from scorer.challenge.public import IdNames, Public, ids_of
from scorer.core.arrays import Mask
from scorer.core.ids import TextPattern, repair_id, split_ids, wrapped_id_regex
from scorer.core.matching import RowIndex
from scorer.core.text import IGNORABLE, nearest, quoted, unseen
from scorer.views.items import ItemsByList
from scorer.views.join import Pairs, pairs_of

# `++` does not backtrack: a long id is matched in one pass.
DECIMAL_ID = re.compile(r"([0-9]++)\.0++")
SPREADSHEET = re.compile(r"[0-9](?:[.,][0-9]++)?[eE]\+[0-9]{2,3}")
SPREADSHEET_DATE = re.compile(r"[0-9]{1,2}-[A-Z][a-z]{2}|[A-Z][a-z]{2}-[0-9]{2}")
# The beginning of ids that lost zeros, became decimals or were changed by a spreadsheet.
DAMAGED = re.compile(r"[0-9]|[A-Z][a-z]{2}-[0-9]{2}\Z")
MISSING = {"nan", "na", "n/a", "null", "none", "nat", "<na>"}  # how a missing value is written
LONGEST_MISSING = max(map(len, MISSING))
MISSING_IN_PANDAS = ("nan", "NaN", "<NA>")  # pandas writes these, and they are unlikely as ids
MOST_EXPLAINED = 200_000  # different ids of a column that are explained; others are only counted
LONGEST_SUGGESTED = 64  # characters of an id for which a similar public id is looked for
# Characters of an id that is normalized, if it is not ASCII. Normalization sorts combining marks
# in a time that grows with the square of their number.
LONGEST_NORMALIZED = 128
FEW_IDS = 200  # public ids that are all compared with an unknown one
MOST_LETTERS = 120  # characters of the public ids that `IdIndex.nearest` inserts or substitutes
SUGGESTIONS = 20  # for one file; only the first few are shown
SEVERAL_OR_WRAPPED = re.compile(r"""[,;|\t'"`\[\]()]""")  # in an id that is several, or in quotes
NOUNS = {",": "commas", ";": "semicolons", "|": "bars", "\t": "tabs"}  # of the signs between ids
MOST_PARTS = 100  # ids that a cell with several ids may hold, to be recognized
# A regular expression of polars for ids that `suspect_id` looks at one by one: empty or missing,
# with E+, with a blank at an end, or with a character that cannot be seen, such as a control, a
# line separator, or a blank (Zs) that is not the usual one.
UNUSUAL = (
    rf"^(?:|nan|NaN|<NA>)$|E\+|^\s|\s$|[\p{{C}}\p{{Zl}}\p{{Zp}}]|[^\P{{Zs}} ]|{IGNORABLE.pattern}"
)

ONE_ID = "write each id without quotes and brackets, and several as the sample separates them"
READ_AS_TEXT = "read and write ids as text (in pandas: dtype=str, keep_default_na=False)"
UNOPENED = "save the table without opening it in a spreadsheet, or format ids as text there"
# code -> the message of a `CountedProblem`, with the fault's as {what}; by default "{what}{hint}"
MESSAGES = {
    "S305": "{what}{several}{hint}",
    "S309": "empty id: the {word} has no name in {rows}",
    "S310": '{what} in {rows} ({word}); an id such as "NA" became a missing value on writing',
    "S312": "{word} {what}",
    "S313": "{word} {what}",
    "S521": "{what}{several}{hint}",
    "S522": "{what}{several}",
}


class IdFault(NamedTuple):
    """The fault of an id."""

    code: str  # of its problem
    message: str
    public_id: str | None = None  # the public id that was meant, if that is certain
    help: str | None = None  # what to do
    hint: str = ""  # the end of the message, after the number of rows


class IdIndex:
    """Public ids, to look others up among them and to explain those that are not there."""

    def __init__(self, names: Mapping[str, object]) -> None:
        self.names = names  # a mapping for its look-up: the ids are the keys

    @cached_property
    def series(self) -> pl.Series:
        """The ids in their order."""
        return pl.Series("id", ids_of(self.names), dtype=pl.String)

    def contains(self, ids: pl.Series) -> pl.Series:
        """Return whether each of some ids is public."""
        public = self.series
        if len(ids) < len(public) // 10:  # to hash all public ids would take longer
            public = public.filter(public.is_in(ids.implode()))
        return ids.is_in(public.implode())

    def explain(self, name: str, decimals: bool = False) -> IdFault | None:
        """Return the fault that makes an id unknown; None if it is just another id.

        `decimals` says that all unknown ids of its column end in `.0`.
        """
        if not name:
            return IdFault("S309", "")
        meant = self._folded.get(fold_id(name))
        if meant is not None and meant != name:
            return IdFault("S312", f"{quoted(name)} {describe_difference(name, meant)}", meant)
        if len(name) <= LONGEST_MISSING and name.casefold() in MISSING:
            return IdFault("S310", f"id reads {quoted(name)}", None, READ_AS_TEXT)
        if self.names and SEVERAL_OR_WRAPPED.search(name):
            parts = split_ids(name)
            if parts != [name] and any(part in self.names for part in parts[:MOST_PARTS]):
                return _parts_fault(name, parts)
        if DAMAGED.match(name) is None:  # Most ids; what follows is slower
            return None
        if match := DECIMAL_ID.fullmatch(name):
            meant = self._with_zeros(match[1])
            if meant is not None or decimals:
                return _changed_fault("S306", name, meant)
        if name.isascii() and name.isdigit() and (meant := self._with_zeros(name)) is not None:
            message = f"id {quoted(name)} is unknown but {quoted(meant)} exists; leading zeros"
            return IdFault("S307", f"{message} were lost", meant, READ_AS_TEXT)
        if SPREADSHEET.fullmatch(name) or SPREADSHEET_DATE.fullmatch(name):
            return IdFault("S308", f"{quoted(name)}: a spreadsheet changed this id", None, UNOPENED)
        return None

    def explain_all(
        self, names: pl.Series, code: str, word: str, reason: str
    ) -> dict[str, IdFault]:
        """Return the faults of the first `MOST_EXPLAINED` unknown ids of a column.

        An id that nothing explains has the fault `code`, with `word`, the id and `reason` as its
        message.
        """
        decimals = (names.str.ends_with(".0") | (names == "")).all()
        suggest = self.make_suggester()
        faults = dict[str, IdFault]()
        for name in names.head(MOST_EXPLAINED):
            fault = self.explain(name, decimals)
            if fault is None:
                message = f"{word} {quoted(name)} {reason}"
                fault = IdFault(code, message, hint=suggest(name))
            faults[name] = fault
        return faults

    def make_suggester(self) -> Callable[[str], str]:
        """Return a function that gives `; nearest: '007'` for the first few ids, else nothing."""
        numbers = iter(range(SUGGESTIONS))

        def suggest(name: str) -> str:
            closest = None if next(numbers, None) is None else self.nearest(name)
            return f"; nearest: {quoted(closest)}" if closest is not None else ""

        return suggest

    def nearest(self, name: str) -> str | None:
        """Return a public id one edit away from `name`; else, of up to FEW_IDS, the most similar.

        The edits are looked up, since difflib takes half a second to compare 20,000 ids.
        """
        if len(name) > LONGEST_SUGGESTED or not self.names:
            return None
        for other in self._edits(name):
            if other and other in self.names:
                return other
        return nearest(name, self.names) if len(self.names) <= FEW_IDS else None

    def _edits(self, name: str) -> Iterator[str]:
        """Yield the names one edit away: a letter less, two exchanged, one more, one replaced."""
        cuts = [(name[:n], name[n:]) for n in range(len(name) + 1)]
        for head, tail in cuts:
            yield head + tail[1:]
            yield head + tail[1:2] + tail[:1] + tail[2:]
        for head, tail in cuts:
            for letter in self._letters:
                yield head + letter + tail
                yield head + letter + tail[1:]

    def _with_zeros(self, digits: str) -> str | None:
        """Return `digits` if public, else the public id that differs in leading zeros only."""
        return digits if digits in self.names else self._zeros.get(digits.lstrip("0") or "0")

    @cached_property
    def _folded(self) -> dict[str, str]:
        """Folded id (see `fold_id`) -> public id, the first of several."""
        folded = {fold_id(name): name for name in reversed([*self.names])}
        folded.pop("", None)
        return folded

    @cached_property
    def _zeros(self) -> dict[str, str]:
        """Digits without leading zeros -> public id with some, the first of several."""
        padded = [
            name for name in self.names if name[:1] == "0" and name.isascii() and name.isdigit()
        ]
        return {name.lstrip("0") or "0": name for name in reversed(padded)}

    @cached_property
    def _letters(self) -> list[str]:
        return sorted(set[str]().union(*self.names))[:MOST_LETTERS]


class PairIndex:
    """Public (list, item) pairs, such as the candidates of each list."""

    def __init__(self, items: ItemsByList) -> None:
        self.items = items
        self.lists = IdIndex(IdNames(items.lists))

    def __len__(self) -> int:
        return len(self.items.item)

    @cached_property
    def _pairs(self) -> Pairs:
        in_list = self.items.in_list
        items = self.items.names.gather(self.items.item)
        return Pairs(in_list, items, RowIndex.of([self.lists.series.gather(in_list), items]))

    @cached_property
    def frame(self) -> pl.DataFrame:
        """The pairs: `list` and `item`, list by list."""
        lists = self.lists.series.gather(self._pairs.in_list)
        return pl.DataFrame({"list": lists, "item": self._pairs.items})

    def contains(self, rows: pl.DataFrame, role: str = "item") -> Mask:
        """Return whether the list of each row has the item in the column `role`."""
        return self._pairs.find(pairs_of(rows, self.lists.series, role)) >= 0

    def without(self, rows: pl.DataFrame) -> pl.DataFrame:
        """Return the pairs that are in none of some rows."""
        _, found = pairs_of(rows, self.lists.series).match(self._pairs)
        is_missing = np.ones(len(self), dtype=bool)
        is_missing[found] = False
        return self.frame.filter(is_missing)


class PublicIds:
    """The public ids of a challenge, prepared for look-ups once for all submissions."""

    def __init__(self, public: Public) -> None:
        self._public = public
        self.lists = IdIndex(public.lists)

    @cached_property
    def items(self) -> IdIndex | None:
        """The items; None for preferences, whose lists each have their own."""
        public = self._public
        if public.kind == "preferences":
            return None
        if public.kind == "ratings" and public.candidates is not None:
            return IdIndex(IdNames(ItemsByList.of(public.candidates).items_of_lists()))
        return None if public.items is None else IdIndex(public.items)

    @cached_property
    def candidates(self) -> PairIndex | None:
        """The items that each list may hold; of ratings, those that are to be predicted."""
        candidates = self._public.candidates
        return None if candidates is None else PairIndex(ItemsByList.of(candidates))


def count_rows(rows: int) -> str:
    """Return ` (12 rows)`, or nothing for one row."""
    return f" ({rows:,} rows)" if rows > 1 else ""


def has_name(role: str, index: IdIndex | None) -> pl.Expr:
    """Return whether a cell has an id: it is neither empty nor a missing value.

    What reads as a missing value is an id if it is public.
    """
    names = pl.Series(MISSING_IN_PANDAS)
    missing = names if index is None else names.filter(~index.contains(names))
    return ~pl.col(role).is_in(["", *missing])


def suspect_id(name: str, separator: str | None) -> IdFault | None:
    """Return the fault that an id seems to have if no ids are public.

    `separator` separates the ids of a cell; None if a cell has one.
    """
    if not name:
        return IdFault("S309", "")
    if name in MISSING_IN_PANDAS:
        return IdFault("S310", f"id reads {quoted(name)}")
    if "E+" in name and SPREADSHEET.fullmatch(name):
        return IdFault("S308", f"{quoted(name)}: has a spreadsheet changed this id?")
    hidden = unseen(name)
    if hidden is None and name != name.strip():
        hidden = " "
    if hidden is not None:
        point = f"U+{ord(hidden):04X}"
        return IdFault("S312", f"id {quoted(name)} contains an invisible character ({point})")
    parts = split_ids(name) if re.search(wrapped_id_regex(separator), name) else []
    if parts and parts != [name]:
        return _parts_fault(name, parts)._replace(public_id=None)  # no id is public
    return None


def misformed_id(name: str, form: TextPattern) -> IdFault:
    """Return the fault of an id that does not match the challenge's pattern of ids."""
    if (repaired := repair_id(name, form)) is not None:
        return _changed_fault(repaired[0], name, repaired[1])
    parts = split_ids(name)
    if parts != [name] and parts and form.filter(parts[:MOST_PARTS]) == parts[:MOST_PARTS]:
        return _parts_fault(name, parts)
    fault = suspect_id(name, None)
    if fault is not None and fault.code != "S313":
        return fault
    return IdFault("S313", f"{quoted(name)} does not look like this challenge's ids ({form.text})")


def unusual_regex(separator: str | None) -> str:
    """Return a regular expression of polars for the ids that `suspect_id` is to look at."""
    return f"{UNUSUAL}|{wrapped_id_regex(separator)}"


def fold_id(name: str) -> str:
    r"""Return the id decomposed (NFKD), casefolded, without blanks and invisible characters.

    Each character is folded once and cached, since some decompose into many characters.

    >>> fold_id("Q\u200b 1") == fold_id("q１")
    True
    """
    if name.isascii():
        visible = name.replace(" ", "") if name.isprintable() else name.translate(INVISIBLE)
        return visible.casefold()
    if len(name) > LONGEST_NORMALIZED:
        return name
    return unicodedata.normalize("NFD", "".join(map(_fold_character, name)))


@cache
def _fold_character(character: str) -> str:
    """Return a character in NFKD and casefolded; nothing of an invisible one."""
    # Unicode normalizes again for comparisons without case: folding can give composed characters.
    name = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", character).casefold())
    return "".join(c for c in name if not _is_invisible(c))


def _changed_fault(code: str, name: str, meant: str | None) -> IdFault:
    """Return the fault of an id that became a decimal (S306), or lost its zeros (S307)."""
    reason = "leading zeros were lost" if code == "S307" else "ids were turned into decimals"
    message = f"{quoted(name)} is not an id; {reason}"
    message += f" (meant: {quoted(meant)})" if meant is not None else ""
    return IdFault(code, f"{message}, read them as text", meant, READ_AS_TEXT)


def _parts_fault(name: str, parts: Sequence[str]) -> IdFault:
    """Return the fault of a cell that holds several ids, or one in quotes or brackets."""
    if len(parts) == 1:
        message = f"{quoted(name)} is {quoted(parts[0])} with quotes, brackets or marks round it"
        return IdFault("S313", message, parts[0], ONE_ID)
    marks = " and ".join(noun for mark, noun in NOUNS.items() if mark in name)
    message = f"{quoted(name)} holds {len(parts):,} ids, with {marks} between them"
    return IdFault("S313", message, None, ONE_ID)


@cache
def _is_invisible(character: str) -> bool:
    return (
        character.isspace()
        or IGNORABLE.match(character) is not None
        or unicodedata.category(character) in ("Cf", "Cc")
    )


INVISIBLE = {n: None for n in range(128) if _is_invisible(chr(n))}


def describe_difference(name: str, meant: str) -> str:
    """Return the only difference of an id from the public id that it looks like, in words."""
    hidden = [c for c in name + meant if _is_invisible(c) and not c.isspace()]
    if name.casefold() == meant.casefold():
        difference = "case"
    elif "".join(name.split()) == "".join(meant.split()):
        difference = "blanks"
    elif unicodedata.normalize("NFKC", name) == unicodedata.normalize("NFKC", meant):
        difference = "Unicode normalisation"
    elif hidden:
        difference = f"an invisible character (U+{ord(hidden[0]):04X})"
    else:
        difference = "case, blanks or Unicode normalisation"
    return f"differs from {quoted(meant)} only by {difference}"
