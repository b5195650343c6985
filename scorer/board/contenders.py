"""Which entries can stand on a board, or say why a team does not: the others are not read."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

import numpy as np

from scorer.board.snapshot import Means, Snapshot
from scorer.metrics.measure import Measure

if TYPE_CHECKING:
    from scorer.store.leading import Leading, Pool


def contenders(
    snapshot: Snapshot,
    leading: Leading,
    now: datetime,
    *,
    split: str | None = None,
    phase: str | None = None,
    rule: str | None = None,
    only: Sequence[int] | None = None,
    points: int = 0,
) -> set[int] | None:
    """The numbers of entries, baselines aside, from which `order` makes the same board as from all.

    None: all are needed, as for a Ladder, which every entry climbs, and where all count.

    Args:
        snapshot: of no entries.
        leading: finds them under the same version; all have places there.
        points: how many of a picture over time are needed, too.
    """
    from scorer.store.leading import Pool

    if only is not None:
        return set(only)
    span, decided, rules = snapshot.span(now, phase), snapshot.state(now), snapshot.rules
    name, board_rules = snapshot.split_shown(span, now, split), rules.leaderboard
    chosen, select = rule or board_rules.entry, None
    by_answers = any(track.answer for track in board_rules.tracks)
    if rule is None and span is not None:
        select = span.phase.select
    if (rule is None and snapshot.climbs(span)) or not snapshot.splits[name].any():
        return None
    pool = Pool(now, decided.entries_out.keys(), decided.teams_out.keys(), by_answers)
    found = {*leading.first(pool), *leading.latest(Pool(now), scored=False)}
    if points and name == snapshot.split_shown(snapshot.span(now), now):
        found.update(_over_time(board_rules.entry, leading, pool, name, points))
    if select is not None or chosen == "selected":
        found.update(*decided.selected.values())
        return found.union(leading.best(pool, snapshot.public, select or 1))
    if chosen == "best":
        return found.union(leading.best(pool, name, 1))
    if chosen == "last" and not by_answers:
        return found.union(leading.latest(pool, scored=True))
    return None


def costs(primary: Measure, means: Mapping[str, Mapping[str, float | None]]) -> dict[str, float]:
    """Split -> the primary measure of a file there, negated if higher is better; NaN for none."""
    sign, found = 1.0 if primary.metric.better == "lower" else -1.0, dict[str, float]()
    for split, of_split in means.items():
        mean = of_split.get(primary.id)
        found[split] = np.nan if mean is None else sign * mean
    return found


def give_places(
    leading: Leading, primary: Measure, means: Callable[[str, str | None], Means]
) -> None:
    """Give scored entries their places, where they have none."""
    while some := leading.unplaced():
        made = {each.sha256: means(each.sha256, each.summary) for each in some}
        leading.place({sha256: costs(primary, of_splits) for sha256, of_splits in made.items()})


def _over_time(rule: str, leading: Leading, pool: Pool, split: str, points: int) -> Sequence[int]:
    """The entries that count, or counted when they came."""
    if rule == "best":
        return leading.advances(pool, split)
    return leading.last_placed(pool, split, points) if rule in ("last", "all") else ()
