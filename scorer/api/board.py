"""The living board: record entries, evaluate them, decide, show and explain the board.

with scorer.Board.open("challenges/course-2026") as board:
board.add(["submission.csv"], team="red")
print(board.board().report)
"""

from __future__ import annotations

import hashlib
import json
import os
import secrets
import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from scorer.api.submissions import Named, loaded, named_file, submission_name, terms_of
from scorer.challenge.load import load
from scorer.challenge.model import KEY, Challenge
from scorer.challenge.phases import EVERYTHING
from scorer.challenge.trespass import trespass
from scorer.core.arrays import Floats, Mask
from scorer.core.errors import ChallengeError, ScorerError, UnknownName, UsageError
from scorer.core.problems import Findings, Problem
from scorer.core.text import quoted
from scorer.engines.local import local
from scorer.io.write import write
from scorer.leaderboard.board import Terms, settled
from scorer.prepare.bind import BoundChallenge, prepare
from scorer.prepare.open import OpenChallenge, answerable, opened
from scorer.results.scorecard import Scorecard
from scorer.store import receipts
from scorer.store.files import Files, as_path, digest_of, files_at
from scorer.store.live import LiveReport, Means, Move, Snapshot, Why, counted, moves
from scorer.store.phases import (
    Left,
    Refusal,
    Span,
    closed,
    phase_at,
    quota_left,
    refused_answers,
    refused_by_quota,
    shown_at,
)
from scorer.store.records import Act, Decision, Entry, Evaluation, Status, Team, Token, Version
from scorer.store.selection import State, state
from scorer.store.splits import drawn, read_splits

if TYPE_CHECKING:
    from scorer.results.report import Scored
    from scorer.store.audit import Orders, Pair, Probing, Shake
    from scorer.store.database import Database

FOLDER = ".scorer"  # beside challenge.yaml
EVER = datetime.min.replace(tzinfo=UTC)  # since when baselines are there
LEASE = 15 * 60  # seconds for which a worker holds an evaluation
RECENT = 3  # of a team's entries, to which a new one is compared
TRIES = 3  # workers that may end over an evaluation before it counts as failed


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


class Rescored(NamedTuple):
    """What a re-scoring changes, or would change."""

    applied: bool
    lists_changed: int  # lists for which any entry's value of any measure changes
    moves: Sequence[Move] = ()
    entered: Sequence[int] = ()  # entries that count now and did not
    left: Sequence[int] = ()  # entries that counted and do not now


class Audited(NamedTuple):
    """What an audit found; for the organizer only."""

    duplicates: Sequence[Sequence[int]]
    near_duplicates: Sequence[Pair]
    probing: Sequence[Probing]
    shake_up: Sequence[Shake]


class Board:
    """The living leaderboard of one challenge: the challenge and its store."""

    def __init__(
        self, challenge: Challenge, database: Database, files: Files, *, allow_plugins: bool = False
    ) -> None:
        self.challenge, self._database, self._files = challenge, database, files
        self.allow_plugins = allow_plugins
        self._ready: dict[int, OpenChallenge] = {}
        self._terms: dict[int, Terms] = {}
        self._caches: dict[int, dict[tuple[str, str, bool, str], Scored]] = {}  # for each version

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

    @cached_property
    def _manifest(self) -> dict[str, str]:
        """Path below the challenge's folder -> SHA-256, of its files as they are now."""
        digests = {}
        for path in dict.fromkeys(self.challenge.files):
            with suppress(FileNotFoundError):
                digests[self._relative(path)] = digest_of(path)[0]
        return digests

    def _relative(self, path: Path) -> str:
        return os.path.relpath(os.path.realpath(path), self.challenge.folder)

    def version(self, now: datetime | None = None) -> Version:
        """The version in force, or that at a time; the first counts from the beginning.

        Raises:
            ChallengeError: there is none yet, and the challenge is wrong.
        """
        versions = self._database.versions()
        if not versions:
            first, ready = self._as_it_is(1, datetime.now(UTC))
            self._keep_files()
            if self._database.add_version(first):
                self._ready[1] = ready
            versions = self._database.versions()
        return [v for v in versions if now is None or v.number == 1 or v.since <= now][-1]

    def _as_it_is(self, number: int, since: datetime) -> tuple[Version, OpenChallenge]:
        """The version that the files make as they are now."""
        from scorer.leaderboard.records import to_json

        ready = answerable(opened(prepare(self.challenge, self.allow_plugins)))
        terms = terms_of(ready)
        values = hashlib.sha256(json.dumps(ready.digests, sort_keys=True).encode()).hexdigest()
        splits: Mapping[str, str] = {}
        if (rules := self.challenge.splits) is not None:
            if rules.file is not None:
                splits = read_splits(rules.file, terms.lists)
            else:
                splits = drawn(rules, terms.lists, terms.groups)
        version = Version(
            number, since, values, terms.fingerprint, self._manifest, to_json(terms), splits
        )
        return version, ready

    def _keep_files(self) -> None:
        for name, sha256 in self._manifest.items():
            self._files.keep(self.challenge.folder / name, sha256)

    @property
    def changed(self) -> tuple[str, ...]:
        """The challenge's files that are not as the version in force has them."""
        versions = self._database.versions()
        if not versions:
            return ()
        files_in_force = versions[-1].files
        names = files_in_force.keys() | self._manifest.keys()
        return tuple(sorted(n for n in names if files_in_force.get(n) != self._manifest.get(n)))

    def _opened(self, version: Version) -> OpenChallenge:
        """A version's truth, read from the version's own files, whatever is in the folder now."""
        if version.number not in self._ready:
            self._ready[version.number] = answerable(opened(self._bound(version)))
        return self._ready[version.number]

    def _bound(self, version: Version) -> BoundChallenge:
        if dict(version.files) == self._manifest:
            return prepare(self.challenge, self.allow_plugins)
        folder = self.challenge.folder / FOLDER / "versions" / str(version.number)
        for name, sha256 in version.files.items():
            target = folder / name
            if not target.exists() or digest_of(target)[0] != sha256:
                target.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
                with self._files.open(sha256) as stored:
                    write(target, stored.read())
        with suppress(FileNotFoundError):
            write(folder / KEY, (self.challenge.folder / KEY).read_bytes())
        challenge = load(folder / self._relative(self.challenge.path))
        return prepare(challenge.model_copy(update={"id": self.challenge.id}), self.allow_plugins)

    def terms(self, version: Version | None = None) -> Terms:
        """What the board needs of a version, without the truth."""
        chosen = version or self.version()
        if chosen.number not in self._terms:
            if chosen.number in self._ready:
                self._terms[chosen.number] = terms_of(self._ready[chosen.number])
            else:
                from scorer.leaderboard.records import from_json

                metrics = self._bound(chosen).metrics if self.challenge.plugins else None
                self._terms[chosen.number] = from_json(Terms, chosen.terms, metrics)
        return self._terms[chosen.number]

    def _rules(self, version: Version | None = None) -> Challenge:
        """The challenge's rules in force."""
        chosen = version or self.version()
        if dict(chosen.files) == self._manifest:
            return self.challenge
        return self.terms(chosen).challenge

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
        return [
            self._add(file, team, now or datetime.now(UTC), dict(answers or {}), baseline, evaluate)
            for file in map(named_file, files)
        ]

    def _add(
        self,
        file: Named,
        team: str,
        now: datetime,
        answers: Mapping[str, str],
        baseline: bool,
        evaluate: bool,
    ) -> Added:
        from scorer.store.database import Draft

        version = self.version()
        rules = self._rules(version)
        if (astray := trespass(self.challenge, file.path)) is not None:
            raise UsageError(f"{file.display}: {astray.message}")
        try:
            sha256, size = digest_of(file.path)
        except OSError as error:
            raise UsageError(f"{file.path} cannot be read: {error.strerror}") from None
        recorded_team, refused = self._team(team), None
        if not baseline:
            refused = closed(rules, now) or refused_answers(rules.questions, answers)
            if refused is None and recorded_team is None and rules.registration == "invite":
                refused = Refusal("S804", f"there is no team {quoted(team)}")
        if refused is None:
            if recorded_team is None and not baseline:
                recorded_team = self._database.add_team(_team_name(team), now)
            try:
                self._files.keep(file.path, sha256)
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
            lambda entry, previous: receipts.receipt(entry, team, version.fingerprint, previous),
        )
        if entry is None or receipt is None:
            return added._replace(code=refusal.code, message=refusal.message)
        if not evaluate:
            return added._replace(status="pending", entry=entry.number, receipt=receipt.digest)
        self._evaluate(version, sha256, entry.file)
        outcome = self.outcome(entry.number)
        if outcome.status == "scored" and (warning := self._nearly_the_same(version, entry)):
            outcome.findings.add(warning)
        return outcome

    def _nearly_the_same(self, version: Version, entry: Entry) -> Problem | None:
        """S806 where an entry is nearly the same as one of the team's last entries."""
        from scorer.store.audit import ALIKE, overlap
        from scorer.store.orders import order_of

        statuses = self._database.statuses(version.values)
        recent = [
            earlier
            for earlier in self._database.entries()
            if earlier.team == entry.team and earlier.number < entry.number and not entry.baseline
            if statuses.get(earlier.sha256) == "scored"
        ][-RECENT:]
        if not recent:
            return None
        bound, lists = self._bound(version), self.terms(version).lists

        def ordered(earlier: Entry) -> Orders:
            with as_path(self._files, earlier.sha256, earlier.file) as path:
                return order_of(path, bound, lists).orders

        own_order = ordered(entry)
        for earlier in reversed(recent):
            share = float(np.mean(np.nan_to_num(overlap(own_order, ordered(earlier)))))
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
            return added._replace(values=self._means(version, evaluation))
        return added

    def work(self, *, most: int | None = None, worker: str | None = None) -> int:
        """Evaluate waiting entries until none is left; several workers can share the work.

        Args:
            most: the greatest number to evaluate.
            worker: what this worker is called in the store.

        Returns:
            How many were evaluated.
        """
        version, done = self.version(), 0
        name = worker or f"{os.uname().nodename}:{os.getpid()}"
        files = {entry.sha256: entry.file for entry in self._database.entries()}
        while most is None or done < most:
            sha256 = self._database.claim(version.values, name, datetime.now(UTC), LEASE)
            if sha256 is None:
                break
            self._evaluate(version, sha256, files.get(sha256, "submission"))
            done += 1
        return done

    def claim(self, worker: str, seconds: float) -> str | None:
        """Claim one waiting file for a limited time; None where none is waiting."""
        values = self.version().values
        return self._database.claim(values, worker, datetime.now(UTC), seconds)

    def renew(self, sha256: str, worker: str, seconds: float) -> None:
        """Keep a file that this worker has taken, for so long from now.

        Args:
            sha256: of the file.
            worker: who has taken it.
            seconds: from now.
        """
        until = datetime.now(UTC) + timedelta(seconds=seconds)
        self._database.renew(self.version().values, sha256, worker, until)

    def evaluate(self, sha256: str) -> None:
        """Evaluate a file that an entry was recorded with."""
        version = self.version()
        entries = [*self._database.entries(), *self._baselines(version)]
        files = {entry.sha256: entry.file for entry in entries}
        self._evaluate(version, sha256, files.get(sha256, "submission"))

    def fail(self, sha256: str, cause: str) -> None:
        """Record that an evaluation failed, unless it has finished already."""
        self._database.finish(self._failure(self.version(), sha256, cause))

    def _failure(self, version: Version, sha256: str, cause: str) -> Evaluation:
        reference = secrets.token_hex(4)
        return Evaluation(
            version.values, sha256, "failed", reference=reference, cause=cause,
            made=datetime.now(UTC),
        )  # fmt: skip

    def ask(self) -> None:
        """Queue entries without an evaluation, and the challenge's baselines."""
        version = self.version()
        entries = [*self._database.entries(), *self._baselines(version)]
        self._database.ask(version.values, [e.sha256 for e in entries], datetime.now(UTC))

    def finish_pending(self, version: Version | None = None) -> None:
        """Evaluate entries that were recorded but not evaluated, as after a process was killed."""
        chosen = version or self.version()
        entries = [*self._database.entries(), *self._baselines(chosen)]
        statuses = self._database.statuses(chosen.values)
        if missing := [e.sha256 for e in entries if e.sha256 not in statuses]:
            self._database.ask(chosen.values, missing, datetime.now(UTC))
        for entry in entries:
            if statuses.get(entry.sha256, "pending") == "pending":
                self._evaluate(chosen, entry.sha256, entry.file)

    def _baselines(self, version: Version) -> list[Entry]:
        """The challenge's own baselines, as entries received before all others."""
        challenge = self._rules(version)
        entries = []
        for path in challenge.leaderboard.baselines:
            sha256 = version.files.get(os.path.relpath(path, challenge.folder))
            if sha256 is not None:
                name = submission_name(path)
                entries.append(Entry(0, None, EVER, sha256, path.name, 0, None, name))
        return entries

    def _evaluate(self, version: Version, sha256: str, name: str) -> None:
        """Evaluate a file under a version, unless that is done already."""
        earlier = self._database.evaluation(version.values, sha256)
        if earlier is not None and earlier.status != "pending":
            return
        try:
            if self._database.tries(version.values, sha256) > TRIES:
                raise ScorerError(f"{TRIES} workers ended over this file")
            evaluation = self._evaluated(version, self._opened(version), sha256, name)
        except ChallengeError:
            raise
        except (MemoryError, ScorerError, OSError, ArithmeticError, ValueError) as error:
            cause = "".join(traceback.format_exception(error))
            evaluation = self._failure(version, sha256, cause)
        self._database.finish(replace(evaluation, made=datetime.now(UTC)))

    def _evaluated(
        self, version: Version, ready: OpenChallenge, sha256: str, name: str
    ) -> Evaluation:
        """Evaluate a file under a version without storing the result."""
        with as_path(self._files, sha256, name) as path:
            (outcome,) = local(ready.plan, [path])
        findings = Findings(name)
        findings.extend(replace(problem, path=name) for problem in outcome.findings)
        scored = settled(terms_of(ready), name, name, outcome._replace(findings=findings))
        if scored.card is None:
            return Evaluation(version.values, sha256, "rejected", scored.findings.to_json())
        folds = {fold: card.to_bytes() for fold, card in outcome.folds.items()}
        evaluation = Evaluation(
            version.values,
            sha256,
            "scored",
            scored.findings.to_json(),
            scored.card.to_bytes(),
            folds,
        )
        return replace(evaluation, summary=self._summary(version, evaluation))

    def _summary(self, version: Version, evaluation: Evaluation) -> str:
        """The means of an evaluation on every split."""
        snapshot = self._snapshot(version, lambda sha256: evaluation)
        entry = Entry(0, None, version.since, evaluation.sha256, "", 0, None)
        means = {
            split: {
                measure: None if np.isnan(value.mean) else value.mean
                for measure, value in snapshot.scored(entry, "", split).values.items()
            }
            for split in snapshot.splits
        }
        return json.dumps({"fingerprint": version.fingerprint, "means": means})

    def _means(self, version: Version, evaluation: Evaluation) -> dict[str, dict[str, float]]:
        """Split -> measure id -> mean, of an evaluation; worked out once for each fingerprint."""
        cached = json.loads(evaluation.summary) if evaluation.summary else {}
        if cached.get("fingerprint") != version.fingerprint:
            whole = self._database.evaluation(version.values, evaluation.sha256) or evaluation
            summary = self._summary(version, whole)
            self._database.summarize(version.values, evaluation.sha256, summary)
            cached = json.loads(summary)
        return {
            split: {key: np.nan if mean is None else mean for key, mean in means.items()}
            for split, means in cached["means"].items()
        }

    def failure(self, reference: str) -> str:
        """What went wrong with an evaluation; for the organizer only. Raises `UnknownName`."""
        evaluation = self._database.failure(reference)
        if evaluation is None:
            raise UnknownName("failure", reference, [])
        return evaluation.cause or ""

    def retry(self, reference: str) -> None:
        """Queue a failed evaluation again. Raises `UnknownName`."""
        evaluation = self._database.failure(reference)
        if evaluation is None:
            raise UnknownName("failure", reference, [])
        self._database.retry(evaluation.values, evaluation.sha256)

    # teams and decisions

    def add_team(self, name: str, *, now: datetime | None = None) -> str:
        """Make a team and return its token, which is shown only once.

        Raises:
            UsageError: the name is taken or not valid.
        """
        if self._team(name) is not None:
            raise UsageError(f"there is a team {quoted(name)} already")
        moment = now or datetime.now(UTC)
        return self._new_token(self._database.add_team(_team_name(name), moment).id, moment)

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

    def failures(self) -> list[tuple[str, int]]:
        """The reference of each failed evaluation, and the first entry it concerns."""
        version, references = self.version(), []
        statuses = self._database.statuses(version.values)
        for entry in self._database.entries():
            if statuses.get(entry.sha256) == "failed":
                evaluation = self._database.evaluation(version.values, entry.sha256)
                references.append(
                    ((evaluation.reference if evaluation else None) or "", entry.number)
                )
        return references

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

    def decide(
        self,
        act: Act,
        subject: int | str,
        reason: str,
        *,
        by: str | None = None,
        name: str | None = None,
        now: datetime | None = None,
    ) -> Decision:
        """Decide on an entry (its number) or a team (its name).

        Args:
            act: disqualify, restore, select, withdraw or rename.
            subject: an entry's number, or a team's name.
            reason: why.
            by: who decides.
            name: the new name, of a rename.
            now: when.

        Raises:
            UsageError: the act does not fit its subject.
            UnknownName: there is no such entry or team.
        """
        if not reason.strip():
            raise UsageError("a decision needs a reason: --reason")
        moment, entry, team = now or datetime.now(UTC), None, None
        if isinstance(subject, int) or subject.isdigit():
            entry = self.entry(int(subject))
        else:
            team = self.team(subject).id
        if act in ("select", "withdraw") and entry is None:
            raise UsageError(f"{act} takes an entry's number")
        if act == "rename":
            if team is None or not name:
                raise UsageError("rename takes a team and its new name")
            if self._team(_team_name(name)) is not None:
                raise UsageError(f"there is a team {quoted(name)} already")
        if act == "select" and entry is not None:
            team = entry.team
            if team is None:
                raise UsageError(f"entry {entry.number} is a baseline, which no team can select")
            if self.outcome(entry.number).status != "scored":
                raise UsageError(f"entry {entry.number} is not scored; it cannot be selected")
        number = entry.number if entry else None
        return self._database.decide(act, moment, reason, team=team, entry=number, by=by, name=name)

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

    @property
    def in_force(self) -> Challenge:
        """The challenge as the version in force has it, with the files of that version."""
        return self._bound(self.version()).challenge

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
        moment, rules = now or datetime.now(UTC), self._rules()
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
            events.append(Event(d.time, "decision", d.entry, about, d.act, d.by, reason))
        if team is not None:
            self.team(team)
            events = [event for event in events if event.team == team]
        return sorted(events, key=lambda event: (event.time, event.kind, event.entry or 0))

    # the board

    def snapshot(self, version: Version | None = None) -> Snapshot:
        """Everything that the board depends on, under the version in force or another."""
        chosen = version or self.version()
        cache = self._caches.setdefault(chosen.number, {})
        snapshot = self._snapshot(chosen, lambda sha256: self._whole(chosen, sha256))
        return replace(snapshot, cache=cache)

    def _whole(self, version: Version, sha256: str) -> Evaluation:
        evaluation = self._database.evaluation(version.values, sha256)
        assert evaluation is not None
        return evaluation

    def _snapshot(
        self,
        version: Version,
        evaluation: Callable[[str], Evaluation],
        means: Mapping[str, Means] | None = None,
    ) -> Snapshot:
        terms = self.terms(version)
        return Snapshot(
            terms,
            _masks(terms.lists, version.splits),
            self._database.teams(),
            [*self._database.entries(), *self._baselines(version)],
            self._database.decisions(),
            self._database.statuses(version.values),
            _Means(self, version) if means is None else means,
            evaluation,
        )

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
        self.finish_pending(version)
        moment = as_of or now or datetime.now(UTC)
        snapshot = self.snapshot(version)
        return snapshot.certain(
            snapshot.order(moment, split=split, phase=phase, rule=rule, only=entries)
        )

    def shown(self, now: datetime | None = None) -> str:
        """What participants are shown at a time: a split's name, all, own or none."""
        return shown_at(self._rules(), now or datetime.now(UTC))

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
        self.finish_pending()
        return self.snapshot().why(recorded_team, now or datetime.now(UTC), split)

    def rescore(self, *, dry_run: bool = False, now: datetime | None = None) -> Rescored:
        """Evaluate all entries under the files as they are now, and put that version in force.

        Old evaluations stay, and every entry keeps its time.

        Args:
            dry_run: only say what would change.
            now: when the new version comes into force.

        Raises:
            ChallengeError: the challenge as it is now is wrong; nothing changes.
        """
        moment = now or datetime.now(UTC)
        before = self.version()
        self.finish_pending(before)
        after, ready = self._as_it_is(before.number + 1, moment)
        if not self.changed and after.values == before.values:
            return Rescored(False, 0)
        self._terms[after.number] = terms_of(ready)
        evaluations: dict[str, Evaluation] = {}
        for entry in [*self._database.entries(), *self._baselines(after)]:
            evaluation = self._database.evaluation(after.values, entry.sha256)
            if evaluation is None or evaluation.status != "scored":
                evaluation = self._evaluated(after, ready, entry.sha256, entry.file)
            evaluations[entry.sha256] = evaluation
        old = self.snapshot(before)
        new = replace(
            self._snapshot(after, evaluations.__getitem__, _Unstored(self, after, evaluations)),
            statuses={sha256: evaluated.status for sha256, evaluated in evaluations.items()},
        )
        counted_before, counted_after = counted(old, moment), counted(new, moment)
        result = Rescored(
            not dry_run,
            self._lists_changed(before, evaluations),
            moves(old, new, moment),
            sorted(counted_after - counted_before),
            sorted(counted_before - counted_after),
        )
        if dry_run:
            del self._terms[after.number]
            return result
        self._keep_files()
        self._database.ask(after.values, list(evaluations), moment)
        for evaluated in evaluations.values():
            self._database.finish(replace(evaluated, made=moment))
        if not self._database.add_version(after):
            raise UsageError("another process has re-scored this board just now; try again")
        self._ready[after.number] = ready
        return result

    def _lists_changed(self, before: Version, evaluations: Mapping[str, Evaluation]) -> int:
        """The number of lists for which any value of any entry has changed."""
        changed: set[str] = set()
        for sha256, evaluation in evaluations.items():
            earlier = self._database.evaluation(before.values, sha256)
            cards = [
                Scorecard.from_bytes(e.card) if e is not None and e.card is not None else None
                for e in (earlier, evaluation)
            ]
            changed |= _differing(*cards)
        return len(changed)

    def audit(self, *, now: datetime | None = None) -> Audited:
        """Copies, near-copies, probing and the shake-up; for the organizer only."""
        from scorer.store.audit import duplicates, near_duplicates, probing
        from scorer.store.orders import order_of

        moment = now or datetime.now(UTC)
        self.finish_pending()
        snapshot, version = self.snapshot(), self.version()
        primary = snapshot.terms.primary
        scored = [
            e
            for e in snapshot.entries
            if snapshot.statuses.get(e.sha256) == "scored" and e.received != EVER
        ]
        ordered = {}
        for entry in scored:
            if entry.sha256 not in ordered:
                with as_path(self._files, entry.sha256, entry.file) as path:
                    ordered[entry.sha256] = order_of(
                        path, self._bound(version), snapshot.terms.lists
                    )
        orders = {e.number: ordered[e.sha256].orders for e in scored}
        copies = duplicates(scored, {e.number: ordered[e.sha256].digest for e in scored})
        per_list: dict[int, Floats] = {}
        for entry in scored:
            values = snapshot.scored(entry, "", EVERYTHING).values[primary.id].per_list
            if values is not None:
                per_list[entry.number] = values
        names = snapshot.state(moment).names
        series = {
            names[team.id]: [e.number for e in scored if e.team == team.id]
            for team in snapshot.teams
        }
        return Audited(
            copies,
            near_duplicates(scored, orders, copies),
            probing(series, per_list),
            self._shake_up(snapshot, moment, per_list),
        )

    def _shake_up(
        self, snapshot: Snapshot, now: datetime, per_list: Mapping[int, Floats]
    ) -> list[Shake]:
        """How the ranks of the first two splits differ, where there are two."""
        from scorer.store.audit import shake_up

        parts = [name for name in snapshot.splits if name != EVERYTHING][:2]
        if len(parts) < 2:
            return []
        live = snapshot.order(now, split=parts[0])
        rows = [
            row
            for standing in live.report.standings
            if standing.rank is not None and (row := live.rows[standing.name]).entry in per_list
        ]
        if len(rows) < 2:
            return []
        return shake_up(
            [row.team for row in rows],
            np.array([per_list[row.entry or 0] for row in rows]),
            np.flatnonzero(snapshot.splits[parts[0]]),
            np.flatnonzero(snapshot.splits[parts[1]]),
            snapshot.terms.primary.metric.better == "higher",
            seed=snapshot.rules.leaderboard.seed,
        )

    # seal and receipts

    def seal(self, *, now: datetime | None = None) -> str:
        """Commit to rules, truth and plugins: write challenge.seal and return the commitment.

        Raises:
            UsageError: the challenge is sealed already.
        """
        target = self.challenge.folder / receipts.SEAL
        salt_file = self.challenge.folder / FOLDER / receipts.SALT
        if target.exists() or salt_file.exists():
            raise UsageError(f"{receipts.SEAL} exists already; a challenge is sealed once")
        salt = receipts.new_salt()
        commitment = receipts.commitment(salt, self._manifest)
        salt_file.parent.mkdir(mode=0o700, exist_ok=True)
        write(salt_file, f"{salt}\n".encode())
        salt_file.chmod(0o600)
        moment = now or datetime.now(UTC)
        write(target, receipts.seal_text(self.challenge.id, commitment, moment).encode())
        return commitment

    def reveal(self, folder: Path) -> None:
        """Publish salt, truth, rules and receipts in a new folder, for `score verify`.

        The files are those that were sealed, as the store keeps them.

        Raises:
            UsageError: the challenge was never sealed, or the folder exists.
        """
        salt_file = self.challenge.folder / FOLDER / receipts.SALT
        if not salt_file.exists():
            raise UsageError("the challenge was not sealed: score seal comes before the start")
        if os.path.lexists(folder):
            raise UsageError(f"{folder} exists already")
        salt = salt_file.read_text(encoding="utf-8").strip()
        sealed = json.loads((self.challenge.folder / receipts.SEAL).read_text(encoding="utf-8"))
        manifests = [self._manifest, *(dict(v.files) for v in self._database.versions())]
        fits = [m for m in manifests if receipts.commitment(salt, m) == sealed["commitment"]]
        if not fits:
            raise UsageError(
                "neither the files as they are now nor any version that was in force is what was "
                "sealed; nothing is revealed"
            )
        passing = folder.with_name(f".{folder.name}.new-{os.getpid()}")
        passing.mkdir(parents=True)
        for name, sha256 in fits[0].items():
            target = passing / name
            target.parent.mkdir(parents=True, exist_ok=True)
            if self._manifest.get(name) == sha256:
                write(target, (self.challenge.folder / name).read_bytes())
            else:
                with self._files.open(sha256) as stored:
                    write(target, stored.read())
        text = receipts.revealed_text(self.challenge.id, salt, fits[0], sealed["commitment"])
        write(passing / receipts.REVEALED, text.encode())
        write(passing / receipts.SEAL, (self.challenge.folder / receipts.SEAL).read_bytes())
        write(passing / receipts.RECEIPTS, self.receipts().encode())
        os.replace(passing, folder)

    def receipts(self, number: int | None = None) -> str:
        """All receipts, one a line, each with the digest of the one before; or that of an entry."""
        if number is None:
            return receipts.as_lines(self._database.receipts())
        self.entry(number)
        return receipts.as_lines([self._database.receipt(number)])


class _Means(Mapping[str, Means]):
    """The means of a version's evaluations, from their summaries."""

    def __init__(self, board: Board, version: Version) -> None:
        self._board, self._version = board, version

    @cached_property
    def _summaries(self) -> dict[str, str | None]:
        return self._board._database.summaries(self._version.values)

    def __getitem__(self, sha256: str) -> Means:
        evaluation = Evaluation(
            self._version.values, sha256, "scored", summary=self._summaries[sha256]
        )
        return self._board._means(self._version, evaluation)

    def __iter__(self) -> Iterator[str]:
        return iter(self._summaries)

    def __len__(self) -> int:
        return len(self._summaries)


class _Unstored(_Means):
    """The means of evaluations that are not stored yet."""

    def __init__(
        self, board: Board, version: Version, evaluations: Mapping[str, Evaluation]
    ) -> None:
        super().__init__(board, version)
        self._evaluations = evaluations

    @cached_property
    def _summaries(self) -> dict[str, str | None]:
        scored = {
            key: evaluation
            for key, evaluation in self._evaluations.items()
            if evaluation.status == "scored"
        }
        return {
            key: self._board._summary(self._version, evaluation)
            for key, evaluation in scored.items()
        }


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


def _masks(lists: Sequence[str], splits: Mapping[str, str]) -> dict[str, Mask]:
    """Split -> one a list; `all` is the first."""
    names = sorted(set(splits.values()), key=lambda name: (name != "public", name))
    masks = {EVERYTHING: np.ones(len(lists), dtype=bool)}
    for name in names:
        masks[name] = np.array([splits.get(list_name) == name for list_name in lists], dtype=bool)
    return masks


def _by_number(entries: Iterable[Entry], statuses: Mapping[str, Status]) -> dict[int, Status]:
    return {entry.number: statuses.get(entry.sha256, "pending") for entry in entries}


def _differing(one: Scorecard | None, other: Scorecard | None) -> set[str]:
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


def _team_name(name: str) -> str:
    """A team's name, as it may be.

    Raises:
        UsageError: it is empty, too long, not printable, or could be an entry's number.
    """
    fine = name.strip() == name and name.isprintable() and 0 < len(name) <= 100
    if not fine or name.isdigit():
        message = "write up to 100 printable characters, not only digits"
        raise UsageError(f"{quoted(name)} cannot be a team's name; {message}")
    return name
