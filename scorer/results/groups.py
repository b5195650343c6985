"""Which groups a measure's lists are in, and how these make the whole."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from scorer.core.arrays import Floats, Ints, Mask
from scorer.metrics.aggregate import SIZE, Combination
from scorer.metrics.notation import Measure
from scorer.results.columns import ListColumns
from scorer.results.scorecard import OF_TRUTH, Rules, Scorecard
from scorer.stats.aggregate import Level


class Grouped(NamedTuple):
    """Which innermost group each list is in, and how groups make the whole."""

    codes: Ints  # (lists,), from 0 without gaps
    names: tuple[str, ...]  # of each innermost group
    levels: tuple[Level, ...]


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
        or (not part.combination.groups and _lacks(card, part, belonging(card, part)))
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
    """The groups of a measure that have one of these lists; None where it has no groups.

    A group is identified by its own name and those of the groups that contain it.
    """
    combination = measure.combination
    if not combination.groups:
        return None
    group_columns = [columns.groups[name] for name in combination.groups]
    keys = keys_of(columns, combination)
    present, codes = np.unique(keys[lists], axis=0, return_inverse=True)
    group_codes = np.full(len(keys), -1, dtype=np.int64)
    group_codes[lists] = codes.reshape(-1)
    levels, groups = [], present
    for depth, (kind, weight) in enumerate(
        zip(combination.aggregates, combination.weights, strict=True)
    ):
        outer, around = groups[:1, :-1], np.zeros(len(groups), dtype=np.int64)
        if outer.size:
            outer, around = np.unique(groups[:, :-1], axis=0, return_inverse=True)
        weights = None
        if weight not in (None, SIZE):
            weights = np.zeros(len(groups))
            member = _representatives(keys, groups, depth)
            assert weight is not None
            weights = columns.weights[weight][member]
        order = _name_order(group_columns[depth].names)[groups[:, -1]]
        levels.append(Level(kind, weights, around.reshape(-1), weight == SIZE, order))
        groups = outer
    names = [" / ".join(e.names[c] for e, c in zip(group_columns, reversed(row), strict=True))
             for row in present.tolist()]  # fmt: skip
    return Grouped(group_codes, tuple(names), tuple(levels))


def _name_order(names: Sequence[str]) -> Ints:
    """The place of each name: by their numbers where all are numbers, else as texts."""
    try:
        keys: list[Any] = [float(name) for name in names]
    except ValueError:
        keys = list(names)
    places = np.empty(len(names), dtype=np.int64)
    places[sorted(range(len(names)), key=keys.__getitem__)] = np.arange(len(names))
    return places


def keys_of(columns: ListColumns, combination: Combination) -> Ints:
    """The groups of each list, the outermost first: shape (lists, levels)."""
    return np.column_stack([columns.groups[name].codes for name in reversed(combination.groups)])


def _representatives(keys: Ints, groups: Ints, depth: int) -> Ints:
    """A list of each group: its weight is the group's."""
    width = keys.shape[1] - depth
    _, first = np.unique(keys[:, :width], axis=0, return_index=True)
    place = {tuple(keys[at, :width].tolist()): at for at in first.tolist()}
    return np.array([place[tuple(row)] for row in groups.tolist()], dtype=np.int64)
