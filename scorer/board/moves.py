"""How teams' places change from one version of the challenge to the next."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from scorer.board.live import LiveReport
from scorer.board.snapshot import Snapshot


@dataclass(frozen=True, slots=True)
class Move:
    """How a team's place changes; None where it has none."""

    split: str
    team: str
    rank: tuple[int | None, int | None]
    value: tuple[float | None, float | None]


def moves(before: Snapshot, after: Snapshot, now: datetime) -> list[Move]:
    """The teams that change rank or value between versions: by split, then by the new rank."""
    changes = []
    for split in before.splits.keys() & after.splits.keys():
        boards = []
        for snapshot in (before, after):
            live = snapshot.order(now, split=split)
            primary = snapshot.terms.primary.id
            boards.append(
                {
                    _called(live, standing.name): (standing.rank, standing.values[primary])
                    for standing in live.report.leaderboard
                }
            )
        old, new = boards
        for team in sorted(old.keys() | new.keys()):
            old_place, new_place = old.get(team, (None, None)), new.get(team, (None, None))
            if old_place != new_place:
                changes.append(
                    Move(split, team, (old_place[0], new_place[0]), (old_place[1], new_place[1]))
                )
    order = {split: n for n, split in enumerate(before.splits)}
    return sorted(changes, key=lambda move: (order[move.split], move.rank[1] or 1 << 30, move.team))


def _called(live: LiveReport, standing: str) -> str:
    """The team of a row; of a baseline, the row's own name, which no team has."""
    row = live.rows[standing]
    return standing if row.id is None else row.team
