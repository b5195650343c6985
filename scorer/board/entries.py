"""The entries of a board: their recording by the rules, and their outcomes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime
from io import BufferedReader
from pathlib import Path

from scorer.api.submissions import SubmissionFile
from scorer.board.audit import NEAR, is_distinctive, kappa, value_codes
from scorer.board.database import Database
from scorer.board.evaluation_service import EvaluationService
from scorer.board.file_evaluation import OUR_ERRORS
from scorer.board.files import FileStore, digest_of_stream
from scorer.board.listing import EntryFilter, EntryList, EntryRow, Page
from scorer.board.models import Entry, Status, Version
from scorer.board.names import mistyped, team_name
from scorer.board.phases import (
    Refusal,
    RemainingQuota,
    Span,
    phase_at,
    quota_left,
    refusal_by_quota,
    refusal_of_answers,
    refusal_when_closed,
)
from scorer.board.teams import Teams
from scorer.board.versions import Versions
from scorer.challenge.model import Challenge
from scorer.challenge.phases import EVERYTHING
from scorer.core.errors import UnknownName, UsageError
from scorer.core.problems import Findings, Problem
from scorer.core.text import quoted
from scorer.results.json import Internal, Number, ShownFindings, Time

RECENT = 3  # of a team's entries, to which a new one is compared


@dataclass(frozen=True, slots=True, kw_only=True)
class Added:
    """An entry, or a file that was refused."""

    name: Internal[str]
    entry: int | None = None  # None: refused, nothing was recorded
    team: str
    received: Time
    sha256: str
    status: str  # scored, rejected, refused, failed or pending
    code: str | None = None  # S80x of a refusal, S901 of a failure
    message: str | None = None
    problems: ShownFindings = field(default_factory=Findings)
    receipt: str | None = None
    values: Mapping[str, Mapping[str, Number]] | None = None  # split -> measure id -> mean


@dataclass(frozen=True, slots=True, kw_only=True)
class AddedEntries:
    """The outcomes of the files that were sent."""

    schema: str = "entry/1"
    entries: Sequence[Added]


class EntryService:
    """The entries of one board."""

    def __init__(
        self,
        database: Database,
        files: FileStore,
        versions: Versions,
        evaluations: EvaluationService,
        teams: Teams,
    ) -> None:
        self._database, self._files = database, files
        self._versions, self._evaluations, self._teams = versions, evaluations, teams

    def submit(
        self,
        file: SubmissionFile,
        stream: BufferedReader,
        team: str,
        *,
        received: datetime,
        answers: Mapping[str, str],
        baseline: bool,
        given: bool,
        allow_similar: bool,
        evaluate: bool,
    ) -> Added:
        """Record an open file as an entry, and evaluate it, or say why it is refused.

        Rules, a new team, row, receipt and queue are one transaction: while it lasts no other
        entry is recorded, and no version comes into force. The file is copied to the store's disk
        before, since others would have to wait for a large one, and is kept within it.

        Args:
            file: The file.
            stream: The open file.
            team: The name of its team, or of the baseline.
            received: When it was received.
            answers: Question -> answer.
            baseline: Whether it stands outside the ranks, without quota or phases.
            given: Whether the organizer gave the time.
            allow_similar: Whether a new team may be called nearly like another one.
            evaluate: Whether to evaluate it at once.

        Raises:
            UsageError: The file cannot be read or kept, or the team's name is not valid.
        """
        try:
            sha256, size = digest_of_stream(stream)
        except OSError as error:
            raise UsageError(f"{file.path} cannot be read: {error.strerror}") from None

        self._versions.make_first()
        try:
            with self._files.stage(stream, sha256) as staged, self._database.write():
                refused = None
                if not baseline:
                    refused = self._find_refusal(team, sha256, received, answers, allow_similar)
                if refused is None:
                    version = self._versions.in_force()
                    span = None if baseline else phase_at(self._versions.rules(), received)
                    entry = Entry(
                        number=0,  # `add_entry` gives it
                        team=None if baseline else self._team_id(team, received),
                        received=received,
                        sha256=sha256,
                        file=file.path.name,
                        size=size,
                        phase=span.phase.id if span else None,
                        name=team_name(team, self._teams.by_name()) if baseline else "",
                        answers=dict(answers),
                    )
                    staged.keep()
                    receipt = self._database.add_entry(entry, version, team=team, given=given)
                    status = self._database.queue.status(version.values, sha256)
        except OSError as error:
            raise UsageError(f"{file.path} cannot be kept: {error.strerror}") from None
        added = Added(name=file.name, team=team, received=received, sha256=sha256, status="refused")
        if refused is not None:
            return replace(added, code=refused.code, message=refused.message)
        if not evaluate:
            return replace(added, status="pending", entry=entry.number, receipt=receipt.digest)
        if status == "pending":
            self._evaluations.finish(version, sha256, entry.file)
        return self.outcome(entry.number)

    def _team_id(self, name: str, received: datetime) -> int:
        """Return the id of the team of that name, which is made if there is none."""
        team = self._teams.find(name) or self._teams.add(name, received)
        return team.id

    def _find_refusal(
        self,
        name: str,
        sha256: str,
        received: datetime,
        answers: Mapping[str, str],
        allow_similar: bool,
    ) -> Refusal | None:
        """Return the first rule by which a team may not send a file; None if it may."""
        rules, teams = self._versions.rules(), self._teams.by_name()
        team = teams.get(name)
        refused = refusal_when_closed(rules, received) or refusal_of_answers(
            rules.questions, answers
        )
        if refused is None and team is None:
            refused = refusal_of_team(rules, name, teams, allow_similar)
        span = phase_at(rules, received)
        if refused is not None or span is None:
            return refused
        entries = self._database.entries(team=team.id) if team else []
        if copy := next((entry for entry in entries if entry.sha256 == sha256), None):
            return Refusal("S803", f"these are the bytes of entry {copy.number} of this team")
        left = quota_left(rules, span, entries, self.statuses(entries), received)
        return refusal_by_quota(rules, left)

    def _nearly_the_same(self, entry: Entry) -> Iterator[Problem]:
        """S806 where an entry has nearly the same values as one of the team's last entries.

        Only values are compared that the entry's phase shows to its team: the remark would tell
        of the others, too.
        """
        if entry.team is None:
            return
        snapshot = self._evaluations.team_state(entry.team)
        span = snapshot.span(entry.received)
        shown = "none" if span is None else span.phase.show
        if shown == "own" and len(snapshot.splits) == 1:
            shown = EVERYTHING
        if shown not in snapshot.splits or snapshot.ladder_applies(span):
            return
        earlier = [
            each
            for each in snapshot.entries
            if each.number < entry.number and snapshot.statuses.get(each.sha256) == "scored"
        ][-RECENT:]
        *codes, own = value_codes(snapshot, [*earlier, entry], shown)
        for each, theirs in zip(reversed(earlier), reversed(codes), strict=True):
            if is_distinctive(own) and kappa(theirs, own) >= NEAR:
                share = float((theirs == own).mean())
                words = f"nearly the same as entry {each.number} of this team"
                message = f"{words} (equal values in {100 * share:.0f} % of the lists)"
                yield Problem("S806", message, "warning", path=entry.file)
                return

    def outcome(self, number: int) -> Added:
        """The outcome of an entry, with a warning if it is nearly an earlier one (S806).

        Raises `UnknownName`.
        """
        self._versions.make_first()
        with self._database.read():
            outcomes = self.outcomes(EntryFilter(number=number), Page())
            if not outcomes:
                raise UnknownName("entry", str(number), [])
            entry, outcome = outcomes[0]
            if outcome.status == "scored":
                with suppress(*OUR_ERRORS):  # the entry is recorded, and this is only a remark
                    outcome.problems.extend(self._nearly_the_same(entry))
            return outcome

    def outcomes(self, wanted: EntryFilter, part: Page) -> list[tuple[Entry, Added]]:
        """A part of the entries that are wanted, with their outcomes."""
        self._versions.make_first()
        with self._database.read():
            version, names = self._versions.in_force(), self._teams.names()
            return [
                (found.entry, self._outcome(version, names, found))
                for found in self._database.listing(version.values).found(wanted, part)
            ]

    def _outcome(self, version: Version, names: Mapping[int, str], found: EntryRow) -> Added:
        entry, evaluation, receipt = found
        team = entry.name if entry.team is None else names[entry.team]
        added = Added(
            name=Path(entry.file).stem,
            entry=entry.number,
            team=team,
            received=entry.received,
            sha256=entry.sha256,
            status=evaluation.status,
            receipt=receipt or self._database.receipt("entry", entry.number).digest,
        )
        if evaluation.status == "pending":
            return added
        added = replace(added, problems=Findings.from_json(evaluation.findings))
        if evaluation.status == "failed":
            message = f"not your fault, nothing was counted, reference {evaluation.reference}"
            return replace(added, code="S901", message=f"the scorer failed: {message}")
        if evaluation.status == "scored":
            means = self._evaluations.means(version, entry.sha256, evaluation.summary)
            return replace(added, values=means or None)
        return added

    def listing(self) -> EntryList:
        """The entries and what became of them under the version in force."""
        return self._database.listing(self._versions.in_force().values)

    def get(self, number: int) -> Entry:
        """One entry. Raises `UnknownName`."""
        entry = self._database.entry(number)
        if entry is None:
            raise UnknownName("entry", str(number), [])
        return entry

    def team_of(self, entry: Entry) -> str:
        """The present name of an entry's team, or the name of a baseline."""
        names = self._teams.names()
        return entry.name if entry.team is None else names[entry.team]

    def statuses(self, entries: Iterable[Entry] | None = None) -> dict[int, Status]:
        """Return the status of each entry's number under the version in force.

        Args:
            entries: The entries; default: all.
        """
        chosen = self._database.entries() if entries is None else list(entries)
        files = {entry.sha256 for entry in chosen}
        statuses = self._database.queue.statuses(self._versions.in_force().values, files)
        return {entry.number: statuses.get(entry.sha256, "pending") for entry in chosen}

    def quota(self, team: str, now: datetime) -> tuple[Span | None, RemainingQuota | None]:
        """The phase at a time, and a team's remaining quota in it; None if it takes no entries."""
        rules = self._versions.rules()
        span = phase_at(rules, now)
        if span is None or not span.takes_entries:
            return span, None
        known = self._teams.find(team)
        entries = self._database.entries(team=known.id) if known else []
        return span, quota_left(rules, span, entries, self.statuses(entries), now)


def refusal_of_team(
    rules: Challenge, name: str, teams: Iterable[str], allow_similar: bool
) -> Refusal | None:
    """Return why a first entry cannot make a new team; None if it can."""
    words = f"there is no team {quoted(name)}"
    if rules.registration == "invite":
        return Refusal("S804", words)
    if not allow_similar and (meant := mistyped(name, teams)) is not None:
        return Refusal("S804", f"{words}; did you mean {quoted(meant)}? --new makes a team")
    return None
