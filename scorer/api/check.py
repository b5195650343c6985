"""Check submissions without opening the answers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, Unpack

from scorer.api.evaluate import ChallengeOrTruth, Columns, Measures, RunRules, bind_data
from scorer.api.outcomes import scored_files
from scorer.api.submissions import (
    Progress,
    SubmissionFile,
    Submissions,
    find_submitted_lists,
    list_submissions,
)
from scorer.api.text import FormName, Renderable, RenderOptions
from scorer.challenge.model import Challenge
from scorer.core.text import printable
from scorer.reading.formats import find_format
from scorer.reading.read import line_texts
from scorer.reports.findings.problems import group_problems
from scorer.results.findings import CheckedFiles
from scorer.results.report import Scored
from scorer.scoring.open import open_challenge


class Checked(Renderable[CheckedFiles], list[Scored]):
    """Submissions that were only checked: `Scored` objects whose values are empty."""

    _subject = "findings"
    _default_form = "text"

    def __init__(self, challenge: Challenge, checked: list[Scored]) -> None:
        list.__init__(self, checked)
        self.challenge = challenge

    def _content(self) -> CheckedFiles:
        """Return the findings as data, from which its forms are written."""
        return CheckedFiles.of(self.challenge, self)

    def render(
        self,
        form: FormName | Literal["github", "lines"] | None = None,
        **options: Unpack[RenderOptions],
    ) -> str:
        """Return the text of one form; `github` and `lines` name each problem in a line."""
        return self._write_form(form, options)

    def __repr__(self) -> str:
        states = [
            f"{printable(submission.name, 40)} "
            f"{'rejected' if submission.findings.fatal else 'fine'}"
            for submission in self[:10]
        ]
        return f"<Checked {', '.join(states)}{', ...' if len(self) > 10 else ''}>"


def check(
    challenge: ChallengeOrTruth,
    submissions: Submissions,
    *,
    measures: Measures | None = None,
    columns: Columns | None = None,
    allow_plugins: bool = False,
    progress: Progress | None = None,
    **rules: Unpack[RunRules],
) -> Checked:
    """Check submissions without reading the answers.

    Args:
        challenge: a loaded challenge, or the path of its challenge.yaml or folder; with `measures`
            the truth: its file, or a data frame or other data of it.
        submissions: paths, each named after its file; the path of a folder of them; or a mapping of
            names to paths or data.
        measures: the measures, such as `["nDCG@10"]`, if there is no challenge.yaml; then
            `challenge` is the truth's file or frame.
        columns: what the frames call their columns, by role; only with `measures`.
        allow_plugins: whether the challenge's own code may be run.
        progress: called before each submission is read.
        rules: what a submission must be, such as `length=10`; only with `measures`.

    Raises:
        ChallengeError: the challenge itself is wrong.
        PluginError: the challenge's own code failed.
        TypeError: the challenge, a submission or a rule is of a kind that is not understood.
        UsageError: two submissions have one name; or a measure, a column or a rule is unknown.
    """
    bound, submissions = bind_data(
        challenge, submissions, measures, columns, allow_plugins, **rules
    )
    files = list_submissions(bound, submissions)
    # If only submissions name the lists, all of them are read for their lists before any is
    # checked: whether one lacks a list depends on the others.
    ready = open_challenge(bound, with_truth=False, submitted=find_submitted_lists(bound, files))
    return Checked(bound.challenge, scored_files(ready, files, progress))


def checked_content(
    challenge: Challenge,
    checked: Sequence[Scored],
    quoted_files: Sequence[SubmissionFile] | None,
    every: bool,
) -> CheckedFiles:
    """Return the findings on files as data, with the lines that have problems where asked for.

    Args:
        challenge: The challenge of the submissions.
        checked: What the checks found in each file.
        quoted_files: The files, if their lines are to be quoted.
        every: Whether lines at all places of a problem are quoted, or some.
    """
    if quoted_files is None:
        return CheckedFiles.of(challenge, checked)
    return CheckedFiles.of(
        challenge, checked, _read_excerpts(challenge, quoted_files, checked, every)
    )


def _read_excerpts(
    challenge: Challenge, files: Sequence[SubmissionFile], checked: Sequence[Scored], every: bool
) -> dict[str, dict[int, str]]:
    """Return the path of each file of text that was checked, with its lines that have problems.

    Args:
        challenge: The challenge of the submissions.
        files: The files.
        checked: What the checks found in each; a repaired copy has another path than the file, and
            gets no excerpt.
        every: Whether all places of a problem are shown, or some.
    """
    excerpts = {}
    for file, scored in zip(files, checked, strict=True):
        lines = (shown.problem.line for shown in group_problems(scored.findings, every))
        wanted = {line for line in lines if line is not None}
        if not wanted or scored.path != file.display or not file.path.is_file():
            continue
        if find_format(file.path, challenge.submission.format).read_bytes is None:
            excerpts[scored.path] = line_texts(file.path, wanted)
    return excerpts
