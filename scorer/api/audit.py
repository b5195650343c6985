"""The audit of a board: copies, near-copies, probing and the shake-up; for the organizer only."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from scorer.api.versions import EVER
from scorer.challenge.phases import EVERYTHING
from scorer.core.arrays import Floats
from scorer.prepare.bind import BoundChallenge
from scorer.store.files import Files, as_path
from scorer.store.live import Snapshot

if TYPE_CHECKING:
    from scorer.store.audit import Pair, Probing, Shake


class Audited(NamedTuple):
    """What an audit found."""

    altered: Sequence[str]  # what the store does not hold as it was recorded
    duplicates: Sequence[Sequence[int]] = ()
    near_duplicates: Sequence[Pair] = ()
    probing: Sequence[Probing] = ()
    shake_up: Sequence[Shake] = ()


def audit(snapshot: Snapshot, bound: BoundChallenge, files: Files, now: datetime) -> Audited:
    """Look at all entries that are scored.

    Args:
        snapshot: of the board.
        bound: its challenge with its measures.
        files: the entries' files.
        now: the decisions made by then hold.
    """
    from scorer.store.audit import duplicates, near_duplicates, probing
    from scorer.store.orders import order_of

    primary = snapshot.terms.primary
    scored = [
        e
        for e in snapshot.entries
        if snapshot.statuses.get(e.sha256) == "scored" and e.received != EVER
    ]
    ordered = {}
    for entry in scored:
        if entry.sha256 not in ordered:
            with as_path(files, entry.sha256, entry.file) as path:
                ordered[entry.sha256] = order_of(path, bound, snapshot.terms.lists)
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
    from scorer.store.audit import shake_up

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
