"""The texts that students get, and the gradebook."""

from __future__ import annotations

from scorer.api.report import Report, board_of
from scorer.core.errors import UsageError
from scorer.core.text import quoted
from scorer.reading.write import file_name
from scorer.reports.base import Options
from scorer.reports.leaderboard.cells import board_precision
from scorer.reports.leaderboard.feedback import feedback as feedback_text
from scorer.reports.leaderboard.feedback import feedback_of_absent, grades
from scorer.results.report import Report as BoardReport

GRADEBOOK = "grades.csv"


def feedback(
    report: Report | BoardReport, *, precision: int | None = None, hide_values: bool = False
) -> dict[str, str]:
    """Return a text for each submission, and with `grading` the gradebook: file name -> content.

    A text has the points, the values, the rank, and the problems of the file; grades.csv has
    the columns id, points and feedback. Teams that have no submission that counts get a text, too.

    Args:
        report: What `score` or `evaluate` returned, or of a living board `Board.board`; only what
            may be published of it is written.
        precision: The decimals of values; by default the board's.
        hide_values: Whether to leave out values, ranks, points and grades.csv.

    Raises:
        UsageError: There is no submission, or two would have one file.
    """
    public = board_of(report).published()
    decimals = board_precision(public, precision)
    texts = {
        scored.name: feedback_text(public, scored, decimals, hide_values)
        for scored in public.submissions
        if not scored.baseline
    }
    texts |= {team: feedback_of_absent(public, team, decimals) for team in public.absent}
    files: dict[str, str] = {}
    for name, text in texts.items():
        file = f"{file_name(name)}.txt"
        if file in files:
            raise UsageError(f"two submissions would be written to {quoted(file)}")
        files[file] = text
    if public.definition.grading is not None and not hide_values:
        files[GRADEBOOK] = grades(public, Options(decimals, distinct=precision is None))
    if not files:
        raise UsageError("there is no submission to write about")
    return files
