"""Notations to measures; the kind of the challenge; the rules."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from scorer.challenge.load import own_files
from scorer.challenge.model import Challenge, MeasureSpec
from scorer.challenge.roles import extra_roles
from scorer.challenge.submission import Submission
from scorer.core.errors import ChallengeError, UnknownName
from scorer.core.problems import Findings, Problem
from scorer.core.text import display_path, quoted
from scorer.kinds.base import Kind
from scorer.metrics.catalogue import metrics
from scorer.metrics.notation import Measure, NotationError, parse, parse_measure
from scorer.metrics.registry import MetricRegistry, metrics_of_file
from scorer.reading.formats import QRELS_LINES, find_format, first_lines, trec_lines
from scorer.reading.limits import ReadLimits
from scorer.reading.open import has_same_content
from scorer.reading.read import FileTable, read_file
from scorer.reading.schema import Schema
from scorer.results.report import RESERVED_COLUMNS, RankedBy
from scorer.results.scorecard import Rules
from scorer.scoring.board_rules import board_rules, tie_breaker
from scorer.scoring.combine import Combiner
from scorer.scoring.faults import Fault, refuse
from scorer.scoring.kind import OWN_COLUMNS, Choice, kind_of, of_its_kind, own_metrics, sides
from scorer.views.preferences import Positions, PositionTable
from scorer.views.texts import Texts
from scorer.views.values import Frames, Given


class BoundChallenge(NamedTuple):
    """A challenge with its measures bound, before any truth or submission is read."""

    challenge: Challenge
    metrics: MetricRegistry
    measures: tuple[Measure, ...]
    kind: Kind
    rules: dict[str, Rules]  # measure id -> how lists without a value count
    breakers: tuple[Measure, ...] = ()  # what orders equal ones: measures, or preferences
    rank_by: tuple[Measure, Measure] | None = None  # a preference and its aggregation
    ranked_by: RankedBy | None = None  # several measures whose ranks are put together
    # list -> the values that submissions have of it, where nothing else names the lists
    found: Mapping[str, frozenset[str]] | None = None
    tables: Mapping[Path, FileTable] = {}  # of submissions that were read for that

    @property
    def views(self) -> frozenset[type]:
        """The views that the measures and the leaderboard need."""
        preferred = self.rank_by or any(m.metric.view is PositionTable for m in self.breakers)
        metric_views = {part.metric.view for m in self.measures for part in m.all_parts}
        return frozenset(metric_views | {Positions} if preferred else metric_views)

    @property
    def shapes(self) -> tuple[Schema, ...]:
        """The schemas of submissions: the kind's, with the columns that the measures need."""
        columns, shapes = self.challenge.submission.columns, self.kind.submission
        further = extra_roles(self.challenge.submission.extra)
        needed = frozenset(
            role for m in self.measures for part in m.all_parts for role in part.metric.columns
        )
        if "target" in self.challenge.truth.columns:  # of numbers, whatever the measures are
            needed |= {"prediction"}
        schemas = (
            shapes(self.challenge.submission, needed)
            if callable(shapes)
            else tuple(
                Schema(
                    (*shape.required, *(role for role in shape.optional if role in needed)),
                    tuple(role for role in shape.optional if role not in needed),
                    columns,
                )
                for shape in written_so(shapes, self.challenge.submission.texts)
            )
        )
        return tuple(self.as_measured(shape.with_columns(further)) for shape in schemas)

    def as_measured(self, shape: Schema) -> Schema:
        """The schema of a file, with what the measures make of its columns and its items."""
        texts = Texts in self.views
        uses_all = shape.uses_all or Frames in self.views
        return replace(shape, uses_all=uses_all, items_are_texts=texts)

    def read(
        self,
        path: Path,
        findings: Findings,
        format: str | None = None,
        shapes: Sequence[Schema] | None = None,
    ) -> FileTable:
        """A submission as the challenge has it written, or in the format of that name."""
        rules, layout = self.challenge.submission, self.challenge.layout(self.challenge.submission)
        schemas = self.shapes if shapes is None else shapes
        return read_file(path, format or rules.format, schemas, findings, self.limits, layout)

    @property
    def limits(self) -> ReadLimits:
        """The limits of reading a submission."""
        protected = own_files(self.challenge)
        return self.challenge.submission.limits.bounds._replace(protected=protected)

    def called(self, role: str) -> str:
        """The challenge's own word for a list or an item: its column's name."""
        for columns in (self.challenge.submission.columns, self.challenge.truth.columns):
            if role in columns:
                return columns[role]
        return role


def written_so(shapes: Sequence[Schema], texts: bool) -> list[Schema]:
    """The shapes that a file may have: those of `texts`, or the others."""
    return [shape for shape in shapes if ("text" in shape.roles) == texts]


def bind(challenge: Challenge, allow_plugins: bool = False) -> BoundChallenge:
    """Bind the measures and decide the kind.

    `ChallengeError` with all that is wrong, each at its line; `PluginError` if a plugin cannot be
    loaded.
    """
    challenge = of_its_kind(challenge)
    _refuse_files(challenge)
    challenge = challenge if challenge.truthless else _by_content(challenge)
    registry = _registry(challenge, allow_plugins)
    kind, measures, conflicts = _bound(challenge, registry)
    return _ruled(challenge, registry, kind, measures, conflicts)


def _refuse_files(challenge: Challenge) -> None:
    """Refuse files outside the challenge's folder, and public files that are the truth."""
    if strayed := challenge.files_outside:
        message = "a link leads out of the challenge's folder"
        raise ChallengeError(
            problems=[Problem("C111", message, path=display_path(path)) for path in strayed]
        )
    refuse(challenge, _open_truth(challenge))


def _registry(challenge: Challenge, allow_plugins: bool) -> MetricRegistry:
    """The metrics, with the challenge's own.

    `ChallengeError` if its plugins may not run, `PluginError` if one cannot be loaded.
    """
    kaggle_specs = {spec.kaggle: spec for spec in challenge.metrics if spec.kaggle is not None}
    if challenge.plugins and not allow_plugins:
        names = ", ".join(path.name for path in challenge.plugins)
        message = f"this challenge runs code of its own ({names})"
        refuse(challenge, [Fault("plugins", "C116", message, "if you trust it: --allow-plugins")])
    registry = metrics()
    if challenge._metrics:
        registry = registry.with_metrics((metric, "Python") for metric in challenge._metrics)
    for path in challenge.plugins:
        if (spec := kaggle_specs.get(path)) is not None:
            from scorer.scoring.kaggle import kaggle_metric

            own_metric = kaggle_metric(path, parse(spec.notation)[0], spec, challenge)
            registry = registry.with_metrics([(own_metric, path.name)])
        else:
            registry = registry.with_metrics(metrics_of_file(path))
    return registry


def _bound(
    challenge: Challenge, registry: MetricRegistry
) -> tuple[Kind, tuple[Measure, ...], list[Fault]]:
    """The kind, the measures in their order, and faults of what does not fit the kind.

    `ChallengeError` if a measure cannot be bound.
    """
    faults = list[Fault]()
    candidates = list(_candidates(challenge, registry, faults))
    kind, conflicts = kind_of(challenge, candidates)
    combiner = Combiner(challenge, faults)
    place = {id(spec): n for n, spec in enumerate(challenge.metrics)}
    bound: dict[int, Measure] = {}
    for spec, choices in candidates:
        metric = next((choice for choice in choices if kind.name in choice.kinds), choices[0])
        try:
            params = combiner.params(spec, metric)
            plain = parse_measure(metric, spec.notation, params, spec.id, spec.primary)
        except NotationError as error:
            faults.append(Fault(_key_of(spec, error), "C114", str(error)))
        else:
            bound[place[id(spec)]] = combined = combiner.combined(spec, plain)
            faults += _unmet(challenge, spec, combined)
    if len(bound) == len(candidates):
        bound = combiner.composites(challenge.metrics, bound)
    faults += _namesakes(challenge, bound)
    refuse(challenge, faults)
    return kind, tuple(bound[n] for n in sorted(bound)), conflicts


def _ruled(
    challenge: Challenge,
    registry: MetricRegistry,
    kind: Kind,
    measures: tuple[Measure, ...],
    conflicts: list[Fault],
) -> BoundChallenge:
    """The challenge with the rules of its measures and of its leaderboard.

    `ChallengeError` if the rules do not fit, or there are conflicts already.
    """
    rules = {}
    for bound, spec in zip(measures, challenge.metrics, strict=True):
        rules[bound.id], refused = _rules(challenge, bound, spec.key)
        conflicts += refused
    for part in (part for bound in measures for part in bound.all_parts):
        rules.setdefault(part.id, _rules_of(challenge, part))
    conflicts += sides(challenge, kind.name, zip(challenge.metrics, measures, strict=True))
    breakers, rank_by, ranked_by, unknown = board_rules(challenge, measures, kind)
    conflicts += unknown
    if challenge.exclude is not None and kind.name != "grades":
        message = f"items are taken out of ranked lists, and this challenge has {kind.name}"
        help = "write where: at each measure, such as where: label != -1"
        conflicts.append(Fault("exclude", "C115", message, help))
    conflicts += _boxes(challenge, kind.name)
    refuse(challenge, conflicts)
    ready = BoundChallenge(challenge, registry, measures, kind, rules, breakers, rank_by, ranked_by)
    refuse(challenge, _idle_range(ready))
    refuse(challenge, _idle_ties(ready))
    if measures and not any(bound.primary for bound in measures):
        measures = (replace(measures[0], primary=True), *measures[1:])
    return ready._replace(measures=measures)


def _idle_range(ready: BoundChallenge) -> Iterator[Fault]:
    """A `submission.range` that no column of a submission could leave."""
    rules = ready.challenge.submission
    if rules.range is None or rules.numbers:
        return
    roles = {role for shape in ready.shapes for role in shape.roles}
    likely = any(role.startswith("probability") for role in ready.shapes[0].roles)
    if roles & {"runs", "boxes"}:
        return
    if not likely and not roles & {"prediction", "score"}:
        message = "no column of a submission has numbers that could lie outside"
        yield Fault("submission.range", "C122", message)
    elif not roles & {"prediction", "score"} and rules.range[0] <= 0 and rules.range[1] >= 1:
        message = "probabilities lie in 0 to 1 whatever is written here"
        help = "for AUROC and AveragePrecision of any numbers: columns: {score: COLUMN}"
        yield Fault("submission.range", "C122", message, help)


def _idle_ties(ready: BoundChallenge) -> Iterator[Fault]:
    """A rule of ties where no scores rank the items of a list."""
    default = Submission.model_fields["ties"].default
    if ready.kind.name != "grades" and ready.challenge.submission.ties != default:
        message = "no scores rank items here, so that no rule of ties has an effect"
        help = "leave it out; NormalizedGini(ties=file) takes equal rows as the file has them"
        labels = ready.kind.name == "labels"
        yield Fault("submission.ties", "C122", message, help if labels else "leave it out")


def _boxes(challenge: Challenge, kind: str) -> Iterator[Fault]:
    """Boxes whose parts nobody says, or parts of what is no box."""
    each = challenge.submission.each
    if kind == "boxes" and each is None:
        message = "what a box is made of is not said: each: [class, score, x1, y1, x2, y2]"
        yield Fault("submission", "C121", message)
    elif kind != "boxes" and (each or challenge.truth.each):
        where = "submission.each" if each else "truth.each"
        yield Fault(where, "C122", f"this challenge has {kind}, not boxes")


def _key_of(spec: MeasureSpec, error: NotationError) -> str:
    return f"{spec.key}.{error.parameter}" if error.parameter else spec.key


def _unmet(challenge: Challenge, spec: MeasureSpec, bound: Measure) -> Iterator[Fault]:
    """What a measure needs and the challenge lacks: a rule of ties, files, columns."""
    ties, metric = challenge.submission.ties, bound.metric
    if ties == "mean-rank" and ties not in metric.ties:
        yield Fault(spec.key, "C122", f"{metric.name} does not know submission.ties: mean-rank")
    if ties == "expected" and ties not in metric.ties:
        message = f"{metric.name} has no closed form for submission.ties: expected"
        yield Fault(spec.key, "C122", message)
    for need in bound.metric.needs(bound.params):
        if not any(_declares(challenge, option) for option in need.split(" or ")):
            message = f"{bound.name} needs {need}, which this challenge does not have"
            yield Fault(spec.key, "C121", message)


def _namesakes(challenge: Challenge, bound: dict[int, Measure]) -> Iterator[Fault]:
    """Measures and questions with the name of an earlier one, or of a column of reports."""
    ids = set[str]()
    for n in sorted(bound):
        id, key = bound[n].id, challenge.metrics[n].key
        if id in ids:
            yield Fault(key, "C120", f"two measures are called {quoted(id)}; give one an id")
        elif id in RESERVED_COLUMNS:
            message = f"{quoted(id)} is a column of every report; give the measure another id"
            yield Fault(key, "C120", message)
        ids.add(id)
    for question in challenge.questions:
        if question in ids | RESERVED_COLUMNS:
            owner = "a measure" if question in ids else "a column of every report"
            message = f"{quoted(question)} is {owner}, too; give the question another name"
            yield Fault("questions", "C120", message)


def _open_truth(challenge: Challenge) -> Iterator[Fault]:
    """Files that participants or measures may know, and that are the truth."""
    if challenge.truthless:
        return
    for key in ("lists", "items", "history"):
        source = getattr(challenge, key)
        if source is not None and has_same_content(source.file, challenge.truth.file):
            message = "this is the truth's file, which no participant may know"
            help = f"write the {key} to a file of their own, without the answers"
            yield Fault(key, "C124", message, help)
    for key, source in challenge.key_files.items():
        if not key.startswith("truth") and has_same_content(source.file, challenge.truth.file):
            message = "this is the truth's file, which no participant may know"
            help = "write them to a file of their own, without the answers"
            yield Fault(key, "C124", message, help)
    if any(has_same_content(path, challenge.truth.file) for path in challenge.prose):
        message = "one of these is the truth's file, which no participant may know"
        yield Fault("pages", "C124", message, "write the page to a file of its own")


def _by_content(challenge: Challenge) -> Challenge:
    """The challenge with what TREC's forms mean where it says nothing else.

    A truth without a known suffix is looked at; in TREC's forms a list is a topic, and topics
    without qrels are ignored, as trec_eval does.
    """
    truth, submission = challenge.truth, challenge.submission
    format = truth.format or find_format(truth.file, None).name
    if truth.format is None and format == "csv":
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


def _candidates(
    challenge: Challenge, registry: MetricRegistry, faults: list[Fault]
) -> Iterator[Choice]:
    """The metrics that each measure may mean, one for each kind; unknown names are `faults`."""
    source, own = challenge.truth, own_metrics(challenge)
    is_table = bool(OWN_COLUMNS["labels"] & {*source.columns, *source.document})
    for spec in challenge.metrics:
        if spec.score is not None:
            continue
        if spec.notation in own:
            yield spec, (own[spec.notation],)
            continue
        try:
            name, _, _ = parse(spec.notation)
            choices = (own[name],) if name in own else registry.find_all(name)
            # others, which are all loaded here, may have a name of tables as an alias
            if (
                not is_table
                and name not in own
                and any("labels" in metric.kinds for metric in choices)
            ):
                choices = registry.find_all(name, every=True)
            yield spec, choices
        except UnknownName as error:
            faults.append(Fault(spec.key, "C113", _unknown(error, registry)))
        except NotationError as error:
            help = None
            if " [" in spec.notation and spec.key == "--metric":
                help = "a measure that has no notation: write an id at it, and -m ID"
            faults.append(Fault(_key_of(spec, error), "C114", str(error), help))


def _unknown(error: UnknownName, registry: MetricRegistry) -> str:
    """That a metric is unknown, and its name here where other tools call one so."""
    from scorer.metrics.catalogue import suggest_from_tools

    told = suggest_from_tools(registry, error.name)
    return f"no {error.kind} is called {quoted(error.name)}; {told}" if told else str(error)


def unknown_tie_breakers(challenge: Challenge) -> tuple[str, ...]:
    """The names in `tie_break` that are no measure of this challenge, and no preference.

    A measure that a plugin defines is known by the words of the challenge alone: none has run.
    """
    measures = []
    for spec, choices in _candidates(challenge, metrics(), []):
        with suppress(NotationError):
            measures += [
                parse_measure(metric, spec.notation, spec.params, spec.id) for metric in choices
            ]
    words = {(spec.id or spec.notation).casefold() for spec in challenge.metrics}
    lost = []
    for name in challenge.leaderboard.tie_break:
        try:
            tie_breaker(name, measures)
        except (UnknownName, NotationError):
            lost += [name] if name.casefold() not in words else []
    return tuple(lost)


def _declares(challenge: Challenge, need: str) -> bool:
    """Whether the challenge declares a file, or a column of one: `items`, `items.users`."""
    value: object = challenge
    for step in need.split("."):
        value = value.get(step) if isinstance(value, dict) else getattr(value, step, None)
    return value not in (None, ())


def _rules(challenge: Challenge, bound: Measure, key: str) -> tuple[Rules, list[Fault]]:
    """How lists without a value count for this measure; a written `zero` must make sense."""
    lower = bound.metric.better == "lower"
    refused = []
    for rule, where in (
        (challenge.undefined, "undefined"),
        (challenge.submission.missing_list, "submission.missing_list"),
    ):
        # a whole-challenge figure such as Gini has no lists to be zero; one of a table has rows
        zero = rule == "zero" and (lower or bound.metric.columns == ("prediction",))
        if not zero or bound.parts:
            continue
        if bound.metric.pooling != "always" or "labels" in bound.metric.kinds:
            why = f"be a perfect {bound.metric.name}" if lower else "not be a prediction"
            refused.append(Fault(where, "C118", f"zero would {why}; write skip or error"))
    return _rules_of(challenge, bound), refused


def _rules_of(challenge: Challenge, bound: Measure) -> Rules:
    """How lists without a value count; a value that was not computed elsewhere is no 0."""
    own = challenge.undefined is None and bound.metric.view is Given
    rules = Rules.of(challenge, bound.metric.zero_is_bad)
    return rules._replace(undefined="skip") if own else rules
