"""Re-scoring: all entries under the challenge's files as they are now."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

import numpy as np

from scorer.board.board_state import BoardState
from scorer.board.database import Database
from scorer.board.evaluation_service import EvaluationService
from scorer.board.models import Entry, Evaluation, Version
from scorer.board.standings import Ranking, compute_board
from scorer.board.versions import Versions
from scorer.core.errors import ScorerError
from scorer.core.text import printable
from scorer.results.json import VERSION, ChallengeIdentity
from scorer.results.scorecard import Scorecard


@dataclass(frozen=True, slots=True)
class Move:
    """How a team's rank and value change; None where the team is not ranked."""

    split: str
    team: str
    rank: tuple[int | None, int | None]
    value: tuple[float | None, float | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rescoring:
    """The changes by a re-scoring, or by its preview."""

    schema: str = "rescoring/1"
    scorer: str = VERSION
    challenge: ChallengeIdentity
    applied: bool
    lists_changed: int  # lists for which any entry's value of any measure changes
    moves: Sequence[Move] = ()
    entered: Sequence[int] = ()  # entries that count now and did not
    left: Sequence[int] = ()  # entries that counted and do not now


def rescore(
    versions: Versions,
    evaluations: EvaluationService,
    database: Database,
    time: datetime | None,
    dry_run: bool,
) -> Rescoring:
    """Evaluate all entries under the files as they are now, and put that version in force.

    Args:
        time: when it comes into force, as an organizer gives it; None: now.

    Raises:
        ChallengeError: the challenge as it is now is wrong; nothing changes.
        UsageError: another process has put a version in force meanwhile.
        ScorerError: an entry that was scored cannot be evaluated any more; nothing changes.
    """
    before, now = versions.in_force(), time or datetime.now(UTC)
    identity = ChallengeIdentity.of(versions.challenge)
    evaluations.finish_pending(before)
    after, ready = versions.of_files(before.number + 1, now)
    if not versions.changed and after.values == before.values:
        return Rescoring(challenge=identity, applied=False, lists_changed=0)
    with versions.preview(after, ready):
        evaluated = _new_evaluations(
            evaluations, database, before, after, versions.baselines(after)
        )
        old, new = evaluations.read_state(before), evaluations.preview_state(after, evaluated)
        counted_before, counted_after = old.counted(now), new.counted(now)
        result = Rescoring(
            challenge=identity,
            applied=not dry_run,
            lists_changed=_lists_changed(database, before, evaluated),
            moves=find_moves(old, new, now),
            entered=sorted(counted_after - counted_before),
            left=sorted(counted_before - counted_after),
        )
    if dry_run:
        return result
    versions.keep_files()
    database.queue.enqueue(after.values, list(evaluated), now)
    for evaluation in evaluated.values():
        database.queue.finish(replace(evaluation, made=now))
    versions.add(after, ready, given=time is not None)
    evaluations.enqueue_missing()  # entries that were sent meanwhile
    return result


def _new_evaluations(
    evaluations: EvaluationService,
    database: Database,
    before: Version,
    after: Version,
    baselines: Sequence[Entry],
) -> dict[str, Evaluation]:
    """Return SHA-256 -> new evaluation; `ScorerError` if a file is not scored any more."""
    entries = {e.sha256: e for e in [*database.entries(), *baselines]}
    evaluated = {}
    for sha256 in entries:
        evaluation = database.queue.get(after.values, sha256)
        if evaluation is not None and evaluation.status == "scored":
            evaluated[sha256] = evaluation
    names = {sha256: entry.file for sha256, entry in entries.items() if sha256 not in evaluated}
    statuses = database.queue.statuses(before.values)
    for evaluation in evaluations.evaluate(after, names):
        if evaluation.status == "failed" and statuses.get(evaluation.sha256) == "scored":
            cause = (evaluation.cause or "").strip().rpartition("\n")[2]
            raise ScorerError(
                f"{printable(names[evaluation.sha256])} was scored and cannot be evaluated now, "
                f"so nothing is changed: {cause}"
            )
        evaluated[evaluation.sha256] = evaluation
    return evaluated


def _lists_changed(
    database: Database, before: Version, evaluations: Mapping[str, Evaluation]
) -> int:
    """The number of lists for which any value of any entry has changed."""
    changed: set[str] = set()
    for sha256, evaluation in evaluations.items():
        earlier = database.queue.get(before.values, sha256)
        cards = [
            Scorecard.from_bytes(e.card) if e is not None and e.card is not None else None
            for e in (earlier, evaluation)
        ]
        changed |= _changed_lists(*cards)
    return len(changed)


def _changed_lists(one: Scorecard | None, other: Scorecard | None) -> set[str]:
    """The lists whose values differ between two scorecards, or that only one of them has."""
    if one is None or other is None:
        either = one or other
        return set() if either is None else set(either.lists)
    if one.lists != other.lists:
        return set(one.lists) ^ set(other.lists) | _differing_values(one, other)
    return _differing_values(one, other)


def _differing_values(one: Scorecard, other: Scorecard) -> set[str]:
    common = sorted(set(one.lists) & set(other.lists))
    places = [{name: n for n, name in enumerate(card.lists)} for card in (one, other)]
    rows, other_rows = (np.array([place[name] for name in common], dtype=int) for place in places)
    changed = np.zeros(len(common), dtype=bool)
    for measure in one.values.keys() & other.values.keys():
        a, b = one.values[measure][rows], other.values[measure][other_rows]
        changed |= ~((a == b) | (np.isnan(a) & np.isnan(b)))
    return {name for name, differs in zip(common, changed, strict=True) if differs}


def find_moves(before: BoardState, after: BoardState, now: datetime) -> list[Move]:
    """The teams that change rank or value between versions: by split, then by the new rank."""
    changes = []
    for split in before.splits.keys() & after.splits.keys():
        boards = []
        for state in (before, after):
            ranking = compute_board(state, now, split=split)
            primary = state.terms.primary.id
            boards.append(
                {
                    _called(ranking, standing.name): (standing.rank, standing.values[primary])
                    for standing in ranking.report.leaderboard
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


def _called(ranking: Ranking, standing: str) -> str:
    """The team of a row; of a baseline, the row's own name, which no team has."""
    row = ranking.rows[standing]
    return standing if row.id is None else row.team
