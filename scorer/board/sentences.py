"""The sentences on entries and decisions: for boards, ranks, pages and the log of a board."""

from __future__ import annotations

from collections.abc import Mapping
from zoneinfo import ZoneInfo

from scorer.board.models import Decision, Evaluation
from scorer.board.phases import at
from scorer.core.problems import Findings

NOT_COUNTED = "not counted"
NOT_SHOWN = "what counts is not shown in this phase"
BASELINE = "a baseline, outside the ranks"
DISQUALIFIED = "no value, since it is disqualified"


def describe_refusal(evaluation: Evaluation) -> str | None:
    """Return why a file was rejected, or not evaluated; None where it was scored or waits."""
    if evaluation.status == "rejected":
        findings = Findings.from_json(evaluation.findings)
        codes = sorted({problem.code for problem in findings if problem.severity == "error"})
        return f"rejected by the checks ({', '.join(codes)})"
    if evaluation.status == "failed":
        reference = evaluation.reference
        return f"the scorer failed, reference {reference}; not counted against the quota"
    return None


def describe_decision(out: Decision, zone: ZoneInfo) -> str:
    """Return which decision takes an entry off the board, when it was made, and its reason."""
    word = "withdrawn" if out.act == "withdraw" else "disqualified"
    return f"{word} {at(out.time, zone)}: {out.reason}"


def describe_late_decision(decision: Decision, names: Mapping[int, str], zone: ZoneInfo) -> str:
    """Return which decision came too late for its team and was made all the same.

    Args:
        decision: A decision on an entry of a team.
        names: Number of a team -> its name.
        zone: The time zone of the challenge.
    """
    name = names.get(decision.team or 0, "")
    time = at(decision.time, zone)
    return f"entry {decision.entry} of {name}: {decision.act}, late, {time}: {decision.reason}"
