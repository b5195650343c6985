"""The report as one page that asks nothing of the network: board, submissions, pairs, measures."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from itertools import groupby
from xml.etree.ElementTree import Element

import numpy as np

from scorer.core.text import printable
from scorer.metrics.base import Measure
from scorer.metrics.notation import written
from scorer.reports.base import Options, Sheet, form
from scorer.reports.findings.text import format_findings
from scorer.reports.leaderboard.cells import (
    by_group,
    by_list,
    chance,
    interval,
    level,
    mean_of,
    number,
    ordered,
    place,
    remarks,
    worse,
)
from scorer.reports.syntax.html import (
    Inside,
    folded,
    hidden,
    histogram,
    key,
    node,
    page,
    scrolling,
    section,
    sorter,
    source_of,
    span,
    table,
)
from scorer.results.report import Certainty, Report, Scored, Standing

STEPS = 20  # of a histogram


@form("leaderboard", "html")
def html(report: Report, options: Options) -> str:
    """Everything that is known, for people."""
    challenge = report.challenge
    about = [_prose(challenge.description)] if challenge.description else []
    parts = [part for part in _parts(report, options) if part is not None]
    source = source_of(challenge, report.fingerprint)
    return page(printable(challenge.title), "Skip to the leaderboard", about, parts, source)


def _parts(report: Report, options: Options) -> Iterator[Element | None]:
    yield section("board", "Leaderboard", *_board(report, options))
    if report.groups:
        title = f"By {printable(report.called.get('group', 'group'))}"
        yield section("groups", title, *_groups(report, options))
    submissions = [_submission(n, each, report, options) for n, each in _anchored(report)]
    yield section("submissions", "Submissions", node("div", *submissions, class_="submissions"))
    if report.certainty is not None:
        yield section("pairs", "Pairs", *_pairs(report.certainty, report, options))
    yield section("measures", "Measures", *(_measure(m, report) for m in report.measures))


def _anchored(report: Report) -> list[tuple[int, Scored]]:
    """The submissions in the order of the board, each with the number that its anchor has."""
    return list(enumerate(ordered(report), start=1))


def _board(report: Report, options: Options) -> list[Inside]:
    rows, precision, primary = report.standings, options.precision, report.primary
    if not rows:
        return [node("p", "No submission could be scored.")]
    others = [m for m in report.measures if m.id != primary.id]
    tiers, ends = any(row.tier for row in rows), level(report)
    scale = _scale(rows, primary)
    submissions = {scored.name: (n, scored) for n, scored in _anchored(report)}
    head = [
        sorter("rank", "rank", "ascending", "ascending"),
        sorter("name", "text", "ascending"),
        sorter(printable(primary.id), "number", _first(primary)),
        *([sorter(ends, "number", _first(primary))] if ends else []),
        *([sorter("tier", "number", "ascending")] if tiers else []),
        *(sorter(printable(m.id), "number", _first(m)) for m in others),
        sorter("lists", "number", "descending"),
    ]
    body = node("tbody")
    band = 0
    for n, row in enumerate(rows):
        index, scored = submissions[row.name]
        before = band
        band = row.tier or band
        name = node("a", printable(row.name, 100), href=f"#s{index}")
        lists = scored.values[primary.id].lists
        note = node("span", " baseline", class_="soft") if row.baseline else None
        marks = {"band": band % 2 == 0, "head": n and band != before, "aside": row.baseline}
        body.append(
            node(
                "tr",
                node("td", place(row), class_="text", data_sort=n),
                node("th", name, note, scope="row", data_sort=printable(row.name)),
                _value(row, primary, precision),
                *([_interval(row, primary, precision, scale)] if ends else []),
                *([_cell(row.tier, "")] if tiers else []),
                *(_value(row, m, precision) for m in others),
                _cell(lists, ""),
                class_=" ".join(mark for mark, holds in marks.items() if holds) or None,
            )
        )
    low, high = (number(end, primary, precision) for end in scale)
    message = "Leaderboard, best first; a heading's button sorts."
    if ends:
        message += f" Every bar is an interval on one scale, from {low} to {high}."
    notes = [*remarks(report, precision), *map(str, report.notes)]
    left_out = [scored for scored in report.submissions if not scored.valid]
    if left_out:
        plural = "s were" if len(left_out) > 1 else " was"
        notes.append(f"{len(left_out):,} submission{plural} not scored; see below.")
    return [
        scrolling(message, head, body, class_="board ranked"),
        node("ul", *(node("li", note) for note in notes)),
    ]


def _first(measure: Measure) -> str:
    return "descending" if measure.metric.better == "higher" else "ascending"


def _cell(value: int | None, none: str = "-") -> Element:
    return node("td", none if value is None else f"{value:,}", data_sort=key(value))


def _value(row: Standing, measure: Measure, precision: int) -> Element:
    return node("td", mean_of(row, measure, precision), data_sort=key(row.values[measure.id]))


def _interval(
    row: Standing, measure: Measure, precision: int, scale: tuple[float, float]
) -> Element:
    """The interval as a bar, with its numbers beside it."""
    if row.interval is None:
        return node("td", data_sort="")
    bar = span(row.interval, row.values[measure.id], scale)
    message = node("span", interval(row, measure, precision), class_="range")
    return node("td", bar, message, data_sort=key(row.values[measure.id]))


def _scale(rows: Sequence[Standing], measure: Measure) -> tuple[float, float]:
    """From where to where the bars run."""
    ends = [end for row in rows for end in (*(row.interval or ()), row.values[measure.id])]
    known = [end for end in ends if not math.isnan(end)]
    return (min(known), max(known)) if known else (0.0, 1.0)


def _groups(report: Report, options: Options) -> Iterator[Element]:
    sizes = ", ".join(f"{printable(g, 60) or '(none)'} {n:,}" for g, n in report.groups.items())
    yield node("p", f"How many lists each has: {sizes}. The gap is best less worst.")
    for n, sheet in enumerate(by_group(report, options.precision)):
        caption = printable(sheet.title)
        yield folded(caption, _sheet(sheet, caption), open=n == 0)


def _submission(n: int, scored: Scored, report: Report, options: Options) -> Element:
    row = next((row for row in report.standings if row.name == scored.name), None)
    if row is None:
        state = "not scored"
    else:
        value = number(row.values[report.primary.id], report.primary, options.precision)
        rank = "baseline" if row.rank is None else f"rank {place(row)}"
        state = f"{rank}, {printable(report.primary.id)} {value}"
    inside: list[Inside] = []
    if scored.valid:
        inside += [_figures(scored, report, options), _distribution(scored, report, options)]
    if len(scored.findings):
        inside.append(node("h4", "Problems"))
        lines = format_findings(scored.findings, options.every)
        inside.append(node("ul", *(node("li", line.strip()) for line in lines)))
    else:
        inside.append(node("p", "No problems were found in its file."))
    if scored.valid and options.per_list:
        inside.append(_lists(scored, report, options))
    inside.append(
        node("p", f"{printable(scored.path)}, SHA-256 {scored.sha256 or 'unknown'}", class_="soft")
    )
    fault = None if scored.valid else "fault"
    summary = node(
        "summary", node("h3", printable(scored.name, 200)), node("span", state, class_=fault)
    )
    return node("details", summary, *inside, id=f"s{n}", open=not scored.valid)


def _figures(scored: Scored, report: Report, options: Options) -> Element:
    rows = []
    for measure in report.measures:
        value = scored.values[measure.id]
        counts = (f"{count:,}" for count in (value.lists, value.missing, value.undefined))
        mean = number(value.mean, measure, options.precision)
        rows.append([printable(measure.id), mean, *counts])
    head = ["measure", "value", "lists", "missing", "undefined"]
    return table(f"The values of {printable(scored.name, 100)}", head, rows)


def _distribution(scored: Scored, report: Report, options: Options) -> Element | None:
    """How many lists have which value of the primary measure."""
    primary = report.primary
    values = scored.values[primary.id].per_list
    if values is None or np.isnan(values).all():
        return None
    low, high = _span(report)
    counts, edges = np.histogram(values[~np.isnan(values)], STEPS, (low, high))
    mean = (scored.values[primary.id].mean - low) / (high - low)
    decimals = max(options.precision, 2) if high - low < 1 else 2
    return histogram(
        f"{printable(primary.id)}, list by list; the dashed line is the mean",
        "lists",
        [f"{edge:.{decimals}f}" for edge in edges],
        counts.tolist(),
        mean if primary.metric.aggregate == "mean" else None,
    )


def _span(report: Report) -> tuple[float, float]:
    """One range for the histograms of all submissions, so that they can be compared."""
    low, high = report.primary.metric.range
    if low is None or high is None:
        seen = [
            values
            for scored in report.submissions
            if scored.valid and (values := scored.values[report.primary.id].per_list) is not None
        ]
        low = min(float(np.nanmin(values)) for values in seen if not np.isnan(values).all())
        high = max(float(np.nanmax(values)) for values in seen if not np.isnan(values).all())
    return (low, high) if high > low else (low, low + 1)


def _lists(scored: Scored, report: Report, options: Options) -> Element:
    sheet = by_list(report, scored, options.precision)
    caption = f"Every {printable(sheet.head[0])} of {printable(scored.name, 100)}"
    return folded(caption, _sheet(sheet, caption))


def _sheet(sheet: Sheet, caption: str) -> Element:
    rows = [[printable(row[0], 100), *row[1:]] for row in sheet.rows]
    return table(caption, [printable(head, 60) for head in sheet.head], rows)


def _pairs(certainty: Certainty, report: Report, options: Options) -> Iterator[Element]:
    rules, primary = report.challenge.leaderboard.tiers, report.primary
    alpha = rules.alpha if rules else 0.0
    how = f"{rules.test} test, {rules.adjust} adjusted for all pairs" if rules else ""
    yield node(
        "p",
        f"The row's mean of {printable(primary.id)} less the column's, over the "
        f"{certainty.lists:,} lists that all have a value for, and p ({how}). "
        f"Bold with a * where p is at most {alpha:g}.",
    )
    rows = []
    for i, name in enumerate(certainty.names):
        cells: list[Element | str] = [printable(name, 40)]
        for j in range(len(certainty.names)):
            if i == j:
                cells.append(node("td", hidden("itself")))
                continue
            p = float(certainty.p[i, j])
            difference = f"{certainty.difference[i, j]:+.{options.precision}f}"
            significant = p <= alpha
            cells.append(
                node(
                    "td", difference + "*" * significant, node("small", f"p {chance(p)}"),
                    class_="told" if significant else None,
                )
            )  # fmt: skip
        rows.append(cells)
    head = ["name", *(printable(name, 40) for name in certainty.names)]
    yield table(
        f"Differences in {printable(primary.id)}, pair by pair", head, rows, class_="matrix"
    )
    if behind := worse(report):
        names = [row.name for row in report.standings if row.name in behind]
        yield node("p", "Significantly worse than the first: ",
                   ", ".join(printable(name, 60) for name in names), ".")  # fmt: skip


def _measure(measure: Measure, report: Report) -> Element:
    metric = measure.metric
    title = metric.title[:1].upper() + metric.title[1:]
    better = f"{metric.better} is better"
    ranks = report.rank_by is None and measure.id == report.primary.id
    facts = [
        ("Metric", f"{metric.name}: {title}"),
        ("Direction", better + (", ranks the board" if ranks else "")),
        ("Of all lists", measure.aggregate),
        *((f"Parameter {key}", written(value)) for key, value in measure.params.items()),
        ("Source", metric.source),
    ]
    listed = node("dl")
    for term, message in facts:
        listed.append(node("dt", term))
        listed.append(node("dd", printable(message, 1000)))
    listed.append(node("dt", "Signature"))
    listed.append(node("dd", node("code", printable(report.signatures[measure.id], 1000))))
    return node(
        "article", node("h3", printable(measure.id)), listed,
        folded(f"What {printable(metric.name)} means", *_page(metric.page)),
    )  # fmt: skip


def _page(docstring: str) -> Iterator[Element]:
    """A docstring: its paragraphs as text, its examples and indented parts as they stand."""
    blocks = re.split(r"\n\s*\n", docstring.strip())
    for stands, run in groupby(blocks, lambda block: block.startswith((">>>", " "))):
        if stands:
            yield node("pre", "\n\n".join(run))
        else:
            yield from (node("p", " ".join(block.split())) for block in run)


def _prose(text: str) -> Element:
    lines = (printable(line, 1000) for line in text.strip().splitlines())
    return node("p", "\n".join(lines), class_="prose")
