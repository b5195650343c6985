"""What an id is that nobody knows: a look-alike of a public one, a victim of a tool, or strange.

Only public ids are ever compared with, so that nothing said here can give an
answer away.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from copy import copy
from functools import cache, cached_property
from typing import TYPE_CHECKING, Literal, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from scorer.challenge.public import IdNames, Public, ids_of
from scorer.core.arrays import Ints, Mask, distinct, spread
from scorer.core.ids import MARKS, separator_names, split_ids
from scorer.core.members import Members, members_of
from scorer.core.text import IGNORABLE, nearest, pattern, quoted
from scorer.tables.columns import CodedColumn, Codes, TextColumn, gathered, hashed, series_of
from scorer.views.ranked import ItemIndex, among, is_hashed, look_up, spans

if TYPE_CHECKING:
    import polars as pl

DECIMAL_ID = re.compile(r"([0-9]++)\.0++")
SPREADSHEET = re.compile(r"[0-9](?:[.,][0-9]++)?[eE]\+[0-9]{2,3}")
SPREADSHEET_DATE = re.compile(r"[0-9]{1,2}-[A-Z][a-z]{2}|[A-Z][a-z]{2}-[0-9]{2}")
TOOLS = re.compile(r"[0-9]|[A-Z][a-z]{2}-[0-9]{2}\Z")  # how ids begin that a tool has changed
LOST = {"nan", "na", "n/a", "null", "none", "nat", "<na>"}  # how a missing value is written
LOST_BY_TOOLS = {"nan", "NaN", "<NA>"}  # of these, what nobody would call an item
LONGEST_SUGGESTED = 64  # characters of an id for which a suggestion is looked for
FOLDED = 128  # characters of an id beyond ASCII that is normalised: many marks cost their square
FEW_IDS = 200  # ids that are compared one by one
LETTERS = 120  # different characters of the public ids that are tried
SUGGESTIONS = 20  # for one file; only the first few are shown

ODD = re.compile(r"""[,;|\t'"`\[\]()]""")  # signs of several ids, or of quotes, round one
MOST_PARTS = 100  # ids that one may be made of
ALONE = "write each id without quotes and brackets, and several as the sample separates them"

READ_AS_TEXT = "read and write ids as text (in pandas: dtype=str, keep_default_na=False)"


class IdFault(NamedTuple):
    """What is wrong with an id, and the public id that it stands for where that is certain."""

    code: str
    message: str
    meant: str | None = None
    help: str | None = None


class Known:
    """Public ids, and explanations of ids that are not among them."""

    def __init__(self, names: Mapping[str, object]) -> None:
        self.names = names
        self._suggestions_left = SUGGESTIONS
        self._found = WeakKeyDictionary[CodedColumn, Ints]()

    def __contains__(self, name: str) -> bool:
        return name in self.names

    def place(self, name: str) -> int:
        """The place of a known id among the names."""
        return self._index[name]

    def again(self) -> Known:
        """A copy that can give suggestions for another file."""
        fresh = copy(self)
        fresh._suggestions_left = SUGGESTIONS
        return fresh

    def places(self, column: CodedColumn) -> Ints:
        """The place of each distinct id of a column among the names; -1 where it is unknown.

        Of a column that polars holds it is kept as long as the column is.
        """
        if not is_hashed(column):
            if len(column.names) == len(self.names) and column.names == tuple(self.names):
                return np.arange(len(column.names))
            return np.array([self._index.get(name, -1) for name in column.names], dtype=np.int64)
        if (found := self._found.get(column)) is None:
            found = self._found[column] = self._places(column)
        return found

    def _places(self, column: CodedColumn) -> Ints:
        """As `places`, of a column that polars holds."""
        hashes, ours = column.hashes, self._hashes
        if not ours.size or not hashes.size:
            return np.full(hashes.size, -1, dtype=np.int64)
        if np.array_equal(ours[: hashes.size], hashes):  # all of them, or the first of a file
            return np.arange(hashes.size)
        known, places = self._hashed
        first = int(places[min(np.searchsorted(known, hashes[0]), known.size - 1)])
        if np.array_equal(ours[first : first + hashes.size], hashes):
            return np.arange(first, first + hashes.size)  # in our order, as in most files
        return look_up(known, places, hashes)

    def coded(self, column: CodedColumn) -> CodedColumn:
        """The same column; of ids in no order, looking each up takes less time than sorting them.

        The known ones come first, in the order of the names.
        """
        if not isinstance(column, TextColumn):
            return column
        place = look_up(*self._hashed, column.row_hashes)
        present = np.zeros(len(self.names) + 1, dtype=bool)
        present[place] = True  # at -1, which is the last place, of unknown ids
        known = np.flatnonzero(present[:-1])
        code = np.cumsum(present, dtype=np.int32) - 1
        codes, names, own = code[place], gathered(self._series, known), self._hashes[known]
        if present[-1]:
            rows = np.flatnonzero(place < 0)
            others = column.where(rows)
            codes[rows] += others.codes
            names = names.append(series_of(others.held))
            own = np.append(own, others.hashes)
        recoded = CodedColumn(codes, names)
        vars(recoded)["hashes"] = own
        return recoded

    def has(self, column: CodedColumn, rows: Ints) -> Mask:
        """Whether each of some rows of a column has a known id."""
        if not is_hashed(column):
            return self.places(column)[column.codes[rows]] >= 0
        return look_up(*self._hashed, column.row_hashes[rows]) >= 0

    def fault(self, name: str, decimals: bool = False) -> IdFault | None:
        """The fault that makes an id unknown; `decimals`: the ids of its column all end in `.0`."""
        if not name:
            return IdFault("S309", "empty id")
        meant = self._look_alike(name)
        if meant is not None and meant != name:
            return IdFault("S312", f"{quoted(name)} differs from {quoted(meant)} only by "
                                 f"{_difference(name, meant)}", meant)  # fmt: skip
        if len(name) <= 4 and name.casefold() in LOST:
            return IdFault("S310", f"id reads {quoted(name)}", None, READ_AS_TEXT)
        if ODD.search(name) is not None and self.names and (parts := split_ids(name)) != [name]:
            known = [part for part in parts[:MOST_PARTS] if part in self.names]
            if known:
                return IdFault("S313", f"{quoted(name)} {holds(name, parts)}",
                               known[0] if len(parts) == 1 else None, ALONE)  # fmt: skip
        if TOOLS.match(name) is None:  # most ids; what follows is slower
            return None
        if match := DECIMAL_ID.fullmatch(name):
            meant = self._whole(match[1])
            if meant is not None or decimals:
                message = f"{quoted(name)} is not an id; ids were turned into decimals"
                message += f" (meant: {quoted(meant)})" if meant is not None else ""
                return IdFault("S306", f"{message}, read them as text", meant, READ_AS_TEXT)
        if name.isascii() and name.isdigit() and (meant := self._whole(name)) is not None:
            message = f"id {quoted(name)} is unknown but {quoted(meant)} exists; leading zeros"
            return IdFault("S307", f"{message} were lost", meant, READ_AS_TEXT)
        if SPREADSHEET.fullmatch(name) or SPREADSHEET_DATE.fullmatch(name):
            help = "save the table without opening it in a spreadsheet, or format ids as text there"
            return IdFault("S308", f"{quoted(name)}: a spreadsheet changed this id", None, help)
        return None

    def hint(self, name: str) -> str:
        """`; nearest: '007'` where a public id is like `name`; only for a file's first few."""
        if self._suggestions_left <= 0:
            return ""
        self._suggestions_left -= 1
        closest = self._closest(name)
        return f"; nearest: {quoted(closest)}" if closest is not None else ""

    def _closest(self, name: str) -> str | None:
        """A public id at one edit from `name`, else of few ids the most similar one.

        Looked up rather than compared: difflib takes half a second for 20,000 ids.
        """
        if len(name) > LONGEST_SUGGESTED or not self.names:
            return None
        cuts = [(name[:n], name[n:]) for n in range(len(name) + 1)]
        for head, tail in cuts:
            for slip in (head + tail[1:], head + tail[1:2] + tail[:1] + tail[2:]):
                if slip in self.names and slip:
                    return slip
        for head, tail in cuts:
            for letter in self._letters:
                for slip in (head + letter + tail, head + letter + tail[1:]):
                    if slip in self.names:
                        return slip
        return nearest(name, self.names) if len(self.names) <= FEW_IDS else None

    def _look_alike(self, name: str) -> str | None:
        """The public id that equals `name` once both are folded.

        Normalising is slow (up to a microsecond a character), so it is left to ids of whose
        characters each may be of a public id.
        """
        if not self.names:
            return None
        if not name.isascii():
            if len(name) > FOLDED:
                return None
            possible, impossible = self._possible, self._impossible
            if not impossible.isdisjoint(name):
                return None
            for character in set(name).difference(possible):
                (possible if _parts(character) <= self._parts else impossible).add(character)
            if not impossible.isdisjoint(name):
                return None
        return self._folded.get(folded(name))

    def _whole(self, digits: str) -> str | None:
        """The public id that loses its leading zeros to become `digits`."""
        return digits if digits in self.names else self._zeros.get(digits.lstrip("0") or "0")

    @cached_property
    def _index(self) -> dict[str, int]:
        return {name: n for n, name in enumerate(self.names)}

    @cached_property
    def _hashes(self) -> NDArray[np.uint64]:
        return hashed(ids_of(self.names))

    @cached_property
    def _series(self) -> pl.Series:
        return series_of(ids_of(self.names))

    @cached_property
    def _hashed(self) -> tuple[NDArray[np.uint64], Ints]:
        """The hashes of the names, ascending, and the place of each."""
        order = np.argsort(self._hashes)
        return self._hashes[order], order

    @cached_property
    def _folded(self) -> dict[str, str]:
        folded_names: dict[str, str] = {}
        for name in self.names:
            folded_names.setdefault(folded(name), name)
        folded_names.pop("", None)
        return folded_names

    @cached_property
    def _parts(self) -> frozenset[str]:
        """The characters that the public ids decompose to."""
        return frozenset[str]().union(*map(_parts, set[str]().union(*self._folded)))

    @cached_property
    def _possible(self) -> set[str]:
        """The characters looked at so far that a public id may have."""
        return set()

    @cached_property
    def _impossible(self) -> set[str]:
        """The characters looked at so far that no public id has."""
        return set()

    @cached_property
    def _zeros(self) -> dict[str, str]:
        stripped: dict[str, str] = {}
        for name in self.names:
            if name[:1] == "0" and name.isascii() and name.isdigit():
                stripped.setdefault(name.lstrip("0") or "0", name)
        return stripped

    @cached_property
    def alike(self) -> NDArray[np.uint64]:
        """The hashes of the folded names, ascending."""
        return np.sort(hashed(list(self._folded)))

    @cached_property
    def whole(self) -> NDArray[np.uint64]:
        """The hashes of the names, and of those with leading zeros also without them, ascending."""
        return np.sort(np.append(self._hashes, hashed(list(self._zeros))))

    @cached_property
    def _letters(self) -> list[str]:
        return sorted(set[str]().union(*self.names))[:LETTERS]


class PublicIds:
    """The public ids of a challenge, made ready for look-ups once for all submissions."""

    def __init__(self, public: Public) -> None:
        self._public = public
        self.lists = Known(public.lists)

    @cached_property
    def items(self) -> Known | None:
        """The items; None for preferences, whose lists each have their own."""
        public = self._public
        if public.kind == "preferences":
            return None
        if public.kind == "ratings" and public.asked is not None:
            return Known(IdNames(members_of(public.asked).first_named()))
        return None if public.items is None else Known(public.items)

    @cached_property
    def asked(self) -> KnownPairs | None:
        """The (list, item) pairs that are to be predicted."""
        asked = self._public.asked
        return None if asked is None else KnownPairs(members_of(asked))

    @cached_property
    def candidates(self) -> KnownPairs | None:
        """The items that each list may hold."""
        candidates = self._public.candidates
        return None if candidates is None else KnownPairs(Members.of(candidates))


class KnownPairs:
    """The items of each list, for look-ups."""

    def __init__(self, members: Members) -> None:
        self.members = members
        self.lists = Known(IdNames(members.lists))

    def __len__(self) -> int:
        return len(self.members)

    def find(self, lists: CodedColumn, items: CodedColumn) -> tuple[Ints, Ints]:
        """The place of each row's list, and the number of its pair; -1 for what is not known."""
        place = self.lists.places(lists)
        row = np.full(lists.codes.size, -1, dtype=np.int64)
        in_list = place[lists.codes] if row.size else row
        rows = np.flatnonzero(in_list >= 0)
        list_places = distinct(in_list[rows])
        first, last = (self.members.starts[list_places + n] for n in (0, 1))
        pairs = spans(first, last - first)
        if is_hashed(items):
            key, row_keys = self._hashes[self.members.item[pairs]], items.row_hashes[rows]
        else:
            code = np.array([self._code.get(name, -1) for name in items.names], dtype=np.int64)
            rows = rows[code[items.codes[rows]] >= 0]
            key, row_keys = spread(self.members.item[pairs]), spread(code[items.codes[rows]])
        index = ItemIndex.of(key, last - first)
        matched, at = index.find(np.searchsorted(list_places, in_list[rows]), row_keys)
        row[rows[matched]] = pairs[at]
        return in_list, row

    @cached_property
    def _code(self) -> dict[str, int]:
        return {name: n for n, name in enumerate(self.members.named)}

    @cached_property
    def _hashes(self) -> NDArray[np.uint64]:
        return hashed(self.members.named)


def holds(name: str, parts: Sequence[str]) -> str:
    """The words on an id that holds others: in quotes, or several."""
    if len(parts) > 1:
        marks = [mark for mark in MARKS if mark in name]
        return f"holds {len(parts):,} ids, with {separator_names(marks)} between them"
    return f"is {quoted(parts[0])} with quotes, brackets or marks round it"


def folded(name: str) -> str:
    r"""An id less all that the eye does not tell split_ids.

    >>> folded("Q\u200b 1") == folded("q１")
    True
    """
    if name.isascii():
        visible = name.replace(" ", "") if name.isprintable() else name.translate(INVISIBLE)
        return visible.casefold()
    if len(name) > FOLDED:
        return name
    name = unicodedata.normalize("NFKC", name)
    return "".join(c for c in name if not _invisible(c)).casefold()


def _parts(character: str) -> frozenset[str]:
    """The characters that one decomposes to, without case and without invisible ones."""
    decomposed = unicodedata.normalize("NFKD", character).casefold()
    return frozenset(c for c in unicodedata.normalize("NFKD", decomposed) if not _invisible(c))


@cache
def _invisible(character: str) -> bool:
    return (
        character.isspace()
        or pattern(IGNORABLE).match(character) is not None
        or unicodedata.category(character) in ("Cf", "Cc")
    )


INVISIBLE = {n: None for n in range(128) if _invisible(chr(n))}


def _difference(name: str, meant: str) -> str:
    """The only difference between two ids that look alike."""
    if name.casefold() == meant.casefold():
        return "case"
    if "".join(name.split()) == "".join(meant.split()):
        return "blanks"
    if unicodedata.normalize("NFKC", name) == unicodedata.normalize("NFKC", meant):
        return "Unicode normalisation"
    hidden = [c for c in name + meant if _invisible(c) and not c.isspace()]
    if hidden:
        return f"an invisible character (U+{ord(hidden[0]):04X})"
    return "case, blanks or Unicode normalisation"


def nameless(name: str, known: Mapping[str, object] | None) -> bool:
    """Whether an id is missing: empty, or the text of a missing value."""
    return not name or (name in LOST_BY_TOOLS and name not in (known or ()))


def nameless_ids(ids: CodedColumn, known: Mask | Literal[False]) -> Mask:
    """Which distinct ids are missing: empty, or the text of a missing value and not `known`."""
    lost = among(ids, sorted(LOST_BY_TOOLS)) & ~np.asarray(known, dtype=bool)
    none: Mask = among(ids, [""]) | lost
    return none


def by_codes(mask: Mask, codes: Codes) -> Mask:
    """A mask of distinct ids, for each row."""
    rows: Mask = mask[codes] if codes.size else np.empty(0, dtype=bool)
    return rows
