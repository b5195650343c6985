"""The findings of lint as a document."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from scorer.core.problems import Findings
from scorer.core.text import printable, unit
from scorer.metrics.notation import Measure
from scorer.reports.base import Options
from scorer.reports.document import (
    Block,
    Cell,
    Column,
    Document,
    Heading,
    Notes,
    Paragraph,
    Row,
    Table,
)
from scorer.reports.findings.problems import format_findings
from scorer.reports.leaderboard.cells import number
from scorer.reports.leaderboard.remarks import test_name
from scorer.results.lint import PROBES, Lint, ProbedMeasure, Remark

ROW_WORDS = {"grades": "judged items", "ratings": "ratings", "preferences": "items to order"}


def document(lint: Lint, options: Options) -> Document:
    """Return whether the challenge is sound, its problems, and the differences its lists can show.

    Plain text has the values of probes, how differences are detected, and notes only where
    `options.every` asks for them.
    """
    challenge = lint.challenge
    name = f": {challenge.title}" if challenge.title not in ("", challenge.id) else ""
    title = printable(f"{challenge.id}{name}", 1000)
    return Document(
        title,
        list(_lint_blocks(lint, options)),
        lint.private,
        source=(challenge.id, challenge.fingerprint or ""),
        skip="Skip to the findings",
    )


def _lint_blocks(lint: Lint, options: Options) -> Iterator[Block]:
    details = options.every or options.standalone
    notes = [remark.message for remark in _remarks(lint) if remark.severity == "note"]
    yield Paragraph(_verdict(lint, notes, details), "strong" if lint.sound else "fault")
    yield from _findings(lint)
    primary = next(probed for probed in lint.measures if probed.primary)
    yield Paragraph(" ".join([*_chance(primary), detectable(lint, primary.measure)]))
    if details:
        if notes:
            yield Heading("Notes")
            yield Notes(notes, "prose")
        yield from _probes(lint)
        yield from _detected(lint, primary.measure)
    rows = ROW_WORDS.get(lint.kind)
    counted = f", {lint.judged:,} {rows}" if rows else ""
    size = f"{lint.lists:,} {unit(lint.called, lint.lists)}{counted}"
    if not options.page:  # whose foot says it
        size += f"; fingerprint {lint.challenge.fingerprint}"
    yield Paragraph(size, "soft")


def _chance(primary: ProbedMeasure) -> Iterator[str]:
    """Yield a sentence on what guesses score, where they score anything."""
    if primary.canaries and not math.isnan(primary.random.mean):
        value = _number_cell(primary.random.mean, primary.measure)
        deviation = _narrow(primary.random.deviation)
        yield f"Guesses score {value} in {printable(primary.id)} (± {deviation})."


def _probes(lint: Lint) -> Iterator[Block]:
    """Yield the values of submissions that are made from the truth."""
    if any(probed.canaries for probed in lint.measures):
        yield Heading("Submissions made from the truth")
        random = lint.random
        yield Paragraph(f"{random.draws} of them are random ({random.from_}; seed {random.seed}).")
        yield probes(lint.measures)


def _remarks(lint: Lint) -> list[Remark]:
    """Return the remarks, and those on examples."""
    return [*lint.remarks, *lint.examples]


def _verdict(lint: Lint, notes: Sequence[str], details: bool) -> str:
    """Return whether the challenge is sound, and how much there is to know."""
    remarks = _remarks(lint)
    errors = sum(remark.severity == "error" for remark in remarks)
    warnings = sum(remark.severity == "warning" for remark in remarks) + len(lint.problems)
    counts = {"error": errors, "warning": warnings, "note": len(notes)}
    parts = [f"{n:,} {word}{'s' * (n > 1)}" for word, n in counts.items() if n]
    verdict = f"{'Sound' if lint.sound else 'NOT SOUND'}: {', '.join(parts) or 'no remarks'}"
    if notes and not details:
        verdict += " (--all shows them)"
    if lint.tested:
        wrong = (remark for remark in lint.examples if remark.severity == "error")
        failed = len({remark.message.partition("]")[0] for remark in wrong})
        verdict += f"; {lint.tested} example{'s' * (lint.tested > 1)}, {failed} failed"
    return f"{verdict}."


def _findings(lint: Lint) -> Iterator[Block]:
    """Yield the errors and the warnings."""
    if lint.problems:
        warned = Findings()
        warned.extend(lint.problems)
        yield Notes(format_findings(warned), "problems")
    remarks = _remarks(lint)
    lines = [
        f"{severity}: {remark.message}"
        for severity in ("error", "warning")
        for remark in remarks
        if remark.severity == severity
    ]
    if lines:
        yield Notes(lines, "prose")


def probes(measures: Sequence[ProbedMeasure]) -> Table:
    """A row a measure, a column for each submission made from the truth."""
    names = [name for name in PROBES if any(name in probed.canaries for probed in measures)]
    columns = [Column("measure", "name", cut=60), *(Column(n) for n in (*names, "random", "±"))]
    rows = []
    for probed in measures:
        chance, values = probed.random, [probed.canaries.get(name) for name in names]
        texts = [_number_cell(value, probed.measure) for value in (*values, chance.mean)]
        rows.append(Row([Cell(probed.id), *map(Cell, texts), Cell(_narrow(chance.deviation))]))
    return Table("The values of submissions made from the truth", columns, rows)


def detectable(lint: Lint, primary: Measure) -> str:
    """Return a sentence on the smallest difference that the lists can detect."""
    smallest, many = lint.detectable, unit(lint.called)
    name = printable(primary.id)
    if not smallest.deviation > 0:
        why = f": {smallest.why}" if smallest.why else ""
        return f"The smallest difference in {name} that the {many} can detect is not known{why}."
    room = _range(primary)
    found = [
        f"{each.difference:.4g} among {each.submissions}"
        for each in smallest.among
        if math.isfinite(each.difference) and each.difference <= room
    ]
    count = f"{smallest.lists:,} {unit(lint.called, smallest.lists)}"
    share = f"about {100 * smallest.power:g} % of the time"
    if not found:
        return f"With {count}, no difference in {name} between two submissions is found {share}."
    rest = ", ".join(str(each.submissions) for each in smallest.among[len(found) :])
    none = f", none among {rest}" if rest else ""
    return (
        f"With {count}, the smallest true difference in {name} between two submissions that is "
        f"found {share} is {', '.join(found)}{none}."
    )


def _range(primary: Measure) -> float:
    """Return the largest difference that a measure can have."""
    low, high = primary.metric.range
    return high - low if low is not None and high is not None else math.inf


def _detected(lint: Lint, primary: Measure) -> Iterator[Block]:
    """Yield by which test differences are found, and how many lists smaller ones take."""
    smallest, one, many = lint.detectable, unit(lint.called, 1), unit(lint.called)
    if not smallest.deviation > 0:
        return
    yield Heading("Differences that can be detected")
    takes = [
        f"of {each.difference:.4g} takes {each.lists:,} {many}"
        for each in smallest.smaller
        if each.difference <= _range(primary)
    ]
    smaller = f" Between two, a difference {', '.join(takes)}." if takes else ""
    yield Paragraph(
        f"By the {test_name(smallest.test, smallest.adjust, 1)}, alpha {smallest.alpha:g}, if "
        f"submissions differ from {one} to {one} as {smallest.basis} do "
        f"(standard deviation {smallest.deviation:.4g}).{smaller}"
    )


def _narrow(deviation: float) -> str:
    """A deviation in six characters, with as many decimals as there is room for."""
    if math.isnan(deviation):
        return "-"
    texts = (f"{deviation:{form}}" for form in (".4f", ".3f", ".2f", ".1f", ".0f"))
    return next((short for short in texts if len(short) <= 6), f"{deviation:.0e}")


def _number_cell(value: float | None, measure: Measure) -> str:
    if value is None:
        return "refused"
    message = number(value, measure, 4)
    return message if len(message) < 9 else f"{value:.3g}"
