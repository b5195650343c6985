"""Score data frames of Spark, from a notebook or a job.

    import scorer.spark
    report = scorer.spark.evaluate(session, "challenge.yaml", {"a": frame}, truth=truth)
    values = scorer.spark.values(session, "challenge.yaml", frame, truth)

`evaluate` brings the truth and a value for each list home, of very many lists only sums, and gives
a report; `values` brings nothing home and gives a data frame.

Stability: public.
"""

from __future__ import annotations

import os
import pickle
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from scorer.api.report import Report
from scorer.api.submissions import loaded, terms_of
from scorer.bytes.limits import NoTable, ReadLimits, Unreadable
from scorer.challenge.model import Challenge
from scorer.core.errors import UsageError
from scorer.core.problems import Findings
from scorer.engines.spark.elsewhere import elsewhere, suits
from scorer.engines.spark.outcomes import job, returned, settled
from scorer.engines.spark.scoring import Work
from scorer.engines.spark.session import quiet
from scorer.engines.spark.sources import SparkSource, frame_source, source_of
from scorer.engines.spark.truths import learnt, opening_of, plan_of, truth_source
from scorer.engines.spark.valued import VALUES, valuer
from scorer.formats.form import PLAIN
from scorer.leaderboard.board import board
from scorer.leaderboard.board import settled as ruled
from scorer.prepare.answerable import answerable
from scorer.prepare.bind import BoundChallenge, prepare
from scorer.prepare.open import OpenChallenge, opened
from scorer.results.scorecard import Outcome


def evaluate(
    session: Any,
    challenge: Challenge | Path | str,
    runs: Mapping[str, Any],
    truth: Any = None,
    *,
    allow_plugins: bool = False,
) -> Report:
    """Score runs that Spark has or reads.

    The truth, and for each run a value of every list and measure, are brought to this process; of
    more than 100,000 lists only sums are, where they are enough. The rows of the runs never are.

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
    with quiet():
        prepared = prepare(loaded(challenge), allow_plugins)
        if suits(prepared) and (far := elsewhere(session, prepared, truth)) is not None:
            terms = terms_of(far.ready)
            try:
                outcomes = {name: far.outcome(name, run) for name, run in runs.items()}
            finally:
                far.release()
            scored = [ruled(terms, name, name, outcome) for name, outcome in outcomes.items()]
            return Report.of(board(terms, scored))
        with _with_truth(prepared.challenge, truth) as settled_challenge:
            ready = answerable(opened(prepared._replace(challenge=settled_challenge)))
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
        frame, limits = _source(session, prepared, run), ReadLimits(rows=2**62)
        truths = truth_source(session, prepared, truth, limits, frame.buckets)
        opening = opening_of(prepared, frame.buckets)
        known = learnt(truths, opening)
        plan = plan_of(prepared, opening, known)
        opening = opening.knowing(known, prepared.rules)
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
        table = pl.from_arrow(truth.toArrow())
        assert isinstance(table, pl.DataFrame)
        table.write_parquet(path)
        yield challenge.with_truth(path)


def _outcome(session: Any, ready: OpenChallenge, work: Work, name: str, run: Any) -> Outcome:
    """The outcome of a run."""
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
) -> SparkSource:
    """A run as Spark reads it.

    Raises:
        UsageError: it cannot be read, and there are no findings that would take what is wrong.
    """
    problems = Findings() if findings is None else findings
    limits, format = prepared.limits, prepared.challenge.submission.format
    try:
        if isinstance(run, str | os.PathLike):
            path = os.fspath(run)
            return source_of(session, path, format, prepared.shapes, limits, problems)
        return frame_source(run, "the run", prepared.shapes, limits, problems)
    except (Unreadable, NoTable) as error:
        if findings is not None:
            raise
        errors = [error.problem] if isinstance(error, Unreadable) else problems
        raise UsageError("\n".join(map(str, errors))) from None


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
