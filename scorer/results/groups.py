"""Which groups a measure's lists are in, and how these make the whole."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from scorer.core.arrays import Floats, Ints, Mask
from scorer.metrics.aggregate import SIZE
from scorer.metrics.notation import Measure
from scorer.results.columns import ListColumns
from scorer.results.scorecard import OF_TRUTH, Rules, Scorecard
from scorer.stats.aggregate import GroupAggregate


class Grouped(NamedTuple):
    """Which group each list is in, and how groups make the whole."""

    codes: Ints  # (lists,), from 0 without gaps; -1 for a list in none of these
    names: tuple[str, ...]  # of each group
    how: GroupAggregate


def belonging(card: Scorecard, measure: Measure) -> Mask:
    """The lists that a measure is about: all, or those of its group and of its condition."""
    members, where = in_group(card, measure), measure.combination.where
    return members if where is None else members & card.columns.chosen(where)


def in_group(card: Scorecard, measure: Measure) -> Mask:
    """The lists of a measure's group, or all."""
    name = measure.combination.group
    if name is None:
        return np.ones(len(card.lists), dtype=bool)
    group = card.columns.groups["group"]
    members: Mask = group.codes == group.names.index(name)
    return members


def lacking(card: Scorecard, measure: Measure) -> bool:
    """Whether a measure, or one that it is made of, has no figure because of the submission."""
    every = np.ones(len(card.lists), dtype=bool)
    return any(
        any(withheld(card, part, every))
        or (part.combination.grouped_by is None and _lacks(card, part, belonging(card, part)))
        for part in measure.all_parts
    )


def withheld(card: Scorecard, measure: Measure, lists: Mask) -> Iterator[str]:
    """The groups that have no pooled figure because of the submission, not of the truth."""
    groups = grouped(card.columns, measure, lists & belonging(card, measure))
    if groups is None or measure.id not in card.figures:
        return
    for group, name in enumerate(groups.names):
        if _lacks(card, measure, groups.codes == group):
            yield name


def filler(measure: Measure, rules: Rules) -> float:
    """The value of a list or group that has none because of the submission; NaN: none either."""
    if rules.undefined == "zero":
        return 0.0
    low, high = measure.metric.range
    worst = low if measure.metric.better == "higher" else high
    return math.nan if rules.undefined != "worst" or worst is None else worst


def fillers(card: Scorecard, measure: Measure, rules: Rules, groups: Grouped) -> Floats:
    """The figure of each group where it has none, shape (groups,); NaN: it has none, or is lost."""
    if measure.of_lists:
        return np.full(len(groups.names), np.nan)
    truthful = rules.undefined == "zero"
    return np.where(owed(card, measure, groups) | truthful, filler(measure, rules), np.nan)


def owed(card: Scorecard, measure: Measure, groups: Grouped) -> Mask:
    """The groups of which the truth itself, were it submitted, has a pooled figure."""
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
    """The groups of a measure that have one of these lists; None where it has no groups."""
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
    order = np.argsort(_name_places(column.names)[present])
    how = GroupAggregate(combination.groups, weights, by_size, order)
    return Grouped(group_codes, names, how)


def _name_places(names: Sequence[str]) -> Ints:
    """The place of each name: by their numbers where all are numbers, else as texts."""
    try:
        keys: list[Any] = [float(name) for name in names]
    except ValueError:
        keys = list(names)
    places = np.empty(len(names), dtype=np.int64)
    places[sorted(range(len(names)), key=keys.__getitem__)] = np.arange(len(names))
    return places
