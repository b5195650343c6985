"""Challenges of so many lists that their truth stays where Spark reads it."""

from __future__ import annotations

import os
import pickle
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any

from scorer.bytes.address import is_url
from scorer.bytes.files import digest
from scorer.bytes.limits import NoTable, ReadLimits, Unreadable
from scorer.challenge.archive import refuse_kit
from scorer.challenge.public import IdNames, Public
from scorer.checks.base import add_problems, checks
from scorer.checks.ids import PublicIds
from scorer.checks.submission.lists import Counted
from scorer.core.errors import ChallengeError
from scorer.core.problems import Findings
from scorer.core.text import display_path
from scorer.engines.base import Tick, with_causes
from scorer.engines.spark.frames import frame_source, refuse_failing
from scorer.engines.spark.outcomes import (
    JobFailed,
    SparkOutcomes,
    job,
    nothing,
    placed,
    readable,
    returned,
)
from scorer.engines.spark.pack import Buckets
from scorer.engines.spark.scoring import RESULT, Work, decoded
from scorer.engines.spark.session import quiet
from scorer.engines.spark.sources import SparkSource, source_of
from scorer.engines.spark.sums import LISTS, Summary, card_of, summary_merger, summer, together
from scorer.engines.spark.truths import (
    LEARNT,
    Learnt,
    Opening,
    learnt,
    names_reader,
    opening_of,
    plan_of,
    truth_source,
)
from scorer.formats.form import PLAIN, FileForm
from scorer.formats.pieces import columns_at
from scorer.formats.read import COMPRESSED
from scorer.prepare.bind import BoundChallenge
from scorer.prepare.fingerprint import digests
from scorer.prepare.open import OpenChallenge
from scorer.results import sums
from scorer.results.scorecard import Outcome
from scorer.scoring.lists import Plan
from scorer.scoring.settle import of_sums
from scorer.views.positions import Positions

MOST_BYTES = 1024**3  # of a file that one worker holds for its digest


@dataclass(frozen=True)
class SparkTruth:
    """A challenge whose truth stays where it is, and what scores submissions by it."""

    ready: OpenChallenge  # without its truth
    session: Any
    truth: Any  # a data frame in place of the challenge's; None: the challenge's own
    opening: Opening
    plan: Plan
    truths: SparkSource  # its rows, which Spark keeps on its disks

    def outcomes(
        self, challenge: OpenChallenge, submissions: Sequence[Path], tick: Tick
    ) -> Iterator[Outcome]:
        """The outcome of each submission, in their order.

        `challenge` is `ready`, for submissions in the format that it says.
        """
        rules = challenge.prepared.challenge.submission
        try:
            for n, path in enumerate(submissions):
                tick(n)
                with quiet():
                    yield self._of_file(replace(self.plan, rules=rules), path)
        finally:
            self.release()
        tick(len(submissions))

    def release(self) -> None:
        """Keep the truth's rows no longer; they are read again where they are wanted."""
        self.truths.rows.unpersist()

    def outcome(self, name: str, run: Any) -> Outcome:
        """The outcome of a data frame, a path or a URL, called by that name."""
        run = os.fspath(run) if isinstance(run, os.PathLike) else run
        return self._outcome(self.plan, Findings(name), None, run)

    def _of_file(self, plan: Plan, path: Path) -> Outcome:
        findings, file_digest = Findings(str(path)), None
        if path.is_file():
            with suppress(Unreadable):
                file_digest = digest(path)
        outcome = self._outcome(plan, findings, file_digest, str(path))
        if file_digest is not None and outcome.findings:
            format = plan.format(path)
            outcome.findings.locate(partial(columns_at, path, format, plan.shapes, plan.limits))
        # the engine of one machine cannot tell more: it has no list of the challenge
        return with_causes(plan, path, outcome) if path.is_file() else outcome

    def _outcome(
        self, plan: Plan, findings: Findings, file_digest: str | None, run: Any
    ) -> Outcome:
        seed = self.opening.challenge.leaderboard.seed
        try:
            usual = self.truths.buckets.count
            source = self._source(plan, run, findings, Buckets(usual=usual, seed=seed))
            opening = replace(self.opening, buckets=source.buckets)
            truths = self._truths(source.buckets)
            pairs = source.rows.groupBy("bucket").cogroup(truths.rows.groupBy("bucket"))
            summed = pairs.applyInArrow(summer(pickle.dumps(opening), Work.of(plan), seed), RESULT)
            back = self._returned(
                summed.mapInArrow(summary_merger(plan.limits.errors), RESULT), run
            )
            if not readable(source, back, findings):
                return Outcome(placed(findings, source), file_digest, None)
            whole = self._whole(plan, source, back, run)
        except Unreadable as error:
            findings.add(error.problem)
            return Outcome(findings, file_digest, None)
        except NoTable:
            return Outcome(findings, file_digest, None)
        summary, public = whole
        add_problems(summary.checked, public, plan.rules, PublicIds(public), findings)
        findings.extend(summary.refused)
        submitted = {"submission": file_digest} if file_digest else {}
        identity = {**self.ready.digests, **submitted}
        fit = summary.scored and not findings.fatal
        card = card_of(summary.sums, identity) if fit else None
        return Outcome(placed(findings, source), file_digest, card)

    def _returned(self, frame: Any, run: Any) -> SparkOutcomes:
        """Run the job of a submission; `Unreadable` where it is the run that fails."""
        try:
            return returned(frame)
        except JobFailed:
            if not isinstance(run, str):
                refuse_failing(run)
            raise

    def _source(self, plan: Plan, run: Any, findings: Findings, buckets: Buckets) -> SparkSource:
        if isinstance(run, str):
            return source_of(
                self.session, run, plan.rules.format, plan.shapes, plan.limits, findings, buckets,
                plan.form,
            )  # fmt: skip
        return frame_source(run, "the run", plan.shapes, plan.limits, findings, buckets, plan.form)

    def _whole(
        self, plan: Plan, source: SparkSource, back: SparkOutcomes, run: Any
    ) -> tuple[Summary, Public]:
        """The summary of all lists, and as much of the public part as messages need.

        Where the run names lists that the challenge does not have, messages suggest which ones
        were meant: then the names of all lists are brought here.
        """
        none = nothing(plan, source, back).checked
        rest = {key: tally for key, tally in none.tallies.items() if key != LISTS}
        total = together(back.parts)
        summary = total._replace(checked=none._replace(tallies=rest).plus([total.checked]))
        lists = summary.checked.tallies[LISTS]
        assert isinstance(lists, Counted)
        if not lists.others:
            return summary, plan.public._replace(lists=IdNames(sums.Unnamed(self.ready.count)))
        public = plan.public._replace(lists=IdNames(self._names(source.buckets)))
        named = replace(plan, public=public)
        fresh = self._source(named, run, Findings(), Buckets())
        again = returned(job(Work.of(named), [fresh], plan.limits.errors))
        checked = nothing(named, fresh, again).checked.plus([part.checked for part in again.parts])
        tallies = {**summary.checked.tallies, LISTS: checked.tallies[LISTS]}
        return summary._replace(checked=summary.checked._replace(tallies=tallies)), public

    def _truths(self, buckets: Buckets) -> SparkSource:
        """The rows of the truth by these buckets; read again where there are more of these."""
        if buckets.count == self.truths.buckets.count:
            return self.truths
        limits = ReadLimits(rows=2**62)
        return truth_source(self.session, self.ready.prepared, self.truth, limits, buckets)

    def _names(self, buckets: Buckets) -> list[str]:
        """The names of all lists, in order."""
        rows = self._truths(buckets).rows
        collected = rows.groupBy("bucket").applyInArrow(names_reader, LEARNT).collect()
        return sorted(name for row in collected for name in decoded(bytes(row["data"])))


def elsewhere(session: Any, prepared: BoundChallenge, truth: Any = None) -> SparkTruth | None:
    """The challenge with its truth where Spark reads it; None where it is brought here.

    It is brought where it has no more lists than a report has values of, where more is asked of
    lists than their sums, where Spark does not reach it, and where something is wrong with it,
    which is then reported with its place.

    `truth` is a data frame in place of the challenge's.
    """
    if not suits(prepared) or (truth is None and not _reached(session, prepared)):
        return None
    refuse_kit(prepared.challenge)
    seed = prepared.challenge.leaderboard.seed
    try:
        with quiet():
            limits = ReadLimits(rows=2**62)
            truths = truth_source(session, prepared, truth, limits, Buckets(seed=seed))
            known_truth = _known_truth(prepared, truths) if truths.size > sums.MOST_SHOWN else None
    except ChallengeError:
        return None
    if known_truth is None:
        return None
    opening, known, plan = known_truth
    identity = digests(
        prepared.challenge,
        prepared.kind.name,
        prepared.measures,
        prepared.rules,
        Positions in prepared.views,
        _content(session, prepared, truth),
    )
    where = display_path(prepared.challenge.truth.file)
    warnings = tuple(replace(problem, path=where) for problem in known.warnings.problems)
    ready = OpenChallenge(
        prepared, plan.public, None, plan.measures, identity, prepared.views, warnings,
        count=known.lists,
    )  # fmt: skip
    return SparkTruth(ready, session, truth, opening, plan, truths)


def _known_truth(
    prepared: BoundChallenge, truths: SparkSource
) -> tuple[Opening, Learnt, Plan] | None:
    """What the truth says; its rows stay on Spark's disks. None where it is brought here."""
    from pyspark import StorageLevel

    opening = opening_of(prepared, truths.buckets)
    beside = opening.aids.tables.values()
    if opening.public.candidates or any("list" in table.ids for table in beside):
        return None
    truths.rows.persist(StorageLevel.DISK_ONLY)  # each submission goes through it again
    kept = False
    try:
        known = learnt(truths, opening)
        plan = plan_of(prepared, opening, known)
        kept = known.lists > sums.MOST_SHOWN
    finally:
        if not kept:
            truths.rows.unpersist()
    return (opening.knowing(known, prepared.rules), known, plan) if kept else None


def _content(session: Any, prepared: BoundChallenge, truth: Any) -> str | None:
    """The digest of a truth that is no file of this machine; of one file, that of its bytes."""
    from pyspark.sql import functions as F

    url = str(prepared.challenge.truth.file)
    if truth is not None or not is_url(url):
        return None if truth is None else _digest(truth)
    files = session.read.format("binaryFile").load(url)
    entries = files.select("path", "length").collect()
    if len(entries) == 1 and entries[0]["length"] <= MOST_BYTES:
        return str(files.select(F.sha2("content", 256).alias("sha256")).first()["sha256"])
    parquet = all(row["path"].endswith(".parquet") for row in entries)
    return _digest(session.read.parquet(url) if parquet else session.read.text(url))


def _digest(frame: Any) -> str:
    """A digest of the rows of a data frame, the same in whatever order they stand."""
    from pyspark.sql import functions as F

    columns = [F.col("`" + name.replace("`", "``") + "`") for name in frame.columns]
    # of 64 bits each, so that no sum of fewer rows than 2**63 leaves a decimal of 38 digits
    hashes = F.sum(F.xxhash64(*columns).cast("decimal(20)")).alias("sum")
    [row] = frame.select(hashes, F.count(F.lit(1)).alias("rows")).collect()
    content = f"{sorted(frame.columns)} {row['sum']} {row['rows']}"
    return sha256(content.encode()).hexdigest()


def suits(prepared: BoundChallenge) -> bool:
    """Whether a report needs only sums of lists, and files have a row for each item."""
    challenge = prepared.challenge
    built_in = all(origin.startswith("scorer.checks.") for origin in checks().origins.values())
    by_values = prepared.rank_by is None and not (prepared.ranked_by and prepared.ranked_by.each)
    sums_suffice = by_values and built_in and prepared.kind.name != "ratings"
    forms = challenge.form(challenge.truth), challenge.form(challenge.submission)
    row_a_line = all(form == PLAIN._replace(**_of_lines(form)) for form in forms)
    return (
        sums_suffice and row_a_line and of_sums(challenge, (*prepared.measures, *prepared.breakers))
    )


def _of_lines(form: FileForm) -> dict[str, Any]:
    """What a form says of lines, none of which changes how many rows there are."""
    return {name: getattr(form, name) for name in ("header", "separator", "skip", "comment")}


def _reached(session: Any, prepared: BoundChallenge) -> bool:
    """Whether Spark may read the truth, and it may have more lists than a report has values of."""
    file = prepared.challenge.truth.file
    if is_url(str(file)):
        return True
    here = hasattr(session, "sparkContext") and session.sparkContext.master.startswith("local")
    return bool(here) and _rows_at_most(file) > sums.MOST_SHOWN


def _rows_at_most(path: Path) -> float:
    """How many rows a file of this machine may have, without reading it."""
    suffix = path.suffix.lower()
    if suffix == ".parquet" and path.is_file():
        import polars as pl

        return int(pl.scan_parquet(path).select(pl.len()).collect().item())
    if suffix in COMPRESSED or not path.is_file():
        return float("inf")
    return path.stat().st_size / 2  # a letter and the end of its line
