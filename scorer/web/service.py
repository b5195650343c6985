"""What both the API and the pages do: describe a challenge, check and record files, decide."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from hashlib import file_digest
from typing import Any, NamedTuple

from fastapi import HTTPException
from starlette.datastructures import FormData, UploadFile

from scorer.api.submissions import SubmissionFile
from scorer.board.entries import Added
from scorer.board.listing import EntryFilter, Page
from scorer.board.models import TEAM_ACTS, Entry
from scorer.board.phases import challenge_state, received_at, shown_at, spans
from scorer.challenge.leaderboard import Question
from scorer.core.log import LOG
from scorer.core.problems import Findings
from scorer.core.text import join_first
from scorer.reading.json_faults import parse_json
from scorer.reports.findings.problems import excerpt, group_problems
from scorer.web.auth import Viewer
from scorer.web.context import Context, scratch, stored_upload
from scorer.web.dependencies import ListQuery
from scorer.web.schemas import ChallengeOut, DecisionIn, PhaseOut, QuestionOut
from scorer.web.site import Site

HISTORY = 1_000  # latest entries of a team that its list compares


def describe(site: Site, viewer: Viewer) -> ChallengeOut:
    """Return the public part of a challenge, with the viewer's quota."""
    challenge, now = site.rules, site.clock()
    span, state = site.span(), challenge_state(challenge, now)
    quota = None
    if viewer.team is not None:
        left = site.left(viewer.team)
        quota = left and {
            "today": left.today,
            "total": left.total,
            "rejected_today": left.rejected_today,
            "next": _iso(left.next),
        }
    return ChallengeOut(
        id=site.id,
        title=challenge.title,
        description=challenge.description,
        pages=challenge.pages,
        timezone=challenge.timezone,
        state=state.name,
        until=_iso(state.until),
        phase=span.phase.id if span else None,
        phases=[
            PhaseOut(
                id=each.phase.id,
                opens=_iso(each.opens),
                closes=_iso(each.closes),
                grace=each.phase.grace,
                show=each.phase.show,
            )
            for each in spans(challenge)
        ],
        show=shown_at(challenge, site.now()),
        splits=list(site.visible(viewer)),
        questions={key: _describe_question(each) for key, each in challenge.questions.items()},
        quota=quota,
    )


def _iso(time: datetime | None) -> str | None:
    return None if time is None else time.isoformat()


def _describe_question(question: Question) -> QuestionOut:
    """Return a question; it has a range only if it asks for a number."""
    fields = question.model_dump()
    return QuestionOut(**fields if question.type == "number" else {**fields, "range": (None, None)})


def file_of(form: FormData) -> UploadFile:
    """The file of a form, or 422."""
    upload = form.get("file")
    if not isinstance(upload, UploadFile) or not upload.filename:
        raise HTTPException(422, "the form has no file; send it as 'file'")
    return upload


class CheckedUpload(NamedTuple):
    """What blind checks found in a file, and what it looks like."""

    findings: Findings
    description: str  # empty: it cannot be read
    lines: Mapping[int, str]  # of a text, those in which a problem is
    sha256: str


def check_upload(context: Context, site: Site, upload: UploadFile) -> CheckedUpload:
    """An uploaded file seen by the blind checks; 503 if the scorer fails."""
    with scratch() as folder:
        path = stored_upload(upload, folder)
        answer = context.ask(site, "check", path=str(path), name=path.name)
        with path.open("rb") as stream:
            sha256 = file_digest(stream, "sha256").hexdigest()
    lines = {int(number): text for number, text in answer["lines"].items()}
    return CheckedUpload(
        Findings.from_json(answer["findings"]), answer["description"], lines, sha256
    )


class ProblemCard(NamedTuple):
    """A problem as a page shows it: what, in which line, and what to do."""

    code: str
    severity: str
    message: str
    line: int | None
    excerpt: str
    help: str
    more: str


def problem_cards(findings: Findings, lines: Mapping[int, str] | None = None) -> list[ProblemCard]:
    """The problems of a file, each kind with its first places; `lines` are texts of the file."""
    cards = []
    for problem, rest, others in group_problems(findings):
        text = (lines or {}).get(problem.line or 0)
        shown = "\n".join(excerpt(problem, text)) if text is not None else ""
        where = f", such as on lines {join_first(others)}" if others else ""
        more = f"And {rest:,} more like it{where}." if rest else ""
        cards.append(
            ProblemCard(
                problem.code,
                problem.severity,
                problem.message,
                problem.line,
                shown,
                problem.help or "",
                more,
            )
        )
    return cards


def entry_of_file(site: Site, viewer: Viewer, sha256: str) -> Entry | None:
    """The entry as which a team has already sent a file."""
    own = site.board.entries(viewer.team) if viewer.team in site.teams else []
    return next((entry for entry in own if entry.sha256 == sha256), None)


def recorded(
    site: Site, viewer: Viewer, upload: UploadFile, answers: dict[str, str], begun: datetime
) -> Added:
    """Record an entry of a team, sent from `begun` on, with its answers; it is evaluated later."""
    assert viewer.team is not None
    moment = received_at(site.rules, begun, site.clock())
    with scratch() as folder:
        path = stored_upload(upload, folder)
        file = SubmissionFile(path.stem, path, label=path.name)
        (added,) = site.board.add(
            [file], viewer.team, begun=moment, answers=answers, evaluate=False
        )
    fields = {
        "challenge": site.id,
        "team": viewer.team,
        "entry": added.entry,
        "sha256": added.sha256,
        "code": added.code,
        "reason": added.message,
    }
    LOG.info("refusal" if added.entry is None else "entry", extra=fields)
    return added


def answers_of(form: FormData) -> dict[str, str]:
    """The answers of a form: JSON in `answers`, or a field for each."""
    text = form.get("answers")
    if not isinstance(text, str):
        return {
            key.removeprefix("answer."): value
            for key, value in form.items()
            if key.startswith("answer.") and isinstance(value, str) and value.strip()
        }
    try:
        answers = parse_json(text)
    except ValueError:
        raise HTTPException(422, "answers are no JSON") from None
    if not isinstance(answers, dict):
        raise HTTPException(422, "answers are a JSON object")
    return {str(key): str(value) for key, value in answers.items()}


def own_entry(site: Site, viewer: Viewer, number: int) -> Added:
    """An entry that a team or organizer may see; 404 for entries of others, as for missing ones."""
    added = site.board.ledger.outcome(number)
    entry = site.board.ledger.get(number)
    if not viewer.organizer and (entry.baseline or added.team != viewer.team):
        raise HTTPException(404, f"no entry is called '{number}'")
    return added


def decided(site: Site, viewer: Viewer, decision: DecisionIn, begun: datetime) -> dict[str, Any]:
    """Record a decision of a team or an organizer, sent at `begun`.

    403 or 404 if the viewer may not make it, 422 if it is incomplete; `Refused` if it is too late.
    """
    if (decision.entry is None) == (decision.team is None):
        raise HTTPException(422, "a decision is on an entry or on a team")
    if decision.team is not None and decision.team.isdigit():
        raise HTTPException(422, "no team's name has only digits; an entry is told as entry")
    if not viewer.organizer:
        if decision.kind not in TEAM_ACTS or decision.entry is None or decision.late:
            raise HTTPException(403, "teams select and withdraw their own entries, in time")
        if site.board.ledger.outcome(decision.entry).team != viewer.team:
            raise HTTPException(404, f"no entry is called '{decision.entry}'")
    subject = decision.entry if decision.entry is not None else str(decision.team)
    recorded_decision = site.board.decide(
        decision.kind,
        subject,
        decision.reason,
        by=viewer.log_name,
        name=decision.name,
        begun=begun,
        late=decision.late,
    )
    return {"decision": recorded_decision.number, "time": recorded_decision.time.isoformat()}


class EntryPage(NamedTuple):
    """A page of the entries that somebody may see, with the values that may be seen."""

    entries: Sequence[Entry]
    outcomes: Sequence[Added]
    asked: ListQuery
    total: int  # entries on all pages

    @property
    def pages(self) -> int:
        """The number of pages; there is always one."""
        return max(-(-self.total // self.asked.limit), 1)


def entry_page(site: Site, viewer: Viewer, asked: ListQuery, *, latest: bool = False) -> EntryPage:
    """A team's entries; for organizers, everybody's. Raises `UnknownName` for an unknown team.

    Args:
        latest: the latest to be received comes first.
    """
    ledger, team = site.board.ledger, viewer.team or asked.team
    wanted = EntryFilter(None if team is None else site.board.teams.get(team).id, asked.status)
    part = Page(asked.limit, asked.skip, "latest" if latest else "number")
    found = ledger.outcomes(wanted, part)
    outcomes = site.visible_outcomes([added for _, added in found], viewer)
    total = ledger.listing().count(wanted)
    return EntryPage([entry for entry, _ in found], outcomes, asked, total)


def own_outcomes(site: Site, viewer: Viewer) -> list[Added]:
    """A team's latest scored entries as it sees them, whatever page of its list it is on."""
    if viewer.team is None:
        return []
    wanted = EntryFilter(site.board.teams.get(viewer.team).id, "scored")
    found = site.board.ledger.outcomes(wanted, Page(HISTORY, 0, "latest"))
    return site.visible_outcomes([added for _, added in found], viewer)
