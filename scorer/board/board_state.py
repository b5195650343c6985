"""All that a board depends on, read in one transaction, and which entries count by it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from typing import NamedTuple
from zoneinfo import ZoneInfo

import numpy as np

from scorer.board.models import Decision, Entry, Evaluation, Status, Team
from scorer.board.phases import Span, phase_at, spans
from scorer.board.selection import Candidate, Choice, DecisionState, choose, decisions_until
from scorer.challenge.leaderboard import Track
from scorer.challenge.model import Challenge
from scorer.challenge.phases import EVERYTHING
from scorer.core.arrays import Floats, Mask
from scorer.core.errors import UnknownName
from scorer.core.problems import Findings
from scorer.leaderboard.board import Terms, apply_rules
from scorer.leaderboard.repeats import rename, system_of
from scorer.results.report import Report, Scored
from scorer.results.scorecard import Outcome, Scorecard
from scorer.scoring.answers import track_lists
from scorer.scoring.splits import restrict_card

CACHED = 2_000  # scorecards that are kept, cut to a split and with the rules applied
AT_ONCE = 100  # scorecards that are read together

Means = Mapping[str, Mapping[str, float]]  # split -> measure id -> mean


class ListPart(NamedTuple):
    """The lists of a split, or only the lists of a track within it."""

    name: str  # the key of its scorecards in the cache
    keep: Mask  # one a list of the challenge
    terms: Terms  # with these lists alone


@dataclass(frozen=True)
class Cache:
    """Results that were computed under one version of the challenge."""

    # SHA-256, file name, whether it is a baseline, and part -> scorecard
    scored: dict[tuple[str, str, bool, str], Scored] = field(default_factory=dict)
    # the rows of a board -> the board with its intervals, of the latest boards
    drawn: dict[object, Report] = field(default_factory=dict)


@dataclass(frozen=True)
class BoardState:
    """Everything that a board depends on, under one version of the challenge."""

    terms: Terms
    splits: Mapping[str, Mask]  # split -> one a list, `all` included
    teams: Sequence[Team]
    entries: Sequence[Entry]
    decisions: Sequence[Decision]
    statuses: Mapping[str, Status]  # SHA-256 of a file -> its status
    means: Mapping[str, Means]  # of scored files
    # reads the complete evaluations of files, by SHA-256
    evaluations: Callable[[Sequence[str]], Iterable[Evaluation]]
    cache: Cache = field(default_factory=Cache)

    @property
    def rules(self) -> Challenge:
        """The challenge's rules."""
        return self.terms.challenge

    @property
    def zone(self) -> ZoneInfo:
        """The challenge's time zone."""
        return ZoneInfo(self.rules.timezone)

    def decisions_at(self, now: datetime) -> DecisionState:
        """Return the state that the decisions made until `now` lead to."""
        return decisions_until(self.teams, self.decisions, now)

    def only_team(self, team: int) -> BoardState:
        """Return the same with the entries of one team alone."""
        return replace(self, entries=[entry for entry in self.entries if entry.team == team])

    def is_scored(self, entry: Entry) -> bool:
        """Return whether an entry has values."""
        return self.statuses.get(entry.sha256) == "scored"

    # phases and splits

    def span(self, now: datetime, phase: str | None = None) -> Span | None:
        """Return the phase of that id, or the one at `now`. Raises `UnknownName`."""
        if phase is None:
            return phase_at(self.rules, now)
        by_id = {span.phase.id: span for span in spans(self.rules)}
        if phase not in by_id:
            raise UnknownName("phase", phase, list(by_id))
        return by_id[phase]

    def span_of(self, now: datetime, split: str | None) -> Span | None:
        """Return the phase whose rules choose the entries that count on a split.

        The one at `now` if it shows the split, or none is given; else the latest that has shown
        it, else the first that will. The one at `now` where no phase shows it.
        """
        current = self.span(now)
        showing = [span for span in spans(self.rules) if span.phase.show == split]
        if not showing or (current is not None and current.phase.show == split):
            return current
        begun = [span for span in showing if span.has_begun(now)]
        return begun[-1] if begun else showing[0]

    def split_shown(self, span: Span | None, now: datetime, split: str | None = None) -> str:
        """Return the given split, else the one that the phase shows, else all.

        Raises:
            UnknownName: There is no such split.
        """
        if split is not None:
            if split not in self.splits:
                raise UnknownName("split", split, list(self.splits))
            return split
        name = span.phase.show if span is not None else last_shown(self.rules, now)
        return name if name in self.splits else EVERYTHING

    @property
    def public(self) -> str:
        """The split that participants were shown while they could send entries."""
        splits_shown = [span.phase.show for span in spans(self.rules) if span.takes_entries]
        return next((name for name in reversed(splits_shown) if name in self.splits), EVERYTHING)

    def ladder_applies(self, span: Span | None) -> bool:
        """Return whether a Ladder decides in a phase which values are shown."""
        takes_entries = span is None or span.takes_entries
        return takes_entries and self.rules.leaderboard.ladder != "off"

    def part(self, split: str, track: Track | None = None) -> ListPart:
        """Return the lists of a split, or only the lists of a track within it."""
        keep, terms, name = self.splits[split], self.terms, split
        if track is not None and track.group:
            keep = keep & track_lists(track, terms.lists, terms.groups)
            name = f"{split}\n{track.id}"
        if not keep.all():
            pairs = zip(terms.lists, keep, strict=True)
            terms = terms._replace(lists=tuple(each for each, keeps in pairs if keeps))
        return ListPart(name, keep, terms)

    # scorecards

    def scored(self, entry: Entry, title: str, split: str) -> Scored:
        """Return an entry's scorecard on a split, named `title`."""
        return rename(next(self.scorecards([entry], self.part(split))), title)

    def scorecards(self, entries: Sequence[Entry], part: ListPart) -> Iterator[Scored]:
        """Yield the scorecards of entries on some lists; those not cached are read in batches."""
        cache = self.cache.scored
        for start in range(0, len(entries), AT_ONCE):
            some = entries[start : start + AT_ONCE]
            keys = [(entry.sha256, entry.file, entry.team is None, part.name) for entry in some]
            found = {key: cache.get(key) for key in keys}
            unknown = {e.sha256 for e, key in zip(some, keys, strict=True) if found[key] is None}
            read = {each.sha256: each for each in self.evaluations([*unknown])} if unknown else {}
            if len(cache) + len(read) > CACHED:
                cache.clear()
            for entry, key in zip(some, keys, strict=True):
                scored = found[key] or score_entry(part, read[entry.sha256], entry)
                found[key] = cache[key] = scored
                yield scored

    # which entries count

    def choices(
        self, now: datetime, split: str, span: Span | None, rule: str | None = None
    ) -> dict[int | None, Choice]:
        """Return the entries of each team that count on a split; the key None has the baselines.

        They are chosen by their values on the split that the phase shows, whatever `split` is.

        Args:
            now: Entries received and decisions made by then count.
            split: The split.
            span: The phase whose rules apply.
            rule: Another entry rule than the challenge's.
        """
        decided, board_rules = self.decisions_at(now), self.rules.leaderboard
        shown = span.phase.show if span is not None else last_shown(self.rules, now)
        chosen_by = shown if shown in self.splits else split
        primary, public, part = self.terms.primary, self.public, self.part(chosen_by)
        ladder = board_rules.ladder if rule is None and self.ladder_applies(span) else "off"
        candidates: dict[int | None, list[Candidate]] = {}
        baselines: list[Entry] = []

        def read_values(entry: Entry) -> Floats | None:
            return next(self.scorecards([entry], part)).values[primary.id].per_list

        for entry in self.entries:
            if entry.received > now or not self.is_scored(entry):
                continue
            out = decided.out(entry)
            withdrawn = ladder != "off" and out is not None and out.act == "withdraw"
            if out is not None and not withdrawn:
                continue
            if entry.team is None:
                baselines.append(entry)
                continue
            means = self.means[entry.sha256]
            value, public_value = (
                means[name].get(primary.id, np.nan) for name in (chosen_by, public)
            )
            candidates.setdefault(entry.team, []).append(
                Candidate(entry, value, public_value, partial(read_values, entry), withdrawn)
            )
        choices: dict[int | None, Choice] = {
            team: choose(
                team_candidates,
                rule or board_rules.entry,
                primary.metric.better,
                span.phase.select if span is not None and rule is None else None,
                decided.selected.get(team, ()) if team is not None else (),
                ladder,
            )
            for team, team_candidates in candidates.items()
        }
        if baselines:
            choices[None] = Choice(tuple(baselines), {}, "baselines")
        return choices

    def counted(self, now: datetime) -> set[int]:
        """Return the entries that count on any split."""
        return {
            entry.number
            for split in self.splits
            for choice in self.choices(now, split, self.span_of(now, split)).values()
            for entry in choice.counted
            if entry.number
        }


def last_shown(rules: Challenge, now: datetime) -> str:
    """Return the split that the latest begun phase shows, or else the first phase's split."""
    all_spans = spans(rules)
    begun = [span for span in all_spans if span.has_begun(now)]
    return (begun or [all_spans[0]])[-1].phase.show


def score_entry(part: ListPart, evaluation: Evaluation, entry: Entry) -> Scored:
    """Return a scored entry on some lists; several runs in its file are one submission."""
    assert evaluation.card is not None
    card, findings = Scorecard.from_bytes(evaluation.card), Findings.from_json(evaluation.findings)
    names = {name for name, keeps in zip(card.lists, part.keep, strict=True) if keeps}
    folds = {}
    for name, data in evaluation.folds.items():
        fold = Scorecard.from_bytes(data)
        folds[name] = restrict_card(fold, np.array([n in names for n in fold.lists], dtype=bool))
    baseline = entry.team is None
    if "run" not in part.terms.challenge.submission.columns:
        outcome = Outcome(findings, entry.sha256, restrict_card(card, part.keep), folds)
        return apply_rules(part.terms, "", entry.file, outcome, baseline=baseline)
    outcomes = {run: Outcome(Findings(), None, own) for run, own in folds.items()}
    runs = [
        apply_rules(part.terms, f"#{run}", entry.file, outcome, baseline=baseline)
        for run, outcome in outcomes.items()
    ]
    one = system_of("", runs) if len(runs) > 1 else runs[0]
    return replace(one, name="", sha256=entry.sha256, findings=findings)
