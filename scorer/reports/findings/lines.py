"""Problems as bounded text for participants on platforms: a line each, and one that sums up."""

from __future__ import annotations

from scorer.core.problems import Problem
from scorer.core.text import printable
from scorer.reports.base import Options
from scorer.reports.findings.problems import summary
from scorer.results.findings import CheckedFiles

NAMED = 3  # problems that the last line names


def lines(checked: CheckedFiles, options: Options) -> str:
    """Return at most `options.most` problems, errors first, and a line that sums all up.

    Some platforms show no more than the last line.
    """
    written = []
    for scored in checked.submissions:
        problems = sorted(
            (p for p in scored.problems if p.severity == "error" or not options.quiet),
            key=lambda problem: problem.severity != "error",
        )
        written += list(map(one_line, problems[: options.most]))
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
