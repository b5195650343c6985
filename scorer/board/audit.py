"""The audit of a board: copies, near-copies and probing; for the organizer only."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import pairwise
from typing import Any

import numpy as np

from scorer.board.models import Entry
from scorer.board.standings import BoardState
from scorer.board.versions import EVER
from scorer.challenge.leaderboard import EVERYTHING
from scorer.core.arrays import Floats, Ints
from scorer.core.text import printable
from scorer.results.json import VERSION, ChallengeIdentity

ALIKE = 0.95  # Cohen's kappa from which two entries are near-duplicates
TELLING = 5  # lists with another value than an entry's most common one, which tell entries apart
FEW = 0.05  # share of lists in which a probing entry differs from the one before
SERIES = 3  # entries that make a series


@dataclass(frozen=True, slots=True)
class Pair:
    """Two entries that are nearly the same."""

    entries: tuple[int, int]
    agreement: float  # share of lists in which they have equal values of all measures


@dataclass(frozen=True, slots=True)
class Probing:
    """A team's entries that differ from each other in a few lists only."""

    team: str
    entries: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Audit:
    """What an organizer should look at. No proof."""

    schema: str = "audit/1"
    scorer: str = VERSION
    challenge: ChallengeIdentity
    altered: Sequence[str] = ()  # the alterations of the store
    teams: Mapping[int, str] = field(default_factory=dict)  # entry named below -> its team
    duplicates: Sequence[Sequence[int]] = ()
    near_duplicates: Sequence[Pair] = ()
    probing: Sequence[Probing] = ()


def audit(state: BoardState, now: datetime) -> Audit:
    """Look at all entries that are scored, by the decisions made until `now`."""
    primary = state.terms.primary
    scored = [
        entry
        for entry in state.entries
        if state.statuses.get(entry.sha256) == "scored" and entry.received != EVER
    ]
    codes = value_codes(state, scored)
    copies = duplicates(scored, codes)
    per_list: dict[int, Floats] = {}
    for entry in scored:
        values = state.scored(entry, "", EVERYTHING).values[primary.id].per_list
        if values is not None:
            per_list[entry.number] = values
    names = state.state(now).names
    series = {
        names[team.id]: [e.number for e in scored if e.team == team.id] for team in state.teams
    }
    near = near_duplicates(scored, codes, copies)
    named = {number for group in (*copies, *(pair.entries for pair in near)) for number in group}
    return Audit(
        challenge=ChallengeIdentity.of(state.rules),
        teams={
            entry.number: entry.name if entry.team is None else names[entry.team]
            for entry in scored
            if entry.number in named
        },
        duplicates=copies,
        near_duplicates=near,
        probing=probing(series, per_list),
    )


def describe_audit(audit: Mapping[str, Any]) -> list[str]:
    """Return the findings of an audit, given as its JSON, as lines of text."""
    return list(_describe_findings(audit)) or ["nothing suspicious"]


def _describe_findings(audit: Mapping[str, Any]) -> Iterator[str]:
    teams = {int(entry): team for entry, team in audit["teams"].items()}  # JSON has text as keys

    def name(entry: int) -> str:
        team = teams.get(entry)
        return str(entry) if team is None else f"{entry} ({printable(team)})"

    for fault in audit["altered"]:
        yield f"altered: {printable(fault)}"
    for group in audit["duplicates"]:
        yield f"entries {', '.join(map(name, group))} have the same value in every list"
    for pair in audit["near_duplicates"]:
        one, other = map(name, pair["entries"])
        share = f"{100 * pair['agreement']:.1f} %"
        yield f"entries {one} and {other} have equal values in {share} of the lists"
    for series in audit["probing"]:
        numbers = ", ".join(map(str, series["entries"]))
        yield f"{printable(series['team'])} changes few lists at a time: entries {numbers}"


def value_codes(state: BoardState, entries: Sequence[Entry], split: str = EVERYTHING) -> Ints:
    """Codes of the values of scored entries on a split, equal where those of all measures are.

    Returns:
        Shape (entries, lists), or (entries, 0) where no measure has a value for each list.
    """
    codes: Ints = np.zeros((len(entries), 0), dtype=np.int64)
    scored = [state.scored(entry, "", split) for entry in entries]
    for measure in state.terms.measures:
        values = [each.values[measure.id].per_list for each in scored]
        arrays = [each for each in values if each is not None]
        if not arrays or len(arrays) < len(values):
            continue
        _, code = np.unique(np.stack(arrays), return_inverse=True)
        code = code.reshape(len(arrays), -1)
        if codes.size:  # codes of both are made codes again, which stay small
            _, code = np.unique(codes * (code.max() + 1) + code, return_inverse=True)
            code = code.reshape(codes.shape)
        codes = code
    return codes


def is_telling(codes: Ints) -> bool:
    """Whether an entry's values differ enough from list to list to tell it from others.

    Nearly all lists right, or none, is what strangers may have in common.
    """
    if not codes.size:
        return False
    return int(codes.size - np.unique(codes, return_counts=True)[1].max()) >= TELLING


def kappa(one: Ints, other: Ints) -> float:
    """Cohen's kappa of two entries: the agreement of their values beyond that of chance.

    Of values that are the same in most lists, such as right and wrong, entries have many in
    common whatever they are (Cohen, Educational and Psychological Measurement 1960).

    >>> right_and_wrong = np.array([1, 1, 1, 0, 1, 1, 1, 0])
    >>> kappa(right_and_wrong, right_and_wrong), round(kappa(right_and_wrong, np.ones(8)), 2)
    (1.0, 0.0)

    Returns:
        NaN where both have one value in all lists.
    """
    values, code = np.unique(np.concatenate([one, other]), return_inverse=True)
    shares = [np.bincount(half, minlength=values.size) / one.size for half in np.split(code, 2)]
    chance = float(shares[0] @ shares[1])
    return (float((one == other).mean()) - chance) / (1 - chance) if chance < 1 else np.nan


def duplicates(entries: Sequence[Entry], codes: Ints) -> list[list[int]]:
    """Entries of the same bytes, or of the same values in every list, in groups."""
    groups: dict[object, list[int]] = {}
    for entry, own in zip(entries, codes, strict=True):
        key = own.tobytes() if is_telling(own) else entry.sha256
        groups.setdefault(key, []).append(entry.number)
    return [numbers for numbers in groups.values() if len(numbers) > 1]


def near_duplicates(
    entries: Sequence[Entry], codes: Ints, same: Sequence[Sequence[int]] = ()
) -> list[Pair]:
    """Pairs of different teams whose values agree from ALIKE on, groups of the `same` aside."""
    group_of = {number: n for n, group in enumerate(same) for number in group}
    pairs = []
    for n, entry in enumerate(entries if codes.size else ()):
        shares = (codes[n + 1 :] == codes[n]).mean(axis=1)
        for at in np.flatnonzero(shares >= ALIKE).tolist():  # kappa is at most the share
            other = entries[n + 1 + at]
            group = group_of.get(entry.number)
            is_copy = group is not None and group == group_of.get(other.number)
            if entry.team == other.team or is_copy or not is_telling(codes[n]):
                continue
            if kappa(codes[n], codes[n + 1 + at]) >= ALIKE:
                pairs.append(Pair((entry.number, other.number), float(shares[at])))
    return sorted(pairs, key=lambda pair: (-pair.agreement, pair.entries))


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
