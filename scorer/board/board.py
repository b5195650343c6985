"""The living board: record entries, evaluate them, decide, show and explain the board.

```python
with scorer.Board.open("challenges/course-2026") as board:
    board.add(["submission.csv"], team="red")
    print(board.board().report)
```
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

from scorer.api.submissions import SubmissionFile, to_challenge, to_submission_file
from scorer.board import receipts
from scorer.board.audit import Audit, audit
from scorer.board.database import Database
from scorer.board.decisions import decide
from scorer.board.entries import Added, EntryService
from scorer.board.evaluation_service import EvaluationService
from scorer.board.explain import Why, add_absent_teams, hold_back, why_ranked
from scorer.board.files import FileStore
from scorer.board.history import Event, log
from scorer.board.integrity import find_alterations
from scorer.board.models import Act, Decision, Entry
from scorer.board.phases import shown_at
from scorer.board.rescore import Rescoring, rescore
from scorer.board.seal import require_closed, reveal, seal
from scorer.board.standings import Ranking, compute_board, with_intervals
from scorer.board.teams import ListedTeam, ListedToken, Teams, TeamTokens
from scorer.board.versions import Versions
from scorer.challenge.load import own_files
from scorer.challenge.model import FOLDER, Challenge
from scorer.challenge.types import EntryRule
from scorer.core.errors import UsageError
from scorer.core.text import format_number, printable, quoted
from scorer.reading.limits import UnreadableError
from scorer.reading.open import open_file
from scorer.results.json import ChallengeIdentity
from scorer.scoring.kind import refuse_without_entries

DATABASE = "board.db"  # in .scorer
MOVED = "moved"  # in .scorer: says where a board went that is no longer beside its challenge


class Board:
    """The living leaderboard of one challenge: the challenge and its store."""

    def __init__(
        self,
        challenge: Challenge,
        database: Database,
        files: FileStore,
        *,
        allow_plugins: bool = False,
    ) -> None:
        self.challenge, self.database, self.files = challenge, database, files
        self.allow_plugins = allow_plugins
        self.versions = Versions(challenge, database, files, allow_plugins)
        self.evaluations = EvaluationService(self.versions, database, files)
        self.teams = Teams(challenge, database)
        self.ledger = EntryService(database, files, self.versions, self.evaluations, self.teams)

    @classmethod
    def open(
        cls,
        challenge: Challenge | Path | str,
        store: str | None = None,
        files: Path | str | None = None,
        *,
        allow_plugins: bool = False,
    ) -> Board:
        """Open the board of a challenge, or make it.

        Args:
            challenge: a loaded challenge, or the path of its challenge.yaml or folder.
            store: the database's URL; default: `.scorer/board.db` beside challenge.yaml.
            files: the folder in which entry files are kept; default: `.scorer/files`.
            allow_plugins: whether the challenge's own metrics may be run.

        Raises:
            ChallengeError: the challenge is wrong, or cannot have a board, like one of votes.
            UsageError: the store cannot be opened, or `files` is a URL.
        """
        if isinstance(files, str) and "://" in files:
            raise UsageError(f"files are kept in a folder, which {quoted(files)} is not")
        settled_challenge = to_challenge(challenge)
        folder = settled_challenge.folder / FOLDER
        if not folder.is_dir():  # a board that there is goes on, whatever became of its files
            refuse_without_entries(settled_challenge)
        if store is None or files is None:
            try:
                folder.mkdir(mode=0o700, exist_ok=True)
            except OSError as error:
                raise UsageError(f"the store cannot be made: {error.strerror}") from None
        database = Database.open(store or _default_url(folder), settled_challenge.id)
        kept = FileStore(Path(files or folder / "files"))
        return cls(settled_challenge, database, kept, allow_plugins=allow_plugins)

    def close(self) -> None:
        """Close the store."""
        self.database.close()

    def __enter__(self) -> Board:
        """The board itself."""
        return self

    def __exit__(self, *error: object) -> None:
        """Close the store."""
        self.close()

    def add(
        self,
        files: Iterable[SubmissionFile | Path | str],
        team: str,
        *,
        now: datetime | None = None,
        begun: datetime | None = None,
        answers: Mapping[str, str] | None = None,
        baseline: bool = False,
        evaluate: bool = True,
        allow_similar: bool = True,
    ) -> list[Added]:
        """Record entries: rules first, then the blind checks, then values.

        An entry's number is given only when its file and its row are on disk.

        Args:
            files: paths, each named after its file, or `SubmissionFile` ones.
            team: the team that sends them; of a baseline, its name.
            now: when they were received, if not at present; receipt and log say that it was given.
            begun: when their sending began, by a clock of this board's; default: the present.
            answers: question -> answer.
            baseline: whether they stand outside the ranks, without quota or phases.
            evaluate: whether to evaluate at once; otherwise a worker does.
            allow_similar: Whether a new team may be called nearly like another one.

        Raises:
            ChallengeError: the challenge in force is wrong.
            UsageError: a file cannot be read or kept; nothing was recorded of it.
        """
        added, received = [], now or begun or datetime.now(UTC)
        for file in map(to_submission_file, files):
            try:
                stream = open_file(file.path, own_files(self.challenge))
            except UnreadableError as error:
                raise UsageError(f"{file.display}: {error.problem.message}") from None
            with stream:
                one = self.ledger.submit(
                    file,
                    stream,
                    team,
                    received=received,
                    answers=answers or {},
                    baseline=baseline,
                    given=now is not None,
                    allow_similar=allow_similar,
                    evaluate=evaluate,
                )
            added.append(one)
        return added

    def describe_added(self, added: Added, *, now: datetime | None = None) -> str:
        """Return the status of a file's entry in words, with the values that the board shows."""
        if added.status in ("refused", "failed"):
            return f"{added.status}: error[{added.code}] {added.message}"
        status = f"entry {added.entry} of {printable(added.team)}: {added.status}"
        moment = now or datetime.now(UTC)
        with self.database.read():
            shown = shown_at(self.versions.rules(), moment)
            split = "all" if shown == "own" else shown
            if not (means := (added.values or {}).get(split, {})):
                return status
            team = self.ledger.get(added.entry or 0).team
            held_back = hold_back(self.evaluations.team_state(team), team, moment, split)
        if reason := held_back.get(added.entry or 0):
            return f"{status}, {reason}"
        values = [f"{printable(key)} {format_number(mean)}" for key, mean in means.items()]
        return f"{status}, {', '.join(values)}"

    def list_teams(self) -> TeamTokens:
        """Return all teams, each with the number of its entries."""
        counts = self.ledger.listing().by_team()
        teams = [
            ListedTeam(name, team.made, counts.get(team.id, 0))
            for name, team in self.teams.by_name().items()
        ]
        return TeamTokens(teams=teams)

    def list_tokens(self, name: str | None) -> TeamTokens:
        """Return the tokens of a team, or of the organizers (None), that are not revoked."""
        tokens = [ListedToken(t.id, t.label, t.made, t.used) for t in self.teams.tokens(name)]
        return TeamTokens(team=name, tokens=tokens)

    def add_team(self, name: str, label: str | None = None, *, now: datetime | None = None) -> str:
        """Make a team and return its first token, which is shown only once.

        Raises:
            UsageError: the name is taken, looks like another, or is not valid.
        """
        moment = now or datetime.now(UTC)
        with self.database.write():
            self.teams.add(name, moment)
            return self.teams.add_token(name, label, moment)

    def new_token(
        self, name: str | None, label: str | None = None, *, now: datetime | None = None
    ) -> str:
        """Make a token of a team, or of an organizer (None), and return it; it is shown only once.

        The log names the token's label with each act of its holder.

        Raises:
            UnknownName: there is no such team.
            UsageError: the label is not valid, or there are too many tokens.
        """
        return self.teams.add_token(name, label, now or datetime.now(UTC))

    def revoke(
        self, name: str | None, token: int | None = None, *, now: datetime | None = None
    ) -> int:
        """Revoke all tokens of a team or of the organizers (None), or the one of that number.

        Gives how many were revoked. Raises `UnknownName`.
        """
        return self.teams.revoke(name, token, now or datetime.now(UTC))

    def decide(
        self,
        act: Act,
        subject: int | str,
        reason: str,
        *,
        by: str | None = None,
        name: str | None = None,
        now: datetime | None = None,
        begun: datetime | None = None,
        late: bool = False,
    ) -> Decision:
        """Decide on an entry (its number) or a team (its name).

        Args:
            act: disqualify, restore, select, unselect, withdraw or rename.
            subject: an entry's number, or a team's name.
            reason: recorded with the decision.
            by: the name of the decider.
            name: the new name, for a rename.
            now: the time of the decision, if not the present; receipt and log say it was given.
            begun: when it was sent, by a clock of this board's; default: the present.
            late: select, unselect or withdraw for a team although the time for it is over;
                log, board and `why` report it.

        Raises:
            Refused: S807, it is too late.
            UsageError: the act does not fit its subject.
            UnknownName: there is no such entry or team.
        """
        moment = now or begun or datetime.now(UTC)
        decision = Decision(0, moment, act, None, None, reason, by, name)
        with self.database.write():
            rules = self.versions.rules()
            decide(self.ledger, self.teams, rules, decision, subject, late)
            return self.database.add_decision(decision, given=now is not None)

    def entries(self, team: str | None = None) -> list[Entry]:
        """All entries in order, or the entries of one team. Raises `UnknownName`."""
        return self.database.entries(**{} if team is None else {"team": self.teams.get(team).id})

    def log(self, team: str | None = None, most: int | None = None) -> list[Event]:
        """Entries, decisions, versions and teams in the order of time, of one team or of all.

        Of a team, each entry has why it counts or does not. At `most` so many, the latest. Raises
        `UnknownName`.
        """
        return log(self.database, self.evaluations, self.ledger, self.teams, team, most)

    def board(
        self,
        *,
        split: str | None = None,
        phase: str | None = None,
        rule: EntryRule | None = None,
        now: datetime | None = None,
    ) -> Ranking:
        """The board, as the report that `score` makes of files.

        Args:
            split: the split to score on; default: the one that the phase shows.
            phase: the phase whose rules apply; default: the one that shows the split.
            rule: another entry rule than the challenge's: best, last, selected or all.
            now: the time of the board, past or ahead, if not the present: entries received and
                decisions made by then count, under the version in force then.

        Raises:
            UnknownName: there is no such split or phase.
        """
        moment = now or datetime.now(UTC)
        state = self.evaluations.state_at(moment)
        ranking = compute_board(state, moment, split=split, phase=phase, rule=rule)
        return add_absent_teams(with_intervals(state, ranking), state, moment, rule)

    def why(self, team: str, *, split: str | None = None, now: datetime | None = None) -> Why:
        """Explain a team's rank: the rules that applied, ties, and entries that do not count.

        Args:
            team: the team's name.
            split: the split; default: the one that the phase shows.
            now: the time of the board, if not the present, as for `board`.

        Raises:
            UnknownName: there is no such team or split.
        """
        moment = now or datetime.now(UTC)
        return why_ranked(self.evaluations.state_at(moment), self.teams.get(team), moment, split)

    def rescore(self, *, dry_run: bool = False, now: datetime | None = None) -> Rescoring:
        """Evaluate all entries under the files as they are now, and put that version in force.

        Old evaluations stay, and every entry keeps its time.

        Args:
            dry_run: only report the changes.
            now: when the new version comes into force.

        Raises:
            ChallengeError: the challenge as it is now is wrong; nothing changes.
            ScorerError: an entry that was scored cannot be evaluated any more; nothing changes.
        """
        return rescore(self.versions, self.evaluations, self.database, now, dry_run)

    def audit(self, *, now: datetime | None = None) -> Audit:
        """Alterations, copies, near-copies, probing; for the organizer only.

        If the store was altered, nothing else is looked for.
        """
        if altered := find_alterations(self.evaluations):
            return Audit(challenge=ChallengeIdentity.of(self.challenge), altered=altered)
        moment = now or datetime.now(UTC)
        return audit(self.evaluations.state_at(moment), moment)

    def seal(self, *, now: datetime | None = None) -> str:
        """Commit to rules, truth and plugins: write challenge.seal and return the commitment.

        Raises:
            UsageError: the challenge is sealed already.
        """
        return seal(self.challenge, self.versions.manifest, now or datetime.now(UTC))

    def reveal(
        self,
        folder: Path,
        *,
        altered: bool = False,
        early: bool = False,
        now: datetime | None = None,
    ) -> None:
        """Publish salt, truth, rules and receipts in a new folder, for `score verify`.

        The files are the sealed ones, and those in force where they differ, as the store has them.

        Args:
            folder: the new folder.
            altered: reveal also where the store was altered; the folder then says what.
            early: reveal also while entries are taken, or will be.
            now: the time; default: the clock's.

        Raises:
            UsageError: the challenge was never sealed, entries are still taken, the folder exists,
                or the store was altered.
        """
        if not early:
            require_closed(self.challenge, now or datetime.now(UTC))
        problems = find_alterations(self.evaluations)
        if problems and not altered:
            raise UsageError(f"nothing is revealed, the store was altered: {'; '.join(problems)}")
        reveal(self.versions, self.database, self.files, folder, problems)

    def receipts(self, number: int | None = None) -> str:
        """All receipts, one a line, each with the digest of the one before; or an entry's."""
        if number is None:
            return receipts.as_lines(self.database.receipts())
        self.ledger.get(number)
        return receipts.as_lines([self.database.receipt("entry", number)])


def _default_url(folder: Path) -> str:
    """Return the URL of the database beside a challenge, in its .scorer.

    Raises:
        UsageError: The board was moved away from there.
    """
    with suppress(FileNotFoundError):
        raise UsageError(
            f"this board was moved to {(folder / MOVED).read_text(encoding='utf-8').strip()}; "
            "name it by --store or SCORER_STORE"
        )
    return f"sqlite:///{folder / DATABASE}"
