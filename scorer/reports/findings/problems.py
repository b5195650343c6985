"""Problems as lines of text, and the state of a file in a few words."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from scorer.core.problems import SHOWN_PLACES, Findings, Problem, Severity
from scorer.core.text import printable
from scorer.reports.github import escape_commands

QUOTED = re.compile(r"'((?:[^'\\]|\\.)*)'")
VALUE = re.compile(rf"{QUOTED.pattern}|[0-9](?:[0-9.,]*[0-9])?")  # what differs between places
SEVERITIES: tuple[Severity, ...] = ("error", "warning")
SHOWN_FILES = 3  # with the same problem, which are told one by one; of more the first are named
# Codes of what often follows from another problem of the file, which is told before them.
FOLLOWING = frozenset({"S205", "S301", "S401", "S402", "S403", "S404", "S508"})
ALL_OPTION = " (--all)"  # how to see all places, for the command line's own text
CARET_WIDTH, BEFORE = 100, 40  # characters of a line that are shown, and of them before the place


class Shown(NamedTuple):
    """A problem, and how often it is there beyond that."""

    problem: Problem
    rest: int = 0
    lines: Sequence[int] = ()  # some of the other places

    @property
    def words(self) -> tuple[str, ...]:
        """What is equal where several files have the same problem: all but names and numbers."""
        return self.problem.code, self.problem.severity, VALUE.sub("", self.problem.message)


class SharedProblem(NamedTuple):
    """A problem that many files have."""

    problem: Problem  # as the first file has it
    message: str  # with the range of each number
    files: Sequence[str]


SharedProblems = Mapping[tuple[str, ...], SharedProblem]  # by `Shown.words`


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


def group_problems(findings: Findings, every: bool = False) -> Iterator[Shown]:
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
    found = {each.problem.code for each in shown}
    for each in sorted(shown, key=_cause_first):
        # A column that should have been another one is not told twice.
        if not (each.problem.code == "S205" and "S201" in found):
            yield each


def _cause_first(shown: Shown) -> tuple[bool, int, int]:
    problem = shown.problem
    return problem.code in FOLLOWING, problem.line or 0, problem.column or 0


def shared_problems(files: Iterable[Findings]) -> SharedProblems:
    """Return the problems that more than `SHOWN_FILES` files have."""
    found: dict[tuple[str, ...], dict[str, list[Problem]]] = {}
    for findings in files:
        for shown in group_problems(findings):
            if shown.problem.path == findings.path:
                by_file = found.setdefault(shown.words, {})
                by_file.setdefault(findings.path or "", []).append(shown.problem)
    return {
        words: _shared(by_file) for words, by_file in found.items() if len(by_file) > SHOWN_FILES
    }


def _shared(by_file: Mapping[str, Sequence[Problem]]) -> SharedProblem:
    problems = [problem for of_file in by_file.values() for problem in of_file]
    values = [[found[0] for found in VALUE.finditer(problem.message)] for problem in problems]
    ranges = iter([_range(column) for column in zip(*values, strict=True)])
    message = VALUE.sub(lambda _: next(ranges), problems[0].message)
    return SharedProblem(problems[0], message, list(by_file))


def _range(texts: Sequence[str]) -> str:
    """Return the least and the greatest of numbers, or the first of names.

    >>> _range(["46", "57", "51"]), _range(["'a'", "'b'"]), _range(["'a'", "'a'"])
    ('46 to 57', "'a', ...", "'a'")
    """
    different = list(dict.fromkeys(texts))
    if len(different) == 1:
        return texts[0]
    if any(text.startswith("'") for text in texts):
        return f"{texts[0]}, ..."
    by_size = sorted(different, key=lambda text: float(text.replace(",", "")))
    return f"{by_size[0]} to {by_size[-1]}"


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


def format_files(files: Sequence[Findings], every: bool = False) -> list[str]:
    """Return the problems of files as lines, file by file, and last what many files have.

    `every` shows every place in each file that was kept.
    """
    shared = {} if every else shared_problems(files)
    lines = [
        line
        for findings in files
        for line in format_findings(findings, every, option=ALL_OPTION, shared=shared)
    ]
    return [*lines, *format_shared(shared)]


def format_shared(shared: SharedProblems) -> list[str]:
    """Return a line for each problem of many files, with what would help and the first files."""
    lines = []
    for problem, message, files in shared.values():
        count = f"{len(files):,} files"
        lines.append(f"{problem.severity}[{problem.code}] in {count}: {message}")
        if problem.help:
            lines.append(f"  help: {problem.help}")
        first = ", ".join(map(printable, files[:SHOWN_FILES]))
        lines.append(f"  in {first} and {len(files) - SHOWN_FILES:,} more{ALL_OPTION}")
    return list(map(escape_commands, lines))


def format_findings(
    findings: Findings,
    every: bool = False,
    quiet: bool = False,
    excerpts: Mapping[int, str] | None = None,
    option: str = "",
    shared: SharedProblems | None = None,
    heading: str | None = None,
) -> list[str]:
    """Return problems as lines: each once, how many more there are of it, and what would help.

    A file's path is a heading where it has several problems, and else begins the line of the one.

    Args:
        findings: The problems.
        every: Whether to show every place that was kept.
        quiet: Whether to leave out warnings.
        excerpts: Line number -> its text, shown with a caret.
        option: How to see all places, if the reader can.
        shared: What many files have, which is left out.
        heading: A line that stands above the problems in any case, in place of the path; where it
            is empty nothing does, and no line has the path.
    """
    shown = [
        each
        for each in group_problems(errors_of(findings) if quiet else findings, every)
        if each.words not in (shared or {}) or each.problem.path != findings.path
    ]
    own = [each for each in shown if each.problem.path == findings.path]
    several = len(own) > 1 and findings.path is not None
    grouped = several if heading is None else heading != ""
    lines = [heading or f"{printable(findings.path)}:"] if grouped else []
    helped: set[str] = set()
    for each in sorted(shown, key=lambda each: each.problem.path != findings.path):
        problem, is_own = each.problem, each.problem.path == findings.path
        is_named = is_own and (grouped or heading is not None)
        of_problem = [str(replace(problem, path=None) if is_named else problem)]
        text = (excerpts or {}).get(problem.line or 0)
        if text is not None and is_own:
            of_problem += excerpt(problem, text)
        if problem.help and problem.help not in helped:
            helped.add(problem.help)
            of_problem.append(f"  help: {problem.help}")
        if each.rest > 0:
            where = ", ".join(f"{n:,}" for n in each.lines[:3])
            where = f", on lines {where}{', ...' * (len(each.lines) > 3)}" if where else ""
            more = f"and {each.rest:,} more of {problem.code}"
            of_problem.append(f"  {more}{where}{option * (not every)}")
        lines += [f"{'  ' * (grouped and is_own)}{line}" for line in of_problem]
    return list(map(escape_commands, lines))


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
