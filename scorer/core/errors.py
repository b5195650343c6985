"""What goes wrong, and for whom.

ScorerError
├── UsageError             the command's words, or where its output should go     exit 2
├── ChallengeError         challenge.yaml, the truth, an organizer's file         exit 2
├── SubmissionRejected     a participant's file; the others are still scored      exit 1
└── PluginError            a metric, ours or a plugin's: "not your fault"         exit 4

A `Problem` is a record of one thing wrong in one file; the exceptions carry
problems to the edge.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Literal

Severity = Literal["error", "warning"]

PLACES = 5  # how many places of one code are shown unless all are asked for
KEPT = 10_000  # how many places of one code are ever kept, so that memory stays bounded


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing wrong in one file: what, where, and what would help."""

    code: str
    message: str
    severity: Severity = "error"
    path: str | None = None
    line: int | None = None  # physical line of the decompressed file, from 1
    column: int | None = None  # character in that line, from 1
    list: str | None = None
    item: str | None = None
    help: str | None = None
    times: int = 1  # in how many places the problem stands for itself ("18 rows")

    def __str__(self) -> str:
        """`PATH:LINE:COL: severity[CODE] what`, as compilers and editors write it."""
        place = [shown(self.path) if self.path else None, self.line, self.column]
        where = "".join(f"{part}:" for part in place if part is not None)
        return f"{where}{' ' if where else ''}{self.severity}[{self.code}] {self.message}"


class Findings:
    """Problems as they are found: the first places of each code, and how many there were."""

    def __init__(self, path: str | None = None, kept: int = KEPT) -> None:
        self.path = path
        self.counts: Counter[str] = Counter()
        self._kept = kept
        self._problems: list[Problem] = []
        self._errors = False

    def add(self, problem: Problem) -> None:
        """Keep `problem`, or only count it when its code has been seen often enough."""
        self._errors |= problem.severity == "error"
        if self.counts[problem.code] >= self._kept:
            self.counts[problem.code] += problem.times
            return
        self.counts[problem.code] += 1
        self._problems.append(problem if problem.path else replace(problem, path=self.path))

    def extend(self, problems: Iterable[Problem]) -> None:
        """Add each of `problems`."""
        for problem in problems:
            self.add(problem)

    def __iter__(self) -> Iterator[Problem]:
        """In the order of the file; what concerns the whole file first."""
        return iter(sorted(self._problems, key=lambda p: (p.line or 0, p.column or 0, p.code)))

    def __len__(self) -> int:
        return len(self._problems)

    @property
    def fatal(self) -> bool:
        """Whether any is an error, so that the file cannot be scored."""
        return self._errors


class ScorerError(Exception):
    """Whatever scorer says no to. The message is written for a person."""

    exit_code = 2

    def __init__(self, message: str = "", problems: Iterable[Problem] = ()) -> None:
        self.problems = tuple(problems)
        super().__init__(message or "\n".join(map(str, self.problems)))


class UsageError(ScorerError):
    """The command's words do not fit together, or its output cannot be written."""


class ChallengeError(ScorerError):
    """The organizer's side is wrong: challenge.yaml, the truth, another of its files."""


class SubmissionRejected(ScorerError):
    """A submission cannot be scored; `problems` say why."""

    exit_code = 1


class PluginError(ScorerError):
    """A metric (or another plugin) raised or gave nonsense: nobody's file is at fault."""

    exit_code = 4


class UnknownName(ScorerError):
    """No thing of that kind has that name."""

    def __init__(self, kind: str, name: str, known: Sequence[str]) -> None:
        self.kind, self.name, self.near = kind, name, nearest(name, known)
        hint = f"; did you mean {quoted(self.near)}?" if self.near else ""
        super().__init__(f"no {kind} is called {quoted(name)}{hint}")


def nearest(name: str, known: Iterable[str]) -> str | None:
    """The known name most like `name`, if any is like it at all."""
    folded = {k.casefold(): k for k in known}
    found = get_close_matches(name.casefold(), folded, n=1, cutoff=0.6)
    return folded[found[0]] if found else None


def near(path: Path) -> str:
    """A file's path as one would write it here, where it is below; for messages."""
    try:
        return str(path.relative_to(Path.cwd()))
    except (ValueError, OSError):  # elsewhere; or here has been deleted
        return str(path)


def shown(text: object, width: int = 200) -> str:
    r"""Text from outside, safe to print: controls escaped, what is long cut in the middle.

    >>> print(shown("a\x1b[31mb"))
    a\x1b[31mb
    >>> shown("abcdefghij", width=5)
    'ab…ij'
    """
    said = str(text)
    if len(said) > width:
        half = (width - 1) // 2
        said = f"{said[:half]}…{said[-half:]}"
    return "".join(c if c.isprintable() else c.encode("unicode_escape", "surrogatepass").decode()
                   for c in said)  # fmt: skip


def raised(error: BaseException) -> str:
    """What code that is not ours raised, in a line."""
    try:
        return f"{type(error).__name__}: {shown(error)}"
    except Exception:  # its own words may fail too
        return type(error).__name__


def quoted(text: object, width: int = 60) -> str:
    """`shown` in single quotes, for an id or a cell inside a sentence."""
    return f"'{shown(text, width)}'"


def some(names: Sequence[Any], most: int = 3) -> str:
    """The first few of many names, in a sentence: `'a', 'b', 'c' and 1,204 more`."""
    said = ", ".join(quoted(name) for name in names[:most])
    return f"{said} and {len(names) - most:,} more" if len(names) > most else said
