"""Score data frames of Spark: its workers score the lists, this process ranks the submissions.

    import scorer.spark
    report = scorer.spark.evaluate(session, "challenge.yaml", {"a": frame})
    values = scorer.spark.values(session, "challenge.yaml", frame)

The truth is opened in this process, as for files. Its rows and a run's are grouped by a hash
of their list, and each bucket of lists is scored by one call in a worker. What has one value for
all lists together, such as AUROC, needs all rows in one place: these are collected.
"""

from __future__ import annotations

import os
import pickle
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import polars as pl

from scorer.api.outcomes import score_files, terms_of
from scorer.api.report import Report
from scorer.api.score import rank_outcomes
from scorer.api.submissions import (
    SubmissionFile,
    bind_challenge,
    list_baselines,
    refuse_equal_names,
    submission_name,
)
from scorer.challenge.model import Challenge
from scorer.checks.base import CountedProblem, SubmissionRows, examine
from scorer.checks.ids import IdIndex, PublicIds
from scorer.core.arrays import Ints
from scorer.core.errors import PluginError, ScorerError, SubmissionRejected, UsageError
from scorer.core.problems import Findings, Problem
from scorer.core.text import describe_exception, printable, quoted
from scorer.kinds.base import Kind, PublicSources, SideTables
from scorer.reading.formats import SUFFIXES, format_suffix
from scorer.reading.layout import separator_of
from scorer.reading.limits import ReportedError, UnreadableError, accept_rows
from scorer.reading.numbers import cast_numbers
from scorer.reading.parquet import cell_column, match_columns
from scorer.reading.schema import ORDERED, holds_text
from scorer.reading.table import NO_TEXTS, Cells, ReadRequest, Table
from scorer.reading.trec import SECOND_FIELDS, match_trec_schema, trec_positions
from scorer.results.scorecard import UNDEFINED, Outcome, Rules, Scorecard
from scorer.scoring.aggregate import values_of_lists
from scorer.scoring.answers import Answers, read_answers_file
from scorer.scoring.bind import BoundChallenge, bind
from scorer.scoring.lists import truth_schemas
from scorer.scoring.open import OpenChallenge, open_challenge, read_side_tables
from scorer.scoring.submission import (
    Checked,
    Plan,
    check_table,
    join_checked,
    score_table,
    score_views,
)
from scorer.scoring.tables import read_table
from scorer.views.diverse import Diverse
from scorer.views.preferences import Positions
from scorer.views.values import CSV, Frames

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import Column, DataFrame, SparkSession

    # From the work, and the rows of a bucket of truth and run, to rows for Spark.
    ScoreBucket = Callable[["_Work", pl.DataFrame, pl.DataFrame], pa.Table]

# Kinds that are scored in buckets. Tables of other kinds have one row per list, no more than the
# values that would come back, and are collected.
BUCKET_KINDS = frozenset({"grades", "ratings", "preferences"})
# Views of all rows: files as CSV, comparisons of items, and subtopics, whose gains are added in
# the order in which the whole truth names them.
WHOLE_VIEWS = frozenset({Frames, Positions, Diverse})
BUCKETS = "spark.sql.shuffle.partitions"  # the setting that says how many buckets there are
BUCKET, LINE, PLACE = "bucket", "line", "place"  # columns that are not roles
VALUES = "list string, group string, measure string, value double"
SCORED = f"{BUCKET} binary"
# The codes of problems of all lists together, which are looked for when all buckets are scored.
OF_ALL_LISTS = frozenset({"S103", "S301", "S302", "S311"})
# Mentions of rows in messages; the rows of a data frame have no numbers.
LINES_IN_MESSAGE = re.compile(r" \((?:first on line [\d,]+|lines [\d,]+ and [\d,]+)\)")
# A line of an error of Java that names an exception and says what went wrong.
CAUSE = re.compile(r"(?:Caused by: )?[\w.$]*(?:Exception|Error|Interrupt): (?P<what>.*\S)")
MALFORMED = "MALFORMED_RECORD_IN_PARSING"  # in errors of Spark's readers of CSV and JSON Lines
WITHOUT = "score it without --engine spark"
NO_ORDER = "the rows of a data frame have no order"


def evaluate(
    session: SparkSession,
    challenge: Challenge | BoundChallenge | Path | str,
    runs: Mapping[str, DataFrame],
    truth: DataFrame | None = None,
    *,
    allow_plugins: bool = False,
) -> Report:
    """Return the report of runs that are data frames, as `scorer.score` gives it of files.

    Args:
        session: A session of Spark, also one of Spark Connect.
        challenge: A loaded challenge, or the path of its challenge.yaml or folder.
        runs: name -> a data frame whose columns are called as the challenge says.
        truth: The same in place of the challenge's truth; its rows are collected.
        allow_plugins: Whether the challenge's own metrics may be run.

    Raises:
        ChallengeError: The challenge or the truth is wrong.
        PluginError: A metric failed, or a job of Spark.
        UsageError: Spark cannot score such a challenge.
    """
    files = {SubmissionFile(name, Path(name), label=name): run for name, run in runs.items()}
    with _bind_truth(challenge, truth, allow_plugins) as prepared:
        return _evaluate(session, prepared, files)


def values(
    session: SparkSession,
    challenge: Challenge | BoundChallenge | Path | str,
    run: DataFrame,
    truth: DataFrame | None = None,
    *,
    allow_plugins: bool = False,
) -> DataFrame:
    """Return a data frame of the values of a run: list, group, measure, value.

    It has a row for each list of the truth and each measure. A value that does not count by the
    challenge's rules is null, as is the group of a list that is in none. If the run is wrong,
    whatever is done with the data frame fails, and the error says why.

    The arguments are as in `evaluate`.

    Raises:
        ChallengeError: The challenge or the truth is wrong.
        SubmissionRejected: The run has not the columns of a submission.
        UsageError: A measure has no value for a single list.
    """
    with _bind_truth(challenge, truth, allow_plugins) as prepared:
        ready = _open(prepared)
        without = [measure.id for measure in ready.measures if not measure.of_lists]
        if why := _no_value(without[0]) if without else _reason_to_collect(ready):
            raise UsageError(f"{why}; scorer.spark.evaluate scores this challenge")
        findings = Findings("the run")
        rows = _select_rows(ready, run, findings)
        if rows is None:
            raise SubmissionRejected(problems=findings)
        return _score_buckets(_send_truth(session, ready), rows, _tabulate_values, VALUES)


def score_paths(
    prepared: BoundChallenge,
    words: Sequence[str],
    splits: Sequence[str] = (),
    answers: Path | None = None,
) -> Report:
    """Return the report of submissions that Spark reads: paths or URLs that it knows, or NAME=PATH.

    The other arguments are as in `scorer.score`. A submission that Spark cannot read has a
    problem, and the others are scored. `UsageError` if Spark does not start, or has no reader for
    such files.
    """
    session = _start_session()
    runs: dict[SubmissionFile, DataFrame | Problem] = {}
    for word in words:
        name, equals, path = word.partition("=")
        if not (equals and name) or "/" in name or Path(word).exists():  # a path, not NAME=PATH
            name, path = submission_name(Path(word)), word
        try:
            run: DataFrame | Problem = _read_path(session, prepared, path)
        except SubmissionRejected as error:
            run = error.problems[0]
        except PluginError as error:
            run = Problem("S101", str(error))
        runs[SubmissionFile(name, Path(path), label=path)] = run
    given = {} if answers is None else read_answers_file(prepared.challenge, answers)
    return _evaluate(session, prepared, runs, splits, given)


@contextmanager
def _bind_truth(
    challenge: Challenge | BoundChallenge | Path | str,
    truth: DataFrame | None,
    allow_plugins: bool,
) -> Iterator[BoundChallenge]:
    """Give the challenge, bound, with the rows of a data frame as its truth if there is one."""
    prepared = bind_challenge(challenge, allow_plugins)
    if truth is None:
        yield prepared
        return
    with tempfile.TemporaryDirectory(prefix="scorer-") as folder:
        path = Path(folder, "truth.parquet")
        _collect(truth).write_parquet(path)
        yield bind(prepared.challenge.with_truth(path), allow_plugins)


def _open(prepared: BoundChallenge) -> OpenChallenge:
    """Return the open challenge; `UsageError` if data frames are not what it asks for."""
    challenge = prepared.challenge
    layout = challenge.layout(challenge.submission)
    unknown_keys = ("cells", "wide", "lines", "json", "parts")
    if key := next((key for key in unknown_keys if getattr(layout, key)), None):
        raise UsageError(
            f"submission.{key}: a data frame of Spark has to have a row for each item (explode "
            "makes some); score such files without Spark"
        )
    if challenge.truthless:
        raise UsageError("values that are computed already are not scored by Spark")
    if challenge.submission.ties == "file":
        raise UsageError(f"submission.ties is file, and {NO_ORDER}")
    return open_challenge(prepared)


def _evaluate(
    session: SparkSession,
    prepared: BoundChallenge,
    runs: Mapping[SubmissionFile, DataFrame | Problem],
    splits: Sequence[str] = (),
    answers: Answers | None = None,
) -> Report:
    """Return the report of runs, and of the challenge's baselines, which are files."""
    ready, own = _open(prepared), list_baselines(prepared)
    refuse_equal_names([*runs, *own])  # refuses two of the same name
    truth = None if _reason_to_collect(ready) else _send_truth(session, ready)
    outcomes = [_score_run(ready, truth, file.display, run) for file, run in runs.items()]
    outcomes += score_files(ready, own, None)
    return Report(rank_outcomes(terms_of(ready), [*runs, *own], outcomes, splits, answers or {}))


def _score_run(
    ready: OpenChallenge, truth: _SentTruth | None, name: str, run: DataFrame | Problem
) -> Outcome:
    """Return the problems of a run, and its scorecard if it has no error."""
    findings = Findings(name)
    if isinstance(run, Problem):
        findings.add(run)
        return Outcome(findings, None, None)
    rows = _select_rows(ready, run, findings)
    if rows is None:
        return Outcome(findings, None, None)
    try:
        if truth is None:
            return _score_collected(ready, run, rows, findings)
        scored = _collect(_score_buckets(truth, rows, _pickle_bucket, SCORED))
    except SubmissionRejected as error:
        findings.extend(error.problems)
        return Outcome(findings, None, None)
    buckets = list(map(pickle.loads, scored[BUCKET]))
    return _merge_buckets(ready.plan, rows.cells, buckets, findings)


def _reason_to_collect(ready: OpenChallenge) -> str:
    """Return why a run is scored in one piece; "" if each bucket of lists can be scored alone."""
    parts = [part for measure in ready.measures for part in measure.all_parts]
    if pooled := [part.id for part in parts if part.pooled and not part.parts]:
        return _no_value(pooled[0])
    if (kind := ready.bound.kind.name) not in BUCKET_KINDS:
        return f"all rows are scored together where a challenge has {kind}"
    plan = ready.plan
    if (
        len(plan.truths) > 1
        or any(plan.filtered_truths.values())
        or not WHOLE_VIEWS.isdisjoint(ready.views)
    ):
        return "folds, conditions on items, comparisons of items and subtopics need all rows"
    return ""


def _no_value(measure: str) -> str:
    return f"{printable(measure)} has no value for a single list"


class _Rows(NamedTuple):
    """The rows of a run: `line`, which numbers them, and a column for each role."""

    frame: DataFrame
    cells: Cells  # what the table has beside its rows; the frame is empty


def _select_rows(ready: OpenChallenge, run: DataFrame, findings: Findings) -> _Rows | None:
    """Return the rows of a run; None, after a problem is added, if columns are wrong or missing.

    Spark casts the ids to text, since it chooses the bucket of a row by the hash of its list's id.
    """
    from pyspark.sql import functions as F

    prepared = ready.bound
    request = ReadRequest(Path(findings.path or ""), prepared.shapes, findings, prepared.limits)
    types = _collect(run.limit(0)).schema
    try:
        match = match_columns(types, request)
    except ReportedError:
        return None
    is_ranked = "item" in match.names and "prediction" not in match.names
    if is_ranked and ORDERED.isdisjoint(match.names):
        help = "add a column rank or score, or score the file without Spark"
        findings.add(Problem("S201", f"no column 'score' or 'rank', and {NO_ORDER}", help=help))
    columns = [F.monotonically_increasing_id().alias(LINE)]
    for role, name in match.names.items():
        column = F.col("`{}`".format(name.replace("`", "``")))
        if holds_text(role):
            column = F.coalesce(column.cast("string"), F.lit(""))
        columns.append(column.alias("item" if role == "text" else role))  # as `with_items`
    cells = Cells(pl.DataFrame(), match.schema.with_items(), tuple(types))
    return None if findings.fatal else _Rows(run.select(*columns), cells)


def _make_table(cells: Cells, frame: pl.DataFrame, findings: Findings) -> Table:
    """Return the table of rows of a run; `UnreadableError` if too many cells are not numbers."""
    frame = frame.sort(LINE)
    columns = [cell_column(column, column.name) for column in frame.drop(LINE).iter_columns()]
    line = pl.int_range(1, frame.height + 1, dtype=pl.UInt32, eager=True).alias(LINE)
    cells = replace(cells, frame=pl.DataFrame([line, *columns]))
    return Table(cast_numbers(cells, lambda: NO_TEXTS, findings), cells.schema, cells.header)


def _score_collected(
    ready: OpenChallenge, run: DataFrame, rows: _Rows, findings: Findings
) -> Outcome:
    """Return the outcome of a run whose rows are collected."""
    frame, found = _collect(rows.frame), Findings()  # found: still with lines
    outcome = Outcome(findings, None, None)
    try:
        accepted = accept_rows(frame[LINE], ready.bound.limits, found)
        table = _make_table(rows.cells, frame.head(accepted), found)
        if Frames in ready.views:
            table = replace(table, facts={CSV: _collect(run).write_csv()})
        outcome = score_table(ready.plan, table, found)
    except UnreadableError as error:
        found.add(error.problem)
    found.replace(_remove_line)
    findings.merge(found)
    return outcome._replace(findings=findings)


@dataclass(frozen=True)
class _Work:
    """What workers need to score any bucket of lists of a run."""

    challenge: Challenge
    kind: Kind  # which opens the truth of a bucket
    plan: Plan  # without truths and most of the public part, which are made for each bucket
    aids: SideTables  # the challenge's other files
    truth: Table  # without rows
    items: IdIndex | None  # all public items, which are indexed once
    rules: Mapping[str, Rules]  # measure id -> how lists without a value count
    cells: Cells  # of the run, without rows


class _SentTruth(NamedTuple):
    """The truth as a data frame of Spark, and what workers need beside it."""

    rows: DataFrame  # `bucket`, `place` of the list, `line`, and a column for each role
    bucket: Column  # the expression of a row's bucket, by its column `list`
    work: _Work


def _send_truth(session: SparkSession, ready: OpenChallenge) -> _SentTruth:
    """Return the truth for the workers; a list without rows has one whose line is null."""
    from pyspark.sql import functions as F

    prepared, plan = ready.bound, ready.plan
    challenge = prepared.challenge
    table = read_table(challenge, challenge.truth, truth_schemas(prepared), Findings())
    assert table is not None  # the truth is open
    names = pl.Series("list", list(plan.truths[None].lists), dtype=pl.String)
    lists = names.to_frame().with_row_index(PLACE)
    frame = lists.join(table.frame, on="list", how="left").cast({PLACE: pl.Int64, LINE: pl.Int64})
    count = max(min(len(names), int(session.conf.get(BUCKETS) or 1)), 1)
    bucket = F.pmod(F.xxhash64(F.col("list")), F.lit(count)).alias(BUCKET)
    rows = session.createDataFrame(frame.to_arrow(compat_level=pl.CompatLevel.oldest()))
    # The lists, and candidates that the truth gives, are not sent: a worker finds them in its rows.
    candidates = ready.public.candidates if challenge.items is not None else None
    public = ready.public._replace(lists={}, candidates=candidates, clusters={})
    work = _Work(
        challenge=challenge,
        kind=prepared.kind,
        plan=replace(plan, public=public, truths={}),
        aids=read_side_tables(prepared, ready.public, Findings())._replace(public=public),
        truth=replace(table, frame=pl.DataFrame(), find_cells=None),
        items=plan.public_ids.items,
        rules=prepared.undefined_rules,
        cells=Cells(pl.DataFrame(), table.schema),
    )
    return _SentTruth(rows.select(bucket, "*"), bucket, work)


def _score_buckets(truth: _SentTruth, rows: _Rows, score: ScoreBucket, schema: str) -> DataFrame:
    """Return the rows that `score` returns for all buckets; `schema` names their columns."""
    from pyspark.cloudpickle import dumps

    work = dumps(replace(truth.work, cells=rows.cells))
    pairs = truth.rows.groupBy(BUCKET).cogroup(rows.frame.select(truth.bucket, "*").groupBy(BUCKET))
    return pairs.applyInArrow(
        lambda _, left, right: score(_unpickle(work), pl.DataFrame(left), pl.DataFrame(right)),
        schema,
    )


@lru_cache(maxsize=1)  # a worker scores many buckets of one run
def _unpickle(data: bytes) -> _Work:
    work: _Work = pickle.loads(data)
    return work


class _Bucket(NamedTuple):
    """A bucket of lists that was scored; it pickles."""

    lists: Sequence[str]  # in the order of the truth
    places: Ints  # the index of each among the lists of the whole truth
    rows: Mapping[str, int]  # list -> how many rows the run has of it; also lists not in the truth
    card: Scorecard | None  # the raw values of the lists; None if the rows are wrong
    findings: Findings  # the problems of the rows
    counted: Sequence[CountedProblem]  # the problems whose counts are added up over the buckets


def _score_bucket(work: _Work, truth: pl.DataFrame, run: pl.DataFrame) -> _Bucket:
    """Return the values and problems of the lists of a bucket, whose rows are given."""
    lists = truth.select("list", PLACE).unique().sort(PLACE)
    plan = _plan_bucket(work, truth, lists)
    findings, card, checked = Findings(), None, Checked(False)
    try:
        table = _make_table(work.cells, run.drop(BUCKET), findings)
        checked = check_table(plan, table, findings, is_bucket=True)
        problems = [problem for each in checked.counted if (problem := each.problem)]
        if checked.can_be_scored and all(each.severity == "warning" for each in problems):
            card = score_views(plan, join_checked(plan, table, checked), findings).card
    except UnreadableError as error:
        findings.add(error.problem)
    findings.replace(_remove_line)
    names, places = lists["list"].to_list(), lists[PLACE].to_numpy()
    rows = dict(run["list"].value_counts().iter_rows())
    return _Bucket(names, places, rows, card, findings, checked.counted)


def _plan_bucket(work: _Work, truth: pl.DataFrame, lists: pl.DataFrame) -> Plan:
    """Return the plan for the lists of a bucket, given the rows of their truth."""
    frame = truth.filter(pl.col(LINE).is_not_null()).sort(LINE).cast({LINE: pl.UInt32})
    frame = frame.select(LINE, pl.exclude(LINE, BUCKET, PLACE))
    names, public = dict.fromkeys(lists["list"]), work.plan.public
    empty = {name: line for name, line in work.truth.empty_lists.items() if name in names}
    table = replace(work.truth, frame=frame, empty_lists=empty)
    if (candidates := public.candidates) is not None:
        candidates = {name: candidates[name] for name in names if name in candidates}
    public = public._replace(lists=names, candidates=candidates)
    sources = PublicSources(work.challenge, work.plan.shapes, lambda: table)
    public = work.kind.complete_public(public, sources)
    truth_of_bucket = work.kind.open(table, work.aids._replace(public=public), Findings())
    columns = work.plan.columns.at(lists[PLACE].to_numpy())
    plan = replace(work.plan, public=public, truths={None: truth_of_bucket}, columns=columns)
    # Set cached properties, so that the items are not indexed again for each bucket.
    vars(ids := PublicIds(public))["items"] = work.items
    vars(plan)["public_ids"] = ids
    return plan


def _remove_line(problem: Problem) -> Problem:
    """Return a problem that names no line, since the rows of a data frame have no order."""
    message = LINES_IN_MESSAGE.sub("", problem.message)
    return replace(problem, message=message, line=None, column=None)


def _pickle_bucket(work: _Work, truth: pl.DataFrame, run: pl.DataFrame) -> pa.Table:
    """Return the one row (`SCORED`) of a bucket: a pickled _Bucket."""
    import pyarrow as pa

    data = pickle.dumps(_score_bucket(work, truth, run))
    return pa.table({BUCKET: pa.array([data], pa.binary())})


def _tabulate_values(work: _Work, truth: pl.DataFrame, run: pl.DataFrame) -> pa.Table:
    """Return the values of a bucket (`VALUES`); `SubmissionRejected` if the run is wrong."""
    import pyarrow as pa

    bucket = _score_bucket(work, truth, run)
    _reject(work, bucket)
    card = bucket.card
    assert card is not None
    groups = [work.plan.public.groups.get(name) for name in card.lists]
    tables = []
    for measure in work.plan.measures:
        column, states = values_of_lists(card, measure, work.rules)
        undefined = np.flatnonzero(states >= UNDEFINED)
        if work.rules[measure.id].undefined == "error" and undefined.size:
            message = f"{measure.id} is undefined for {quoted(card.lists[undefined[0]])}"
            raise SubmissionRejected(f"{message}, and this challenge allows none")
        cells = {
            "list": pa.array(card.lists, pa.string()),
            "group": pa.array(groups, pa.string()),
            "measure": pa.array([measure.id] * len(groups), pa.string()),
            "value": pa.array(column, pa.float64(), mask=np.isnan(column)),
        }
        tables.append(pa.table(cells))
    return pa.concat_tables(tables)


def _reject(work: _Work, bucket: _Bucket) -> None:
    """Raise SubmissionRejected if the rows of a bucket, or its lists, are wrong."""
    rules, word = work.plan.rules, work.plan.public.word("list")
    found = [*bucket.findings, *_add_up(bucket.counted)]
    problems = [problem for problem in found if problem.severity == "error"]
    unknown, missing = bucket.rows.keys() - bucket.lists, set(bucket.lists) - bucket.rows.keys()
    if unknown and (rules.unknown_list == "error" or "" in unknown):  # an empty id is always wrong
        problems.append(Problem("S302", f"{word} {quoted(min(unknown))} is not in this challenge"))
    if missing and rules.missing_list in (None, "error"):
        problems.append(Problem("S301", f"{word} {quoted(min(missing))} is missing"))
    if problems:
        raise SubmissionRejected(problems=problems)


def _merge_buckets(
    plan: Plan, cells: Cells, buckets: Sequence[_Bucket], findings: Findings
) -> Outcome:
    """Return the outcome of a run by its buckets."""
    findings.merge(_check_lists(plan, cells, buckets))
    findings.extend(_add_up([each for bucket in buckets for each in bucket.counted]))
    _merge_findings(findings, [bucket for bucket in buckets if bucket.rows])
    cards = [bucket.card for bucket in buckets if bucket.card is not None]
    failed = [bucket for bucket in buckets if bucket.card is None]
    if failed and not findings.fatal:  # a metric failed, but not in all buckets
        findings.extend(each for each in failed[0].findings if each.severity == "error")
    if failed or findings.fatal:
        return Outcome(findings, None, None)
    order = np.argsort(np.concatenate([bucket.places for bucket in buckets]))
    answered = np.concatenate([card.answered for card in cards])[order]
    raw = {id: np.concatenate([card.values[id] for card in cards])[order] for id in cards[0].values}
    card = Scorecard(
        plan.truths[None].lists, answered, raw, digests=plan.digests, columns=plan.columns
    )
    return Outcome(findings, None, card)


def _check_lists(plan: Plan, cells: Cells, buckets: Sequence[_Bucket]) -> Findings:
    """Return the problems of the lists of a run as a whole."""
    rows_of = sorted(item for bucket in buckets for item in bucket.rows.items())
    types = {"list": pl.String, "rows": pl.UInt32}
    lists = pl.DataFrame(rows_of, types, orient="row").with_row_index(LINE, 1)
    table = Table(lists.select(LINE, "list"), cells.schema, cells.header)
    rows = SubmissionRows(table, plan.public, plan.rules, plan.public_ids)
    # Set the cached property: the table has one row per list, in place of the run's.
    vars(rows)["lists"] = lists
    examine(rows, found := Findings(), OF_ALL_LISTS)
    found.replace(_remove_line)
    return found


def _add_up(counted: Iterable[CountedProblem]) -> Iterator[Problem]:
    """Yield the problem that the added-up counts of each key make; it names the first list."""
    of_key = dict[tuple[str | None, ...], list[CountedProblem]]()
    for each in counted:
        first = each.first
        of_key.setdefault((first.code, first.severity, first.role, each.key), []).append(each)
    for group in of_key.values():
        count, total = sum(each.count for each in group), sum(each.total for each in group)
        wrong = [replace(each, count=count, total=total) for each in group if each.count]
        if problems := [problem for each in wrong if (problem := each.problem)]:
            first = min(problems, key=lambda problem: (problem.list or "", problem.item or ""))
            yield replace(first, line=None)


def _merge_findings(findings: Findings, buckets: Sequence[_Bucket]) -> None:
    """Add the problems of all buckets, in the order of the lists that they are about.

    A problem without a list is about all lists, and added if every bucket has it.
    """
    said, of_rows = Counter[Problem](), list[Problem]()
    for bucket in buckets:
        for problem in bucket.findings:
            if problem.list is None:
                said[problem] += 1
            else:
                of_rows.append(problem)
    findings.extend(problem for problem, count in said.items() if count == len(buckets))
    findings.extend(sorted(of_rows, key=lambda problem: (str(problem.list), problem.item or "")))
    for bucket in buckets:  # add those that were only counted
        kept = Counter(problem.code for problem in bucket.findings)
        findings.counts.update(bucket.findings.counts - kept)


@contextmanager
def _spark_errors() -> Iterator[None]:
    """Raise errors of Spark as PluginError, with the last cause and without the stack of Java.

    If Spark's readers find a malformed row, raise SubmissionRejected instead.
    """
    try:
        yield
    except ScorerError:
        raise
    except Exception as error:  # of Py4J, gRPC, or pyspark
        cause = _cause(error)
        if MALFORMED in str(error):
            help = "score check without --engine spark names the line"
            raise SubmissionRejected(problems=[Problem("S207", cause, help=help)]) from error
        is_missing = cause.startswith("No module named")
        hint = "; Spark's workers need it (PYSPARK_PYTHON)" if is_missing else ""
        raise PluginError(f"Spark failed: {cause}{hint}") from error


def _cause(error: Exception) -> str:
    """Return the last cause that an error of Spark names, else its first line or its type."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    causes = [found["what"] for line in lines if (found := CAUSE.match(line))]
    cause = (causes or lines[:1] or [describe_exception(error)])[-1]
    return printable(cause.partition(" SQLSTATE:")[0], 400)


def _collect(frame: DataFrame) -> pl.DataFrame:
    """Return all rows of a data frame."""
    with _spark_errors():
        return pl.DataFrame(frame.toArrow())


def _start_session() -> SparkSession:
    """Return the session of this process, or a new one as Spark's settings say."""
    try:
        from pyspark.sql import SparkSession
    except ImportError:
        message = "--engine spark needs pyspark: pip install 'challenge-scorer[spark]'"
        raise UsageError(message) from None
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)  # else whatever python3 is
    try:
        session = SparkSession.builder.getOrCreate()
    except Exception as error:
        raise UsageError(f"Spark does not start (is Java 17 there?): {_cause(error)}") from None
    with suppress(Exception):  # a session of Spark Connect has no sparkContext
        session.sparkContext.setLogLevel("OFF")
    return session


def _read_path(session: SparkSession, prepared: BoundChallenge, path: str) -> DataFrame:
    """Return the rows of a file, a folder of parts or a URL.

    Raises:
        PluginError: Spark cannot read it.
        SubmissionRejected: Spark found a malformed row when it looked for the columns.
        UsageError: Spark has no reader for such files.
    """
    rules = prepared.challenge.submission
    layout = prepared.challenge.layout(rules)
    unknown_keys = ("header", "skip", "comment")
    if key := next((key for key in unknown_keys if getattr(layout, key)), None):
        raise UsageError(f"submission.{key} is not known to Spark's readers; {WITHOUT}")
    with _spark_errors():
        format, suffix = _format_of(session, rules.format, path)
        if format == "parquet":
            return session.read.parquet(path)
        if format == "jsonl":
            return session.read.options(primitivesAsString=True, mode="FAILFAST").json(path)
        if format == "csv":
            mark = separator_of(layout.separator or ("tab" if suffix == ".tsv" else "comma"))
            reader = session.read.options(header=True, sep=mark, escape='"', mode="FAILFAST")
            reader = reader.options(ignoreLeadingWhiteSpace=True, ignoreTrailingWhiteSpace=True)
            return reader.options(columnPruning=False).csv(path)  # so that all cells are counted
        if format == "trec":
            return _read_trec(session, prepared, path)
    raise UsageError(
        f"{printable(path)}: {format or 'a file of this name'} is not read by Spark, which reads "
        f"CSV, JSON Lines, TREC and Parquet; say which in submission.format, or {WITHOUT}"
    )


def _format_of(session: SparkSession, named: str | None, path: str) -> tuple[str, str]:
    """Return the name of a file's format and its suffix; for a folder, of its first part."""
    for name in (path, *session.read.text(path).inputFiles()[:1]):
        suffix = format_suffix(re.sub(r"\.(gz|bz2|zst)$", "", name.lower()))
        found = next((name for name, suffixes in SUFFIXES.items() if suffix in suffixes), "")
        if named or found:
            return named or found, suffix
    return "", ""


def _read_trec(session: SparkSession, prepared: BoundChallenge, path: str) -> DataFrame:
    """Return the fields of TREC's lines; a field that a line does not have is null."""
    from pyspark.sql import functions as F

    schema, form = match_trec_schema(prepared.shapes)
    fields = F.split(F.trim(F.col("value")), "[ \t]+")
    positions = trec_positions(schema, form)
    if "score" in positions:  # ranks are read from the scores, and the rank's field is ignored
        positions = {role: at for role, at in positions.items() if role != "rank"}
    columns = [F.get(fields, F.lit(at)).alias(schema.column_name(r)) for r, at in positions.items()]
    topic, second, number = (F.get(fields, F.lit(at)) for at in (0, 1, form.number))
    is_row = second.isin(*SECOND_FIELDS) | number.try_cast("double").isNotNull()
    is_comment = topic.startswith("#") & ((topic == "#") | ~F.coalesce(is_row, F.lit(False)))
    lines = session.read.text(path).filter(F.trim(F.col("value")) != "")
    return lines.filter(~is_comment).select(*columns)
