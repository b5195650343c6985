"""Problems as lines for platforms: bounded text for participants, GitHub's workflow commands."""

from __future__ import annotations

from scorer.core.problems import Findings, Problem
from scorer.core.text import printable
from scorer.reports.base import Options
from scorer.reports.findings.problems import group_problems, summary
from scorer.reports.github import annotation
from scorer.results.findings import CheckedFiles

NAMED = 3  # problems that the last line names


def lines(checked: CheckedFiles, options: Options) -> str:
    """Return at most `options.max_problems` problems, errors first, and a line that sums all up.

    Some platforms show no more than the last line.
    """
    written = []
    for scored in checked.submissions:
        problems = sorted(
            (p for p in scored.problems if p.severity == "error" or not options.quiet),
            key=lambda problem: problem.severity != "error",
        )
        written += list(map(one_line, problems[: options.max_problems]))
        first = "; ".join(map(one_line, problems[:NAMED]))
        written.append(
            f"{printable(scored.name)} {summary(scored.problems)}" + (f": {first}" if first else "")
        )
    return "\n".join(written) + "\n"


def one_line(problem: Problem) -> str:
    """A problem in a line without the path of its file.

    >>> one_line(Problem("S304", "item 'a' is given twice", path="a.csv", line=3))
    "error[S304] line 3: item 'a' is given twice"
    """
    place = "" if problem.line is None else f" line {problem.line:,}:"
    return printable(f"{problem.severity}[{problem.code}]{place} {problem.message}", 1000)


def github(checked: CheckedFiles, options: Options) -> str:
    """A mark at every problem; every line is a workflow command."""
    lines: list[str] = []
    for scored in checked.submissions:
        lines += workflow_commands(scored.problems, options.every)
    return "".join(f"{line}\n" for line in lines)


def workflow_commands(findings: Findings, every: bool = False) -> list[str]:
    """A file's problems as marks at their lines."""
    lines = []
    for problem, rest, _ in group_problems(findings, every):
        more = f" (and {rest:,} more)" if rest > 0 else ""
        hint = f"\n{problem.help}" if problem.help else ""
        lines.append(
            annotation(
                problem.severity,
                f"{problem.message}{more}{hint}",
                file=problem.path,
                line=problem.line,
                col=problem.column,
                title=problem.code,
            )
        )
    return lines
