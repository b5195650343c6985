"""The rules of a leaderboard, bound to measures; and faults of keys, located in challenge.yaml."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import NamedTuple

from scorer.challenge.model import Challenge
from scorer.core.errors import ChallengeError, UnknownName
from scorer.core.problems import Problem
from scorer.core.text import display_path, format_exact, join_first, printable, quoted, suggest
from scorer.metrics.notation import Measure, NotationError, find_measure
from scorer.preferences.aggregations import aggregations
from scorer.preferences.comparisons import comparisons
from scorer.results.front import front_axes
from scorer.results.report import RANK_AGGREGATIONS, RankAggregate

WHOSE = ", the truth's highest"  # which grade it is, where the challenge does not write it


class Fault(NamedTuple):
    """What is wrong with a key of challenge.yaml, such as `metrics[1].cutoffs`."""

    key: str
    code: str
    message: str
    help: str | None = None


def locate_fault(challenge: Challenge, fault: Fault) -> Problem:
    """Return a fault as a problem at the line of its key, or of the nearest key above it."""
    text = f"{fault.key}: {fault.message}"
    path = display_path(challenge.path)
    line = challenge.line(fault.key)
    return Problem(fault.code, printable(text, len(text)), path=path, line=line, help=fault.help)


def refuse(challenge: Challenge, faults: Iterable[Fault]) -> None:
    """Raise `ChallengeError` with all faults, by their lines, if there are any."""
    if problems := [locate_fault(challenge, fault) for fault in faults]:
        raise ChallengeError(problems=sorted(problems, key=lambda problem: problem.line or 0))


class BoardRules(NamedTuple):
    """What the leaderboard's rules name."""

    # What orders equal submissions: measures, and preferences, which are measures of positions.
    tie_breakers: tuple[Measure, ...] = ()
    pairwise: tuple[Measure, Measure] | None = None  # a preference and its aggregation
    rank_aggregate: RankAggregate | None = None  # several measures whose ranks are put together


def bind_rules(
    challenge: Challenge, measures: Sequence[Measure], kind: str, faults: list[Fault]
) -> BoardRules:
    """Return the rules of the leaderboard; what they name wrongly is added to `faults`."""
    if not measures:  # a kit may have none
        return BoardRules()
    binder = _RuleBinder(measures, kind, faults)
    ids = ", ".join(measure.id for measure in measures)
    hint = f"it can be a measure of this challenge ({ids}) or a preference; "
    breakers = [
        binder.bind(f"tie_break[{n}]", partial(find_tie_breaker, name, measures), hint)
        for n, name in enumerate(challenge.leaderboard.tie_break)
    ]
    rules = BoardRules(tuple(breaker for breaker in breakers if breaker))
    faults += _find_front_faults(challenge, measures)
    by = challenge.leaderboard.rank_by
    if by == "primary":
        return rules
    preference = None
    if by.preference is not None:
        preference = binder.bind("rank_by.preference", partial(comparisons.bind, by.preference))
    try:
        aggregate = aggregations.bind(by.aggregate)
    except (UnknownName, NotationError) as error:
        faults.append(Fault("leaderboard.rank_by.aggregate", "C117", str(error)))
        return rules
    if preference is not None:
        rules = rules._replace(pairwise=(preference, aggregate))
    names = tuple(binder.find_ids(by.measures))
    if names and len(names) == len(by.measures):
        rank_aggregate = RankAggregate(names, aggregate, by.tie_break, by.each)
        faults += _find_faults_of_each(challenge, rank_aggregate, measures)
        rules = rules._replace(rank_aggregate=rank_aggregate)
    return rules


class _RuleBinder(NamedTuple):
    """Finds the measures that rules of the leaderboard name; adds faults of unknown ones."""

    measures: Sequence[Measure]
    kind: str
    faults: list[Fault]

    def bind(self, key: str, find: Callable[[], Measure], hint: str = "") -> Measure | None:
        """Return the measure or preference that `find` returns; None if it finds none."""
        try:
            bound = find()
        except (UnknownName, NotationError) as error:
            self.faults.append(Fault(f"leaderboard.{key}", "C117", f"{hint}{error}"))
            return None
        if self.kind != "grades" and bound not in self.measures:
            message = f"{bound.name} compares ranked lists, and this challenge has {self.kind}"
            self.faults.append(Fault(f"leaderboard.{key}", "C115", message))
        return bound

    def find_ids(self, names: Sequence[str]) -> Iterator[str]:
        """Yield the ids of the measures whose ranks are put together."""
        ids = [measure.id for measure in self.measures]
        for n, name in enumerate(names):
            if (match := find_measure(self.measures, name)) is not None:
                yield match.id
                continue
            hint = suggest(name, ids, f" (measures: {join_first(ids, 8)})")
            message = f"no measure of this challenge is called {quoted(name)}{hint}"
            self.faults.append(Fault(f"leaderboard.rank_by.measures[{n}]", "C117", message))


def find_tie_breaker(name: str, measures: Sequence[Measure]) -> Measure:
    """Return the measure that a name in `tie_break` means, else the preference.

    `UnknownName` or `NotationError` if it is neither.
    """
    return find_measure(measures, name) or comparisons.bind(name)


def _find_front_faults(challenge: Challenge, measures: Sequence[Measure]) -> Iterator[Fault]:
    """Yield the name in `pareto` that is neither a measure nor a question."""
    try:
        front_axes(challenge, measures)
    except UnknownName as error:
        names = challenge.leaderboard.pareto or ()
        index = f"[{names.index(error.name)}]" if error.name in names else ""
        yield Fault(f"leaderboard.pareto{index}", "C117", str(error))


def _find_faults_of_each(
    challenge: Challenge, by: RankAggregate, measures: Sequence[Measure]
) -> Iterator[Fault]:
    """Yield why ranks in each list, or group, cannot be put together."""
    if by.each is None:
        return
    key = "leaderboard.rank_by"
    name = by.aggregate.metric.name
    if name not in RANK_AGGREGATIONS:
        message = (
            f"{name} is no mean of ranks in each {by.each}; {join_first(RANK_AGGREGATIONS)} are"
        )
        yield Fault(f"{key}.aggregate", "C117", message)
    if any(measure.id == name for measure in measures):
        message = f"a measure of this challenge is called {name}, as the values of the board"
        yield Fault(f"{key}.aggregate", "C117", message)
    whole = [m.id for m in measures if m.id in by.measures and not m.of_lists]
    if by.each == "list" and whole:
        yield Fault(f"{key}.each", "C117", f"{join_first(whole)} has no value of each list")
    if challenge.folds is not None:
        yield Fault(f"{key}.each", "C117", "folds have values of their own, and no lists")


def find_faults_of_truth(
    challenge: Challenge, measures: Sequence[Measure], groups: Mapping[str, str]
) -> Iterator[Fault]:
    """Yield what the open truth shows to be wrong with the rules of measures and leaderboard.

    Args:
        measures: The measures with the parameters that the truth settles.
        groups: list -> its group.
    """
    yield from _find_flat_grades(challenge, measures)
    primary = next(measure for measure in measures if measure.primary)
    is_mean = primary.of_lists and primary.combination.of_lists and primary.aggregate != "sum"
    if challenge.leaderboard.ladder == "auto" and not is_mean:
        message = (
            f"auto takes its step from how much lists differ, and {primary.id} is no mean of lists"
        )
        help = "write the step that an entry has to be better by, such as ladder: 0.01"
        yield Fault("leaderboard.ladder", "C122", message, help)
    names = sorted({*groups.values()})
    for n, track in enumerate(challenge.leaderboard.tracks):
        for name in set(track.group).difference(names):
            message = f"track {quoted(track.id)}: {UnknownName('group', name, names)}"
            help = "groups of lists are in the column group of lists, or of the truth"
            yield Fault(f"leaderboard.tracks[{n}].group", "C117", message, help)
    by = challenge.leaderboard.rank_by
    if by != "primary" and by.each == "group" and len(names) < 2:
        message = "each: group needs lists in at least two groups"
        help = "write the column of their groups: lists: {columns: {group: COLUMN}}"
        yield Fault("leaderboard.rank_by.each", "C121", message, help)


def _find_flat_grades(challenge: Challenge, measures: Sequence[Measure]) -> Iterator[Fault]:
    """Yield measures whose lowest grade is not below the highest: no grade would gain anything."""
    for spec, measure in zip(challenge.metrics, measures, strict=True):
        low, high = (measure.params.get(name) for name in ("min_grade", "max_grade"))
        if low is None or high is None or not low >= high > 0:
            continue
        is_written = spec.params.get("max_grade") or "max_" in spec.notation
        ends = f"{format_exact(low)} is not below max_grade {format_exact(high)}"
        message = f"{measure.metric.name}: {ends}{'' if is_written else WHOSE}"
        yield Fault(f"{spec.key}.min_grade", "C114", message)
