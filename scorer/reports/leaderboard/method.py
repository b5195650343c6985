"""The file and the method: by what a board was made, and where its figures come from."""

from __future__ import annotations

from collections.abc import Iterator

from scorer import __version__
from scorer.core.text import printable, unit
from scorer.reports.document import Facts
from scorer.reports.leaderboard.cells import level
from scorer.reports.leaderboard.remarks import scope, test_name
from scorer.results.report import Report


def method(report: Report) -> Facts:
    """Facts of the challenge, the data, the intervals and the tests."""
    pairs = [*_made_from(report), *_of_intervals(report), *_of_tests(report)]
    return Facts([(term, text) for term, text in pairs if text])


def _made_from(report: Report) -> Iterator[tuple[str, str]]:
    challenge, words = report.challenge, unit(report.called, len(report.lists))
    valid = sum(scored.valid for scored in report.submissions)
    rejected = len(report.submissions) - valid
    yield "Challenge", f"{printable(challenge.id)}, fingerprint {report.challenge.fingerprint}"
    yield "Scored", f"{valid:,} submissions on {len(report.lists):,} {words}"
    yield "Not scored", f"{rejected:,}" if rejected else ""
    yield "Part", scope(report.scope, report.called) if report.scope else ""
    yield "Made by", f"scorer {__version__}"


def _of_intervals(report: Report) -> Iterator[tuple[str, str]]:
    certainty, share = report.certainty, level(report)
    if certainty is None or not share:
        return
    yield "Intervals", f"{share} of {printable(report.primary.id)}, over {_over(report)}"


def _of_tests(report: Report) -> Iterator[tuple[str, str]]:
    if (certainty := report.certainty) is None:
        return
    how = certainty.how
    drawn = f", {how.draws:,} draws" if how.draws else ""
    test = test_name(how.test, how.adjust, certainty.pairs)
    yield "Tests", f"{test}, alpha {how.alpha:g}, {certainty.pairs:,} pairs{drawn}"
    yield "Seed", f"{how.seed}"
    yield "Signature", how.signature


def _over(report: Report) -> str:
    """What is drawn."""
    assert report.certainty is not None
    how = report.certainty.how
    return f"{how.units:,} {unit(report.called, how.units) if how.over == 'lists' else how.over}"
