"""Text from outside, made safe to print."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Any


def nearest(name: str, known: Iterable[str]) -> str | None:
    """The known name most like `name`, if any is like it at all."""
    folded = {k.casefold(): k for k in known}
    found = get_close_matches(name.casefold(), folded, n=1, cutoff=0.6)
    return folded[found[0]] if found else None


def display_path(path: Path) -> str:
    """A file's path as one would write it here, where it is below; for messages."""
    try:
        return str(path.relative_to(Path.cwd()))
    except (ValueError, OSError):  # elsewhere; or here has been deleted
        return str(path)


def printable(text: object, width: int = 200) -> str:
    r"""Text from outside, safe to print: controls escaped, what is long cut in the middle.

    >>> print(printable("a\x1b[31mb"))
    a\x1b[31mb
    >>> printable("abcdefghij", width=5)
    'ab…ij'
    """
    message = str(text)
    if len(message) > width:
        half = (width - 1) // 2
        message = f"{message[:half]}…{message[-half:]}"
    return "".join(c if c.isprintable() else c.encode("unicode_escape", "surrogatepass").decode()
                   for c in message)  # fmt: skip


def describe_exception(error: BaseException) -> str:
    """What code that is not ours raised, in a line."""
    try:
        return f"{type(error).__name__}: {printable(error)}"
    except Exception:  # its own words may fail too
        return type(error).__name__


def quoted(text: object, width: int = 60) -> str:
    """`printable` in single quotes, for an id or a cell inside a sentence."""
    return f"'{printable(text, width)}'"


def join_first(names: Sequence[Any], most: int = 3) -> str:
    """The first few of many names, in a sentence: `'a', 'b', 'c' and 1,204 more`."""
    message = ", ".join(quoted(name) for name in names[:most])
    return f"{message} and {len(names) - most:,} more" if len(names) > most else message
