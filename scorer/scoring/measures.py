"""The measures of a challenge: the metrics that its notations name, and their parameters."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from scorer.challenge.measures import MeasureSpec
from scorer.challenge.model import Challenge
from scorer.core.errors import UnknownName
from scorer.core.text import quoted
from scorer.kinds.base import Kind
from scorer.metrics.api import Metric
from scorer.metrics.catalogue import metrics
from scorer.metrics.notation import Measure, NotationError, parse, parse_measure
from scorer.metrics.registry import MetricRegistry, metrics_of_file
from scorer.results.report import RESERVED_COLUMNS
from scorer.scoring.combine import Combiner
from scorer.scoring.kind import KIND_COLUMNS, Candidate, kind_metrics
from scorer.scoring.rules import Fault, find_tie_breaker, refuse


def find_metrics(challenge: Challenge, allow_plugins: bool) -> MetricRegistry:
    """Return the metrics, with the challenge's own.

    `ChallengeError` if its plugins may not run, `PluginError` if one cannot be loaded.
    """
    if challenge.plugins and not allow_plugins:
        names = ", ".join(path.name for path in challenge.plugins)
        message = f"this challenge runs code of its own ({names})"
        refuse(challenge, [Fault("plugins", "C116", message, "if you trust it: --allow-plugins")])
    registry = metrics()
    if challenge.session_metrics:
        origin = "Python"  # in place of the module or file that a metric comes from
        registry = registry.with_metrics((metric, origin) for metric in challenge.session_metrics)
    refuse(challenge, _find_kaggle_clashes(challenge))
    kaggle_files = {spec.kaggle for spec in challenge.metrics}
    kaggle_specs = _find_kaggle_specs(challenge)
    for path in challenge.plugins:
        if path not in kaggle_files:
            registry = registry.with_metrics(metrics_of_file(path))
            continue
        from scorer.scoring.kaggle import kaggle_metric  # which few challenges need

        for (file, _), spec in kaggle_specs.items():
            if file == path:
                name = parse(spec.notation).name
                metric = kaggle_metric(path, name, spec, challenge)
                registry = registry.with_metrics([(metric, path.name)])
    return registry


def _find_kaggle_specs(challenge: Challenge) -> dict[tuple[Path, str], MeasureSpec]:
    """Return the first measure of each metric of a Kaggle file, by the file and the metric's name.

    The name is casefolded. It is the name of the file, unless the measure says `metric: NAME`.
    """
    specs: dict[tuple[Path, str], MeasureSpec] = {}
    for spec in challenge.metrics:
        if spec.kaggle is not None:
            with suppress(NotationError):  # which `find_candidates` reports
                name = parse(spec.notation).name
                specs.setdefault((spec.kaggle, name.casefold()), spec)
    return specs


def _find_kaggle_clashes(challenge: Challenge) -> Iterator[Fault]:
    """Yield measures of a Kaggle file whose metric an earlier measure makes in another way."""
    first_specs = _find_kaggle_specs(challenge)
    for spec in challenge.metrics:
        if spec.kaggle is None:
            continue
        with suppress(NotationError):
            name = parse(spec.notation).name
            first = first_specs[spec.kaggle, name.casefold()]
            if _kaggle_settings(spec) != _kaggle_settings(first):
                message = f"{first.key} has another better or resample of the metric {quoted(name)}"
                help = f"write both alike, or give this one another name, metric: {name}_2"
                yield Fault(spec.key, "C120", message, help)


def _kaggle_settings(spec: MeasureSpec) -> tuple[str, str | None]:
    """Return what the metric of a Kaggle file is made by, beside the file."""
    return spec.better or "higher", spec.resample


def find_candidates(
    challenge: Challenge, registry: MetricRegistry, faults: list[Fault]
) -> list[Candidate]:
    """Return the metrics that each measure may mean; unknown names are added to `faults`."""
    candidates: list[Candidate] = []
    source = challenge.truth
    of_kind = kind_metrics(challenge)
    is_table = bool(KIND_COLUMNS["labels"] & {*source.columns, *source.document})
    for position, spec in enumerate(challenge.metrics):
        if spec.score is not None:
            continue
        if spec.notation in of_kind:
            candidates.append(Candidate(position, spec, (of_kind[spec.notation],)))
            continue
        try:
            name = parse(spec.notation).name
            if name in of_kind:
                choices: tuple[Metric, ...] = (of_kind[name],)
            else:
                choices = registry.find_all(name)
                # In a challenge without a table, `name` may be an alias of a metric of another
                # kind: look at all.
                if not is_table and any("labels" in metric.kinds for metric in choices):
                    choices = registry.find_all(name, every=True)
            candidates.append(Candidate(position, spec, choices))
        except UnknownName as error:
            faults.append(Fault(spec.key, "C113", describe_unknown(error, registry)))
        except NotationError as error:
            # `-m` was given the heading of a measure's column, such as `AP [phase]`.
            is_heading = " [" in spec.notation and spec.key == "--metric"
            help = "a measure that has no notation: write an id at it, and -m ID"
            fault = Fault(_key_of(spec, error), "C114", str(error), help if is_heading else None)
            faults.append(fault)
    return candidates


def describe_unknown(error: UnknownName, registry: MetricRegistry) -> str:
    """Return the message for an unknown metric.

    It has our name for the metric if another tool uses the unknown one.
    """
    from scorer.metrics.catalogue import suggest_from_tools  # takes longer than all else

    hint = suggest_from_tools(registry, error.name)
    return f"no {error.kind} is called {quoted(error.name)}; {hint}" if hint else str(error)


def replace_measures(
    challenge: Challenge, notations: Sequence[str]
) -> tuple[Challenge, tuple[str, ...]]:
    """Return a challenge with these measures alone, and the tie-breakers that it loses by that."""
    challenge = challenge.with_metrics(notations)
    tie_break = challenge.leaderboard.tie_break
    lost = _unknown_tie_breakers(challenge) if tie_break else ()
    remaining = tuple(name for name in tie_break if name not in lost)
    leaderboard = challenge.leaderboard.model_copy(update={"tie_break": remaining})
    return challenge.model_copy(update={"leaderboard": leaderboard}), lost


def _unknown_tie_breakers(challenge: Challenge) -> tuple[str, ...]:
    """Return the names in `tie_break` that are no measure of this challenge, and no preference.

    Plugins are not run here, so their measures are recognised by their written names only.
    """
    measures = []
    for candidate in find_candidates(challenge, metrics(), []):
        spec = candidate.spec
        with suppress(NotationError):
            measures += [
                parse_measure(metric, spec.notation, spec.params, spec.id)
                for metric in candidate.metrics
            ]
    written_names = {(spec.id or spec.notation).casefold() for spec in challenge.metrics}
    unknown = []
    for name in challenge.leaderboard.tie_break:
        try:
            find_tie_breaker(name, measures)
        except (UnknownName, NotationError):
            if name.casefold() not in written_names:
                unknown.append(name)
    return tuple(unknown)


def bind_measures(
    challenge: Challenge, candidates: Sequence[Candidate], kind: Kind, faults: list[Fault]
) -> tuple[Measure, ...]:
    """Return the measures in their order, each with the metric of the kind; or add faults."""
    combiner = Combiner(challenge, faults)
    bound: dict[int, Measure] = {}  # by their positions in the challenge
    for candidate in candidates:
        spec = candidate.spec
        choices = candidate.metrics
        metric = next((choice for choice in choices if kind.name in choice.kinds), choices[0])
        try:
            params = combiner.find_params(spec, metric)
            measure = parse_measure(metric, spec.notation, params, spec.id, spec.primary)
        except NotationError as error:
            faults.append(Fault(_key_of(spec, error), "C114", str(error)))
            continue
        measure = combiner.combine(spec, measure)
        bound[candidate.position] = measure
        faults += _find_unmet_needs(challenge, kind, spec, measure)
    # Without one of the measures, formulas that name it would be reported, too.
    if len(bound) == len(candidates):
        bound = combiner.bind_composites(challenge.metrics, bound)
    measures = {position: bound[position] for position in sorted(bound)}
    faults += _find_equal_ids(challenge, measures)
    return tuple(measures.values())


def _key_of(spec: MeasureSpec, error: NotationError) -> str:
    return f"{spec.key}.{error.parameter}" if error.parameter else spec.key


def _find_unmet_needs(
    challenge: Challenge, kind: Kind, spec: MeasureSpec, measure: Measure
) -> Iterator[Fault]:
    """Yield what a measure needs and the challenge lacks: a rule of ties, files, columns."""
    metric = measure.metric
    # In a challenge of another kind the key itself is refused.
    ties = challenge.submission.ties if kind.name == "grades" else None
    if ties == "mean-rank" and ties not in metric.ties:
        yield Fault(spec.key, "C122", f"{metric.name} does not know submission.ties: mean-rank")
    if ties == "expected" and ties not in metric.ties:
        message = f"{metric.name} has no closed form for submission.ties: expected"
        yield Fault(spec.key, "C122", message)
    for need in metric.needs(measure.params):
        if not any(_is_declared(challenge, option) for option in need.split(" or ")):
            message = f"{measure.name} needs {need}, which this challenge does not have"
            yield Fault(spec.key, "C121", message)


def _is_declared(challenge: Challenge, need: str) -> bool:
    """Return whether the challenge declares a file, or a column of one: `items`, `items.users`."""
    value: object = challenge
    for step in need.split("."):
        value = value.get(step) if isinstance(value, dict) else getattr(value, step, None)
    return value not in (None, ())  # None: it is not written; (): an empty list is


def _find_equal_ids(challenge: Challenge, measures: Mapping[int, Measure]) -> Iterator[Fault]:
    """Yield measures and questions called as an earlier one, or as a column of reports."""
    ids = set[str]()
    for n, measure in measures.items():
        id = measure.id
        key = challenge.metrics[n].key
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
