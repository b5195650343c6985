"""The audit of a board: copies, near-copies and probing; for the organizer only."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import pairwise
from typing import Any

import numpy as np

from scorer.board.board_state import BoardState
from scorer.board.models import Entry
from scorer.board.versions import EVER
from scorer.challenge.phases import EVERYTHING
from scorer.core.arrays import Floats, Ints
from scorer.core.text import printable
from scorer.results.json import VERSION, ChallengeIdentity

NEAR = 0.95  # Cohen's kappa from which two entries are near-duplicates
DISTINCT_LISTS = 5  # lists without an entry's most common value, by which entries are compared
PROBED_SHARE = 0.05  # largest share of lists in which a probing entry differs from the one before
SHORTEST_SERIES = 3  # entries


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
    """What an organizer should look at. It proves nothing."""

    schema: str = "audit/1"
    scorer: str = VERSION
    challenge: ChallengeIdentity
    altered: Sequence[str] = ()  # the alterations of the store
    teams: Mapping[int, str] = field(default_factory=dict)  # entry named below -> its team
    duplicates: Sequence[Sequence[int]] = ()
    near_duplicates: Sequence[Pair] = ()
    probing: Sequence[Probing] = ()


def audit(state: BoardState, now: datetime) -> Audit:
    """Return the suspicious entries among the scored ones; teams have the names of `now`."""
    primary = state.terms.primary
    scored = [
        entry
        for entry in state.entries
        if state.statuses.get(entry.sha256) == "scored" and entry.received != EVER  # baseline
    ]
    codes = value_codes(state, scored)
    copies = duplicates(scored, codes)
    per_list: dict[int, Floats] = {}
    for entry in scored:
        values = state.scored(entry, "", EVERYTHING).values[primary.id].per_list
        if values is not None:
            per_list[entry.number] = values
    names = state.decisions_at(now).names
    by_team = {
        names[team.id]: [e.number for e in scored if e.team == team.id] for team in state.teams
    }
    near = near_duplicates(scored, codes, copies)
    groups = [*copies, *(pair.entries for pair in near)]
    named = {number for group in groups for number in group}
    return Audit(
        challenge=ChallengeIdentity.of(state.rules),
        teams={
            entry.number: entry.name if entry.team is None else names[entry.team]
            for entry in scored
            if entry.number in named
        },
        duplicates=copies,
        near_duplicates=near,
        probing=probing(by_team, per_list),
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
    """Return a code for each entry and list; codes are equal where all measures have equal values.

    Returns:
        Shape (entries, lists), or (entries, 0) where no measure has a value for each list.
    """
    codes: Ints = np.zeros((len(entries), 0), dtype=np.int64)
    scored = [state.scored(entry, "", split) for entry in entries]
    for measure in state.terms.measures:
        values = [entry.values[measure.id].per_list for entry in scored]
        arrays = [array for array in values if array is not None]
        if not arrays or len(arrays) < len(values):
            continue  # a measure of the whole submission has no value for a list
        _, measure_codes = np.unique(np.stack(arrays), return_inverse=True)
        measure_codes = measure_codes.reshape(len(arrays), -1)
        if codes.size:
            # one number for each pair of codes; `unique` keeps the numbers small
            pairs = codes * (measure_codes.max() + 1) + measure_codes
            _, measure_codes = np.unique(pairs, return_inverse=True)
            measure_codes = measure_codes.reshape(codes.shape)
        codes = measure_codes
    return codes


def is_distinctive(codes: Ints) -> bool:
    """Return whether an entry's values vary enough between lists to be compared with others.

    Teams that do not know each other may all have nearly every list right, or nearly none.
    """
    if not codes.size:
        return False
    _, counts = np.unique(codes, return_counts=True)
    return int(codes.size - counts.max()) >= DISTINCT_LISTS


def kappa(one: Ints, other: Ints) -> float:
    """Return Cohen's kappa of two entries: how often their values agree, corrected for chance.

    Where most lists have the same value, such as right, unrelated entries agree often by chance
    (Cohen, Educational and Psychological Measurement 1960).

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
    """Return groups of entries that have the same values in every list, or the same bytes."""
    groups: dict[object, list[int]] = {}
    for entry, row in zip(entries, codes, strict=True):
        key = row.tobytes() if is_distinctive(row) else entry.sha256
        groups.setdefault(key, []).append(entry.number)
    return [numbers for numbers in groups.values() if len(numbers) > 1]


def near_duplicates(
    entries: Sequence[Entry], codes: Ints, copies: Sequence[Sequence[int]] = ()
) -> list[Pair]:
    """Return pairs of different teams with a kappa of at least NEAR, unless both are `copies`."""
    group_of = {number: index for index, group in enumerate(copies) for number in group}
    pairs = []
    for index, entry in enumerate(entries if codes.size else ()):
        shares = (codes[index + 1 :] == codes[index]).mean(axis=1)
        for offset in np.flatnonzero(shares >= NEAR).tolist():  # kappa is at most the share
            other_index = index + 1 + offset
            other = entries[other_index]
            group = group_of.get(entry.number)
            is_copy = group is not None and group == group_of.get(other.number)
            if entry.team == other.team or is_copy or not is_distinctive(codes[index]):
                continue
            if kappa(codes[index], codes[other_index]) >= NEAR:
                pairs.append(Pair((entry.number, other.number), float(shares[offset])))
    return sorted(pairs, key=lambda pair: (-pair.agreement, pair.entries))


def probing(teams: Mapping[str, Sequence[int]], per_list: Mapping[int, Floats]) -> list[Probing]:
    """Return series of a team's entries that each differ from the one before in few lists only.

    Args:
        teams: team -> its entries, oldest first.
        per_list: entry number -> the primary measure of each list.
    """
    found = []
    for team, numbers in teams.items():
        series: list[list[int]] = []
        for before, after in pairwise(numbers):
            if not _changes_few(per_list.get(before), per_list.get(after)):
                continue
            if series and series[-1][-1] == before:
                series[-1].append(after)
            else:
                series.append([before, after])
        found += [Probing(team, tuple(s)) for s in series if len(s) >= SHORTEST_SERIES]
    return found


def _changes_few(before: Floats | None, after: Floats | None) -> bool:
    """Return whether the values of two entries differ in some lists, but only in few."""
    if before is None or after is None or before.size != after.size:
        return False
    is_equal = (before == after) | (np.isnan(before) & np.isnan(after))
    changed = int((~is_equal).sum())
    return 0 < changed <= max(1, int(PROBED_SHARE * before.size))
