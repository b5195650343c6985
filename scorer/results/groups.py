"""Which groups a measure's lists are in, and what happens to groups without a value."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from scorer.core.arrays import Floats, Ints, Mask
from scorer.metrics.aggregate import SIZE
from scorer.metrics.notation import Measure
from scorer.results.scorecard import OF_TRUTH, ListColumns, Rules, Scorecard
from scorer.stats.aggregate import GroupAggregate


class Grouped(NamedTuple):
    """Which group each list is in, and how the values of groups are combined."""

    codes: Ints  # (lists,), from 0 without gaps; -1 for a list in none of these
    names: tuple[str, ...]  # of each group
    how: GroupAggregate


def lists_of(card: Scorecard, measure: Measure) -> Mask:
    """Return the lists that a measure is about: all, or by its group and condition."""
    members, where = lists_in_group(card, measure), measure.combination.where
    return members if where is None else members & card.columns.chosen(where)


def lists_in_group(card: Scorecard, measure: Measure) -> Mask:
    """Return the lists of a measure's group, or all."""
    name = measure.combination.group
    if name is None:
        return np.ones(len(card.lists), dtype=bool)
    group = card.columns.groups["group"]
    members: Mask = group.codes == group.names.index(name)
    return members


def lacks_value(card: Scorecard, measure: Measure) -> bool:
    """Return whether a measure, or a part of it, has no figure because of the submission."""
    every = np.ones(len(card.lists), dtype=bool)
    return any(
        any(groups_without_value(card, part, every))
        or (part.combination.grouped_by is None and _lacks(card, part, lists_of(card, part)))
        for part in measure.all_parts
    )


def groups_without_value(card: Scorecard, measure: Measure, lists: Mask) -> Iterator[str]:
    """Yield the groups without a pooled figure because of the submission, not of the truth."""
    groups = grouped(card.columns, measure, lists & lists_of(card, measure))
    if groups is None or measure.id not in card.figures:
        return
    for group, name in enumerate(groups.names):
        if _lacks(card, measure, groups.codes == group):
            yield name


def default_value(measure: Measure, rules: Rules) -> float:
    """Return the value for a list or group without one by the submission; NaN: it stays so."""
    if rules.undefined == "zero":
        return 0.0
    low, high = measure.metric.range
    worst = low if measure.metric.better == "higher" else high
    return math.nan if rules.undefined != "worst" or worst is None else worst


def group_defaults(card: Scorecard, measure: Measure, rules: Rules, groups: Grouped) -> Floats:
    """Return the figure of each group that lacks one, shape (groups,); NaN: it gets no figure."""
    if measure.of_lists:
        return np.full(len(groups.names), np.nan)
    truthful = rules.undefined == "zero"
    return np.where(
        groups_with_truth(card, measure, groups) | truthful, default_value(measure, rules), np.nan
    )


def groups_with_truth(card: Scorecard, measure: Measure, groups: Grouped) -> Mask:
    """Return the groups for which the truth itself, were it submitted, has a pooled figure."""
    return np.array(
        [_has_figure(card, measure, groups.codes == n) for n in range(len(groups.names))],
        dtype=bool,
    )


def _has_figure(card: Scorecard, measure: Measure, lists: Mask, of: str = OF_TRUTH) -> bool:
    figure = card.figures.get(measure.id + of)
    return figure is not None and not math.isnan(figure.subset(lists).pooled())


def _lacks(card: Scorecard, measure: Measure, lists: Mask) -> bool:
    """Whether the submission has no figure of these lists, and the truth itself has one."""
    lacks = measure.id + OF_TRUTH in card.figures and not _has_figure(card, measure, lists, "")
    return lacks and _has_figure(card, measure, lists)


def grouped(columns: ListColumns, measure: Measure, lists: Mask) -> Grouped | None:
    """Return the groups of a measure that have one of these lists; None without groups."""
    combination = measure.combination
    if combination.grouped_by is None:
        return None
    column = columns.groups[combination.grouped_by]
    present, codes = np.unique(column.codes[lists], return_inverse=True)
    group_codes = np.full(column.codes.size, -1, dtype=np.int64)
    group_codes[lists] = codes
    weights, by_size = None, combination.group_weights == SIZE
    if combination.group_weights is not None and not by_size:
        every, first = np.unique(column.codes, return_index=True)  # a list of each group
        members = first[np.searchsorted(every, present)]
        weights = columns.weights[combination.group_weights][members]
    names = tuple(column.names[code] for code in present.tolist())
    order = np.argsort(_positions_in_order(column.names)[present])
    how = GroupAggregate(combination.groups, weights, by_size, order)
    return Grouped(group_codes, names, how)


def _positions_in_order(names: Sequence[str]) -> Ints:
    """Return the position of each name among all in order: as numbers if all are, else as texts."""
    try:
        keys: list[Any] = [float(name) for name in names]
    except ValueError:
        keys = list(names)
    positions = np.empty(len(names), dtype=np.int64)
    positions[sorted(range(len(names)), key=keys.__getitem__)] = np.arange(len(names))
    return positions
