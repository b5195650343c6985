"""The audit of a board: copies, near-copies, probing and the shake-up; for the organizer only."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from scorer.board.orders import Ordered, Orders
from scorer.board.snapshot import Snapshot
from scorer.board.versions import EVER
from scorer.challenge.words import EVERYTHING
from scorer.core.arrays import Floats, Ints
from scorer.store.records import Entry

PERSISTENCE = 0.9  # of rank-biased overlap: some 86 % of its weight is in the first ten
ALIKE = 0.95  # overlap from which two entries are near-duplicates
FEW = 0.05  # share of lists in which a probing entry differs from the one before
SERIES = 3  # entries that make a series
TOP = 3  # ranks of each list by which most strangers are sorted out


@dataclass(frozen=True, slots=True)
class Pair:
    """Two entries that are nearly the same."""

    entries: tuple[int, int]
    overlap: float


@dataclass(frozen=True, slots=True)
class Probing:
    """A team's entries that differ from each other in a few lists only."""

    team: str
    entries: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Shake:
    """A team's rank on one split and on another, and what sampling alone would give."""

    team: str
    ranks: tuple[int, int]
    expected: tuple[int, int]  # the middle 95 % of the ranks of random splits


class Audited(NamedTuple):
    """The findings of an audit."""

    altered: Sequence[str]  # the alterations of the store
    duplicates: Sequence[Sequence[int]] = ()
    near_duplicates: Sequence[Pair] = ()
    probing: Sequence[Probing] = ()
    shake_up: Sequence[Shake] = ()


def audit(
    snapshot: Snapshot,
    read: Callable[[Mapping[str, str], Sequence[str]], Mapping[str, Ordered]],
    now: datetime,
) -> Audited:
    """Look at all entries that are scored, by the decisions made until `now`.

    `read` gives the orders of files (SHA-256 -> name) in the lists that count.
    """
    primary = snapshot.terms.primary
    scored = [
        e
        for e in snapshot.entries
        if snapshot.statuses.get(e.sha256) == "scored" and e.received != EVER
    ]
    ordered = read({e.sha256: e.file for e in scored}, snapshot.terms.lists)
    orders = {e.number: ordered[e.sha256].orders for e in scored}
    copies = duplicates(scored, {e.number: ordered[e.sha256].digest for e in scored})
    per_list: dict[int, Floats] = {}
    for entry in scored:
        values = snapshot.scored(entry, "", EVERYTHING).values[primary.id].per_list
        if values is not None:
            per_list[entry.number] = values
    names = snapshot.state(now).names
    series = {
        names[team.id]: [e.number for e in scored if e.team == team.id] for team in snapshot.teams
    }
    return Audited(
        (),
        copies,
        near_duplicates(scored, orders, copies),
        probing(series, per_list),
        _shake_up(snapshot, now, per_list),
    )


def _shake_up(snapshot: Snapshot, now: datetime, per_list: Mapping[int, Floats]) -> list[Shake]:
    """How the ranks of the first two splits differ, where there are two."""
    parts = [name for name in snapshot.splits if name != EVERYTHING][:2]
    if len(parts) < 2:
        return []
    live = snapshot.order(now, split=parts[0])
    rows = [
        row
        for standing in live.report.standings
        if standing.rank is not None and (row := live.rows[standing.name]).entry in per_list
    ]
    if len(rows) < 2:
        return []
    return shake_up(
        [row.team for row in rows],
        np.array([per_list[row.entry or 0] for row in rows]),
        np.flatnonzero(snapshot.splits[parts[0]]),
        np.flatnonzero(snapshot.splits[parts[1]]),
        snapshot.terms.primary.metric.better == "higher",
        seed=snapshot.rules.leaderboard.seed,
    )


def overlap(one: Orders, other: Orders) -> Floats:
    """Rank-biased overlap of each list (Webber, Moffat and Zobel, TOIS 2010), to DEPTH.

    The weights are normalized over the compared depth, so that equal lists have 1.

    Returns:
        One value a list; NaN where both lists are empty.
    """
    a, b = one.items, other.items
    deep = np.maximum((a != 0).sum(axis=1), (b != 0).sum(axis=1))
    match = (a[:, :, None] == b[:, None, :]) & (a != 0)[:, :, None]
    # ranks at which a pair is within both prefixes: the larger of the two
    depth = np.arange(a.shape[1])
    at = np.maximum(depth[:, None], depth[None, :])
    common = np.zeros(a.shape)
    rows, left, right = np.nonzero(match)
    np.add.at(common, (rows, at[left, right]), 1.0)
    agreement = np.cumsum(common, axis=1) / (depth + 1)
    weight = PERSISTENCE**depth * (depth < deep[:, None])
    total = weight.sum(axis=1)
    overlaps: Floats = np.full(len(a), np.nan)
    np.divide((agreement * weight).sum(axis=1), total, out=overlaps, where=total > 0)
    return overlaps


def duplicates(entries: Sequence[Entry], digests: Mapping[int, str]) -> list[list[int]]:
    """Entries of one content, in groups."""
    groups: dict[str, list[int]] = {}
    for entry in entries:
        if entry.number in digests:
            groups.setdefault(digests[entry.number], []).append(entry.number)
    return [numbers for numbers in groups.values() if len(numbers) > 1]


def near_duplicates(
    entries: Sequence[Entry], orders: Mapping[int, Orders], same: Sequence[Sequence[int]] = ()
) -> list[Pair]:
    """Pairs of different teams whose lists overlap from ALIKE on, exact copies aside.

    The first ranks of some lists sort out most strangers before whole orders are compared.
    """
    group_of = {number: n for n, group in enumerate(same) for number in group}
    by_shape: dict[tuple[int, ...], list[Entry]] = {}
    for entry in entries:
        if entry.number in orders:
            by_shape.setdefault(orders[entry.number].items.shape, []).append(entry)
    pairs = []
    for comparable in by_shape.values():
        tops = np.array([orders[entry.number].items[:, :TOP].ravel() for entry in comparable])
        for n, entry in enumerate(comparable):
            shares = (tops[n + 1 :] == tops[n]).mean(axis=1)
            for at in np.flatnonzero(~(shares < ALIKE / 2)):  # NaN where there are no lists
                other = comparable[n + 1 + at]
                group = group_of.get(entry.number)
                is_copy = group is not None and group == group_of.get(other.number)
                if entry.team == other.team or is_copy:
                    continue
                # NaN where no list has an order
                mean = float(_means(overlap(orders[entry.number], orders[other.number])))
                if mean >= ALIKE:
                    pairs.append(Pair((entry.number, other.number), mean))
    return sorted(pairs, key=lambda pair: (-pair.overlap, pair.entries))


def _means(values: Floats) -> Floats:
    """The mean over the last axis of values that are no NaN; NaN where there are none."""
    valued = ~np.isnan(values)
    means: Floats = np.full(values.shape[:-1], np.nan)
    total = np.where(valued, values, 0.0).sum(axis=-1)
    np.divide(total, valued.sum(axis=-1), out=means, where=valued.any(axis=-1))
    return means


def probing(teams: Mapping[str, Sequence[int]], per_list: Mapping[int, Floats]) -> list[Probing]:
    """Series of a team's entries that each differ from the one before in a few lists only.

    Args:
        teams: team -> its entries, oldest first.
        per_list: entry number -> the primary measure of each list.
    """
    series_found = []
    for team, numbers in teams.items():
        series: list[int] = []
        for before, after in pairwise(numbers):
            a, b = per_list.get(before), per_list.get(after)
            changes_few = False
            if a is not None and b is not None and a.size == b.size and a.size:
                changed = ~((a == b) | (np.isnan(a) & np.isnan(b)))
                changes_few = 0 < changed.sum() <= max(1, int(FEW * a.size))
            if changes_few:
                series = [*(series or [before]), after]
            else:
                if len(series) >= SERIES:
                    series_found.append(Probing(team, tuple(series)))
                series = []
        if len(series) >= SERIES:
            series_found.append(Probing(team, tuple(series)))
    return series_found


def shake_up(
    names: Sequence[str],
    values: Floats,
    public: Ints,
    private: Ints,
    higher: bool,
    draws: int = 1000,
    seed: int = 1,
) -> list[Shake]:
    """Ranks on the public and on the private lists, against random splits of the same sizes.

    `values` has shape (teams, lists), NaN where a list has none; `public` and `private` are indices
    of lists.
    """

    def ranks(lists: Ints) -> Ints:
        means = _means(values[:, lists]) * (1 if higher else -1)
        means[np.isnan(means)] = -np.inf  # who has no value there is last
        places: Ints = (means[:, None] < means[None, :]).sum(axis=1) + 1
        return places

    together = np.concatenate([public, private])
    generator = np.random.default_rng(seed)
    differences = np.empty((draws, len(names)), dtype=np.int64)
    for n in range(draws):
        mixed = generator.permutation(together)
        differences[n] = ranks(mixed[: private.size]) - ranks(mixed[private.size :])
    before, after = ranks(public), ranks(private)
    low, high = np.quantile(differences, (0.025, 0.975), axis=0, method="closest_observation")
    return [
        Shake(
            name,
            (int(before[n]), int(after[n])),
            (int(max(before[n] + low[n], 1)), int(min(before[n] + high[n], len(names)))),
        )
        for n, name in enumerate(names)
    ]
