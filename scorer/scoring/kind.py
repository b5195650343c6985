"""The kind of a challenge: what its metrics look at, and what its truth holds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from scorer.challenge.kit_archive import lacks_truth
from scorer.challenge.measures import MeasureSpec, choose_primary
from scorer.challenge.model import Challenge
from scorer.core.errors import UnknownName
from scorer.core.text import join_first, quoted
from scorer.kinds import KINDS, find_kind
from scorer.kinds.base import Kind
from scorer.metrics.api import Metric
from scorer.metrics.notation import Measure
from scorer.reading.layout import VALUE_ROLES
from scorer.scoring.keys import VOTES
from scorer.scoring.rules import Fault, refuse
from scorer.scoring.tables import read_header
from scorer.views.rows import Labelled, Targets
from scorer.views.values import Frames

# Kind -> the columns that only challenges of this kind have.
KIND_COLUMNS = {
    "preferences": {"better", "worse"},
    "labels": {"label", "target"},
    "grades": {"text"},
}
# The columns by which measures of several kinds are held against each other.
USUAL_COLUMNS = {**KIND_COLUMNS, "grades": {"text", "item", "grade"}, "ratings": {"rating"}}
LISTS_HELP = "write lists: {file: lists.csv}, with a column list"


class Candidate(NamedTuple):
    """A measure as it is written, and the metrics that it may mean: one for each kind."""

    position: int  # its place among the measures of the challenge
    spec: MeasureSpec
    metrics: tuple[Metric, ...]

    @property
    def kinds(self) -> frozenset[str]:
        """The kinds of challenge that one of the metrics is for."""
        return frozenset().union(*(metric.kinds for metric in self.metrics))

    @property
    def name(self) -> str:
        """The name of the metric, as messages have it."""
        return self.metrics[0].name


def add_kind_measures(challenge: Challenge) -> Challenge:
    """Return the challenge with the measures of its kind if it names none.

    `ChallengeError` if there is no such kind, or the challenge lacks what its kind needs.
    """
    if challenge.kind is None:
        return challenge
    refuse_votes(challenge)
    try:
        kind = find_kind(challenge.kind)
    except UnknownName as error:
        refuse(challenge, [Fault("kind", "C106", str(error))])
        raise
    if not challenge.metrics and (metrics := kind_metrics(challenge)):
        specs = (MeasureSpec(notation=name, id=name, key="submission") for name in metrics)
        challenge = challenge.model_copy(update={"metrics": choose_primary(tuple(specs))})
    refuse(challenge, _find_missing_sections(challenge, kind))
    return challenge


def _find_missing_sections(challenge: Challenge, kind: Kind) -> Iterator[Fault]:
    if kind.truth and challenge.truthless:
        yield Fault("truth", "C107", f"is missing, and {kind.name} are held against one")
    if not kind.truth and not challenge.truthless:
        yield Fault("truth", "C122", f"{kind.name} are held against no truth")
    if not challenge.metrics and not lacks_truth(challenge):  # a kit need not compute any
        yield Fault("metrics", "C107", "is missing", "write metrics: [NAME], or give -m NAME")


def refuse_votes(challenge: Challenge) -> None:
    """Raise `ChallengeError` if the challenge has votes, and so no submissions."""
    if challenge.kind == VOTES:
        message = (
            "a challenge of votes has no submissions to score; score CHALLENGE VOTES... makes "
            "the board of all systems, as does scorer.votes"
        )
        refuse(challenge, [Fault("kind", "C122", message)])


def refuse_without_entries(challenge: Challenge) -> None:
    """Raise `ChallengeError` if no board can be kept: of votes, or of lists not yet known."""
    refuse_votes(challenge)
    if challenge.truthless and challenge.lists is None:
        message = "nothing names the lists, which are the same for all entries of a board"
        refuse(challenge, [Fault("lists", "C121", message, LISTS_HELP)])


def kind_metrics(challenge: Challenge) -> Mapping[str, Metric]:
    """Return the metrics that the columns of submissions are, by name; none of most kinds."""
    metrics = None if challenge.kind is None else find_kind(challenge.kind).metrics
    return {} if metrics is None else metrics(challenge.submission)


def decide_kind(challenge: Challenge, candidates: Sequence[Candidate], faults: list[Fault]) -> Kind:
    """Return the one kind that all metrics fit; what does not go together is added to `faults`."""
    if challenge.kind is not None:
        kind = find_kind(challenge.kind)
        for each in candidates:
            if kind.name not in each.kinds:
                message = f"{each.name} looks at {_or(each.metrics[0].kinds)}"
                message += f", and this challenge has {kind.name}"
                faults.append(Fault(each.spec.key, "C115", message))
        return kind
    declared = _declared_roles(challenge)
    fits = frozenset(KINDS).intersection(*(each.kinds for each in candidates))
    if not fits:
        name = _likeliest_kind(candidates, declared)
        faults += _find_other_kinds(candidates, name)
        return find_kind(name)
    views = {metric.view for each in candidates for metric in each.metrics}
    if views == {Frames} and declared <= {"list"}:
        return find_kind("frames")
    fits -= {"frames"}
    name = min(fits) if len(fits) == 1 else _kind_of_columns(challenge, fits, declared)
    conflicts = list(_find_ambiguous_cells(challenge, fits, declared, Targets in views))
    faults += conflicts or _find_other_columns(challenge, candidates, name)
    return find_kind(name)


def _likeliest_kind(candidates: Sequence[Candidate], declared: set[str]) -> str:
    """Return the kind that the declared columns show, else the one that most measures are for."""
    names = dict.fromkeys(name for each in candidates for name in sorted(each.kinds))

    def rate(name: str) -> tuple[bool, int]:
        count = sum(name in each.kinds for each in candidates)
        return not declared.isdisjoint(USUAL_COLUMNS.get(name, ())), count

    return max(names, key=rate)  # of equals the first


def _find_other_kinds(candidates: Sequence[Candidate], kind: str) -> Iterator[Fault]:
    """Yield each measure that is not for this kind, beside one that is."""
    fitting = [each for each in candidates if kind in each.kinds]
    for other in candidates:
        if kind in other.kinds:
            continue
        fit = next((each for each in fitting if not each.kinds & other.kinds), fitting[0])
        first, second = sorted((fit, other), key=lambda each: each.position)
        message = (
            f"{first.name} looks at {_or(first.kinds)} and {second.name} at {_or(second.kinds)}; "
            "one challenge has one kind"
        )
        yield Fault(other.spec.key, "C115", message)


def _declared_roles(challenge: Challenge) -> set[str]:
    """Return the roles that are said to have a column, or a path."""
    truth = challenge.truth
    sent = challenge.submission
    roles = {*truth.columns, *sent.columns, *truth.document, *sent.document}
    return roles | ({"label"} if sent.probability else set())


def _kind_of_columns(challenge: Challenge, fits: frozenset[str], declared: set[str]) -> str:
    """Return the kind that the truth's columns show: as declared, else as its header has them."""
    source = challenge.truth
    for name, roles in KIND_COLUMNS.items():
        if name in fits and roles & declared:
            return name
    value_roles = {"item", "grade", "rating"} & {*source.columns, *source.document}
    if "ratings" in fits and "rating" in value_roles:
        return "ratings"
    if not value_roles and not source.document:
        words = read_header(challenge, source)
        for name, roles in KIND_COLUMNS.items():
            if name in fits and len(roles & words) >= (2 if name == "preferences" else 1):
                return name
    return next(name for name in ("grades", "ratings", min(fits)) if name in fits)


def _find_ambiguous_cells(
    challenge: Challenge, fits: frozenset[str], declared: set[str], has_targets: bool
) -> Iterator[Fault]:
    """Yield that the cells of wide columns could be numbers, classes or items."""
    source = challenge.truth
    is_decided = any(name in fits and roles & declared for name, roles in KIND_COLUMNS.items())
    has_value = {*VALUE_ROLES, "item"} & {*source.columns}
    if "list" not in source.wide or is_decided or has_value:
        return
    if fits == {"labels"} and not has_targets:
        return
    message = "what the cells of these columns are is not said: numbers, classes or items"
    help = (
        "in columns of the truth: {target: number} where they are numbers to predict, "
        "{label: class} for classes, {item: id} for items"
    )
    yield Fault("truth.wide", "C121", message, help)


def _find_other_columns(
    challenge: Challenge, candidates: Sequence[Candidate], kind: str
) -> Iterator[Fault]:
    """Yield a measure of items where the truth is said to have numbers, classes or texts."""
    declared = {*challenge.truth.columns, *challenge.truth.document}
    others = (name for name in ("labels", "grades") if name != kind)
    roles = [role for name in others for role in sorted(KIND_COLUMNS[name] & declared)]
    if roles and candidates:
        first = candidates[0]
        message = (
            f"{first.name} looks at {_or(first.metrics[0].kinds)}, whose truth has no {roles[0]}, "
            "which this one is said to have"
        )
        yield Fault(first.spec.key, "C115", message)


def find_mixed_faults(
    challenge: Challenge, kind: str, measures: Sequence[Measure]
) -> Iterator[Fault]:
    """Yield the faults of measures in a challenge that has numbers beside classes."""
    numbers = challenge.submission.numbers
    truth = challenge.truth
    if not numbers or kind != "labels":
        return
    if "target" in truth.columns or truth.multilabel or truth.probability:
        message = "beside numbers the truth has one label a row, whose column is label"
        yield Fault("truth", "C115", message)
    names = join_first(numbers)
    for spec, measure in zip(challenge.metrics, measures, strict=True):
        group = measure.combination.group
        view = measure.metric.view
        if measure.parts:
            continue
        if view not in (Targets, Labelled) or "probability" in measure.metric.columns:
            message = f"{measure.name} cannot be asked where some groups have numbers ({names})"
        elif group is None:
            message = (
                f"{measure.name} has to name the group that it is about, since some have numbers "
                f"({names}) and the others classes"
            )
        elif view is Targets and group not in numbers:
            message = f"{quoted(group)} has classes, and {measure.metric.name} is about numbers"
            message += f", which {names} has"
        elif view is Labelled and group in numbers:
            message = f"{quoted(group)} has numbers, and {measure.metric.name} is about classes"
        else:
            continue
        yield Fault(f"{spec.key}.group", "C115", message)


def _or(names: frozenset[str]) -> str:
    return " or ".join(sorted(names))
