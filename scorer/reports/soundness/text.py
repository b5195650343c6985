"""The findings of lint as text."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

from scorer.core.problems import Findings
from scorer.core.text import printable, set_apart, unit
from scorer.metrics.base import Measure
from scorer.reports.base import LINTED, Options, form
from scorer.reports.findings.text import format_findings
from scorer.reports.leaderboard.cells import number, test_name
from scorer.reports.syntax.github import no_command
from scorer.results.soundness import POWER, PROBES, Detectable, Lint

NAME, WIDTH = 18, 79


ROWS = {"grades": "judged items", "ratings": "ratings", "preferences": "items to order"}


@form("soundness", "text")
def text(lint: Lint, options: Options) -> str:
    """For people, 79 characters wide as far as names allow."""
    return "".join(f"{_safe(line)}\n" for line in _lines(lint))


def _safe(line: str) -> str:
    return set_apart(no_command(printable(line, 10_000)))


def _lines(lint: Lint) -> Iterator[str]:
    from textwrap import wrap

    challenge, primary = lint.challenge, next(m for m in lint.measures if m.primary)
    title = f": {challenge.title}" if challenge.title not in ("", challenge.id) else ""
    yield LINTED
    yield from wrap(f"{challenge.id}{title}", WIDTH)
    rows = ROWS.get(lint.kind)
    counted = f", {lint.judged:,} {rows}" if rows else ""
    yield f"{lint.lists:,} {unit(lint.called, lint.lists)}{counted}; fingerprint {lint.fingerprint}"
    yield ""
    message = f"Submissions made from the truth, {lint.draws} of them random ({lint.drawn}; seed "
    yield from wrap(f"{message}{challenge.leaderboard.seed}):", WIDTH)
    yield ""
    names = [name for name in PROBES if any(name in row for row in lint.probed.values())]
    yield f"{'measure':{NAME}}" + "".join(f" {name:>8}" for name in [*names, "random"]) + "      ±"
    for m in lint.measures:
        chance = lint.chance[m.id]
        cells = [_cell(lint.probed[m.id].get(name), m) for name in names]
        cells.append(_cell(chance.mean, m))
        deviation = _narrow(chance.deviation)
        label = printable(m.id, 60)
        if len(label) >= NAME:
            yield label
            label = ""
        yield f"{label:{NAME}}" + "".join(f" {c:>8}" for c in cells) + f" {deviation:>6}"
    yield ""
    row = ", ".join(f"{printable(m.id)} {_cell(lint.chance[m.id].mean, m)}" for m in lint.measures)
    yield from wrap(f"Chance level, as a row of the leaderboard: B random: {row}", WIDTH)
    yield from wrap(detectable(lint.detectable, primary, lint.called), WIDTH)
    yield ""
    if lint.problems:
        warned = Findings()
        warned.extend(lint.problems)
        yield from format_findings(warned)
    for remark in lint.remarks:
        yield from wrap(f"{remark.severity}: {remark.text}", WIDTH, subsequent_indent="  ")
    for remark in lint.examples:
        yield from wrap(remark.text, WIDTH, subsequent_indent="  ")
    wrong = (remark for remark in lint.examples if remark.severity == "error")
    failed = len({remark.text.partition("]")[0] for remark in wrong})
    yield f"{len(challenge.examples)} examples, {failed} failed"
    yield "sound" if lint.sound else "NOT SOUND: see the errors above"


def detectable(smallest: Detectable, primary: Measure, called: Mapping[str, str]) -> str:
    """The smallest difference that the lists can detect, in a paragraph.

    Args:
        smallest: that difference among several numbers of submissions.
        primary: the measure that it is in.
        called: role -> the challenge's word for it.
    """
    one, many = unit(called, 1), unit(called)
    name, (low, high) = printable(primary.id), primary.metric.range
    if not smallest.deviation > 0:
        why = f": {smallest.why}" if smallest.why else ""
        return f"The smallest difference in {name} that the {many} can detect is not known{why}."
    room = high - low if low is not None and high is not None else math.inf
    parts = [
        f"{least:.4g} among {count}"
        for count, least in smallest.among
        if math.isfinite(least) and least <= room
    ]
    more = ", ".join(str(count) for count, _ in smallest.among[len(parts) :])
    none = f"none among {more}" if parts and more else ""
    differences = f": {', '.join([*parts, none] if none else parts)} submissions" if parts else ""
    what = "the smallest true difference" if parts else "no difference"
    between = "that is detected" if parts else "can be detected"
    return (
        f"With {smallest.lists:,} {unit(called, smallest.lists)}, {what} in {name} between two "
        f"submissions {between} about "
        f"{100 * POWER:g} % of the time{differences} "
        f"({test_name(smallest.test, smallest.adjust, 1)}, alpha {smallest.alpha:g}), "
        f"if submissions differ from {one} to {one} as {smallest.basis} do "
        f"(standard deviation {smallest.deviation:.4g})."
    )


def _narrow(deviation: float) -> str:
    """A deviation in six characters, with as many decimals as there is room for."""
    if math.isnan(deviation):
        return "-"
    texts = (f"{deviation:{form}}" for form in (".4f", ".3f", ".2f", ".1f", ".0f"))
    return next((short for short in texts if len(short) <= 6), f"{deviation:.0e}")


def _cell(value: float | None, measure: Measure) -> str:
    if value is None:
        return "refused"
    message = number(value, measure, 4)
    return message if len(message) < 9 else f"{value:.3g}"
