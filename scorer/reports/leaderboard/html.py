"""The report as one page that loads nothing from the network: board, submissions, measures."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from itertools import groupby
from typing import Any

import numpy as np

from scorer.core.text import printable, unit
from scorer.metrics.base import Measure
from scorer.metrics.notation import written
from scorer.reports.base import PRIVATE, Options, TableData, form
from scorer.reports.findings.text import format_findings
from scorer.reports.leaderboard.cells import (
    by_group,
    by_list,
    chance,
    head_of,
    interval,
    level,
    lists_of,
    mean_of,
    number,
    ordered,
    place,
    remarks,
    test_name,
    worse,
)
from scorer.reports.leaderboard.curves import curves
from scorer.reports.syntax.html import (
    Cell,
    Head,
    Histogram,
    Line,
    Part,
    Row,
    Strip,
    Table,
    bar,
    heading,
    histogram,
    named,
    page,
    plain,
    scale_of,
    sorted_by,
    source_of,
    strip,
)
from scorer.results.report import Certainty, Report, Scored, Standing

STEPS = 20  # of a histogram
PAIRED = 30  # submissions whose pairs a page shows
FILTERED = 8  # rows above which a page has a filter


@form("leaderboard", "html")
def html(report: Report, options: Options) -> str:
    """Everything that is known, for people."""
    challenge = report.challenge
    text = "\n".join(challenge.description.strip().splitlines())
    about = [Line(text, "prose")] if text else []
    if options.private:
        about.insert(0, Line(PRIVATE, "fault"))
    source = source_of(challenge, report.fingerprint)
    title = printable(challenge.title)
    return page(title, "Skip to the leaderboard", about, list(parts(report, options)), source)


def parts(report: Report, options: Options) -> Iterator[Part]:
    """The sections of the page; each can stand in a page of another kind."""
    yield Part("board", "Leaderboard", "leaderboard/board.html", board(report, options))
    if report.groups:
        title = f"By {printable(report.called.get('group', 'group'))}"
        yield Part("groups", title, "tables.html", groups(report, options))
    submissions = [submission(n, scored, report, options) for n, scored in _anchored(report)]
    yield Part("submissions", "Submissions", "leaderboard/submissions.html", submissions)
    if report.certainty is not None:
        data = pairs(report.certainty, report, options)
        yield Part("pairs", "Pairs", "leaderboard/pairs.html", data)
        if report.certainty.ranks is not None or report.certainty.against:
            data = ranks(report.certainty, report, options)
            yield Part("ranks", "Ranks", "leaderboard/ranks.html", data)
    measures = [measure(measured, report) for measured in report.measures]
    yield Part("measures", "Measures", "leaderboard/measures.html", measures)


def _anchored(report: Report) -> list[tuple[int, Scored]]:
    """The submissions in the order of the board, each with the number that its anchor has."""
    return list(enumerate(ordered(report), start=1))


def board(report: Report, options: Options) -> dict[str, Any]:
    """The leaderboard: its table, a picture, and what to know beside it."""
    rows, precision, primary = report.standings, options.precision, report.primary
    if not rows:
        return {"table": None, "notes": _notes(report, options)}
    others = [m for m in report.measures if m.id != primary.id]
    tiers, ends = any(row.tier for row in rows), level(report)
    scale = scale_of([_ends(row, primary) for row in rows])
    submissions = {scored.name: (n, scored) for n, scored in _anchored(report)}
    head = [
        Head("rank", "rank", now="ascending"),
        Head("name", "text"),
        heading(head_of(primary, report), "number", first=_first(primary)),
        *([Head(ends, "number", _first(primary))] if ends else []),
        *([Head("tier", "number")] if tiers else []),
        *(heading(head_of(m, report), "number", first=_first(m)) for m in others),
        Head(unit(report.called), "number", "descending"),
    ]
    body, band = list[Row](), 0
    for n, row in enumerate(rows):
        index, scored = submissions[row.name]
        before, band = band, row.tier or band
        lists = scored.values[primary.id].lists
        name = named(
            row.name, sort=printable(row.name), link=f"#s{index}",
            aside="baseline" if row.baseline else "",
        )  # fmt: skip
        marks = {"band": band % 2 == 0, "head": n and band != before, "aside": row.baseline}
        cells = [
            name,
            _mean(row, primary, precision),
            *([_interval(row, primary, precision, scale)] if ends else []),
            *([_count(row.tier, "")] if tiers else []),
            *(_mean(row, m, precision) for m in others),
            Cell(lists_of(row, lists), str(row.fewer[0] if row.fewer else lists)),
        ]
        look = " ".join(mark for mark, holds in marks.items() if holds)
        body.append(Row([Cell(place(row), str(n), "text"), *cells], look, by=1))
    low, high = (number(end, primary, precision) for end in scale)
    caption = "Leaderboard, best first; click a heading to sort."
    if ends:
        caption += f" Every bar is an interval on one scale, from {low} to {high}."
        caption += " An arrow marks values beyond it." * any(
            cell.bar is not None and cell.bar.beyond for row in body for cell in row.cells
        )
    return {
        "table": Table(caption, head, body, "board ranked", "standings"),
        "strip": _strip(report, options),
        "filter": len(rows) > FILTERED,
        "notes": _notes(report, options),
    }


def _notes(report: Report, options: Options) -> list[str]:
    notes = [*remarks(report, options.precision), *map(str, report.notes)]
    left_out = sum(not scored.valid for scored in report.submissions)
    if left_out:
        plural = "s were" if left_out > 1 else " was"
        notes.append(f"{left_out:,} submission{plural} not scored; see below.")
    return notes


def _strip(report: Report, options: Options) -> Strip | None:
    """Every standing's primary value as a dot with its interval; none for fewer than three."""
    primary, precision = report.primary, options.precision
    valued = [row for row in report.standings if not math.isnan(row.values[primary.id])]
    points = [
        (
            f"{place(row)} {printable(row.name, 60)}: {mean_of(row, primary, precision)} "
            f"{interval(row, primary, precision)}".strip(),
            row.values[primary.id],
            row.interval,
            row.baseline,
        )
        for row in valued
    ]
    if len(points) < 3:
        return None
    ends = f" with its {level(report)}" if level(report) else ""
    label = f"{printable(primary.id)} of every submission{ends}, from left to right by rank"
    decimals = precision if primary.decimals else 0
    return strip(label, points, decimals, [row.tier for row in valued])


def _first(measure: Measure) -> str:
    return "descending" if measure.metric.better == "higher" else "ascending"


def _count(value: int | None, none: str = "-") -> Cell:
    text = none if value is None else f"{value:,}"
    return Cell(text, sorted_by(text))


def _mean(row: Standing, measure: Measure, precision: int) -> Cell:
    value = number(row.values[measure.id], measure, precision)
    return Cell(mean_of(row, measure, precision), sorted_by(value))


def _ends(row: Standing, measure: Measure) -> tuple[float, float, float]:
    """The low end of the interval, the value, and the high end."""
    value = row.values[measure.id]
    low, high = row.interval or (value, value)
    return low, value, high


def _interval(row: Standing, measure: Measure, precision: int, scale: tuple[float, float]) -> Cell:
    """The interval as a bar, with its numbers beside it."""
    if row.interval is None:
        return Cell(sort="")
    value = row.values[measure.id]
    decimals = precision if measure.decimals else 0
    return Cell(
        interval(row, measure, precision),
        sorted_by(number(value, measure, precision)),
        bar=bar(row.interval, value, scale, decimals),
    )


def groups(report: Report, options: Options) -> dict[str, Any]:
    """The means over groups of lists, a table a measure."""
    sizes = ", ".join(f"{printable(g, 60) or '(none)'} {n:,}" for g, n in report.groups.items())
    tables = [
        {"name": printable(sheet.title), "table": _table(sheet, printable(sheet.title))}
        for sheet in by_group(report, options.precision)
    ]
    return {
        "lead": f"{unit(report.called).capitalize()} in each: {sizes}. "
        "The gap is the best mean minus the worst.",
        "tables": tables,
    }


def submission(n: int, scored: Scored, report: Report, options: Options) -> dict[str, Any]:
    """One submission: its values, their distribution, its file's problems.

    Args:
        n: its number on the page, from 1.
        scored: the submission.
        report: the report that it is of.
        options: how the text is to look.
    """
    row = next((row for row in report.standings if row.name == scored.name), None)
    if row is None:
        state = "not scored"
    else:
        value = number(row.values[report.primary.id], report.primary, options.precision)
        rank = "baseline" if row.rank is None else f"rank {place(row)}"
        state = f"{rank}, {printable(report.primary.id)} {value}"
    name = named(scored.name, 200)
    per_list = scored.valid and options.per_list
    return {
        "id": f"s{n}",
        "name": name.text,
        "title": name.title,
        "valid": scored.valid,
        "state": state,
        "figures": _figures(scored, report, options) if scored.valid else None,
        "histogram": _distribution(scored, report, options) if scored.valid else None,
        "curves": list(curves(scored, report, options)) if scored.valid else [],
        "problems": [line.strip() for line in format_findings(scored.findings, options.every)],
        "lists": _lists(scored, report, options) if per_list else None,
        "source": printable(scored.path) + (f", SHA-256 {scored.sha256}" if scored.sha256 else ""),
    }


def _figures(scored: Scored, report: Report, options: Options) -> Table:
    rows = []
    for m in report.measures:
        value = scored.values[m.id]
        counts = (f"{count:,}" for count in (value.lists, value.missing, value.undefined))
        rows.append([head_of(m, report), number(value.mean, m, options.precision), *counts])
    head = ["measure", "value", unit(report.called), "missing", "undefined"]
    return plain(f"The values of {printable(scored.name, 100)}", head, rows)


def _distribution(scored: Scored, report: Report, options: Options) -> Histogram | None:
    """How many lists have which value of the primary measure."""
    primary = report.primary
    values = scored.values[primary.id].per_list
    if values is None or np.isnan(values).all():
        return None
    low, high = _span(report)
    counts, edges = np.histogram(values[~np.isnan(values)], STEPS, (low, high))
    mean = (round(scored.values[primary.id].mean, options.precision) - low) / (high - low)
    decimals = max(options.precision, 2) if high - low < 1 else 2
    one = unit(report.called, 1)
    return histogram(
        f"{printable(primary.id)}, {one} by {one}; the dashed line is the mean",
        unit(report.called),
        [f"{edge:.{decimals}f}" for edge in edges],
        counts.tolist(),
        mean if primary.metric.aggregate == "mean" else None,
    )


def _span(report: Report) -> tuple[float, float]:
    """One range for the histograms of all submissions, so that they can be compared."""
    low, high = report.primary.metric.range
    if low is None or high is None:
        per_list = [
            values
            for scored in report.submissions
            if scored.valid and (values := scored.values[report.primary.id].per_list) is not None
        ]
        low = min(float(np.nanmin(values)) for values in per_list if not np.isnan(values).all())
        high = max(float(np.nanmax(values)) for values in per_list if not np.isnan(values).all())
    return (low, high) if high > low else (low, low + 1)


def _lists(scored: Scored, report: Report, options: Options) -> Table:
    sheet = by_list(report, scored, options.precision)
    return _table(sheet, f"Every {printable(sheet.head[0])} of {printable(scored.name, 100)}")


def _table(sheet: TableData, caption: str) -> Table:
    return plain(caption, sheet.head, sheet.rows)


def pairs(certainty: Certainty, report: Report, options: Options) -> dict[str, Any]:
    """The best submissions, compared pair by pair.

    Args:
        certainty: the tests of the report.
        report: the report.
        options: how the text is to look.
    """
    primary, how = report.primary, certainty.how
    count = len(certainty.names)
    names = certainty.names[:PAIRED]
    meaning = (
        f"Difference in mean {printable(primary.id)}, row minus column, over the "
        f"{unit(report.called)} that both have, and its p-value "
        f"({test_name(how.test, how.adjust, certainty.pairs)}). "
        f"Bold with a * where the difference is significant (alpha {how.alpha:g})."
    )
    if count > PAIRED:
        meaning += (
            f" The first {PAIRED} of {count:,} submissions; score compare --format csv "
            "gives every pair."
        )
    rows = []
    for i, name in enumerate(names):
        cells = [named(name, 40)]
        for j in range(len(names)):
            if i == j:
                cells.append(Cell("itself", hidden=True))
                continue
            p = float(certainty.p[i, j])
            difference = f"{certainty.difference[i, j]:+.{options.precision}f}"
            significant = p <= how.alpha
            cells.append(
                Cell(
                    difference + "*" * significant,
                    look="told" if significant else "",
                    below=f"p {chance(p)}",
                )
            )
        rows.append(Row(cells))
    head = [Head("name"), *(heading(name, width=40) for name in names)]
    caption = f"Differences in {printable(primary.id)}, pair by pair"
    behind = [row.name for row in report.standings if row.name in worse(report)]
    worst = ", ".join(printable(name, 60) for name in behind)
    return {
        "meaning": meaning,
        "matrix": Table(caption, head, rows, "matrix"),
        "behind": f"Significantly worse than the first: {worst}." if behind else "",
    }


def ranks(certainty: Certainty, report: Report, options: Options) -> dict[str, Any]:
    """How often each of the best takes each rank, and how each compares with the baselines.

    Args:
        certainty: the tests and resampled ranks of the report.
        report: the report.
        options: how the text is to look.
    """
    names, primary = certainty.names[:PAIRED], printable(report.primary.id)
    many, rows, cells = len(names), [], []
    shares = certainty.ranks
    for i in range(many if shares is not None else 0):
        assert shares is not None
        row_shares = shares[i, :many].tolist()
        texts = [f"{100 * share:.0f} %" for share in row_shares]
        rows.append(Row([named(names[i], 40), *(Cell(t, sorted_by(t.split()[0])) for t in texts)]))
        cells += [
            {"x": 20 * j, "y": 20 * i, "share": f"{round(share, 2):g}"}
            for j, share in enumerate(row_shares)
            if round(share, 2) > 0
        ]
    words = unit(report.called)
    lead = (
        f"The {words} are resampled many times, and the submissions ranked by {primary} each "
        "time. The share of first ranks estimates the probability of being best."
    )
    called = [
        {"x": 20 * many + 6, "y": 20 * i + 13, "text": printable(name, 40)}
        for i, name in enumerate(names)
    ]
    label = f"Rank from left to right, over resampled {words}; darker is more frequent."
    picture = {
        "label": label, "wide": 20 * many + 240, "tall": 20 * many, "cells": cells, "names": called,
    }  # fmt: skip
    heads = [Head("name"), *(Head(f"{n + 1:,}") for n in range(many))]
    return {
        "lead": lead if rows else "",
        "picture": picture if rows else None,
        "table": Table(label, heads, rows),
        "baselines": _baselines(certainty, report, options) if certainty.against else None,
    }


def _baselines(certainty: Certainty, report: Report, options: Options) -> Table:
    """The ranked minus each baseline, with a family of tests for each."""
    rows = []
    for i, name in enumerate(certainty.names[:PAIRED]):
        cells = [named(name, 40)]
        for baseline in certainty.against:
            p, difference = float(baseline.p[i]), float(baseline.difference[i])
            sure = p <= certainty.how.alpha
            text = "-" if math.isnan(difference) else f"{difference:+.{options.precision}f}"
            cells.append(
                Cell(text + "*" * sure, look="told" if sure else "", below=f"p {chance(p)}")
            )
        rows.append(Row(cells))
    head = [Head("name"), *(heading(baseline.name, width=40) for baseline in certainty.against)]
    caption = (
        f"Differences in {printable(report.primary.id)} from the baselines, each tested "
        "separately, adjusted for the number of submissions compared with it"
    )
    return Table(caption, head, rows, "matrix")


def measure(bound: Measure, report: Report) -> dict[str, Any]:
    """A measure: its metric, its parameters, its page."""
    metric = bound.metric
    title = metric.title[:1].upper() + metric.title[1:]
    by_measure = report.rank_by is None and report.ranked_by is None
    ranks = by_measure and bound.id == report.primary.id
    facts = [
        ("Metric", f"{metric.name}: {title}"),
        ("Direction", f"{metric.better} is better" + (", ranks the board" if ranks else "")),
        ("Of all lists", bound.aggregate),
        *((f"Parameter {key}", written(value)) for key, value in bound.params.items()),
        ("Source", metric.source),
    ]
    return {
        "id": printable(bound.id),
        "facts": [(printable(term), printable(text, 1000)) for term, text in facts],
        "signature": printable(report.signatures[bound.id], 1000),
        "metric": printable(metric.name),
        "page": list(prose(metric.page)),
    }


def prose(docstring: str) -> Iterator[dict[str, Any]]:
    """A docstring: its paragraphs with their code, its examples and indented parts as they are."""
    blocks = re.split(r"\n\s*\n", docstring.strip())
    for stands, run in groupby(blocks, lambda block: block.startswith((">>>", " "))):
        if stands:
            yield {"stands": True, "text": "\n\n".join(run)}
            continue
        for block in run:
            texts = re.split(r"``?([^`]+)``?", " ".join(block.split()))
            yield {"stands": False, "runs": [(text, n % 2 == 1) for n, text in enumerate(texts)]}
