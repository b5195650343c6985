"""The straight line, in the order in which it happens.

challenge.yaml -- Challenge -- measures --+
files -- Columns --(checks)-- Judged -----+-- Scorecard -- Standings -- Report
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from scorer.api.outcomes import score_files, terms_of, to_scored
from scorer.api.report import Report
from scorer.api.splits import restrict_to_lists, restrict_to_split, split_masks
from scorer.api.submissions import (
    Progress,
    SubmissionFile,
    Submissions,
    bind_challenge,
    find_submitted_lists,
    list_baselines,
    list_submissions,
    separate_baselines,
)
from scorer.challenge.model import Challenge
from scorer.core.errors import UsageError
from scorer.core.problems import Problem
from scorer.core.text import join_first, quoted
from scorer.leaderboard.board import Terms, board
from scorer.results import report as results
from scorer.results.json import ABSENT
from scorer.results.report import Scored
from scorer.results.scorecard import Outcome
from scorer.scoring.answers import (
    Answers,
    check_answers,
    is_in_track,
    read_answers_file,
    track_lists,
)
from scorer.scoring.bind import BoundChallenge
from scorer.scoring.open import open_challenge
from scorer.scoring.run import default_jobs


def score(
    challenge: Challenge | BoundChallenge | Path | str,
    submissions: Submissions,
    *,
    allow_plugins: bool = False,
    progress: Progress | None = None,
    splits: Sequence[str] = (),
    answers: Mapping[str, Mapping[str, object]] | Path | str | None = None,
    jobs: int | None = 1,
) -> Report:
    """Check, score and rank submissions; nothing is written.

    Args:
        challenge: a loaded challenge, one whose measures are bound, or the path of its
            challenge.yaml or folder.
        submissions: paths, each named after its file; the path of a folder of them; or a mapping of
            names to paths or data, as `evaluate` takes it.
        allow_plugins: whether the challenge's own metrics may be run.
        progress: called before each submission is read.
        splits: the splits of the lists that boards are of, `all` for all lists: the report is of
            the first, and has the others. Default: all lists, with a board a split.
        answers: what submissions answer to the challenge's questions, by their names:
            `{"one": {"cost": 3.5}}`; or a CSV file with the column `name`, and one a question.
        jobs: how many processes read and score the files; None: one a core if they are large,
            else one. A script that asks for more than one must begin under
            `if __name__ == "__main__":`, since they import it.

    Raises:
        ChallengeError: the challenge itself is wrong.
        PluginError: a metric failed.
        TypeError: submissions are of another type.
        UnknownName: there is no such split.
        UsageError: two submissions have one name, an answer is wrong, or a metric cannot be sent
            to another process.
    """
    bound = bind_challenge(challenge, allow_plugins)
    if splits and bound.challenge.splits is None:
        raise UsageError("this challenge has no splits; splits: in challenge.yaml makes them")
    if answers is None or isinstance(answers, Mapping):
        shown_answers = check_answers(bound.challenge, answers or {})
    else:
        shown_answers = read_answers_file(bound.challenge, Path(answers))
    given = list_submissions(bound, submissions)
    submitted = find_submitted_lists(bound, [*given, *list_baselines(bound)])
    ready = open_challenge(bound, submitted=submitted)
    others, same = separate_baselines(bound, given)
    files = [*others, *list_baselines(bound)]
    if jobs is None:
        paths = dict.fromkeys(file.path for file in given)  # a table has several submissions
        jobs = default_jobs(list(paths), bound.measures)
    outcomes = score_files(ready, files, progress, jobs)
    terms = terms_of(ready)
    report = rank_outcomes(terms, files, outcomes, splits, shown_answers)
    # Runs of a system are one submission of the report.
    is_of_files = not splits and len(report.submissions) == len(files)
    scored = report.submissions if is_of_files else to_scored(terms, files, outcomes)
    warnings = [
        *map(_warn_of_baseline, same),
        *_warn_of_same_bytes(files, scored),
        *_warn_of_low_overlap(files, outcomes),
    ]
    return Report(replace(report, notes=(*report.notes, *warnings)))


def rank_outcomes(
    terms: Terms,
    files: Sequence[SubmissionFile],
    outcomes: Sequence[Outcome],
    splits: Sequence[str],
    answers: Answers,
) -> results.Report:
    """Return the board of all lists or of the first named split, with the boards of other splits.

    Args:
        terms: The terms of the board.
        files: The submissions, for their names; they are not read.
        outcomes: The outcome of each submission.
        splits: The named splits, as `score` takes them.
        answers: Name of a submission -> its answers.

    Raises:
        UnknownName: There is no such split.
        UsageError: No submission is called as in the answers.
    """
    names = [file.name for file in files]
    if answers and not any(name in answers for name in names):
        expected = join_first(list(answers))
        message = f"no submission is called as in the answers ({expected}): {join_first(names)}"
        raise UsageError(message)
    masks = split_masks(terms.challenge, terms.lists, terms.groups, splits)

    def rank_split(split: str | None) -> results.Report:
        part, restricted, scope = restrict_to_split(terms, outcomes, masks, split)
        own_answers = {name: answers[name] for name in names if name in answers}
        ranked = board(part, to_scored(part, files, restricted), own_answers)
        tracks = tuple(_rank_tracks(part, files, restricted, own_answers))
        return replace(ranked, scope=scope or ABSENT, tracks=tracks or ABSENT)

    ranked_splits: list[str | None] = [*dict.fromkeys(splits or masks)]
    first, *others = map(rank_split, ranked_splits or [None])
    splits_beside = tuple(replace(other, other_split=True) for other in others)
    return replace(first, splits=splits_beside or ABSENT)


def _rank_tracks(
    terms: Terms, files: Sequence[SubmissionFile], outcomes: Sequence[Outcome], answers: Answers
) -> Iterator[results.Report]:
    """Yield the board of each track, of the submissions that are in it."""
    for track in terms.challenge.leaderboard.tracks:
        keep = track_lists(track, terms.lists, terms.groups)
        part, restricted = restrict_to_lists(terms, outcomes, keep)
        inside = [
            (file, outcome)
            for file, outcome in zip(files, restricted, strict=True)
            if keep.any() and is_in_track(track, answers.get(file.name, {}))
        ]
        scored = to_scored(part, [file for file, _ in inside], [outcome for _, outcome in inside])
        own_answers = {each.name: answers[each.name] for each in scored if each.name in answers}
        yield replace(board(part, scored, own_answers), track=track, notes=())


def _warn_of_same_bytes(
    files: Sequence[SubmissionFile], scored: Sequence[Scored]
) -> Iterator[Problem]:
    """Yield a warning of each file that holds the very bytes of an earlier one."""
    first: dict[str, Scored] = {}
    for file, submission in zip(files, scored, strict=True):
        if submission.sha256 is None:
            continue
        earlier = first.setdefault(submission.sha256, submission)
        if earlier is submission:
            continue
        noun = "the baseline" if earlier.baseline else "the submission"
        message = f"the file holds the same bytes as that of {noun} {quoted(earlier.name)}"
        yield Problem("S111", message, "warning", file.display)


def _warn_of_baseline(file: SubmissionFile) -> Problem:
    message = "this is a baseline of the challenge, and on the board as one; it is not scored twice"
    return Problem("S110", message, "warning", file.display)


def _warn_of_low_overlap(
    files: Sequence[SubmissionFile], outcomes: Sequence[Outcome]
) -> Iterator[Problem]:
    """Yield a warning for each submission whose items hardly occur in a graded truth."""
    for file, outcome in zip(files, outcomes, strict=True):
        if (found := outcome.overlap) is None:
            continue
        count = f"{found.known:,} of {found.items:,} items" if found.known else "no item"
        occur = "occur" if found.known > 1 else "occurs"
        reason = f"; {found.reason}" if found.reason else ""
        message = f"{count} of {quoted(file.name)} {occur} in the truth{reason}"
        yield Problem("T311", message, "warning", file.display)
