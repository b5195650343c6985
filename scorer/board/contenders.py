"""Which entries can stand on a board, or say why a team does not: the others are not read."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from scorer.board.snapshot import Snapshot

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
) -> set[int] | None:
    """The numbers of entries, baselines aside, from which `order` makes the same board as from all.

    None: all are needed, as for a Ladder, which every entry climbs, and where all count.

    Args:
        snapshot: of no entries.
        leading: finds them under the same version.
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
    if select is not None or chosen == "selected":
        found.update(*decided.selected.values())
        return found | _best(snapshot, leading, pool, snapshot.public, select or 1)
    if chosen == "best":
        return found | _best(snapshot, leading, pool, name, 1)
    if chosen == "last" and not by_answers:
        return found | {*leading.latest(pool, scored=True)}
    return None


def _best(snapshot: Snapshot, leading: Leading, pool: Pool, split: str, most: int) -> set[int]:
    primary = snapshot.terms.primary
    return {*leading.best(pool, split, primary.id, most, primary.metric.better == "lower")}
