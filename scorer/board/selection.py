"""Which entries count: decisions in force, the entry rule, selections and the Ladder."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import NamedTuple

import numpy as np

from scorer.board.models import Decision, Entry, Team
from scorer.core.arrays import Floats, round_for_ranks
from scorer.metrics.api import Better

NO_BETTER = "no significant improvement"  # why the Ladder holds an entry's value back


@dataclass(frozen=True)
class DecisionState:
    """The state that the decisions made by a moment lead to."""

    names: Mapping[int, str]  # team -> its present name
    teams_out: Mapping[int, Decision] = field(default_factory=dict)  # disqualified teams
    entries_out: Mapping[int, Decision] = field(default_factory=dict)  # withdrawn or disqualified
    selected: Mapping[int, tuple[int, ...]] = field(
        default_factory=dict
    )  # team -> entries, oldest first

    def out(self, entry: Entry) -> Decision | None:
        """The decision that takes an entry off the board, if there is one; a team's own last."""
        own = self.entries_out.get(entry.number)
        by_team = None if entry.team is None else self.teams_out.get(entry.team)
        return by_team or own if own is not None and own.act == "withdraw" else own or by_team


def decisions_until(
    teams: Iterable[Team], decisions: Iterable[Decision], now: datetime
) -> DecisionState:
    """Return the state that the decisions made until `now` lead to; later ones undo earlier ones.

    A withdrawal neither covers a disqualification nor is undone with it.
    """
    names = {team.id: team.name for team in teams}
    teams_out: dict[int, Decision] = {}
    disqualified: dict[int, Decision] = {}
    withdrawn: dict[int, Decision] = {}
    selected: dict[int, list[int]] = {}
    for decision in sorted(decisions, key=lambda act: (act.time, act.number)):
        if decision.time > now:
            break
        match decision.act:
            case "rename" if decision.team is not None and decision.name is not None:
                names[decision.team] = decision.name
            case "disqualify" if decision.entry is not None:
                disqualified[decision.entry] = decision
            case "withdraw" if decision.entry is not None:
                withdrawn[decision.entry] = decision
            case "disqualify" if decision.team is not None:
                teams_out[decision.team] = decision
            case "restore" if decision.entry in disqualified:
                del disqualified[decision.entry]
            case "restore" if decision.entry is not None:
                withdrawn.pop(decision.entry, None)
            case "restore" if decision.team is not None:
                teams_out.pop(decision.team, None)
            case "select" if decision.team is not None and decision.entry is not None:
                chosen = selected.setdefault(decision.team, [])
                if decision.entry in chosen:
                    chosen.remove(decision.entry)
                chosen.append(decision.entry)
            case "unselect" if decision.team is not None and decision.entry is not None:
                rest = [n for n in selected.get(decision.team, ()) if n != decision.entry]
                selected[decision.team] = rest
    chosen_by = {team: tuple(chosen) for team, chosen in selected.items()}
    return DecisionState(names, teams_out, withdrawn | disqualified, chosen_by)


class Candidate(NamedTuple):
    """A scored entry, as far as choosing among a team's entries looks at it."""

    entry: Entry
    value: float  # the primary measure on the split that the board shows
    public_value: float  # on the split that participants were shown while they could send
    per_list: Callable[[], Floats | None]  # one a list of the shown split; None for whole figures
    withdrawn: bool = False  # by its team: it does not count, but the Ladder has shown its value


class Choice(NamedTuple):
    """Which of a team's entries count, and why the others do not."""

    counted: tuple[Entry, ...]
    left_out: Mapping[int, str]  # entry number -> why
    rule: str  # in words
    held_back: Mapping[int, int] = {}  # an entry that the Ladder does not show -> the one it does


def choose(
    candidates: Sequence[Candidate],
    rule: str,
    better: Better,
    select: int | None = None,
    selected: Sequence[int] = (),
    ladder: float | str = "off",
) -> Choice:
    """Which of a team's scored entries count.

    Under a Ladder only entries that it shows can count, whatever the rule: a team that withdraws
    or selects learns no value that the Ladder has held back.

    Args:
        candidates: the entries on the board: scored and not disqualified.
        rule: best, last, selected or all.
        select: the number of selected entries that count, if the phase limits it.
        selected: the entries that the team selected, oldest first.
        ladder: off, auto or a step: how much better an entry must be to move a shown value.

    Returns:
        The counted entries (several only for `all`), and a reason for each other one.
    """
    in_time = sorted(
        candidates, key=lambda candidate: (candidate.entry.received, candidate.entry.number)
    )
    words = f"rule {rule}"
    held_back: dict[int, int] = {}
    if ladder != "off":
        words, shown = f"{words}, ladder {ladder}", ladder_steps(in_time, better, ladder)
        held_back = {number: rung for number, rung in shown.items() if number != rung}
    left_out = dict.fromkeys(held_back, NO_BETTER)
    remaining = [
        candidate
        for candidate in in_time
        if candidate.entry.number not in left_out and not candidate.withdrawn
    ]
    if select is not None or rule == "selected":
        most = select or 1
        numbers = {candidate.entry.number for candidate in remaining}
        wanted = [number for number in selected if number in numbers][-most:]
        if wanted:
            words = f"the last {most} selected"
        else:
            ranked = _best_first(remaining, better, lambda candidate: candidate.public_value)
            wanted = [candidate.entry.number for candidate in ranked[:most]]
            words = f"nothing selected: the best {most} on the split shown before"
        for candidate in remaining:
            if candidate.entry.number not in wanted:
                left_out[candidate.entry.number] = "not selected"
        remaining = [candidate for candidate in remaining if candidate.entry.number in wanted]
    if not remaining:
        return Choice((), left_out, words, held_back)
    if rule == "all":
        return Choice(tuple(candidate.entry for candidate in remaining), left_out, words, held_back)
    if rule == "last":
        chosen = remaining[-1]
        reason = f"an earlier entry than {chosen.entry.number}"
    else:
        chosen = _best_first(remaining, better, lambda candidate: candidate.value)[0]
        reason = f"not better than entry {chosen.entry.number}"
    left_out |= {
        candidate.entry.number: reason
        for candidate in remaining
        if candidate.entry.number != chosen.entry.number
    }
    return Choice((chosen.entry,), left_out, words, held_back)


def ladder_steps(
    candidates: Sequence[Candidate], better: Better, ladder: float | str
) -> dict[int, int]:
    """The entry whose value a Ladder shows once each has come (Blum and Hardt, ICML 2015).

    With a step, a value replaces the shown one where it is better by more than the
    step; `auto` is the parameter-free form: better by more than the standard
    deviation of the per-list differences over the square root of their number.

    Args:
        candidates: a team's entries in the order of their time.
        ladder: auto, or the step in units of the primary measure.

    Returns:
        The number of each entry -> the number of the one whose value is shown then.
    """
    sign, shown = (1.0 if better == "higher" else -1.0), dict[int, int]()
    for n, candidate in enumerate(candidates):
        if n == 0:
            at = candidate
        gain = sign * (candidate.value - at.value)
        is_first = np.isnan(at.value) and not np.isnan(candidate.value)
        # a gain that equals the step is no more than it, whatever its last digits say
        noise = 1e-12 * abs(at.value)
        gains = gain > noise or ladder != "auto"  # else no values of lists are read
        if is_first or (gains and gain > _step(candidate, at, ladder) + noise):
            at = candidate
        shown[candidate.entry.number] = at.entry.number
    return shown


def _step(new: Candidate, best: Candidate, ladder: float | str) -> float:
    if ladder != "auto":
        return float(ladder)
    one, other = new.per_list(), best.per_list()
    if one is None or other is None:
        return 0.0
    difference = one - other
    difference = difference[~np.isnan(difference)]
    if difference.size < 2:
        return np.inf
    return float(difference.std(ddof=1) / np.sqrt(difference.size))


def _best_first(
    candidates: Sequence[Candidate], better: Better, value: Callable[[Candidate], float]
) -> list[Candidate]:
    """The best value first; of equal ones the earliest, without a value last."""
    sign = -1.0 if better == "higher" else 1.0

    def key(candidate: Candidate) -> tuple[bool, float, datetime, int]:
        number = float(round_for_ranks(value(candidate)))
        none = bool(np.isnan(number))
        return (
            none,
            0.0 if none else sign * number,
            candidate.entry.received,
            candidate.entry.number,
        )

    return sorted(candidates, key=key)
