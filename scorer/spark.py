"""Score data frames of Spark, from a notebook or a job.

    import scorer.spark
    report = scorer.spark.evaluate(session, "challenge.yaml", {"a": frame}, truth=truth)
    values = scorer.spark.values(session, "challenge.yaml", frame, truth)

`evaluate` brings the truth and a value for each list home and gives a report; `values` brings
nothing home and gives a data frame.
"""

from __future__ import annotations

import os
import pickle
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from scorer.api.report import Report
from scorer.api.submissions import loaded, terms_of
from scorer.challenge.model import Challenge
from scorer.core.errors import ChallengeError, UsageError
from scorer.core.problems import Findings, of_organizer
from scorer.engines.spark.outcomes import job, returned, settled
from scorer.engines.spark.scoring import Work, decoded
from scorer.engines.spark.session import quiet
from scorer.engines.spark.sources import Source, frame_source, source_of, unreadable
from scorer.engines.spark.valued import (
    LEARNT,
    VALUES,
    Opening,
    learner,
    together,
    valuer,
    without_rows,
)
from scorer.io.form import PLAIN
from scorer.io.limits import Limits, NoTable, Unreadable
from scorer.leaderboard.board import board
from scorer.leaderboard.board import settled as ruled
from scorer.prepare.bind import BoundChallenge, prepare
from scorer.prepare.open import OpenChallenge, aids_of, answerable, opened, public, refuse_flat
from scorer.results.scorecard import Outcome
from scorer.scoring.lists import Plan


def evaluate(
    session: Any,
    challenge: Challenge | Path | str,
    runs: Mapping[str, Any],
    truth: Any = None,
    *,
    allow_plugins: bool = False,
) -> Report:
    """Score runs that Spark has or reads.

    The truth, and for each run a value of every list and measure, are brought to this process;
    the rows of the runs are not.

    Args:
        session: a Spark session, also one of Spark Connect.
        challenge: a loaded challenge, or the path of its challenge.yaml or folder.
        runs: name -> run: a data frame of Spark, or a path or URL that Spark reads.
        truth: a data frame in place of the challenge's truth.
        allow_plugins: whether the challenge's own metrics may be run.

    Returns:
        The report, as `scorer.score` gives it. Rows of a data frame have no lines.

    Raises:
        ChallengeError: the challenge or the truth is wrong.
        PluginError: a metric failed, or Spark did.
    """
    with quiet(), _with_truth(loaded(challenge), truth) as settled_challenge:
        ready = answerable(opened(prepare(settled_challenge, allow_plugins)))
        terms, work, scored = terms_of(ready), Work.of(ready.plan), []
        for name, run in runs.items():
            outcome = _outcome(session, ready, work, name, run)
            scored.append(ruled(terms, name, name, outcome))
        return Report.of(board(terms, scored))


def values(
    session: Any,
    challenge: Challenge | Path | str,
    run: Any,
    truth: Any = None,
    *,
    allow_plugins: bool = False,
) -> Any:
    """The value of each list of a run by each measure, as a data frame of Spark.

    Neither the truth nor the run nor the values are brought to this process: lists are scored
    where Spark has put them. The truth is gone through once here, for what measures need of all
    of it.

    Args:
        session: a Spark session, also one of Spark Connect.
        challenge: a loaded challenge, or the path of its challenge.yaml or folder.
        run: a data frame of Spark, or a path or URL that Spark reads.
        truth: a data frame, path or URL in place of the challenge's truth.
        allow_plugins: whether the challenge's own metrics may be run.

    Returns:
        A data frame (list, measure, value), with a row for each list of the truth and each
        measure; a value that does not count, by the challenge's rules, is null. Where the run
        cannot be scored, what is wrong is the error of whatever is done with the data frame.

    Raises:
        ChallengeError: the challenge or the truth is wrong.
        UsageError: a measure has no value for a single list.
    """
    prepared = prepare(loaded(challenge), allow_plugins)
    _refuse_figures(prepared)
    with quiet():
        frame, limits = _source(session, prepared, run), Limits(rows=2**62)
        truths = _truth(session, prepared, truth, limits, frame.buckets)
        opening = _opening(prepared, frame.buckets)
        found = truths.rows.groupBy("bucket").applyInArrow(learner(pickle.dumps(opening)), LEARNT)
        try:
            parts = [decoded(bytes(row["data"])) for row in found.collect()]
        except Exception as error:
            raise ChallengeError(problems=of_organizer([unreadable(error).problem])) from None
        learnt = together(parts, opening).constants
        measures = tuple(measure.settled(learnt) for measure in prepared.measures)
        refuse_flat(prepared.challenge, measures)
        known = opening.public._replace(classes=learnt.classes)
        plan = Plan(
            known._replace(lists={}),
            prepared.challenge.submission,
            prepared.shapes,
            prepared.limits,
            measures,
            prepared.views,
            plugins=tuple(prepared.challenge.plugins),
        )
        opening = replace(opening, public=known, rules=prepared.rules)
        pairs = frame.rows.groupBy("bucket").cogroup(truths.rows.groupBy("bucket"))
        return pairs.applyInArrow(valuer(pickle.dumps(opening), Work.of(plan)), VALUES)


@contextmanager
def _with_truth(challenge: Challenge, truth: Any) -> Iterator[Challenge]:
    """The challenge with a data frame as its truth, which is brought here."""
    if truth is None:
        yield challenge
        return
    import polars as pl

    with tempfile.TemporaryDirectory(prefix="scorer-") as folder:
        path = Path(folder, "truth.parquet")
        made = pl.from_arrow(truth.toArrow())
        assert isinstance(made, pl.DataFrame)
        made.write_parquet(path)
        yield challenge.with_truth(path)


def _outcome(session: Any, ready: OpenChallenge, work: Work, name: str, run: Any) -> Outcome:
    """What becomes of a run."""
    findings, plan = Findings(name), ready.plan
    try:
        source = _source(session, ready.prepared, run, findings)
        back = returned(job(work, source, plan.limits.errors))
    except Unreadable as error:
        findings.add(error.problem)
        return Outcome(findings, None, None)
    except NoTable:
        return Outcome(findings, None, None)
    return settled(plan, source, back, findings, None)


def _source(
    session: Any, prepared: BoundChallenge, run: Any, findings: Findings | None = None
) -> Source:
    """A run as Spark reads it.

    Raises:
        UsageError: where nobody is told of findings, it cannot be read.
    """
    told = Findings() if findings is None else findings
    limits, format = prepared.limits, prepared.challenge.submission.format
    try:
        if isinstance(run, str | os.PathLike):
            path = os.fspath(run)
            return source_of(session, path, format, prepared.shapes, limits, told)
        return frame_source(run, "the run", prepared.shapes, limits, told)
    except (Unreadable, NoTable) as error:
        if findings is not None:
            raise
        problems = [error.problem] if isinstance(error, Unreadable) else told
        raise UsageError("\n".join(map(str, problems))) from None


def _truth(
    session: Any, prepared: BoundChallenge, truth: Any, limits: Limits, buckets: int
) -> Source:
    """A truth as Spark reads it.

    Raises:
        ChallengeError: it cannot be read.
    """
    source, findings = prepared.challenge.truth, Findings()
    shapes = [
        replace(shape, columns=source.columns).with_columns(source.further)
        for shape in prepared.kind.truth
    ]
    try:
        if truth is None or isinstance(truth, str | os.PathLike):
            path = str(source.file) if truth is None else os.fspath(truth)
            format = source.format if truth is None else None
            return source_of(session, path, format, shapes, limits, findings, buckets)
        return frame_source(truth, "the truth", shapes, limits, findings, buckets)
    except (Unreadable, NoTable) as error:
        problems = [error.problem] if isinstance(error, Unreadable) else findings
        raise ChallengeError(problems=of_organizer(problems)) from None


def _opening(prepared: BoundChallenge, buckets: int) -> Opening:
    """What the truth of a bucket is opened with, before it is known what all of it says."""
    source, findings = prepared.challenge.truth, Findings()
    shape = replace(prepared.kind.truth[0], columns=source.columns)
    shape = shape.with_columns(source.further)
    known = public(prepared, without_rows(shape))
    aids = aids_of(prepared, known, findings)
    if findings.fatal:
        raise ChallengeError(problems=findings)
    return Opening(known, aids, prepared.challenge, shape, buckets)


def _refuse_figures(prepared: BoundChallenge) -> None:
    """Refuse what is no value of single lists.

    Raises:
        UsageError: a measure is a figure of all lists, or the challenge is of another form.
    """
    challenge = prepared.challenge
    for measure in prepared.measures:
        if measure.aggregate not in ("mean", "sum"):
            raise UsageError(
                f"{measure.id} has no value for each list; scorer.spark.evaluate gives it"
            )
    if challenge.folds is not None:
        raise UsageError("folds are scored by scorer.spark.evaluate")
    if challenge.form(challenge.truth) != PLAIN or challenge.form(challenge.submission) != PLAIN:
        raise UsageError("Spark reads a row for each item, below the names of the columns")
