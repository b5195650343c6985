"""Names of teams: which are valid, and which look the same."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping
from difflib import SequenceMatcher
from functools import cache

from scorer.core.errors import UsageError
from scorer.core.text import printable, quoted

LONGEST = 100  # characters
ALIKE = 0.8  # the share of equal signs from which a name may be another one mistyped
ORGANIZER = "organizer"  # who decided, in the log


def team_name(name: str, taken: Iterable[str]) -> str:
    """A new name of a team, or a label of a token, unlike those `taken`.

    `UsageError` if it is empty, too long, not printable, only digits, or looks like another.
    """
    fine = name.strip() == name and 0 < len(name) <= LONGEST and printable(name, LONGEST) == name
    if not fine or name.isdigit():
        message = "write up to 100 printable characters, not only digits"
        raise UsageError(f"{quoted(name)} cannot be a name; {message}")
    looks = looks_of(name)
    if (other := next((other for other in taken if looks & looks_of(other)), None)) is not None:
        raise UsageError(f"{quoted(name)} cannot be told from {quoted(other)}, which is taken")
    return name


def mistyped(name: str, known: Iterable[str]) -> str | None:
    """The known name that was most likely meant, if one is alike but for a slip or two.

    Names that differ in their digits alone are meant to differ.

    >>> [mistyped(name, ["red", "team 1", "Ljubljana"]) for name in ("rde", "team 2", "Ljubjana")]
    ['red', None, 'Ljubljana']
    """
    found = [(closeness, other) for other in known if (closeness := _closeness(name, other))]
    return max(found, default=(0.0, None))[1]


def _closeness(name: str, other: str) -> float:
    """How alike two names are, where one may be the other mistyped; else 0."""
    one, two = name.casefold(), other.casefold()
    if re.sub(r"\d+", "", one) == re.sub(r"\d+", "", two):
        return 0.0
    ratio = SequenceMatcher(None, one, two).ratio()
    swapped = sorted(one) == sorted(two)
    slip = len(one) == len(two) > 2 and sum(map(str.__ne__, one, two)) == 1
    return ratio if swapped or slip or ratio >= ALIKE else 0.0


def looks_of(name: str) -> frozenset[str]:
    r"""The look of a name, as written and in small letters; names that share one look alike.

    >>> bool(looks_of("RED") & looks_of("r\u0435d"))
    True
    >>> bool(looks_of("Al") & looks_of("AI")), bool(looks_of("red") & looks_of("rod"))
    (True, False)
    """
    plain = " ".join(unicodedata.normalize("NFKC", name).split())
    return frozenset((_drawn(plain), _drawn(_drawn(plain.casefold()).casefold())))


def _drawn(text: str) -> str:
    """The text with one sign for all that are drawn alike (the skeleton of UTS 39)."""
    signs = _signs()
    for _ in range(2):  # a sign may be replaced by two, which are replaced again
        text = "".join(signs.get(sign, sign) for sign in unicodedata.normalize("NFD", text))
    return text


@cache
def _signs() -> Mapping[str, str]:
    """Map each sign to one sign that represents all signs that are drawn alike."""
    from confusable_homoglyphs.confusables import confusables_data

    def representative(sign: str) -> str:
        others: list[str] = [other["c"].strip("\u200e") for other in confusables_data.get(sign, ())]
        if len(others) != 1:
            return sign  # it resembles several signs, or none
        mutual = len(confusables_data.get(others[0], ())) == 1
        return min(sign, others[0], key=lambda each: (-len(each), each)) if mutual else others[0]

    return {sign: one for sign in confusables_data if (one := representative(sign)) != sign}
