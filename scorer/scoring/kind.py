"""The kind of a challenge: what its metrics look at, and what its truth holds."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from scorer.challenge.kit_archive import is_kit
from scorer.challenge.model import Challenge, MeasureSpec, one_primary
from scorer.core.errors import UnknownName
from scorer.core.text import join_first, quoted
from scorer.kinds import KINDS, find_kind
from scorer.kinds.base import Kind
from scorer.metrics.api import Metric
from scorer.metrics.notation import Measure
from scorer.reading.layout import VALUE_ROLES
from scorer.reading.read import header_words
from scorer.scoring.faults import Fault, refuse

# columns that only challenges of that kind have
OWN_COLUMNS = {
    "preferences": {"better", "worse"},
    "labels": {"label", "target"},
    "grades": {"text"},
}

VOTES = "votes"  # a kind without submissions
Choice = tuple[MeasureSpec, tuple[Metric, ...]]  # a measure, and the metrics that it may mean


def of_its_kind(challenge: Challenge) -> Challenge:
    """The challenge with the measures that its kind has where it names none.

    `ChallengeError` if there is no such kind, or it lacks what its kind needs.
    """
    if challenge.votes and challenge.kind != VOTES:
        refuse(challenge, [Fault("votes", "C122", "only a challenge of kind votes has votes")])
    if challenge.kind is None:
        return challenge
    refuse_votes(challenge)
    try:
        kind = find_kind(challenge.kind)
    except UnknownName as error:
        refuse(challenge, [Fault("kind", "C106", str(error))])
        raise
    if not challenge.metrics and (own := own_metrics(challenge)):
        specs = (MeasureSpec(notation=name, id=name, key="submission") for name in own)
        challenge = challenge.model_copy(update={"metrics": one_primary(tuple(specs))})
    faults = []
    if kind.truth and challenge.truthless:
        faults.append(Fault("truth", "C107", f"is missing, and {kind.name} are held against one"))
    if not kind.truth and not challenge.truthless:
        faults.append(Fault("truth", "C122", f"{kind.name} are held against no truth"))
    if not challenge.metrics and not is_kit(challenge):  # a kit need not compute any
        help = "write metrics: [NAME], or give -m NAME"
        faults.append(Fault("metrics", "C107", "is missing", help))
    refuse(challenge, faults)
    return challenge


def refuse_votes(challenge: Challenge) -> None:
    """Refuse, by `ChallengeError`, a challenge that has no submissions."""
    if challenge.kind == VOTES:
        message = (
            "votes give no submission a value of its own, so that there is nothing to do here; "
            "score CHALLENGE VOTES... makes the board of all systems, as does scorer.votes"
        )
        refuse(challenge, [Fault("kind", "C122", message)])


def own_metrics(challenge: Challenge) -> Mapping[str, Metric]:
    """The metrics that the columns of its submissions are, by name; none of most kinds."""
    metrics = None if challenge.kind is None else find_kind(challenge.kind).metrics
    return {} if metrics is None else metrics(challenge.submission)


def kind_of(challenge: Challenge, candidates: Sequence[Choice]) -> tuple[Kind, list[Fault]]:
    """The one kind that all metrics fit, or the first two that do not go together."""
    if challenge.kind is not None:
        return _of_named_kind(challenge, candidates)
    fits = frozenset[str]()
    for n, (spec, choices) in enumerate(candidates):
        kinds_here = _kinds_of(choices)
        if n and not fits & kinds_here:
            first = next(
                earlier for _, earlier in candidates[:n] if not _kinds_of(earlier) & kinds_here
            )
            message = (
                f"{first[0].name} looks at {_or(_kinds_of(first))} and {choices[0].name} at "
                f"{_or(kinds_here)}; one challenge has one kind"
            )
            return find_kind(min(fits)), [Fault(spec.key, "C115", message)]
        fits = fits & kinds_here if n else kinds_here
    fits = fits or frozenset(KINDS)
    if _framed(challenge, candidates):
        return find_kind("frames"), []
    fits = fits - {"frames"}
    name = _decided(challenge, fits) if len(fits) > 1 else min(fits)
    faults = _ambiguous_cells(challenge, candidates, fits) or list(
        _unread(challenge, candidates, name)
    )
    return find_kind(name), faults


def _of_named_kind(challenge: Challenge, candidates: Sequence[Choice]) -> tuple[Kind, list[Fault]]:
    """The kind that the challenge names, and the metrics that are of others."""
    kind = find_kind(challenge.kind or "")
    return kind, [
        Fault(spec.key, "C115", f"{choices[0].name} looks at {_or(choices[0].kinds)}, and this "
              f"challenge has {kind.name}")
        for spec, choices in candidates
        if kind.name not in _kinds_of(choices)
    ]  # fmt: skip


def _framed(challenge: Challenge, candidates: Sequence[Choice]) -> bool:
    """Whether all measures read frames, and no column but the rows' ids is said to have a role."""
    from scorer.views.values import Frames  # which few challenges need

    views = {metric.view for _, choices in candidates for metric in choices}
    return views == {Frames} and _declared(challenge) <= {"list"}


def _ambiguous_cells(
    challenge: Challenge, candidates: Sequence[Choice], fits: frozenset[str]
) -> list[Fault]:
    """The fault of wide columns whose cells could be numbers, classes or items."""
    source = challenge.truth
    declared = _declared(challenge)
    decided = any(name in fits and roles & declared for name, roles in OWN_COLUMNS.items())
    if "list" not in source.wide or decided or {*VALUE_ROLES, "item"} & {*source.columns}:
        return []
    from scorer.views.rows import Targets  # which few challenges need

    numbers = any(metric.view is Targets for _, choices in candidates for metric in choices)
    if fits == {"labels"} and not numbers:
        return []
    message = "what the cells of these columns are is not said: numbers, classes or items"
    help = (
        "in columns of the truth: {target: number} where they are numbers to predict, "
        "{label: class} for classes, {item: id} for items"
    )
    return [Fault("truth.wide", "C121", message, help)]


def _unread(challenge: Challenge, candidates: Sequence[Choice], kind: str) -> Iterator[Fault]:
    """Measures of items, where the truth is said to have numbers or classes."""
    source = challenge.truth
    declared = {*source.columns, *source.document}
    own = {name: sorted(OWN_COLUMNS[name] & declared) for name in ("labels", "grades")}
    roles = [role for name, named in own.items() for role in named if name != kind]
    if not roles or not candidates:
        return
    spec, choices = candidates[0]
    message = (
        f"{choices[0].name} looks at {_or(choices[0].kinds)}, whose truth has no {roles[0]}, "
        "which this one is said to have"
    )
    yield Fault(spec.key, "C115", message)


def sides(
    challenge: Challenge, kind: str, bound: Iterable[tuple[MeasureSpec, Measure]]
) -> Iterator[Fault]:
    """Faults of measures in a challenge that has numbers beside classes."""
    numbers = challenge.submission.numbers
    if not numbers:
        return
    from scorer.views.rows import Labelled, Targets

    if kind != "labels":
        message = f"numbers stand beside classes, and this challenge has {kind}"
        yield Fault("submission.numbers", "C115", message)
        return
    truth = challenge.truth
    if "target" in truth.columns or truth.multilabel or truth.probability:
        message = "beside numbers the truth has one label a row, whose column is label"
        yield Fault("truth", "C115", message)
    called = join_first(numbers)
    for spec, measure in bound:
        group, view = measure.combination.group, measure.metric.view
        if measure.parts:
            continue
        if view not in (Targets, Labelled) or "probability" in measure.metric.columns:
            message = f"{measure.name} cannot be asked where some groups have numbers ({called})"
        elif group is None:
            message = (
                f"{measure.name} has to name the group that it is about, since some have numbers "
                f"({called}) and the others classes"
            )
        elif (view is Targets) != (group in numbers):
            has, wants = ("classes", "numbers") if view is Targets else ("numbers", "classes")
            message = f"{quoted(group)} has {has}, and {measure.metric.name} is about {wants}"
            message += f", which {called} has" if view is Targets else ""
        else:
            continue
        yield Fault(f"{spec.key}.group", "C115", message)


def _declared(challenge: Challenge) -> set[str]:
    """The roles that are said to have a column, or a path."""
    truth, sent = challenge.truth, challenge.submission
    roles = {*truth.columns, *sent.columns, *truth.document, *sent.document}
    return roles | ({"label"} if sent.probability else set())


def _kinds_of(choices: Sequence[Metric]) -> frozenset[str]:
    return frozenset().union(*(metric.kinds for metric in choices))


def _decided(challenge: Challenge, fits: frozenset[str]) -> str:
    """The kind that the columns of the truth show: as declared, else as its header says."""
    source, declared = challenge.truth, _declared(challenge)
    for name, roles in OWN_COLUMNS.items():
        if name in fits and roles & declared:
            return name
    value_roles = {"item", "grade", "rating"} & {*source.columns, *source.document}
    if "ratings" in fits and "rating" in value_roles:
        return "ratings"
    if not value_roles and not source.document:
        layout = challenge.layout(source)
        words = header_words(source.file, source.format, layout)
        for name, roles in OWN_COLUMNS.items():
            if name in fits and len(roles & words) >= (2 if name == "preferences" else 1):
                return name
    return next(name for name in ("grades", "ratings", min(fits)) if name in fits)


def _or(names: frozenset[str]) -> str:
    return " or ".join(sorted(names))
