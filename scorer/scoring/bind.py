"""A challenge bound: its notations as measures, its kind, and its rules."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from scorer.challenge.load import load, own_files
from scorer.challenge.measures import MeasureSpec
from scorer.challenge.model import CHALLENGE_FILE, Challenge
from scorer.challenge.roles import extra_roles
from scorer.challenge.yaml import MOST_BYTES, read_yaml
from scorer.core.errors import ChallengeError, UnknownName
from scorer.core.problems import Findings, Problem
from scorer.core.text import display_path
from scorer.kinds.base import Kind
from scorer.metrics.catalogue import metrics
from scorer.metrics.notation import Measure, NotationError, parse
from scorer.metrics.registry import MetricRegistry
from scorer.reading.formats import QRELS_LINES, find_format, first_lines, trec_lines
from scorer.reading.limits import ReadLimits
from scorer.reading.open import has_same_content
from scorer.reading.read import FileTable, read_file
from scorer.reading.schema import Schema
from scorer.results.scorecard import Rules
from scorer.scoring.keys import find_unused_keys
from scorer.scoring.kind import add_kind_measures, decide_kind, find_mixed_faults
from scorer.scoring.measures import bind_measures, describe_unknown, find_candidates, find_metrics
from scorer.scoring.rules import BoardRules, Fault, bind_rules, refuse
from scorer.views.preferences import Positions, PositionTable
from scorer.views.texts import Texts
from scorer.views.values import Frames, Given

OWN_METRICS = {"plugins", "kind"}  # keys by which a challenge has metrics that are not ours


class BoundChallenge(NamedTuple):
    """A challenge with its measures bound, before any truth or submission is read."""

    challenge: Challenge
    metrics: MetricRegistry
    measures: tuple[Measure, ...]
    kind: Kind
    undefined_rules: dict[str, Rules]  # measure id -> how lists without a value count
    board: BoardRules

    @property
    def all_parts(self) -> tuple[Measure, ...]:
        """The measures, and those that they are composed of."""
        return tuple(part for measure in self.measures for part in measure.all_parts)

    @property
    def views(self) -> frozenset[type]:
        """The views that the measures and the leaderboard need."""
        needs_positions = self.board.pairwise is not None or any(
            measure.metric.view is PositionTable for measure in self.board.tie_breakers
        )
        metric_views = {part.metric.view for part in self.all_parts}
        return frozenset(metric_views | {Positions} if needs_positions else metric_views)

    @property
    def shapes(self) -> tuple[Schema, ...]:
        """The schemas of submissions: the kind's, with the columns that the measures need."""
        submission = self.challenge.submission
        needed = frozenset(role for part in self.all_parts for role in part.metric.columns)
        if "target" in self.challenge.truth.columns:  # a truth of numbers always needs a prediction
            needed |= {"prediction"}
        if callable(self.kind.submission):
            schemas = self.kind.submission(submission, needed)
        else:
            schemas = tuple(
                Schema(
                    (*shape.required, *(role for role in shape.optional if role in needed)),
                    tuple(role for role in shape.optional if role not in needed),
                    submission.columns,
                )
                for shape in self.kind.submission
                # A kind whose lists are ranked items or one text each has a shape of either. Which
                # of them is meant shows by whether the challenge names a column of texts.
                if ("text" in shape.roles) == submission.has_texts
            )
        further = extra_roles(submission.extra)
        return tuple(self.with_measure_needs(schema.with_columns(further)) for schema in schemas)

    def with_measure_needs(self, schema: Schema) -> Schema:
        """Return the schema of a file, with the flags that the measures' views require."""
        views = self.views
        uses_all = schema.uses_all or Frames in views
        return replace(schema, uses_all=uses_all, items_are_texts=Texts in views)

    def read(
        self, path: Path, findings: Findings, shapes: Sequence[Schema] | None = None
    ) -> FileTable:
        """Return a submission, read as the challenge has it written.

        Args:
            path: The file.
            findings: What is wrong with it is added.
            shapes: The schemas that it may have; None: the schemas of submissions.
        """
        submission = self.challenge.submission
        layout = self.challenge.layout(submission)
        schemas = self.shapes if shapes is None else shapes
        return read_file(path, submission.format, schemas, findings, self.limits, layout)

    @property
    def limits(self) -> ReadLimits:
        """The limits of reading a submission."""
        protected = own_files(self.challenge)
        return self.challenge.submission.limits.bounds._replace(protected=protected)

    def column_of(self, role: str) -> str:
        """Return the name of the column with a role, by which messages call a list or an item."""
        columns = {**self.challenge.truth.columns, **self.challenge.submission.columns}
        return columns.get(role, role)


def load_challenge(path: Path) -> Challenge:
    """Return the challenge of a file or folder, as `load` does.

    Raises:
        ChallengeError: With all that is wrong, and the metrics that do not exist.
    """
    try:
        return load(path)
    except ChallengeError as error:
        unknown = _find_unknown_metrics(path)
        problems = sorted([*error.problems, *unknown], key=lambda problem: problem.line or 0)
        raise ChallengeError(problems=problems) from None


def _find_unknown_metrics(path: Path) -> Iterator[Problem]:
    """Yield the metrics of a challenge.yaml that do not exist; none if it has metrics of its own.

    `bind` finds them in a challenge without other problems.
    """
    try:
        file = path / CHALLENGE_FILE if path.is_dir() else path
        if not file.is_file() or file.stat().st_size > MOST_BYTES:
            return
    except OSError:  # a name is too long, for example, which `load` reports
        return
    document = read_yaml(file.read_bytes(), Findings())
    if document is None or not isinstance(document.data, dict):
        return
    specs = document.data.get("metrics")
    if not isinstance(specs, list) or OWN_METRICS & document.data.keys():
        return
    for n, spec in enumerate(specs):
        notation = spec.get("metric") if isinstance(spec, dict) else spec
        if not isinstance(notation, str) or (isinstance(spec, dict) and "kaggle" in spec):
            continue
        try:
            name = parse(notation).name
            metrics().find_all(name)
        except UnknownName as error:
            message = f"metrics[{n}]: {describe_unknown(error, metrics())}"
            line = document.line(("metrics", n))
            yield Problem("C113", message, path=display_path(file), line=line)
        except NotationError:  # which `bind` reports
            continue


def bind(challenge: Challenge, allow_plugins: bool = False) -> BoundChallenge:
    """Return a challenge with its measures bound and its kind decided.

    Raises:
        ChallengeError: With all that is wrong, each at its line.
        PluginError: A plugin cannot be loaded.
    """
    challenge = add_kind_measures(challenge)
    _refuse_files(challenge)
    challenge = challenge if challenge.truthless else _add_trec_defaults(challenge)
    registry = find_metrics(challenge, allow_plugins)
    faults: list[Fault] = []
    candidates = find_candidates(challenge, registry, faults)
    # Reported only if there are no faults, from which they may follow.
    conflicts: list[Fault] = []
    kind = decide_kind(challenge, candidates, conflicts)
    measures = bind_measures(challenge, candidates, kind, faults)
    # Without a measure that is understood, the kind may be another one.
    unused = [*find_unused_keys(challenge, kind.name)] if candidates or not faults else []
    if faults:
        refuse(challenge, [*faults, *unused])
    undefined_rules = {
        part.id: _find_undefined_rule(challenge, part)
        for measure in measures
        for part in measure.all_parts
    }
    for spec, measure in zip(challenge.metrics, measures, strict=True):
        conflicts += _find_wrong_zeros(challenge, spec, measure)
    conflicts += find_mixed_faults(challenge, kind.name, measures)
    board = bind_rules(challenge, measures, kind.name, conflicts)
    if kind.name == "boxes" and challenge.submission.each is None:
        message = "what a box is made of is not said: each: [class, score, x1, y1, x2, y2]"
        conflicts.append(Fault("submission", "C121", message))
    refuse(challenge, [*conflicts, *unused])
    if measures and not any(measure.primary for measure in measures):
        measures = (replace(measures[0], primary=True), *measures[1:])
    bound = BoundChallenge(
        challenge=challenge,
        metrics=registry,
        measures=measures,
        kind=kind,
        undefined_rules=undefined_rules,
        board=board,
    )
    refuse(challenge, _find_idle_range(bound))
    return bound


def _refuse_files(challenge: Challenge) -> None:
    """Refuse files outside the challenge's folder, and public files that are the truth."""
    if strayed := challenge.files_outside:
        message = "a link leads out of the challenge's folder"
        raise ChallengeError(
            problems=[Problem("C111", message, path=display_path(path)) for path in strayed]
        )
    refuse(challenge, _find_public_truth(challenge))


def _find_public_truth(challenge: Challenge) -> Iterator[Fault]:
    """Yield files with the content of the truth among those that are public.

    Such files are read by participants, or by measures that show them.
    """
    if challenge.truthless:
        return
    truth = challenge.truth.file
    message = "this is the truth's file, which no participant may know"
    for key in ("lists", "items", "history"):
        source = getattr(challenge, key)
        if source is not None and has_same_content(source.file, truth):
            help = f"write the {key} to a file of their own, without the answers"
            yield Fault(key, "C124", message, help)
    for key, source in challenge.key_files.items():
        # No participant gets the file of `truth.lines`, which names the lists of the truth's lines.
        if not key.startswith("truth") and has_same_content(source.file, truth):
            help = "write them to a file of their own, without the answers"
            yield Fault(key, "C124", message, help)
    if any(has_same_content(path, truth) for path in challenge.prose):
        message = "one of these is the truth's file, which no participant may know"
        yield Fault("pages", "C124", message, "write the page to a file of its own")


def _add_trec_defaults(challenge: Challenge) -> Challenge:
    """Return the challenge with what TREC's forms mean where it says nothing else.

    A truth without a known suffix is looked at; in TREC's forms a list is a topic, and topics
    without qrels are ignored, as trec_eval does.
    """
    truth = challenge.truth
    submission = challenge.submission
    format = truth.format or find_format(truth.file, None).name
    if truth.format is None and format == "csv":  # find_format says csv of an unknown suffix
        lines = first_lines(truth.file)
        format = "trec" if trec_lines(lines, truth.file, QRELS_LINES) else "csv"
    if format != "trec":
        return challenge
    columns = truth.columns
    if "list" not in {**columns, **submission.columns}:
        columns = {**columns, "list": "topic"}
    if "unknown_list" not in submission.model_fields_set and submission.format in (None, "trec"):
        submission = submission.model_copy(update={"unknown_list": "ignore"})
    truth = truth.model_copy(update={"format": format, "columns": columns})
    return challenge.model_copy(update={"truth": truth, "submission": submission})


# Rules of lists without a value, and keys without an effect


def _find_undefined_rule(challenge: Challenge, measure: Measure) -> Rules:
    """Return how lists without a value count in a measure.

    A value that another tool did not report (view Given) is skipped, not 0.
    """
    rules = Rules.of(challenge, measure.metric.zero_is_bad)
    is_reported_elsewhere = measure.metric.view is Given
    if is_reported_elsewhere and challenge.undefined is None:
        return rules._replace(undefined="skip")
    return rules


def _find_wrong_zeros(challenge: Challenge, spec: MeasureSpec, measure: Measure) -> Iterator[Fault]:
    """Yield rules that count a missing list as 0 where 0 is the best value, or no valid one.

    It is the best where lower is better, and none where the value is a prediction. A figure of all
    lists, such as Gini's, has no lists to be 0; one of a table has rows.
    """
    metric = measure.metric
    has_missing_values = metric.pooling != "always" or "labels" in metric.kinds
    is_composite = bool(measure.parts)
    if is_composite or not has_missing_values:
        return
    zero_is_best = metric.better == "lower"
    zero_is_invalid = metric.columns == ("prediction",)
    if not (zero_is_best or zero_is_invalid):
        return
    why = f"be a perfect {metric.name}" if zero_is_best else "not be a prediction"
    written = {
        "undefined": challenge.undefined,
        "submission.missing_list": challenge.submission.missing_list,
    }
    for key, rule in written.items():
        if rule == "zero":
            yield Fault(key, "C118", f"zero would {why}; write skip or error")


def _find_idle_range(bound: BoundChallenge) -> Iterator[Fault]:
    """Yield a `submission.range` that has no effect."""
    submission = bound.challenge.submission
    shapes = bound.shapes
    if submission.range is None or submission.numbers:
        return
    roles = {role for shape in shapes for role in shape.roles}
    if roles & {"runs", "boxes", "prediction", "score"}:
        return
    # Submissions of labels may have probabilities in their place, as the second shape. The first
    # shape has them where measures need them, or the challenge names their columns.
    if not any(role.startswith("probability") for role in shapes[0].roles):
        message = "no column of a submission has numbers that could lie outside"
        yield Fault("submission.range", "C122", message)
    elif submission.range[0] <= 0 and submission.range[1] >= 1:
        message = "probabilities lie in 0 to 1 whatever is written here"
        help = "for AUROC and AveragePrecision of any numbers: columns: {score: COLUMN}"
        yield Fault("submission.range", "C122", message, help)
