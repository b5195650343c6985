"""The board as a pure function of terms, entries, evaluations, decisions, split and time.

`BoardState` is all that a board depends on, read in one transaction; `compute_board` makes the
standings of it, and `with_intervals` adds what takes most of the time.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from typing import NamedTuple
from zoneinfo import ZoneInfo

import numpy as np

from scorer.board.models import Decision, Entry, Evaluation, Status, Team
from scorer.board.phases import Span, in_zone, phase_at, spans
from scorer.board.selection import Candidate, Choice, DecisionState, choose, decisions_until
from scorer.challenge.leaderboard import Track
from scorer.challenge.model import Challenge
from scorer.challenge.phases import EVERYTHING
from scorer.core.arrays import Floats, Mask
from scorer.core.errors import UnknownName
from scorer.core.problems import Findings, Problem
from scorer.leaderboard.board import Terms, add_statistics, apply_rules, rank
from scorer.leaderboard.repeats import rename, system_of
from scorer.results.json import ABSENT
from scorer.results.report import Report, Scored, Standing
from scorer.results.scorecard import Outcome, Scorecard
from scorer.scoring.answers import is_in_track, shown_answers, track_lists
from scorer.scoring.splits import restrict_card, scope_of

CACHED = 2_000  # scorecards that are kept cut and settled
AT_ONCE = 100  # scorecards that are read together
BOARDS = 8  # whose intervals and tests are kept
# The fields of a report that `add_statistics` draws.
DRAWN = ("leaderboard", "certainty", "no_certainty", "rarest_class", "pareto")

Means = Mapping[str, Mapping[str, float]]  # split -> measure id -> mean


# the result


class RankedEntry(NamedTuple):
    """The entry and the team of a row of the board."""

    entry: int | None  # None: a baseline of the challenge's
    team: str  # its present name; of a baseline, its name
    id: int | None  # of the team; None: a baseline
    received: datetime
    entries: int  # number of scored entries of the team
    answers: Mapping[str, str]


class RejectedEntry(NamedTuple):
    """The latest entry of a team without a row, where the checks rejected it."""

    scored: Scored  # called as its team
    received: datetime


class LiveReport(NamedTuple):
    """A report with the entries and teams of its rows."""

    report: Report
    rows: Mapping[str, RankedEntry]  # name of a standing, which no other has -> row
    split: str
    phase: str | None
    absent: Mapping[str, str] = {}  # name of a team without a row -> why
    tracks: Mapping[str, Mapping[str, RankedEntry]] = {}  # track -> name of a standing -> row
    rejected: Mapping[str, RejectedEntry] = {}  # name of a team without a row -> its latest entry

    def with_absent_teams(self) -> Report:
        """Return the report with the teams that have no row, whose reasons are for organizers."""
        times = {team: entry.received for team, entry in self.rejected.items()}
        return replace(
            self.report,
            absent=self.absent,
            rejected={team: entry.scored for team, entry in self.rejected.items()},
            received={**self.report.received, **times},
        )

    def with_entries(self) -> Report:
        """Return the report with the entry and the team of each row, as the JSON has it."""
        tracks = tuple(
            replace(track, leaderboard=_add_entries(track, rows))
            for track, rows in zip(self.report.tracks or (), self.tracks.values(), strict=True)
        )
        return replace(
            self.report,
            private=ABSENT,
            leaderboard=_add_entries(self.report, self.rows),
            tracks=tracks or ABSENT,
            split=self.split,
            phase=self.phase,
        )


def _add_entries(report: Report, rows: Mapping[str, RankedEntry]) -> tuple[Standing, ...]:
    """Return the standings of a report with the entry and the team of each."""
    pairs = ((standing, rows[standing.name]) for standing in report.leaderboard)
    return tuple(
        replace(
            standing,
            entry=row.entry,
            team=row.team,
            received=None if row.entry is None else row.received,
            entries=row.entries,
            answers=row.answers,
        )
        for standing, row in pairs
    )


def public(live: LiveReport) -> LiveReport:
    """Return the standings with the answers alone that the board shows."""
    rules = live.report.definition

    def hide(rows: Mapping[str, RankedEntry]) -> dict[str, RankedEntry]:
        return {
            name: row._replace(answers=shown_answers(rules, row.answers))
            for name, row in rows.items()
        }

    tracks = {track: hide(rows) for track, rows in live.tracks.items()}
    return live._replace(rows=hide(live.rows), tracks=tracks)


# the state


class ListPart(NamedTuple):
    """The lists of a split, or of a track's share of it."""

    name: str  # by which what was worked out is kept
    keep: Mask
    terms: Terms


@dataclass(frozen=True)
class Cache:
    """What was worked out under one version of the challenge."""

    scored: dict[tuple[str, str, bool, str], Scored] = field(default_factory=dict)  # cut, settled
    drawn: dict[object, Report] = field(default_factory=dict)  # the latest boards


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
    evaluations: Callable[[Sequence[str]], Iterable[Evaluation]]  # whole, by SHA-256
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
        """Return an entry's scorecard cut to a split and settled; worked out once."""
        return rename(next(self.scorecards([entry], self.part(split))), title)

    def scorecards(self, entries: Sequence[Entry], part: ListPart) -> Iterator[Scored]:
        """Yield the scorecards of entries on some lists; unknown ones are read some at once."""
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


# the board


def compute_board(
    state: BoardState,
    now: datetime,
    *,
    split: str | None = None,
    phase: str | None = None,
    rule: str | None = None,
) -> LiveReport:
    """Return the standings at a time, without intervals.

    Args:
        state: All that the board depends on.
        now: Entries received and decisions made by then count.
        split: The split to score on; default: the one that the phase shows.
        phase: The phase whose rules apply; default: the one that shows the split.
        rule: Another entry rule than the challenge's: best, last, selected or all.

    Raises:
        UnknownName: There is no such split or phase.
    """
    span = state.span_of(now, split) if phase is None else state.span(now, phase)
    name, rules = state.split_shown(span, now, split), state.rules
    choices = state.choices(now, name, span, rule)
    several = (rule or rules.leaderboard.entry) == "all"
    rows, report = _rank(state, choices, now, state.part(name), several)
    tracks, boards = dict[str, Mapping[str, RankedEntry]](), list[Report]()
    for track in rules.leaderboard.tracks:
        inside = _choose_in_track(state, track, choices, now, name, span, rule)
        tracks[track.id], board = _rank(state, inside, now, state.part(name, track), several)
        boards.append(replace(board, track=track, notes=()))
    scope = replace(
        scope_of(rules, state.splits, name),
        phase=None if span is None or span.phase.id == EVERYTHING else span.phase.id,
        time=f"{now.astimezone(state.zone):%Y-%m-%d %H:%M %Z}",
    )
    names = state.decisions_at(now).names
    late = [
        Problem("S807", describe_late_decision(act, names, state.zone), "warning")
        for act in state.decisions
        if act.late and act.time <= now
    ]
    report = replace(
        report, notes=(*report.notes, *late), scope=scope, tracks=tuple(boards) or ABSENT
    )
    return LiveReport(report, rows, name, span.phase.id if span else None, tracks=tracks)


def _rank(
    state: BoardState,
    choices: Mapping[int | None, Choice],
    now: datetime,
    part: ListPart,
    several: bool,
) -> tuple[dict[str, RankedEntry], Report]:
    """Return the entries that count, each a row, and their board on some lists.

    Args:
        state: All that the board depends on.
        choices: The entries of each team that count.
        now: The time.
        part: The lists.
        several: Whether several entries of a team may count.
    """
    names = state.decisions_at(now).names
    sent = Counter(e.team for e in state.entries if e.received <= now and state.is_scored(e))
    rows, scored = dict[str, RankedEntry](), list[Scored]()
    choices = choices if part.keep.any() else {}
    counted = [(team, entry) for team, choice in choices.items() for entry in choice.counted]
    cards = state.scorecards([entry for _, entry in counted], part)
    for (team, entry), card in zip(counted, cards, strict=True):
        whose = entry.name if team is None else names[team]
        title = f"{whose} ({entry.number})" if several and team is not None else whose
        while title in rows:  # of a baseline that is called as a team, or as another
            title = f"{title} ({'baseline' if team is None else entry.number})"
        scored.append(rename(card, title))
        rows[title] = RankedEntry(
            entry.number or None, whose, team, entry.received, sent.get(team, 0), entry.answers
        )
    received = {title: row.received for title, row in rows.items()}
    times = {title: time.timestamp() for title, time in received.items()}
    answers = {title: shown_answers(state.rules, row.answers) for title, row in rows.items()}
    report = rank(part.terms, scored, times)
    return rows, replace(
        report, answers={title: own for title, own in answers.items() if own}, received=received
    )


def _choose_in_track(
    state: BoardState,
    track: Track,
    choices: Mapping[int | None, Choice],
    now: datetime,
    split: str,
    span: Span | None,
    rule: str | None,
) -> Mapping[int | None, Choice]:
    """Return the entries of each team that count in a track: chosen from those that belong to it.

    With a Ladder, which would climb anew in each track, those that count on the whole board.
    """
    if not track.answer:
        return choices
    if state.rules.leaderboard.ladder == "off":
        inside = [entry for entry in state.entries if is_in_track(track, entry.answers)]
        return replace(state, entries=inside).choices(now, split, span, rule)
    return {
        team: choice._replace(
            counted=tuple(entry for entry in choice.counted if is_in_track(track, entry.answers))
        )
        for team, choice in choices.items()
    }


def with_intervals(state: BoardState, live: LiveReport) -> LiveReport:
    """Return the standings with intervals, tiers and ranges of ranks, which take most of the time.

    They are drawn anew where other files count, or in other places; not for each new entry.
    """
    tracks = tuple(_draw_intervals(state, each, live.split) for each in live.report.tracks or ())
    report = _draw_intervals(state, live.report, live.split)
    return live._replace(report=replace(report, tracks=tracks or ABSENT))


def _draw_intervals(state: BoardState, report: Report, split: str) -> Report:
    """Return a board with its intervals and tiers, which are cached for each split and track."""
    kept = state.cache.drawn
    files = {each.name: each.sha256 for each in report.submissions}
    answers = {name: tuple(own.items()) for name, own in report.answers.items()}
    rows = (
        (row.name, files[row.name], row.rank, row.points, answers.get(row.name))
        for row in report.leaderboard
    )
    key = (split, report.track and report.track.id, *rows)
    drawn = kept.get(key)
    if drawn is None:
        while len(kept) >= BOARDS * (1 + len(state.rules.leaderboard.tracks)):
            kept.pop(next(iter(kept)), None)
        drawn = kept[key] = add_statistics(report, state.terms.groups, state.terms.clusters)
    return replace(report, **{name: getattr(drawn, name) for name in DRAWN})


def describe_late_decision(decision: Decision, names: Mapping[int, str], zone: ZoneInfo) -> str:
    """Return which decision came too late for its team and was made all the same.

    Args:
        decision: A decision on an entry of a team.
        names: Number of a team -> its name.
        zone: The time zone of the challenge.
    """
    name, time = names.get(decision.team or 0, ""), in_zone(decision.time, zone)
    return f"entry {decision.entry} of {name}: {decision.act}, late, {time}: {decision.reason}"
