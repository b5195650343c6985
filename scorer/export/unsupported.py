"""What a platform does not have of what a challenge asks for, in sentences."""

from __future__ import annotations

from collections.abc import Iterator

from scorer.export.base import ExportContext


def unsupported_features(context: ExportContext, supported: set[str]) -> tuple[str, ...]:
    """Return one sentence for each feature of the challenge that is not in `supported`."""
    features = _features_of(context)
    return tuple(sentence for feature, sentence in features if feature not in supported)


def _features_of(context: ExportContext) -> Iterator[tuple[str, str]]:
    """Yield the features that a challenge uses, each with what to do where it is missing."""
    challenge, board = context.challenge, context.challenge.leaderboard
    phases = challenge.phases
    yield "tiers", "tiers, tests and intervals of the board: score board, or score on the files"
    if board.ladder != "off":
        yield "ladder", "ladder: every value is shown"
    if board.rank_by != "primary":
        yield "rank_by", "rank_by: the board ranks by the first column"
    if board.tracks:
        yield "tracks", "tracks: their ranks of their own"
    if board.tie_break:
        yield "tie_break", "tie_break: equal values are in the platform's order"
    if board.baselines:
        yield "baselines", "baselines: send their files by hand"
    if board.entry in ("selected", "all") or any(phase.select for phase in phases):
        yield "selected", "entries that a team selects: the platform's rule counts"
    if any(phase.select for phase in phases):
        yield "select", "select: how many selected entries of a team count: watch it there"
    if any(phase.quota.rejected_per_day for phase in phases):
        yield "rejected", "quota.rejected_per_day: rejected files do not count there"
    if any(phase.quota.per_day or phase.quota.total for phase in phases):
        yield "quota", "quota: set it there by hand"
    if any(phase.grace for phase in phases):
        yield "grace", "grace: a phase ends at its second"
    if phases:
        yield "phases", "phases: set opening and closing times there by hand"
    if any(phase.show in ("own", "none") for phase in phases):
        yield "show", "show: own or none: hide the board there by hand"
    if challenge.grading is not None:
        yield "grading", "grading: points: score feedback, or score --format grades on the files"
        if challenge.grading.late is not None:
            yield "late", "grading.late: late files lose nothing there"
    if challenge.questions:
        yield "questions", "questions"
    if challenge.pages:
        yield "pages", "pages: copy their texts"
    if challenge.lists is not None and challenge.lists.columns.get("group"):
        yield "groups", "values of groups of lists"
