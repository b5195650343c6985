"""Score data frames of Spark, from a notebook or a job.

    import scorer.spark
    report = scorer.spark.evaluate(session, "challenge.yaml", {"a": frame}, truth=truth)
    values = scorer.spark.values(session, "challenge.yaml", frame, truth)
    problems = scorer.spark.findings(session, report)

`evaluate` brings the truth, small runs and a value for each list home, of very many lists only
sums, and gives a report; `values` brings nothing home and gives a data frame. A run or truth is a
data frame, a path, a URL, or the name of a table that the session knows.
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
from scorer.bytes.address import Address, is_url
from scorer.bytes.limits import NoTable, ReadLimits, Unreadable
from scorer.challenge.model import Challenge
from scorer.core.errors import UsageError
from scorer.core.problems import Findings
from scorer.engines.spark.arrays import spread_truth
from scorer.engines.spark.elsewhere import elsewhere, suits
from scorer.engines.spark.executors import refuse_executors
from scorer.engines.spark.fetch import fetched, refused_truth, write_truth
from scorer.engines.spark.frames import frame_source
from scorer.engines.spark.scoring import Work
from scorer.engines.spark.session import quiet
from scorer.engines.spark.sources import SparkSource, source_of
from scorer.engines.spark.together import outcomes_of_runs
from scorer.engines.spark.truths import learnt, opening_of, plan_of, truth_shapes, truth_source
from scorer.engines.spark.valued import VALUES, valuer
from scorer.formats.form import FileForm
from scorer.leaderboard.board import board
from scorer.leaderboard.board import settled as ruled
from scorer.prepare.answerable import answerable
from scorer.prepare.bind import BoundChallenge, prepare
from scorer.prepare.open import opened

FINDINGS = (
    "name string, severity string, code string, file string, line bigint, list string, "
    "item string, message string, help string"
)


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
    more than 100,000 lists only sums are, where they are enough. So are the rows of runs of up to
    16 MiB, which workers score whole, and of no others.

    Args:
        session: a Spark session, also one of Spark Connect.
        challenge: a loaded challenge, or the path of its challenge.yaml or folder.
        runs: name -> run: a data frame of Spark, a path, URL or table's name.
        truth: the same in place of the challenge's truth.
        allow_plugins: whether the challenge's own metrics may be run.

    Returns:
        The report, as `scorer.score` gives it. Rows of a data frame have no lines.

    Raises:
        ChallengeError: the challenge or the truth is wrong.
        PluginError: a metric failed, or Spark did.
        UsageError: Spark's executors lack scorer.
    """
    with quiet():
        refuse_executors(session)
        prepared, truth = _prepared(session, loaded(challenge), truth, allow_plugins)
        if truth is not None:
            with refused_truth():
                truth = spread_truth(truth, truth_shapes(prepared), _truth_form(prepared))
        runs = {name: _read_by_spark(session, run) for name, run in runs.items()}
        if suits(prepared) and (far := elsewhere(session, prepared, truth)) is not None:
            terms = terms_of(far.ready)
            try:
                outcomes = {name: far.outcome(name, run) for name, run in runs.items()}
            finally:
                far.release()
            scored = [ruled(terms, name, name, outcome) for name, outcome in outcomes.items()]
            return Report.of(board(terms, scored))
        with _truth_here(session, prepared, truth) as settled_challenge:
            ready = answerable(opened(prepared._replace(challenge=settled_challenge)))
            terms, outcomes = terms_of(ready), outcomes_of_runs(session, ready, runs)
            scored = [ruled(terms, name, name, outcomes[name]) for name in runs]
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
        run: a data frame of Spark, a path, URL or table's name.
        truth: the same in place of the challenge's truth.
        allow_plugins: whether the challenge's own metrics may be run.

    Returns:
        A data frame (list, group, measure, value), with a row for each list of the truth and each
        measure; the group of a list that is in none is null, as is a value that does not count, by
        the challenge's rules. Where the run cannot be scored, what is wrong is the error of
        whatever is done with the data frame.

    Raises:
        ChallengeError: the challenge or the truth is wrong.
        UsageError: a measure has no value for a single list, or Spark's executors lack scorer.
    """
    with quiet():
        refuse_executors(session)
        prepared, truth = _prepared(session, loaded(challenge), truth, allow_plugins)
        _refuse_figures(prepared)
        run, limits = _read_by_spark(session, run), ReadLimits(rows=2**62)
        frame = _source(session, prepared, run)
        truths = truth_source(session, prepared, truth, limits, frame.buckets)
        opening = opening_of(prepared, frame.buckets)
        known = learnt(truths, opening)
        plan = plan_of(prepared, opening, known)
        opening = opening.knowing(known, prepared.rules)
        pairs = frame.rows.groupBy("bucket").cogroup(truths.rows.groupBy("bucket"))
        return pairs.applyInArrow(valuer(pickle.dumps(opening), Work.of(plan)), VALUES)


def findings(session: Any, report: Report) -> Any:
    """What is wrong with the runs of a report, as a data frame of Spark.

    Returns:
        A data frame (name, severity, code, file, line, list, item, message, help), with a row for
        each problem that the report has; null is what a problem is not about.
    """
    rows = [
        (submission.name, p.severity, p.code, p.path, p.line, p.list, p.item, p.message, p.help)
        for submission in report.submissions
        for p in submission.findings
    ]
    with quiet():
        return session.createDataFrame(rows, FINDINGS)


def _read_by_spark(session: Any, thing: Any) -> Any:
    """A data frame: that given, or that of a table of that name; else the path or URL, as text."""
    if not isinstance(thing, str | os.PathLike):
        return thing
    name = os.fspath(thing)
    if is_url(name) or os.path.exists(name) or ("/" in name and "`" not in name):
        return name
    from pyspark.errors import PySparkException

    try:
        frame = session.table(name)
        frame.schema  # noqa: B018  # Spark Connect looks for the table only now
    except PySparkException:
        return name
    return frame


def _prepared(
    session: Any, challenge: Challenge, truth: Any, allow_plugins: bool
) -> tuple[BoundChallenge, Any]:
    """The challenge with the truth at a path or URL, or beside it the data frame in its place."""
    truth = _read_by_spark(session, truth)
    if isinstance(truth, str) and os.path.isfile(truth):
        return prepare(challenge.with_truth(Path(truth)), allow_plugins), None
    prepared = prepare(challenge, allow_plugins)  # its own truth may show its kind
    if not isinstance(truth, str):
        return prepared, truth
    url = truth if is_url(truth) else f"file://{os.path.abspath(truth)}"
    return prepared._replace(challenge=prepared.challenge.with_truth(Address(url))), None


def _truth_form(prepared: BoundChallenge) -> FileForm:
    return prepared.challenge.form(prepared.challenge.truth)


@contextmanager
def _truth_here(session: Any, prepared: BoundChallenge, truth: Any) -> Iterator[Challenge]:
    """The challenge with a data frame as its truth, or that at a URL, brought here."""
    challenge = prepared.challenge
    url = str(challenge.truth.file)
    if truth is None and not is_url(url):
        yield challenge
        return
    with tempfile.TemporaryDirectory(prefix="scorer-") as folder:
        if truth is None:
            path = fetched(session, url, Path(folder))
        else:
            form = _truth_form(prepared)
            path = write_truth(truth, truth_shapes(prepared), form, Path(folder))
        yield challenge.with_truth(path)


def _source(session: Any, prepared: BoundChallenge, run: Any) -> SparkSource:
    """A run as Spark reads it; `UsageError` if it cannot be read."""
    problems, submission = Findings(), prepared.challenge.submission
    shapes, limits, form = prepared.shapes, prepared.limits, prepared.challenge.form(submission)
    try:
        if isinstance(run, str | os.PathLike):
            path, format = os.fspath(run), submission.format
            return source_of(session, path, format, shapes, limits, problems, form=form)
        return frame_source(run, "the run", shapes, limits, problems, form=form)
    except (Unreadable, NoTable) as error:
        errors = [error.problem] if isinstance(error, Unreadable) else problems
        raise UsageError("\n".join(map(str, errors))) from None


def _refuse_figures(prepared: BoundChallenge) -> None:
    """Refuse what is no value of single lists.

    Raises:
        UsageError: a measure is a figure of all lists.
    """
    challenge = prepared.challenge
    for measure in prepared.measures:
        if measure.aggregate not in ("mean", "sum"):
            raise UsageError(
                f"{measure.id} has no value for each list; scorer.spark.evaluate gives it"
            )
    if challenge.folds is not None:
        raise UsageError("folds are scored by scorer.spark.evaluate")
