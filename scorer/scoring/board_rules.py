"""What the leaderboard's rules name: measures, preferences, an aggregation; the ladder."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import partial

from scorer.challenge.model import Challenge
from scorer.core.errors import UnknownName
from scorer.core.text import format_exact, join_first, nearest, quoted
from scorer.kinds.base import Kind
from scorer.metrics.notation import Measure, NotationError, find_measure
from scorer.preferences.aggregations import aggregations
from scorer.preferences.comparisons import comparisons
from scorer.results.front import front_axes
from scorer.results.report import OF_EACH, RankedBy
from scorer.scoring.faults import Fault, refuse


def board_rules(
    challenge: Challenge, measures: Sequence[Measure], kind: Kind
) -> tuple[tuple[Measure, ...], tuple[Measure, Measure] | None, RankedBy | None, list[Fault]]:
    """Bind what the leaderboard's rules name: measures, preferences, an aggregation."""
    board, faults = challenge.leaderboard, list[Fault]()
    if not measures:  # as of a kit, which may have none
        return (), None, None, faults

    def bound_to(key: str, bind_to: Callable[[], Measure]) -> Measure | None:
        try:
            bound = bind_to()
        except (UnknownName, NotationError) as error:
            ids = ", ".join(m.id for m in measures) if key.startswith("leaderboard.tie") else ""
            hint = f"it can be a measure of this challenge ({ids}) or a preference; " * bool(ids)
            faults.append(Fault(key, "C117", f"{hint}{error}"))
            return None
        if kind.name != "grades" and bound not in measures:
            message = f"{bound.name} compares ranked lists, and this challenge has {kind.name}"
            faults.append(Fault(key, "C115", message))
        return bound

    bound_breakers = [
        bound_to(f"leaderboard.tie_break[{n}]", partial(tie_breaker, name, measures))
        for n, name in enumerate(board.tie_break)
    ]
    breakers = tuple(breaker for breaker in bound_breakers if breaker)
    rank_by = ranked_by = None
    if board.rank_by != "primary":
        where, rule = "leaderboard.rank_by", board.rank_by
        preference = None
        if rule.preference is not None:
            preference = bound_to(f"{where}.preference", partial(comparisons.bind, rule.preference))
        try:
            aggregate = aggregations.bind(rule.aggregate)
        except (UnknownName, NotationError) as error:
            faults.append(Fault(f"{where}.aggregate", "C117", str(error)))
            return breakers, None, None, faults
        if preference:
            rank_by = (preference, aggregate)
        measure_ids = [_ranking(challenge, n, name, measures, faults)
                 for n, name in enumerate(rule.measures)]  # fmt: skip
        if measure_ids and all(measure_ids):
            ids = tuple(measure_id for measure_id in measure_ids if measure_id)
            ranked_by = RankedBy(ids, aggregate, rule.tie_break, rule.each)
            faults += _of_each(challenge, ranked_by, measures)
    try:
        front_axes(challenge, measures)
    except UnknownName as error:
        names = challenge.leaderboard.pareto or ()
        place = f"[{names.index(error.name)}]" if error.name in names else ""
        faults.append(Fault(f"leaderboard.pareto{place}", "C117", str(error)))
    return breakers, rank_by, ranked_by, faults


def _of_each(challenge: Challenge, by: RankedBy, measures: Sequence[Measure]) -> Iterator[Fault]:
    """What ranks in each list, or group, cannot be made of."""
    where, name = "leaderboard.rank_by", by.aggregate.metric.name
    if by.each is None:
        return
    if name not in OF_EACH:
        message = f"{name} is no mean of ranks in each {by.each}; {join_first(OF_EACH)} are"
        yield Fault(f"{where}.aggregate", "C117", message)
    if any(measure.id == name for measure in measures):
        message = f"a measure of this challenge is called {name}, as the values of the board"
        yield Fault(f"{where}.aggregate", "C117", message)
    if by.each == "list":
        bare = [m.id for m in measures if m.id in by.measures and not m.of_lists]
        if bare:
            message = f"{join_first(bare)} has no value of each list"
            yield Fault(f"{where}.each", "C117", message)
    if challenge.folds is not None:
        yield Fault(f"{where}.each", "C117", "folds have values of their own, and no lists")


def _ranking(
    challenge: Challenge, n: int, name: str, measures: Sequence[Measure], faults: list[Fault]
) -> str | None:
    """The id of a measure whose ranks are put together with others'."""
    match = find_measure(measures, name)
    if match is not None:
        return match.id
    ids = [bound.id for bound in measures]
    suggestion = nearest(name, ids)
    hint = (
        f"; did you mean {quoted(suggestion)}?"
        if suggestion
        else f" (measures: {join_first(ids, 8)})"
    )
    message = f"no measure of this challenge is called {quoted(name)}{hint}"
    faults.append(Fault(f"leaderboard.rank_by.measures[{n}]", "C117", message))
    return None


def tie_breaker(name: str, measures: Sequence[Measure]) -> Measure:
    """What a name in `tie_break` stands for: one of the challenge's measures, else a preference.

    `UnknownName` or `NotationError` if it is neither.
    """
    return find_measure(measures, name) or comparisons.bind(name)


def refuse_ladder(challenge: Challenge, measures: Sequence[Measure]) -> None:
    """Refuse a ladder with its step from lists' differences where their mean is not shown."""
    primary = next(measure for measure in measures if measure.primary)
    plain = primary.of_lists and primary.combination.of_lists and primary.aggregate != "sum"
    if challenge.leaderboard.ladder == "auto" and not plain:
        message = (
            f"auto takes its step from how much lists differ, and {primary.id} is no mean of lists"
        )
        help = "write the step that an entry has to be better by, such as ladder: 0.01"
        refuse(challenge, [Fault("leaderboard.ladder", "C122", message, help)])


def refuse_ungrouped(challenge: Challenge, groups: Mapping[str, str]) -> None:
    """Refuse ranks in each group where the lists have none, and tracks of groups without lists."""
    refuse(challenge, _lost_groups(challenge, {*groups.values()}))
    rule = challenge.leaderboard.rank_by
    if not isinstance(rule, str) and rule.each == "group" and len({*groups.values()}) < 2:
        message = "the lists have no two groups"
        help = "write the column of their groups: lists: {columns: {group: COLUMN}}"
        refuse(challenge, [Fault("leaderboard.rank_by.each", "C121", message, help)])


def _lost_groups(challenge: Challenge, groups: Collection[str]) -> Iterator[Fault]:
    """Tracks of groups that no list is in."""
    for n, track in enumerate(challenge.leaderboard.tracks):
        for name in set(track.group) - {*groups}:
            message = f"track {quoted(track.id)}: {UnknownName('group', name, sorted(groups))}"
            help = "groups of lists are in the column group of lists, or of the truth"
            yield Fault(f"leaderboard.tracks[{n}].group", "C117", message, help)


def refuse_flat(challenge: Challenge, measures: Sequence[Measure]) -> None:
    """Refuse measures whose lowest grade is not below the highest: no grade would gain anything."""
    faults = []
    for spec, measure in zip(challenge.metrics, measures, strict=True):
        low, high = (measure.params.get(name) for name in ("min_grade", "max_grade"))
        if low is not None and high is not None and low >= high > 0:
            declared = high if spec.params.get("max_grade") or "max_" in spec.notation else None
            of = "" if declared is not None else ", the truth's highest"
            ends = f"{format_exact(low)} is not below max_grade {format_exact(high)}"
            message = f"{measure.metric.name}: {ends}{of}"
            faults.append(Fault(f"{spec.key}.min_grade", "C114", message))
    refuse(challenge, faults)
