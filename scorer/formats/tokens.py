"""The tokens of a piece of JSON text as arrays: no object is made of any of them.

A piece begins with a member of an array or object, its container, and ends anywhere. What is
not plain there is not told but `Odd`: the text is then read value by value, which says it.
"""

from __future__ import annotations

import re
from functools import cached_property
from json.decoder import scanstring  # type: ignore[attr-defined]
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from scorer.core.arrays import Ints, Mask, spread
from scorer.formats.blocks import BLANK, NEWLINE, QUOTE

if TYPE_CHECKING:
    import polars as pl

Kinds = NDArray[np.uint8]
Offsets = NDArray[np.int32]  # in a piece

WORD, STRING, KEY, COLON, COMMA, ARRAY, ARRAY_END, OBJECT, OBJECT_END = range(1, 10)  # 0: blank
VALUES = (WORD, STRING, ARRAY, OBJECT)
OPEN = {"[": ARRAY, "{": OBJECT}
SIGNS = {'"': STRING, ":": COLON, ",": COMMA, "[": ARRAY, "]": ARRAY_END} | {
    "{": OBJECT,
    "}": OBJECT_END,
    **dict.fromkeys(" \t\r\n", 0),
}
KIND = bytes(SIGNS.get(chr(n), WORD) for n in range(256))
NUMBER = r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?"
WORDS = rf"^(?:{NUMBER}|true|false|null)$"
# what an escape may be where those of quotes and backslashes are gone: no NUL, no half a character
ESCAPES = re.compile(
    rb"\\(?:[/bfnrt]|u(?!0000|[dD][89a-fA-F])[0-9a-fA-F]{4}"
    rb"|u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2})"
)
DEPTH = 50  # of brackets in a member; deeper ones are odd


class Odd(Exception):
    """A piece is not plain, or no JSON."""


def _kind_table(*kinds: int) -> NDArray[np.bool_]:
    return np.isin(np.arange(10), kinds)


IS_VALUE, IS_OPEN = _kind_table(*VALUES), _kind_table(ARRAY, OBJECT)
IS_END, IS_STRING = _kind_table(ARRAY_END, OBJECT_END), _kind_table(STRING, KEY)
STEP = IS_OPEN.astype(np.int8) - IS_END.astype(np.int8)
AFTER = {
    **dict.fromkeys(
        (WORD, STRING, ARRAY_END, OBJECT_END), _kind_table(COMMA, ARRAY_END, OBJECT_END)
    ),
    KEY: _kind_table(*VALUES),
    COMMA: _kind_table(KEY, *VALUES),
    ARRAY: _kind_table(ARRAY_END, *VALUES),
    OBJECT: _kind_table(KEY, OBJECT_END),
}
FOLLOWS = np.array([AFTER.get(kind, _kind_table()) for kind in range(10)]).ravel()


def _parity(mask: Mask) -> NDArray[np.uint8]:
    """1 from each odd of the true places on, to before the next; 64 places at a time."""
    bits = np.packbits(mask, bitorder="little")
    words = np.zeros(-(-bits.size // 8), dtype="<u8")
    words.view(np.uint8)[: bits.size] = bits
    for shift in (1, 2, 4, 8, 16, 32):
        words ^= words << np.uint64(shift)
    odd = np.cumsum(words >> np.uint64(63), dtype=np.uint8) & np.uint8(1)  # after each word
    words[1:] ^= np.negative(odd[:-1].astype(np.uint64))
    return np.unpackbits(words.view(np.uint8), count=mask.size, bitorder="little")


class Tokens:
    """The tokens of a piece's whole members; the first one stands for the container's bracket.

    A colon is no token: the string before it is a `KEY`.

    Args:
        opening: the container's bracket.

    Attributes:
        kind: of each token.
        start: where each begins, a string after its quote.
        end: where a string's or word's characters end.
        parent: the bracket in which each value or name stands, as the place of a token.
        size: where the last whole member ends; 0 where none is whole.
        looked: how many escapes, and texts with escapes, were looked at one by one.

    Raises:
        Odd: the members are not plain.
    """

    def __init__(self, data: bytes, opening: str) -> None:
        self.data, self.size, self.looked = data, 0, 0
        masked, self._escapes = data, b"\\" in data
        if self._escapes:  # other characters for escaped quotes and backslashes
            masked = data.replace(b"\\\\", b"__").replace(b'\\"', b"__")
        quoted = np.frombuffer(masked, dtype=np.uint8) == QUOTE
        inside = _parity(quoted)  # from each opening quote on
        kinds = np.frombuffer(masked.translate(KIND), dtype=np.uint8) & (inside - 1)
        word = kinds == WORD
        found = kinds > WORD
        found[:1] |= word[:1]
        found[1:] |= word[1:] & ~word[:-1]
        place = np.flatnonzero(found).astype(np.int32)
        kind: Kinds = kinds[place].astype(np.uint8, copy=False)
        depth = np.cumsum(STEP.take(kind), dtype=np.int32)
        ended = int(np.argmax(depth < 0)) if depth.size and depth.min() < 0 else 0
        commas = np.flatnonzero((kind == COMMA) & (depth == 0))
        if not ended and not commas.size:
            return
        stop = ended or int(commas[-1])
        self.size = int(place[stop])
        octets = np.frombuffer(data, dtype=np.uint8, count=self.size)
        if ((octets < BLANK) & inside[: self.size].view(bool)).any():
            raise Odd
        if b"\\" in masked:
            rest, self.looked = ESCAPES.subn(b"", masked[: self.size])
            if b"\\" in rest:
                raise Odd
        self._place(place[:stop], kind[:stop], depth[:stop], OPEN[opening])
        texts = np.flatnonzero(IS_STRING.take(self.kind))
        self.start[texts] = np.flatnonzero(quoted)[: 2 * texts.size : 2] + 1
        words = np.flatnonzero(self.kind == WORD)
        self.end[words] = np.flatnonzero(word & ~np.append(word[1:], False))[: words.size] + 1
        self._quoted = octets[inside[: self.size].view(bool)]  # strings, each after its quote
        self._check()

    def _place(self, place: Offsets, kind: Kinds, depth: Offsets, opening: int) -> None:
        """Take the tokens, with colons, and find in which bracket each stands."""
        colons = np.flatnonzero(kind == COLON)
        if colons.size:
            if colons[0] == 0 or (kind[colons - 1] != STRING).any():
                raise Odd
            kind[colons - 1] = KEY
            keep = kind != COLON
            place, kind, depth = place[keep], kind[keep], depth[keep]
        first = np.zeros(1, dtype=np.int32)
        self.kind = np.append(np.uint8(opening), kind)
        self.start, self.end = np.append(first, place), np.append(first, place)
        pairs = self.kind * np.uint8(10)
        pairs[:-1] += self.kind[1:]
        pairs[-1:] += COMMA
        if not FOLLOWS.take(pairs).all() or depth.max(initial=0) > DEPTH:
            raise Odd
        depth = np.append(first, depth) + IS_END.take(self.kind)
        self.inside = np.zeros(self.kind.size, dtype=np.int32)  # of a bracket, itself
        if depth.max(initial=0) < 2:
            opens = np.where(IS_OPEN.take(self.kind), np.arange(self.kind.size), 0)
            self.inside[:] = np.where(depth, np.maximum.accumulate(opens), 0)
        else:
            order = np.argsort(depth.astype(np.uint8), kind="stable").astype(np.int32)
            opens = np.where(IS_OPEN.take(self.kind)[order], np.arange(order.size), 0)
            self.inside[order] = order[np.maximum.accumulate(opens)]
        self.parent = np.append(first, self.inside[:-1])

    def _check(self) -> None:
        """Refuse brackets that do not match, names in arrays, values without names, other words."""
        commas = np.flatnonzero(self.kind == COMMA)
        named = self.kind[commas + 1] == KEY
        ends = np.flatnonzero(IS_END.take(self.kind))
        if (
            (named != (self.kind[self.inside[commas]] == OBJECT)).any()
            or (self.kind[ends] != self.kind[self.inside[ends]] + 1).any()
            or not self.words.str.contains(WORDS).all()
        ):
            raise Odd
        hashes = self.keys.hash().to_numpy() ^ spread(self.parent[self.key_places])
        hashes.sort()
        if (hashes[1:] == hashes[:-1]).any():
            raise Odd

    @cached_property
    def word_places(self) -> Ints:
        """The tokens that are words: numbers, true, false and null."""
        return np.flatnonzero(self.kind == WORD)

    @cached_property
    def words(self) -> pl.Series:
        """All words."""
        return self._raw(self.word_places)

    @cached_property
    def key_places(self) -> Ints:
        """The tokens that are names."""
        return np.flatnonzero(self.kind == KEY)

    @cached_property
    def keys(self) -> pl.Series:
        """All names."""
        return self.texts(self.key_places)

    def is_value(self) -> Mask:
        """Of each token whether it is, or begins, a value."""
        mask = IS_VALUE.take(self.kind)
        mask[0] = False
        return mask

    def begins(self, at: Ints) -> Ints:
        """Where strings, with their quotes, and words begin in the piece."""
        places: Ints = self.start[at].astype(np.int64) - IS_STRING.take(self.kind[at])
        return places

    def texts(self, at: Ints) -> pl.Series:
        """The text of strings and words; none of a string's control characters is there as such."""
        for name in ("keys", "words"):  # which were read to be looked through
            known: pl.Series | None = vars(self).get(name)
            if known is not None and np.array_equal(at, getattr(self, f"{name[:-1]}_places")):
                return known
        if self._escapes:
            return self._unescaped(self._raw(at))
        if not IS_STRING.take(self.kind[at]).all():
            return self._raw(at)
        strings = IS_STRING.take(self.kind)
        if at.size == np.count_nonzero(strings):
            return self._strings
        texts: pl.Series = self._strings.gather((np.cumsum(strings, dtype=np.int32) - 1)[at])
        return texts

    @cached_property
    def _strings(self) -> pl.Series:
        """All strings, where none has an escape."""
        import polars as pl

        texts: pl.Series = pl.Series([self._quoted.tobytes().decode()]).str.split('"')[0][1:]
        return texts

    def _raw(self, at: Ints) -> pl.Series:
        """The characters of strings and words, as they are written."""
        import polars as pl

        if not at.size:
            return pl.Series(dtype=pl.String)
        start, sizes = self.start[at], self.end[at] - self.start[at] + 1
        stops = np.cumsum(sizes, dtype=np.int32)
        places = np.arange(stops[-1], dtype=np.int32)
        places += np.repeat(start - (stops - sizes), sizes)
        octets = np.frombuffer(self.data, dtype=np.uint8)[places]
        octets[stops - 1] = NEWLINE
        texts: pl.Series = pl.Series([octets.tobytes()[:-1].decode()]).str.split("\n")[0]
        return texts

    def _unescaped(self, texts: pl.Series) -> pl.Series:
        places = texts.str.contains("\\", literal=True).arg_true()
        self.looked += len(places)
        read: list[Any] = [scanstring(text + '"', 0)[0] for text in texts[places]]
        return texts.scatter(places, read)
