"""Text of files and errors, made safe to print; numbers, paths and names in sentences."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from difflib import get_close_matches
from pathlib import Path
from typing import Any

# Default_Ignorable_Code_Point of Unicode's DerivedCoreProperties.txt, and the braille pattern
# without a dot: Python counts some of them as printable.
IGNORABLE = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e"
    "\u2060-\u206f\u2800\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufff8"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
# Letters that are written from right to left, by their blocks in Unicode.
RTL_LETTERS = (
    "\u0590-\u0604\u0606-\u061b\u061d-\u08ff\ufb1d-\ufdff\ufe70-\ufefc"
    "\U00010800-\U00010fff\U0001e800-\U0001efff"
)
# Such letters in a row, with their combining marks. One blank or sign between two letters belongs
# to them.
RTL = re.compile(f"[{RTL_LETTERS}](?:[{RTL_LETTERS}\u0300-\u036f]|[ ,.'\"_-](?=[{RTL_LETTERS}]))*")
LEFT_TO_RIGHT = "\u200e"  # a mark without width
KIT = "scorer-kit-"  # begins the name of a temporary folder into which a kit is unpacked
LONGEST_PLAIN = 10  # characters of a number that is shown without an exponent
MOST_MARKS = 4  # combining marks in a row; more would be drawn over the lines above and below


def nearest(name: str, known: Iterable[str]) -> str | None:
    """Return the known name that is most similar to a name in any case; None if none is near."""
    folded = {k.casefold(): k for k in known}
    matches = get_close_matches(name.casefold(), folded, n=1, cutoff=0.6)
    return folded[matches[0]] if matches else None


def suggest(name: str, known: Iterable[str], otherwise: str = "") -> str:
    """Return the end of a message on an unknown name: the nearest known one, else `otherwise`.

    >>> suggest("mael", ["male", "old"]), suggest("x", ["male", "old"])
    ("; did you mean 'male'?", '')
    """
    similar = nearest(name, known)
    return f"; did you mean {quoted(similar)}?" if similar else otherwise


def unit(called: Mapping[str, str], count: int = 2) -> str:
    """Return what a challenge calls its lists: `users` if their column is `userId`.

    Args:
        called: role -> the challenge's word for it. If the word for `list` is no noun, such as
            `id`, the one for `unit` is taken, or "list".
        count: How many lists there are; the noun is in the singular for 1.
    """
    word = re.sub(r"(?<=[a-z])I[dD]$|[ _-]id$", "", called.get("list", "list"))
    word = {"qid": "query", "uid": "user"}.get(word.casefold(), word).replace("_", " ")
    if not re.fullmatch(r"[A-Za-z][A-Za-z ]*", word) or word == "id":
        word = called.get("unit", "list")
    word = word.lower() if word.istitle() or word.isupper() else word
    return word if count == 1 else plural(word)


def plural(word: str) -> str:
    """Return the plural of an English noun; a word that ends with s is one already.

    >>> plural("query"), plural("index"), plural("users")
    ('queries', 'indexes', 'users')
    """
    if word.endswith("s"):
        return word
    if re.search(r"[^aeiou]y$", word):
        return f"{word[:-1]}ies"
    return f"{word}es" if re.search(r"(x|z|ch|sh)$", word) else f"{word}s"


def display_path(path: Path) -> str:
    """Return a path for messages: in an unpacked kit from the kit on, else relative if below here.

    >>> display_path(Path("/tmp/scorer-kit-x/kit.zip/challenge.yaml"))
    'kit.zip:challenge.yaml'
    """
    kit_at = next((n for n, part in enumerate(path.parts) if part.startswith(KIT)), None)
    if kit_at is not None:
        return ":".join(path.parts[kit_at + 1 :])
    try:
        return str(path.relative_to(Path.cwd()))
    except (ValueError, OSError):  # not below it; or it has been deleted
        return str(path)


def unseen(text: str) -> str | None:
    r"""Return the first character that is a control or is drawn as nothing; None without one.

    >>> unseen("a b"), unseen("a\u3164b")
    (None, '\u3164')
    """
    if text.isprintable() and not IGNORABLE.search(text):
        return None
    return next((c for c in text if not c.isprintable() or IGNORABLE.match(c)), None)


def printable(text: object, width: int = 200) -> str:
    r"""Return a text that is safe to print, cut in the middle if it is longer than `width`.

    Controls, characters that are drawn as nothing, and all but the first MOST_MARKS combining marks
    in a row are escaped.

    >>> print(printable("a\x1b[31mb\u3164"))
    a\x1b[31mb\u3164
    >>> printable("abcdefghij", width=5)
    'ab…ij'
    """
    message = str(text)
    if len(message) > width:
        half = (width - 1) // 2
        message = f"{message[:half]}…{message[-half:]}"
    if message.isascii() and message.isprintable():
        return message
    characters = []
    marks = 0
    for c in message:
        marks = marks + 1 if unicodedata.category(c)[0] == "M" else 0
        is_safe = c.isprintable() and not IGNORABLE.match(c) and marks <= MOST_MARKS
        characters.append(c if is_safe else c.encode("unicode_escape", "surrogatepass").decode())
    return "".join(characters)


def isolate_rtl(line: str) -> str:
    r"""Return a line with marks around text from right to left, so that columns keep their order.

    >>> ascii(isolate_rtl("1  \u05d0\u05d1  0.5"))
    "'1  \\u200e\\u05d0\\u05d1\\u200e  0.5'"
    """
    if line.isascii():
        return line
    return RTL.sub(rf"{LEFT_TO_RIGHT}\g<0>{LEFT_TO_RIGHT}", line)


def format_number(value: float, decimals: int = 4, sign: str = "") -> str:
    """Return a number with so many decimals, or fewer if there were over `decimals` + 2 digits.

    `sign` is the sign option of a format: `+` shows it always. Zero has no minus.

    >>> [format_number(value) for value in (0.25, 98.76543, 8718.013, 17844.9256, 454517.09, -1e-9)]
    ['0.2500', '98.7654', '8718.01', '17844.9', '454517', '0.0000']
    """
    whole = len(f"{abs(value):.0f}")
    return f"{value:{sign}z.{max(min(decimals, decimals + 2 - whole), 0)}f}"


def format_exact(value: float) -> str:
    """Return a text of a number that no other number has, as short as it can be.

    >>> [format_exact(value) for value in (1000.0, -0.5, 1e-9, 1e12, 0.1 + 0.2)]
    ['1000', '-0.5', '1e-9', '1e12', '0.30000000000000004']
    """
    if not math.isfinite(value):
        return f"{value:g}"
    exact = Decimal(repr(float(value))).normalize()
    plain = f"{exact:f}"
    return plain if len(plain) <= LONGEST_PLAIN else f"{exact}".lower().replace("e+", "e")


def describe_range(number: float, low: float, high: float) -> str:
    """Return the words for a number that is out of its range."""
    return f"{format_exact(number)} is outside {format_exact(low)} to {format_exact(high)}"


def format_distinct(*values: float, digits: int = 6) -> list[str]:
    """Return numbers with so many significant digits, or more where different ones looked alike.

    >>> format_distinct(17.2572, 12), format_distinct(17.25721234, 17.2572)
    (['17.2572', '12'], ['17.25721', '17.2572'])
    """
    different = len(set(values))
    texts = [f"{value:.{digits}g}" for value in values]
    while len(set(texts)) < different and digits < 17:  # as many as tell all floats apart
        digits += 1
        texts = [f"{value:.{digits}g}" for value in values]
    return texts


def describe_exception(error: BaseException) -> str:
    """Return an exception of third-party code in a line: its type and its message."""
    try:
        return f"{type(error).__name__}: {printable(error)}"
    except Exception:  # its `__str__` may fail, too
        return type(error).__name__


def quoted(text: object, width: int = 60) -> str:
    """Return a printable text in single quotes, for an id or a cell inside a sentence."""
    return f"'{printable(text, width)}'"


def suggest_renaming(similar: Mapping[str, str]) -> str:
    """Return the end of a message on missing names: which found ones may be meant.

    >>> suggest_renaming({"list": "ist", "item": "itm"})
    "; rename 'ist' to 'list' and 'itm' to 'item'?"

    Args:
        similar: Missing name -> the found name that is like it; the first three are mentioned.
    """
    renamed = [f"{quoted(old)} to {quoted(new)}" for new, old in similar.items()][:3]
    return f"; rename {' and '.join(renamed)}?" if renamed else ""


def join_first(names: Sequence[Any], most: int = 3) -> str:
    """Return the first few of many names, for a sentence: `'a', 'b', 'c' and 1,204 more`."""
    message = ", ".join(quoted(name) for name in names[:most])
    return f"{message} and {len(names) - most:,} more" if len(names) > most else message
