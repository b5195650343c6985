"""The living board: record entries, evaluate them, decide, show and explain the board.

```python
with scorer.Board.open("challenges/course-2026") as board:
    board.add(["submission.csv"], team="red")
    print(board.board().report)
```
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import partial
from io import BufferedReader
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from scorer.api.submissions import Named, loaded, named_file, submission_name
from scorer.board import receipts
from scorer.board.audit import ALIKE, Audited, audit, overlap
from scorer.board.evaluations import Evaluations
from scorer.board.integrity import store_faults
from scorer.board.names import ORGANIZER, team_name
from scorer.board.phases import (
    Left,
    Refusal,
    Span,
    closed,
    phase_at,
    quota_left,
    refused_act,
    refused_answers,
    refused_by_quota,
    shown_at,
)
from scorer.board.rescore import Rescored, rescore
from scorer.board.seal import reveal, seal
from scorer.board.selection import State, state
from scorer.board.snapshot import LiveReport, Snapshot, Why
from scorer.board.versions import Versions
from scorer.bytes.limits import Unreadable
from scorer.bytes.opening import opened
from scorer.challenge.model import FOLDER, Challenge
from scorer.challenge.trespass import own_files
from scorer.core.errors import Refused, UnknownName, UsageError
from scorer.core.problems import Findings, Problem
from scorer.core.text import quoted
from scorer.leaderboard.board import Terms
from scorer.store.files import Files, as_path, digest_of_stream, files_at
from scorer.store.records import OF_TEAMS, Act, Decision, Entry, Status, Team, Token, Version

if TYPE_CHECKING:
    from scorer.store.database import Database

RECENT = 3  # of a team's entries, to which a new one is compared


class Added(NamedTuple):
    """The outcome of one file that was sent."""

    name: str
    team: str
    received: datetime
    sha256: str
    status: str  # scored, rejected, refused, failed or pending
    entry: int | None = None  # None: refused, nothing was recorded
    code: str | None = None  # S80x of a refusal, S901 of a failure
    message: str | None = None
    findings: Findings = Findings()
    receipt: str | None = None
    values: Mapping[str, Mapping[str, float]] = {}  # split -> measure id -> mean


class Event(NamedTuple):
    """A line of the log."""

    time: datetime
    kind: str  # entry, decision, version or team
    entry: int | None = None
    team: str | None = None
    status: str | None = None  # of an entry; of a decision, the act
    by: str | None = None
    reason: str | None = None


class Board:
    """The living leaderboard of one challenge: the challenge and its store."""

    def __init__(
        self, challenge: Challenge, database: Database, files: Files, *, allow_plugins: bool = False
    ) -> None:
        self.challenge, self._database, self._files = challenge, database, files
        self.allow_plugins = allow_plugins
        self.versions = Versions(challenge, database, files, allow_plugins)
        self.evaluations = Evaluations(self.versions, database, files)

    @classmethod
    def open(
        cls,
        challenge: Challenge | Path | str,
        store: str | None = None,
        files: str | None = None,
        *,
        allow_plugins: bool = False,
    ) -> Board:
        """Open the board of a challenge, made where there is none yet.

        Args:
            challenge: a loaded challenge, or the path of its challenge.yaml or folder.
            store: the database's URL; default: `.scorer/board.db` beside challenge.yaml.
            files: where entry files are kept, a folder or a URL that fsspec knows; default:
                `.scorer/files`.
            allow_plugins: whether the challenge's own metrics may be run.

        Raises:
            ChallengeError: the challenge is wrong.
            UsageError: the store cannot be opened.
        """
        from scorer.store.database import Database

        settled_challenge = loaded(challenge)
        folder = settled_challenge.folder / FOLDER
        if store is None or files is None:
            try:
                folder.mkdir(mode=0o700, exist_ok=True)
            except OSError as error:
                raise UsageError(f"the store cannot be made: {error.strerror}") from None
        database = Database.open(store or f"sqlite:///{folder / 'board.db'}", settled_challenge.id)
        return cls(
            settled_challenge,
            database,
            files_at(files or folder / "files"),
            allow_plugins=allow_plugins,
        )

    def close(self) -> None:
        """Close the store."""
        self._database.close()

    def __enter__(self) -> Board:
        """The board itself."""
        return self

    def __exit__(self, *error: object) -> None:
        """Close the store."""
        self.close()

    # versions of the challenge

    def version(self, now: datetime | None = None) -> Version:
        """The version in force, or that at a time; the first counts from the beginning.

        Raises:
            ChallengeError: there is none yet, and the challenge is wrong.
        """
        return self.versions.in_force(now)

    @property
    def changed(self) -> tuple[str, ...]:
        """The challenge's files that are not as the version in force has them."""
        return self.versions.changed

    @property
    def in_force(self) -> Challenge:
        """The challenge as the version in force has it, with the files of that version."""
        return self.versions.bound(self.version()).challenge

    def terms(self) -> Terms:
        """What the board needs of the version in force, without the truth."""
        return self.versions.terms()

    # entries

    def add(
        self,
        files: Iterable[Named | Path | str],
        team: str,
        *,
        now: datetime | None = None,
        answers: Mapping[str, str] | None = None,
        baseline: bool = False,
        evaluate: bool = True,
    ) -> list[Added]:
        """Record entries: rules first, then the blind checks, then values.

        An entry's number is given only when its file and its row are on disk.

        Args:
            files: paths, each named after its file, or `Named` ones.
            team: the team that sends them; of a baseline, its name.
            now: when they were received.
            answers: question -> answer.
            baseline: whether they stand outside the ranks, without quota or phases.
            evaluate: whether to evaluate at once; otherwise a worker does.

        Raises:
            ChallengeError: the challenge in force is wrong.
            UsageError: a file cannot be read or kept; nothing was recorded of it.
        """
        added, received = [], now or datetime.now(UTC)
        for file in map(named_file, files):
            try:
                handle = opened(file.path, own_files(self.challenge))
            except Unreadable as error:
                raise UsageError(f"{file.display}: {error.problem.message}") from None
            with open(handle, "rb") as stream:
                added.append(
                    self._add(file, stream, team, received, dict(answers or {}), baseline, evaluate)
                )
        return added

    def _add(
        self,
        file: Named,
        stream: BufferedReader,
        team: str,
        now: datetime,
        answers: Mapping[str, str],
        baseline: bool,
        evaluate: bool,
    ) -> Added:
        from scorer.store.database import Draft

        version = self.version()
        rules = self.versions.rules(version)
        try:
            sha256, size = digest_of_stream(stream)
        except OSError as error:
            raise UsageError(f"{file.path} cannot be read: {error.strerror}") from None
        recorded_team, refused = self._team(team), None
        if not baseline:
            refused = closed(rules, now) or refused_answers(rules.questions, answers)
            if refused is None and recorded_team is None and rules.registration == "invite":
                refused = Refusal("S804", f"there is no team {quoted(team)}")
        if baseline:
            team_name(team, self.teams())
        if refused is None:
            if recorded_team is None and not baseline:
                recorded_team = self._database.add_team(self._new_name(team), now)
            try:
                self._files.keep(stream, sha256)
            except OSError as error:
                raise UsageError(f"{file.path} cannot be kept: {error.strerror}") from None
        span = None if baseline else phase_at(rules, now)

        def admit(entries: Sequence[Entry], statuses: Mapping[str, Status]) -> Refusal | None:
            if refused is not None or baseline or recorded_team is None or span is None:
                return refused
            if copy := next((e for e in entries if e.sha256 == sha256), None):
                return Refusal("S803", f"these are the bytes of entry {copy.number} of this team")
            left = quota_left(rules, span, entries, _by_number(entries, statuses), now)
            return refused_by_quota(rules, left)

        added = Added(file.name, team, now, sha256, "refused")
        if refused is not None:
            return added._replace(code=refused.code, message=refused.message)
        draft = Draft(
            None if baseline or recorded_team is None else recorded_team.id,
            now,
            sha256,
            file.path.name,
            size,
            span.phase.id if span else None,
            team if baseline else "",
            answers,
        )
        entry, receipt, refusal = self._database.record(
            draft,
            version.values,
            admit,
            team,
            version.fingerprint,
        )
        if entry is None or receipt is None:
            return added._replace(code=refusal.code, message=refusal.message)
        if self.version().values != version.values:  # re-scored while this one was recorded
            self.evaluations.ask()
        if not evaluate:
            return added._replace(status="pending", entry=entry.number, receipt=receipt.digest)
        self.evaluations.finish(version, sha256, entry.file)
        outcome = self.outcome(entry.number)
        if outcome.status == "scored" and (warning := self._nearly_the_same(version, entry)):
            outcome.findings.add(warning)
        return outcome

    def _nearly_the_same(self, version: Version, entry: Entry) -> Problem | None:
        """S806 where an entry is nearly the same as one of the team's last entries."""
        statuses = self._database.statuses(version.values)
        recent = [
            earlier
            for earlier in self._database.entries()
            if earlier.team == entry.team and earlier.number < entry.number and not entry.baseline
            if statuses.get(earlier.sha256) == "scored"
        ][-RECENT:]
        if not recent:
            return None
        names, lists = {e.sha256: e.file for e in [*recent, entry]}, self.terms().lists
        ordered = self.evaluations.reader.orders(version, names, lists)
        for earlier in reversed(recent):
            one, other = (ordered[each.sha256].orders for each in (entry, earlier))
            share = float(np.mean(np.nan_to_num(overlap(one, other))))
            if share >= ALIKE:
                words = f"nearly the same as entry {earlier.number} of this team"
                message = f"{words} (overlap {share:.2f})"
                return Problem("S806", message, "warning", path=entry.file)
        return None

    def outcome(self, number: int) -> Added:
        """The outcome of an entry. Raises `UnknownName` where there is none of that number."""
        entry, version = self.entry(number), self.version()
        evaluation = self._database.evaluation(version.values, entry.sha256)
        name = self._entry_team(entry)
        status = "pending" if evaluation is None else evaluation.status
        added = Added(
            Path(entry.file).stem, name, entry.received, entry.sha256, status, number,
            receipt=self._database.receipt(number).digest,
        )  # fmt: skip
        if evaluation is None or status == "pending":
            return added
        added = added._replace(findings=Findings.from_json(evaluation.findings))
        if status == "failed":
            message = f"not your fault, nothing was counted, reference {evaluation.reference}"
            return added._replace(code="S901", message=f"the scorer failed: {message}")
        if status == "scored":
            return added._replace(values=self.evaluations.means(version, evaluation))
        return added

    def work(self, *, most: int | None = None, worker: str | None = None) -> int:
        """Evaluate waiting entries until none is left; several workers can share the work.

        Args:
            most: the greatest number to evaluate.
            worker: what this worker is called in the store.

        Returns:
            How many were evaluated.
        """
        return self.evaluations.work(most=most, worker=worker)

    def material(self, path: str) -> dict[str, Any]:
        """What a process needs to read the version in force without the store, and one more path.

        Args:
            path: a file in a folder of its own, to be read or made.
        """
        more, folder = self.versions.material(self.version()), str(Path(path).parent)
        return {**more, "read": [*more["read"], folder], "write": [folder]}

    def failures(self) -> list[tuple[str, int]]:
        """The reference of each failed evaluation, and the first entry it concerns."""
        return self.evaluations.failures()

    def failure(self, reference: str) -> str:
        """What went wrong with an evaluation; for the organizer only. Raises `UnknownName`."""
        return self.evaluations.failure(reference)

    def retry(self, reference: str) -> None:
        """Queue a failed evaluation again. Raises `UnknownName`."""
        self.evaluations.retry(reference)

    # teams and decisions

    def add_team(self, name: str, *, now: datetime | None = None) -> str:
        """Make a team and return its token, which is shown only once.

        Raises:
            UsageError: the name is taken, looks like another, or is not valid.
        """
        moment = now or datetime.now(UTC)
        team = self._database.add_team(self._new_name(name), moment)
        return self._new_token(team.id, moment)

    def new_token(self, name: str | None, *, now: datetime | None = None) -> str:
        """Make a further token for a team, or one for an organizer (None). Raises `UnknownName`."""
        team = None if name is None else self.team(name).id
        return self._new_token(team, now or datetime.now(UTC))

    def _new_token(self, team: int | None, now: datetime) -> str:
        token = secrets.token_urlsafe(24)  # 192 bits
        self._database.add_token(team, hashlib.sha256(token.encode()).hexdigest(), now)
        return token

    def revoke(self, name: str | None, *, now: datetime | None = None) -> int:
        """Revoke all tokens of a team, or of the organizers (None); how many there were."""
        team = None if name is None else self.team(name).id
        tokens = [t for t in self._database.tokens() if t.team == team and t.revoked is None]
        for token in tokens:
            self._database.mark_token(token.id, revoked=now or datetime.now(UTC))
        return len(tokens)

    def tokens(self) -> list[Token]:
        """All tokens, by their hashes; revoked ones too."""
        return self._database.tokens()

    def used(self, token: int) -> None:
        """Note that a token was used."""
        self._database.mark_token(token, used=datetime.now(UTC))

    def stamp(self) -> tuple[int, ...]:
        """What changes whenever the board may have changed."""
        return self._database.stamp()

    @property
    def copies(self) -> bool:
        """Whether `backup` can copy the store; PostgreSQL has its own way."""
        return self._database.copies

    def backup(self, target: Path) -> None:
        """Write a consistent copy of the database. Raises `UsageError` for PostgreSQL."""
        self._database.backup(target)

    def teams(self) -> dict[str, Team]:
        """What the teams are called now -> the team, in the order in which they were made."""
        teams = self._database.teams()
        names = self._names()
        return {names[team.id]: team for team in teams}

    def team(self, name: str) -> Team:
        """One team. Raises `UnknownName`."""
        match = self._team(name)
        if match is None:
            raise UnknownName("team", name, list(self.teams()))
        return match

    def _team(self, name: str) -> Team | None:
        return self.teams().get(name)

    def _new_name(self, name: str, but: int | None = None) -> str:
        """A name that no team has, and that looks like no other's nor a baseline's.

        Args:
            name: the name.
            but: the team that is to have it.

        Raises:
            UsageError: it is taken, looks like another, or is not valid.
        """
        teams = self.teams()
        if name in teams:
            raise UsageError(f"there is a team {quoted(name)} already")
        others = [other for other, team in teams.items() if team.id != but]
        baselines = [entry.name for entry in self._database.entries() if entry.baseline]
        baselines += map(submission_name, self.challenge.leaderboard.baselines)
        return team_name(name, [*others, *baselines, ORGANIZER])

    def decide(
        self,
        act: Act,
        subject: int | str,
        reason: str,
        *,
        by: str | None = None,
        name: str | None = None,
        now: datetime | None = None,
        late: bool = False,
    ) -> Decision:
        """Decide on an entry (its number) or a team (its name).

        Args:
            act: disqualify, restore, select, unselect, withdraw or rename.
            subject: an entry's number, or a team's name.
            reason: why.
            by: who decides.
            name: the new name, of a rename.
            now: when.
            late: select, unselect or withdraw for a team although the time for it is over;
                log, board and `why` say so.

        Raises:
            Refused: S807, it is too late.
            UsageError: the act does not fit its subject.
            UnknownName: there is no such entry or team.
        """
        if not reason.strip():
            raise UsageError("a decision needs a reason: --reason")
        moment, entry, team = now or datetime.now(UTC), None, None
        if isinstance(subject, int) or subject.isdecimal():
            entry = self.entry(int(subject))
        else:
            team = self.team(subject).id
        if act in OF_TEAMS and entry is None:
            raise UsageError(f"{act} takes an entry's number")
        if act == "rename":
            if team is None or not name:
                raise UsageError("rename takes a team and its new name")
            self._new_name(name, but=team)
        too_late = False
        if act in OF_TEAMS and entry is not None:
            team, too_late = entry.team, self._too_late(entry, moment, late)
        if act == "select" and entry is not None:
            if team is None:
                raise UsageError(f"entry {entry.number} is a baseline, which no team can select")
            if self.outcome(entry.number).status != "scored":
                raise UsageError(f"entry {entry.number} is not scored; it cannot be selected")
        number = entry.number if entry else None
        return self._database.decide(
            act, moment, reason, team=team, entry=number, by=by, name=name, late=too_late
        )

    def _too_late(self, entry: Entry, now: datetime, late: bool) -> bool:
        """Whether the time is over in which teams decide on an entry.

        Raises:
            Refused: it is, and the act is not said to be late.
        """
        refusal = refused_act(self.versions.rules(), entry, now)
        if refusal is not None and not late:
            raise Refused(problems=[Problem(refusal.code, refusal.message)])
        return refusal is not None

    # what is there

    def entry(self, number: int) -> Entry:
        """One entry. Raises `UnknownName`."""
        entry = self._database.entry(number)
        if entry is None:
            raise UnknownName("entry", str(number), [])
        return entry

    @contextmanager
    def entry_file(self, number: int) -> Iterator[Named]:
        """An entry's file, there as long as the context. Raises `UnknownName`."""
        entry = self.entry(number)
        with as_path(self._files, entry.sha256, entry.file) as path:
            yield Named(f"{self._entry_team(entry)} ({number})", path, label=entry.file)

    def entries(self, team: str | None = None) -> list[Entry]:
        """All entries in order, or those of one team. Raises `UnknownName`."""
        wanted = None if team is None else self.team(team).id
        return [e for e in self._database.entries() if team is None or e.team == wanted]

    def statuses(self) -> dict[int, Status]:
        """Entry number -> its status under the version in force."""
        entries = self._database.entries()
        return _by_number(entries, self._database.statuses(self.version().values))

    def _entry_team(self, entry: Entry) -> str:
        names = self._names()
        return entry.name if entry.team is None else names[entry.team]

    def held(self, now: datetime | None = None) -> State:
        """The state that the decisions made so far, or by a time, lead to."""
        return state(
            self._database.teams(),
            self._database.decisions(),
            now or datetime.max.replace(tzinfo=UTC),
        )

    def _names(self) -> Mapping[int, str]:
        """Team -> what it is called now."""
        return self.held().names

    def quota(self, team: str, now: datetime | None = None) -> tuple[Span | None, Left | None]:
        """The phase at a time, and what a team may still send in it; None where it may not."""
        moment, rules = now or datetime.now(UTC), self.versions.rules()
        span = phase_at(rules, moment)
        if span is None or not span.takes_entries:
            return span, None
        recorded_team = self._team(team)
        entries = [
            e for e in self._database.entries() if recorded_team and e.team == recorded_team.id
        ]
        by_number = _by_number(entries, self._database.statuses(self.version().values))
        return span, quota_left(rules, span, entries, by_number, moment)

    def log(self, team: str | None = None) -> list[Event]:
        """Entries, decisions, versions and teams in the order of time. Raises `UnknownName`."""
        names = self._names()
        entries, statuses = self._database.entries(), self.statuses()
        teams = {e.number: e.name if e.team is None else names[e.team] for e in entries}
        events = [
            Event(v.since, "version", reason=f"version {v.number}, {v.fingerprint}")
            for v in self._database.versions()
        ]
        events += [Event(t.made, "team", team=names[t.id]) for t in self._database.teams()]
        events += [
            Event(e.received, "entry", e.number, teams[e.number], statuses[e.number])
            for e in entries
        ]
        for d in self._database.decisions():
            about = teams.get(d.entry) if d.entry is not None else names.get(d.team or 0)
            reason = f"{d.name}: {d.reason}" if d.act == "rename" else d.reason
            what = f"{d.act}, late" if d.late else d.act
            events.append(Event(d.time, "decision", d.entry, about, what, d.by, reason))
        if team is not None:
            self.team(team)
            events = [event for event in events if event.team == team]
        return sorted(events, key=lambda event: (event.time, event.kind, event.entry or 0))

    # the board

    def snapshot(self, version: Version | None = None) -> Snapshot:
        """Everything that the board depends on, under the version in force or another."""
        return self.evaluations.snapshot(version)

    def board(
        self,
        *,
        split: str | None = None,
        phase: str | None = None,
        as_of: datetime | None = None,
        rule: str | None = None,
        now: datetime | None = None,
        entries: Sequence[int] | None = None,
    ) -> LiveReport:
        """The board, as the report that `score` makes of files.

        Args:
            split: the split to score on; default: the one that the phase shows.
            phase: the phase whose rules apply; default: the one at `now`.
            as_of: the board as it was at this time: entries received and decisions made by then,
                under the version in force then.
            rule: another entry rule than the challenge's: best, last, selected or all.
            now: the time that decides which phase it is; default: `as_of`, else the present.
            entries: only these, each a row of its own, whatever the rules.

        Raises:
            UnknownName: there is no such split, phase or entry.
        """
        for number in entries or ():
            self.entry(number)
        version = self.version(as_of)
        self.evaluations.finish_pending(version)
        moment = as_of or now or datetime.now(UTC)
        snapshot = self.snapshot(version)
        return snapshot.certain(
            snapshot.order(moment, split=split, phase=phase, rule=rule, only=entries)
        )

    def shown(self, now: datetime | None = None) -> str:
        """What participants are shown at a time: a split's name, all, own or none."""
        return shown_at(self.versions.rules(), now or datetime.now(UTC))

    def stays(self, number: int, split: str, *, now: datetime | None = None) -> int | None:
        """The entry whose value a Ladder goes on showing when this one has come; None: its own.

        Args:
            number: of the entry.
            split: the split.
            now: the time that decides which phase it is.

        Raises:
            UnknownName: there is no such entry.
        """
        team, moment = self.entry(number).team, now or datetime.now(UTC)
        return self.snapshot().held_back(team, moment, split).get(number)

    def splits(self) -> dict[str, tuple[str, ...]]:
        """The lists of each split; for the organizer only."""
        lists_of: dict[str, list[str]] = {}
        for name, split in self.version().splits.items():
            lists_of.setdefault(split, []).append(name)
        return {split: tuple(sorted(names)) for split, names in lists_of.items()}

    def why(self, team: str, *, split: str | None = None, now: datetime | None = None) -> Why:
        """Explain a team's rank.

        Args:
            team: its name.
            split: the split of the board; default: the one that the phase shows.
            now: what was received and decided by then counts; default: the present.

        Raises:
            UnknownName: there is no such team or split.
        """
        recorded_team = self.team(team)
        self.evaluations.finish_pending()
        return self.snapshot().why(recorded_team, now or datetime.now(UTC), split)

    def rescore(self, *, dry_run: bool = False, now: datetime | None = None) -> Rescored:
        """Evaluate all entries under the files as they are now, and put that version in force.

        Old evaluations stay, and every entry keeps its time.

        Args:
            dry_run: only say what would change.
            now: when the new version comes into force.

        Raises:
            ChallengeError: the challenge as it is now is wrong; nothing changes.
            ScorerError: an entry that was scored cannot be evaluated any more; nothing changes.
        """
        moment = now or datetime.now(UTC)
        return rescore(self.versions, self.evaluations, self._database, moment, dry_run)

    def audit(self, *, now: datetime | None = None) -> Audited:
        """What was altered, copies, near-copies, probing, the shake-up; for the organizer only.

        Where something was altered, nothing else is looked for: it would be no finding.
        """
        if altered := self.altered():
            return Audited(altered)
        self.evaluations.finish_pending()
        read = partial(self.evaluations.reader.orders, self.version())
        return audit(self.snapshot(), read, now or datetime.now(UTC))

    def altered(self) -> list[str]:
        """What the store does not hold as it was recorded; empty where all is as it was.

        Rows are held against their receipts, kept files against their digests, splits and
        fingerprints against the files of their version, means against scorecards.
        """
        return store_faults(self.versions, self._database, self._files, self.evaluations.summary)

    # seal and receipts

    def seal(self, *, now: datetime | None = None) -> str:
        """Commit to rules, truth and plugins: write challenge.seal and return the commitment.

        Raises:
            UsageError: the challenge is sealed already.
        """
        return seal(self.challenge, self.versions.manifest, now or datetime.now(UTC))

    def reveal(self, folder: Path, *, altered: bool = False) -> None:
        """Publish salt, truth, rules and receipts in a new folder, for `score verify`.

        The files are those that were sealed, as the store keeps them.

        Args:
            folder: the new folder.
            altered: reveal also where the store was altered; the folder then says what.

        Raises:
            UsageError: the challenge was never sealed, the folder exists, or the store was altered.
        """
        problems = self.altered()
        if problems and not altered:
            raise UsageError(f"nothing is revealed, the store was altered: {'; '.join(problems)}")
        versions = [dict(version.files) for version in self._database.versions()]
        manifests = [self.versions.manifest, *versions]
        reveal(self.challenge, manifests, self._files, self.receipts(), folder, problems)

    def receipts(self, number: int | None = None) -> str:
        """All receipts, one a line, each with the digest of the one before; or that of an entry."""
        if number is None:
            return receipts.as_lines(self._database.receipts())
        self.entry(number)
        return receipts.as_lines([self._database.receipt(number)])


def with_rows(fields: dict[str, Any], live: LiveReport) -> dict[str, Any]:
    """A report's JSON, with what each row of its leaderboard stands for.

    Args:
        fields: the report as JSON.
        live: the board that the report is of.
    """
    for standing in fields["leaderboard"]:
        row = live.rows[standing["name"]]
        standing |= {
            "entry": row.entry,
            "team": row.team,
            "received": None if row.entry is None else row.received.isoformat(),
            "entries": row.entries,
            "answers": dict(row.answers),
        }
    return fields | {"split": live.split, "phase": live.phase}


def _by_number(entries: Iterable[Entry], statuses: Mapping[str, Status]) -> dict[int, Status]:
    return {entry.number: statuses.get(entry.sha256, "pending") for entry in entries}
