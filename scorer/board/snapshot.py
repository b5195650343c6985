"""The board as a pure function of terms, entries, evaluations, decisions, split and time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from typing import NamedTuple
from zoneinfo import ZoneInfo

import numpy as np

from scorer.board.live import LiveReport, RankedEntry
from scorer.board.models import Decision, Entry, Evaluation, Status, Team
from scorer.board.phases import Span, phase_at, spans
from scorer.board.selection import Candidate, Choice, State, choose, state
from scorer.board.sentences import describe_late_decision
from scorer.board.settling import settled_entry
from scorer.challenge.leaderboard import EVERYTHING, Track
from scorer.challenge.model import Challenge
from scorer.core.arrays import Floats, Mask
from scorer.core.errors import UnknownName
from scorer.core.problems import Problem
from scorer.leaderboard.board import Terms, add_statistics, rank
from scorer.leaderboard.repeats import rename
from scorer.results.json import ABSENT
from scorer.results.report import Report, Scored
from scorer.scoring.answers import is_in_track, shown_answers, track_lists
from scorer.scoring.splits import scope_of

CACHED = 2_000  # scorecards that are kept cut and settled
AT_ONCE = 100  # scorecards that are read together
BOARDS = 8  # whose intervals and tests are kept
DRAWN = ("leaderboard", "certainty", "no_certainty", "rarest_class", "pareto")

Means = Mapping[str, Mapping[str, float]]  # split -> measure id -> mean


class Part(NamedTuple):
    """The lists of a split, or of a track's share of it."""

    name: str  # by which what was worked out is kept
    keep: Mask
    terms: Terms


@dataclass(frozen=True)
class Cache:
    """What was worked out under one version of the challenge."""

    scored: dict[tuple[str, str, bool, str], Scored] = field(default_factory=dict)  # cut, settled
    certain: dict[object, Report] = field(default_factory=dict)  # the latest boards


@dataclass(frozen=True)
class Snapshot:
    """Everything that a board depends on, under one version of the challenge."""

    terms: Terms
    splits: Mapping[str, Mask]  # split -> one a list, `all` included
    teams: Sequence[Team]
    entries: Sequence[Entry]
    decisions: Sequence[Decision]
    statuses: Mapping[str, Status]  # SHA-256 of a file -> its status
    means: Mapping[str, Means]  # of scored files
    evaluations: Callable[[Sequence[str]], Iterable[Evaluation]]  # whole, by SHA-256
    cache: Cache = field(default_factory=Cache)

    @property
    def rules(self) -> Challenge:
        """The challenge's rules."""
        return self.terms.challenge

    def state(self, now: datetime) -> State:
        """The state that the decisions made until `now` lead to."""
        return state(self.teams, self.decisions, now)

    def span(self, now: datetime, phase: str | None = None) -> Span | None:
        """The phase of that id, or the one at `now`. Raises `UnknownName`."""
        if phase is None:
            return phase_at(self.rules, now)
        by_id = {span.phase.id: span for span in spans(self.rules)}
        if phase not in by_id:
            raise UnknownName("phase", phase, list(by_id))
        return by_id[phase]

    def span_of(self, now: datetime, split: str | None) -> Span | None:
        """The phase whose rules choose the entries that count on a split.

        The one at `now` if it shows the split, or none is given; else the latest that has shown
        it, else the first that will. The one at `now` where no phase shows it.
        """
        current = self.span(now)
        showing = [span for span in spans(self.rules) if span.phase.show == split]
        if not showing or (current is not None and current.phase.show == split):
            return current
        begun = [span for span in showing if span.begun(now)]
        return begun[-1] if begun else showing[0]

    def split_shown(self, span: Span | None, now: datetime, split: str | None = None) -> str:
        """The given split, else the one that the phase shows, else all; else `UnknownName`."""
        if split is not None:
            if split not in self.splits:
                raise UnknownName("split", split, list(self.splits))
            return split
        name = span.phase.show if span is not None else _last_shown(self.rules, now)
        return name if name in self.splits else EVERYTHING

    def order(
        self,
        now: datetime,
        *,
        split: str | None = None,
        phase: str | None = None,
        rule: str | None = None,
    ) -> LiveReport:
        """The standings at a time.

        Args:
            now: entries received and decisions made by then count.
            split: the split to score on; default: the one that the phase shows.
            phase: the phase whose rules apply; default: the one that shows the split.
            rule: another entry rule than the challenge's: best, last, selected or all.

        Raises:
            UnknownName: there is no such split or phase.
        """
        span = self.span_of(now, split) if phase is None else self.span(now, phase)
        name = self.split_shown(span, now, split)
        decided = self.state(now)
        choices = self.choices(now, name, span, rule)
        several = (rule or self.rules.leaderboard.entry) == "all"
        rows, report = self._ranked(choices, decided, now, self._part(name), several)
        scope = replace(
            scope_of(self.rules, self.splits, name),
            phase=None if span is None or span.phase.id == EVERYTHING else span.phase.id,
            time=f"{now.astimezone(ZoneInfo(self.rules.timezone)):%Y-%m-%d %H:%M %Z}",
        )
        notes = (*report.notes, *self._late_acts(decided, now))
        tracks, boards = dict[str, Mapping[str, RankedEntry]](), list[Report]()
        for track in self.rules.leaderboard.tracks:
            inside = self._in_track(track, choices, now, name, span, rule)
            part = self._part(name, track)
            tracks[track.id], board = self._ranked(inside, decided, now, part, several)
            boards.append(replace(board, track=track, notes=()))
        report = replace(report, notes=notes, scope=scope, tracks=tuple(boards) or ABSENT)
        return LiveReport(report, rows, name, span.phase.id if span else None, tracks=tracks)

    def _ranked(
        self,
        choices: Mapping[int | None, Choice],
        decided: State,
        now: datetime,
        part: Part,
        several: bool,
    ) -> tuple[dict[str, RankedEntry], Report]:
        """The entries that count, each a row, and their board on some lists."""
        counts = self._scored_entries(now)
        rows, scored = dict[str, RankedEntry](), list[Scored]()
        choices = choices if part.keep.any() else {}
        counted = [entry for choice in choices.values() for entry in choice.counted]
        settled_entries = self._settled(counted, part)
        for team, choice in choices.items():
            for entry in choice.counted:
                whose = entry.name if team is None else decided.names[team]
                title = f"{whose} ({entry.number})" if several and team is not None else whose
                while title in rows:  # of a baseline that is called as a team, or as another
                    title = f"{title} ({'baseline' if team is None else entry.number})"
                scored.append(rename(next(settled_entries), title))
                rows[title] = RankedEntry(
                    entry.number or None, whose, team, entry.received, counts.get(team, 0),
                    entry.answers,
                )  # fmt: skip
        received = {title: row.received for title, row in rows.items()}
        times = {title: time.timestamp() for title, time in received.items()}
        answers = {title: shown_answers(self.rules, row.answers) for title, row in rows.items()}
        answers = {title: own for title, own in answers.items() if own}
        report = rank(part.terms, scored, times)
        return rows, replace(report, answers=answers, received=received)

    def _scored_entries(self, now: datetime) -> Mapping[int | None, int]:
        """Team -> the number of its scored entries; of None, the baselines."""
        statuses = self.statuses
        return Counter(
            entry.team
            for entry in self.entries
            if entry.received <= now and statuses.get(entry.sha256) == "scored"
        )

    def _in_track(
        self,
        track: Track,
        choices: Mapping[int | None, Choice],
        now: datetime,
        split: str,
        span: Span | None,
        rule: str | None,
    ) -> Mapping[int | None, Choice]:
        """The entries of each team that count in a track: chosen from those that belong to it.

        With a Ladder, which would climb anew in each track, those that count on the whole board.
        """

        def inside(entry: Entry) -> bool:
            return is_in_track(track, entry.answers)

        if not track.answer:
            return choices
        if self.rules.leaderboard.ladder == "off":
            own = replace(self, entries=[entry for entry in self.entries if inside(entry)])
            return own.choices(now, split, span, rule)
        return {
            team: choice._replace(counted=tuple(filter(inside, choice.counted)))
            for team, choice in choices.items()
        }

    def _late_acts(self, decided: State, now: datetime) -> list[Problem]:
        """A note of each act for a team that came after the time for it."""
        zone = ZoneInfo(self.rules.timezone)
        return [
            Problem("S807", describe_late_decision(act, decided.names, zone), "warning")
            for act in self.decisions
            if act.late and act.time <= now
        ]

    def certain(self, live: LiveReport) -> LiveReport:
        """The standings with intervals, tiers and ranges of ranks, which take most of the time.

        They are drawn anew where other files count, or in other places; not for each new entry.
        """
        tracks = tuple(self._certain(each, live.split) for each in live.report.tracks or ())
        report = self._certain(live.report, live.split)
        return live._replace(report=replace(report, tracks=tracks or ABSENT))

    def _certain(self, report: Report, split: str) -> Report:
        kept, track = self.cache.certain, report.track and report.track.id
        files = {each.name: each.sha256 for each in report.submissions}
        asked = {name: tuple(own.items()) for name, own in report.answers.items()}
        rows = (
            (row.name, files[row.name], row.rank, row.points, asked.get(row.name))
            for row in report.leaderboard
        )
        key = (split, track, *rows)
        drawn = kept.get(key)
        if drawn is None:
            while len(kept) >= BOARDS * (1 + len(self.rules.leaderboard.tracks)):
                kept.pop(next(iter(kept)), None)
            drawn = kept[key] = add_statistics(report, self.terms.groups, self.terms.clusters)
        return replace(report, **{name: getattr(drawn, name) for name in DRAWN})

    def scored(self, entry: Entry, title: str, split: str) -> Scored:
        """An entry's scorecard cut to a split and settled; worked out once."""
        return rename(next(self._settled([entry], self._part(split))), title)

    def _settled(self, entries: Sequence[Entry], part: Part) -> Iterator[Scored]:
        """The scorecards of entries, cut and settled; some at once are read that are not known."""
        for start in range(0, len(entries), AT_ONCE):
            some = entries[start : start + AT_ONCE]
            keys = [(entry.sha256, entry.file, entry.baseline, part.name) for entry in some]
            found = {key: self.cache.scored.get(key) for key in keys}
            unknown = {e.sha256 for e, key in zip(some, keys, strict=True) if found[key] is None}
            read = {each.sha256: each for each in self.evaluations([*unknown])} if unknown else {}
            if len(self.cache.scored) + len(read) > CACHED:
                self.cache.scored.clear()
            for entry, key in zip(some, keys, strict=True):
                scored = found[key] or settled_entry(
                    part.terms, part.keep, read[entry.sha256], entry
                )
                found[key] = self.cache.scored[key] = scored
                yield scored

    def _part(self, split: str, track: Track | None = None) -> Part:
        """The lists of a split, or those of them that are a track's."""
        keep, terms, name = self.splits[split], self.terms, split
        if track is not None and track.group:
            keep = keep & track_lists(track, terms.lists, terms.groups)
            name = f"{split}\n{track.id}"
        if not keep.all():
            pairs = zip(terms.lists, keep, strict=True)
            terms = terms._replace(lists=tuple(each for each, keeps in pairs if keeps))
        return Part(name, keep, terms)

    def choices(
        self,
        now: datetime,
        split: str,
        span: Span | None,
        rule: str | None = None,
    ) -> dict[int | None, Choice]:
        """The entries of each team that count on a split; the entries of None are the baselines.

        They are chosen by their values on the split that the phase shows, whichever is asked for.
        """
        decided, board_rules = self.state(now), self.rules.leaderboard
        shown = span.phase.show if span is not None else _last_shown(self.rules, now)
        chosen_by = shown if shown in self.splits else split
        primary, public, part = self.terms.primary, self.public, self._part(chosen_by)
        ladder = board_rules.ladder if rule is None and self.climbs(span) else "off"
        candidates: dict[int | None, list[Candidate]] = {}
        baselines: list[Entry] = []

        def per_list(entry: Entry) -> Floats | None:
            return next(self._settled([entry], part)).values[primary.id].per_list

        for entry in self.entries:
            if entry.received > now or self.statuses.get(entry.sha256) != "scored":
                continue
            out = decided.out(entry)
            withdrawn = ladder != "off" and out is not None and out.act == "withdraw"
            if out is not None and not withdrawn:
                continue
            if entry.baseline:
                baselines.append(entry)
                continue
            means = self.means[entry.sha256]
            value, public_value = (
                means[name].get(primary.id, np.nan) for name in (chosen_by, public)
            )
            team_candidates = candidates.setdefault(entry.team, [])
            team_candidates.append(
                Candidate(entry, value, public_value, partial(per_list, entry), withdrawn)
            )
        selects = span is not None and rule is None
        choices: dict[int | None, Choice] = {
            team: choose(
                team_candidates,
                rule or board_rules.entry,
                primary.metric.better,
                span.phase.select if span is not None and selects else None,
                decided.selected.get(team, ()) if team is not None else (),
                ladder,
            )
            for team, team_candidates in candidates.items()
        }
        if baselines:
            choices[None] = Choice(tuple(baselines), {}, "baselines")
        return choices

    def climbs(self, span: Span | None) -> bool:
        """Whether a Ladder decides in a phase which values are shown."""
        takes_entries = span is None or span.takes_entries
        return takes_entries and self.rules.leaderboard.ladder != "off"

    def own(self, team: int) -> Snapshot:
        """The same with the entries of one team alone."""
        return replace(self, entries=[entry for entry in self.entries if entry.team == team])

    @property
    def public(self) -> str:
        """The split that participants were shown while they could send entries."""
        splits_shown = [span.phase.show for span in spans(self.rules) if span.takes_entries]
        return next((name for name in reversed(splits_shown) if name in self.splits), EVERYTHING)


def _last_shown(rules: Challenge, now: datetime) -> str:
    """The split that the latest begun phase shows; before the first phase, the one it will show."""
    all_spans = spans(rules)
    begun = [span for span in all_spans if span.begun(now)]
    return (begun or [all_spans[0]])[-1].phase.show


def counted(snapshot: Snapshot, now: datetime) -> set[int]:
    """The entries that count on any split."""
    return {
        entry.number
        for split in snapshot.splits
        for choice in snapshot.choices(now, split, snapshot.span_of(now, split)).values()
        for entry in choice.counted
        if entry.number
    }
