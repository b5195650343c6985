"""Problems as lines of text, and the state of a file in a few words."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from scorer.core.problems import SHOWN_PLACES, Findings, Problem, Severity
from scorer.core.text import printable
from scorer.reports.github import no_command

QUOTED = re.compile(r"'((?:[^'\\]|\\.)*)'")
VALUE = re.compile(rf"{QUOTED.pattern}|[0-9][0-9.,]*")  # what differs from place to place
SEVERITIES: tuple[Severity, ...] = ("error", "warning")
SHOWN_FILES = 3  # with the same problem, which are told one by one
CARET_WIDTH, BEFORE = 100, 40  # characters of a line that are shown, and of them before the place


class Shown(NamedTuple):
    """A problem, and how often it is there beyond that."""

    problem: Problem
    rest: int = 0
    lines: Sequence[int] = ()  # some of the other places

    @property
    def but_for_its_file(self) -> tuple[object, ...]:
        """What is equal where the same is found at the same place of another file."""
        problem = self.problem
        return (
            problem.code, problem.severity, problem.line, problem.column, problem.message,
            problem.help, self.rest, *self.lines,
        )  # fmt: skip


InMany = Mapping[tuple[object, ...], Sequence[str]]  # what many files have -> their paths


def counted(findings: Findings, severity: Severity = "error") -> str:
    """How many problems of a severity a file has, and their codes: `300 errors (S306)`."""
    counts = findings.tally(severity)
    count = sum(counts.values())
    return f"{count:,} {severity}{'s' * (count != 1)} ({', '.join(counts)})"


def summary(findings: Findings) -> str:
    """The state of a file in a few words: `fine: 2 warnings (S205)`."""
    lines = [counted(findings, severity) for severity in SEVERITIES if findings.tally(severity)]
    verdict = "would be rejected" if findings.fatal else "fine"
    return f"{verdict}{': ' if lines else ''}{', '.join(lines)}"


def places(findings: Findings, every: bool = False) -> Iterator[Shown]:
    """The problems to show; one that is in many places once, with how many more there are."""
    alike: dict[tuple[str, ...], list[Problem]] = {}
    for problem in findings:
        words = VALUE.sub("", problem.message)
        key = (problem.code, problem.severity, words, problem.help or "")
        alike.setdefault(key, []).append(problem)
    kept = Counter(problem.code for group in alike.values() for problem in group)
    shown: list[Shown] = []
    for (code, *_), group in alike.items():
        at = len(group) if every or len(group) <= SHOWN_PLACES else 1
        shown += [Shown(problem) for problem in group[: at - 1]]
        lines = [problem.line for problem in group[at:] if problem.line is not None]
        uncounted = findings.counts[code] - kept.pop(code, findings.counts[code])
        shown.append(Shown(group[at - 1], len(group) - at + uncounted, lines))
    yield from sorted(shown, key=lambda each: (each.problem.line or 0, each.problem.column or 0))


def in_many(files: Iterable[Findings]) -> InMany:
    """What more than `SHOWN_FILES` files have at the same place, to be told with the first."""
    paths: dict[tuple[object, ...], list[str]] = {}
    for findings in files:
        for shown in places(findings):
            if shown.problem.path == findings.path:
                paths.setdefault(shown.but_for_its_file, []).append(findings.path or "")
    return {key: some for key, some in paths.items() if len(some) > SHOWN_FILES}


def first_error(findings: Findings) -> str:
    """Return the message of the first error, and how many more errors there are.

    >>> findings = Findings("a.csv")
    >>> findings.extend(Problem("S304", f"item '{n}' is given twice") for n in range(3))
    >>> first_error(findings)
    "item '0' is given twice (and 2 more errors)"
    """
    errors = [problem for problem in findings if problem.severity == "error"]
    more = sum(findings.tally("error").values()) - 1
    rest = f" (and {more:,} more error{'s' * (more != 1)})" if more else ""
    return f"{errors[0].message}{rest}"


def errors_of(findings: Findings) -> Findings:
    """The errors alone."""
    errors = Findings(findings.path)
    errors.extend(problem for problem in findings if problem.severity == "error")
    return errors


def format_findings(
    findings: Findings,
    every: bool = False,
    quiet: bool = False,
    excerpts: Mapping[int, str] | None = None,
    option: str = " (--all)",
    told: InMany | None = None,
) -> list[str]:
    """Problems as lines: each once, how many more there are of it, and what would help.

    `every` shows every place that was kept, `quiet` only errors; `excerpts` are lines of the file,
    to be shown with a caret; `option` says how to see all; `told` is what many files have, as
    `in_many` gives it. No line is a command to the runner of a workflow.
    """
    lines: list[str] = []
    helped: set[str] = set()
    for shown in places(errors_of(findings) if quiet else findings, every):
        problem, rest, others = shown
        files = (told or {}).get(shown.but_for_its_file, ())
        if files and files[0] != findings.path:
            continue
        lines.append(str(problem))
        text = (excerpts or {}).get(problem.line or 0)
        if text is not None and problem.path == findings.path:
            lines += excerpt(problem, text)
        if problem.help and problem.help not in helped:
            helped.add(problem.help)
            lines.append(f"  help: {problem.help}")
        if rest > 0:
            where = f", on lines {', '.join(f'{n:,}' for n in others[:3])}" if others else ""
            more = ", ..." if len(others) > 3 else ""
            lines.append(
                f"  and {rest:,} more of {problem.code}{where}{more}{option * (not every)}"
            )
        if files:
            first = ", ".join(map(printable, files[1 : 1 + SHOWN_FILES]))
            more = ", ..." if len(files) > 1 + SHOWN_FILES else ""
            lines.append(f"  the same in {len(files) - 1:,} more files: {first}{more}{option}")
    return list(map(no_command, lines))


def excerpt(problem: Problem, text: str) -> list[str]:
    """The line of a problem, and a caret under the place; nothing where that is not known.

    >>> excerpt(Problem("S501", "score 'x' is no number", line=2, column=3), "a,x")
    ['  2 | a,x', '    |   ^']
    """
    value = match[1] if (match := QUOTED.search(problem.message)) else ""
    at = (problem.column or 0) - 1
    if at < 0 and value and text.count(value) == 1:
        at = text.index(value)
    if not 0 <= at <= len(text):
        return []
    first = max(at - BEFORE, 0)
    shown = printable(text[first : first + CARET_WIDTH], 4 * CARET_WIDTH)
    before = printable(text[first:at], 4 * CARET_WIDTH)
    wide = len(value) if value and text.startswith(value, at) else 1
    number = f"{problem.line}"
    under = " " * cells(before) + "^" * min(wide, len(shown) - len(before) or 1)
    return [f"  {number} | {shown}", f"  {' ' * len(number)} | {under}"]


def cells(text: str) -> int:
    """How many columns of a terminal a text takes."""
    if text.isascii():
        return len(text)
    from rich.cells import cell_len

    return cell_len(text)
