"""A comparison as a document: pairs, orders, and a picture of the lists that differ."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from scorer.core.text import printable
from scorer.metrics.notation import Measure
from scorer.reports.base import Options
from scorer.reports.charts.charts import IntervalSpan
from scorer.reports.comparison.cells import (
    DIFFER_MOST,
    EQUIVALENT,
    MANY,
    OF_ALL_PAIRS,
    by_preference,
    describe_cycles,
    differing_lists,
    figures,
    four_counts,
    has_intervals,
    headings,
    legend,
    matrices,
    title,
)
from scorer.reports.document import (
    Block,
    Cell,
    Column,
    ColumnKind,
    Document,
    Heading,
    Notes,
    Paragraph,
    Row,
    Table,
    cut,
)
from scorer.reports.leaderboard.cells import chance, signed
from scorer.reports.leaderboard.figures import ComparedLists, differences
from scorer.reports.leaderboard.remarks import scope
from scorer.results.comparison import ComparedPair, Comparison, MeasureDifference

PRIORITY = {"effect": 1, "interval": 2}  # where the width does not suffice, the highest goes first


def document(compared: Comparison, options: Options) -> Document:
    """Every pair, then the orders; on a page a section of each."""
    challenge = compared.challenge
    about = list(_about(compared)) if options.page else []
    return Document(
        f"{challenge.title}: comparison" if options.page else challenge.title,
        list(_page(compared, options) if options.page else _brief(compared, options)),
        compared.private or "",
        about,
        (challenge.id, challenge.fingerprint or ""),
        "Skip to the comparison",
    )


def _about(compared: Comparison) -> Iterator[Paragraph]:
    names, report = compared.names, compared.report
    yield Paragraph(f"{len(names):,} submissions compared: {', '.join(map(cut, names))}.")
    yield from _scope(compared)
    if report is not None and (out := [s.name for s in report.submissions if not s.valid]):
        message = ", ".join(map(cut, out))
        yield Paragraph(f"Not compared, as they cannot be scored: {message}.", "fault")


def _scope(compared: Comparison) -> Iterator[Paragraph]:
    """Which lists are compared, where the challenge has splits."""
    report = compared.report
    if report is not None and report.scope:
        yield Paragraph(scope(report.scope, report.called), "soft")


def _brief(compared: Comparison, options: Options) -> Iterator[Block]:
    """Yield every pair; of many pairs a sign each unless all are requested."""
    yield from _scope(compared)
    if len(compared.pairs) > MANY and not options.every:
        hint = "" if options.standalone else " (--all shows every pair)"
        yield Paragraph(f"{len(compared.pairs):,} pairs: a sign each{hint}.")
        for meaning, table in matrices(compared):
            yield Heading(table.caption)
            yield Paragraph(f"{meaning}.")
            yield table
    else:
        for measure in compared.shown_measures:
            yield Heading(f"{measure.id}{measure.mark}")
            yield _by_measure(measure, compared, options)
        yield from _preferences(compared, options)
        if len(compared.pairs) == 1 and compared.measures:
            yield from _lists(compared, compared.pairs[0], options)
        if compared.measures:
            yield Paragraph(legend(compared, compared.shown_measures), "soft")
    if notes := list(describe_cycles(compared)):
        yield Notes(notes)
    shown = compared.shown_measures
    others = [printable(measure.id) for measure in compared.measures if measure not in shown]
    if others:
        hint = "" if options.standalone else " (-m, or --format html, csv, json)"
        yield Paragraph(f"Also compared: {', '.join(others)}{hint}.", "soft")


def _page(compared: Comparison, options: Options) -> Iterator[Block]:
    """Yield the sections of a page; every pair's picture where pairs are few."""
    if len(compared.pairs) > 1 and compared.measures:
        yield Heading("Measures", key="measures")
        for n, measure in enumerate(compared.measures):
            table = _by_measure(measure, compared, options)
            yield table._replace(fold=printable(measure.id), open=not n)
        yield Paragraph(legend(compared, compared.measures), "soft")
    if len(compared.pairs) <= MANY:
        yield Heading("Pairs", key="pairs")
        for n, pair in enumerate(compared.pairs, start=1):
            yield from _pair_blocks(n, pair, compared, options)
        if len(compared.pairs) == 1 and compared.measures:
            yield Paragraph(legend(compared, compared.measures), "soft")
    if compared.orders:
        yield Heading("Preferences", key="preferences")
        yield from _preferences(compared, options)
        if notes := list(describe_cycles(compared)):
            yield Notes(notes)


def _preferences(compared: Comparison, options: Options) -> Iterator[Block]:
    """Yield a table for each preference that was asked for."""
    for key in compared.orders:
        table = by_preference(compared, key, options.precision)
        yield Heading(table.caption, 3)
        yield table


def _pair_blocks(
    n: int, pair: ComparedPair, compared: Comparison, options: Options
) -> Iterator[Block]:
    """Yield one pair: its measures, and its lists."""
    state, precision = "", options.precision
    if compared.measures:
        first = compared.measures[0]
        differing = pair.measures[first.id]
        state = f"{printable(first.id)} {signed(differing.difference, precision)}"
        state += f", p {chance(differing.p)}"
    yield Heading(title(pair), 3, f"p{n}", state, open=len(compared.pairs) == 1)
    if compared.measures:
        heads = headings(compared, pair.measures.values())
        rows = [
            Row([Cell(m.id), *_figures(pair.measures[m.id], compared, heads, options)])
            for m in compared.measures
        ]
        columns = [Column("measure", "name", first="ascending"), *_pair_columns(heads)]
        yield Table(f"Measures, {title(pair)}", columns, rows)
        yield from _lists(compared, pair, options)


def _by_measure(measure: Measure, compared: Comparison, options: Options) -> Table:
    """A row a pair, with its interval on one scale."""
    precision = options.precision
    lines = [pair.measures[measure.id] for pair in compared.pairs]
    scale, heads = _scale(lines), headings(compared, lines)
    rows = []
    for n, (pair, differing) in enumerate(zip(compared.pairs, lines, strict=True), start=1):
        link = f"p{n}" if options.page and len(compared.pairs) <= MANY else ""
        cells = _figures(differing, compared, heads, options, scale)
        rows.append(Row([Cell(title(pair), link=link), *cells]))
    ends = " to ".join(signed(end, precision) for end in scale)
    bars = ""
    if options.page and has_intervals(compared):
        bars = f", pair by pair. Every bar is an interval on one scale, {ends}."
    columns = [Column("a minus b", "name", first="ascending", cut=130), *_pair_columns(heads)]
    # The pair's own section says on a page which lists differ most; pooled values have none.
    if options.page or not any(differing.most for differing in lines):
        columns, rows = columns[:-1], [row._replace(cells=row.cells[:-1]) for row in rows]
    return Table(f"{printable(measure.id)}{bars}", columns, rows)


def _pair_columns(heads: Sequence[str]) -> list[Column]:
    """Return the columns of the figures with these headings, and of the lists that differ most."""
    rising = ("p", EQUIVALENT)
    kinds: dict[str, ColumnKind] = {"interval": "interval", OF_ALL_PAIRS: "long"}
    columns = [
        Column(
            head if head != OF_ALL_PAIRS else f"interval {OF_ALL_PAIRS}",
            kinds.get(head, "number"),
            PRIORITY.get(head, 0),
            "ascending" if head in rising else "descending",
        )
        for head in heads
    ]
    return [*columns, Column(DIFFER_MOST, "long")]


def _figures(
    differing: MeasureDifference,
    compared: Comparison,
    heads: Sequence[str],
    options: Options,
    scale: tuple[float, float] | None = None,
) -> list[Cell]:
    """Return the cells below `_pair_columns`; with a scale the interval has a bar, too."""
    precision, ends = options.precision, differing.interval
    span = IntervalSpan(ends, differing.difference, scale, precision) if scale and ends else None
    texts = figures(differing, compared, precision)
    sorts = {
        "interval": texts["difference"],
        OF_ALL_PAIRS: texts["difference"],
        "w-t-l": str(differing.wins - differing.losses),
    }
    alpha = compared.how.alpha
    is_marked = options.colour and alpha is not None and differing.p <= alpha
    cells = [
        Cell(
            texts[head],
            sorts.get(head),
            span=span if head == "interval" else None,
            marks=["significant"] if is_marked and head in ("p", "difference") else [],
        )
        for head in heads
    ]
    return [*cells, Cell(differing_lists(differing, precision))]


def _scale(lines: Sequence[MeasureDifference]) -> tuple[float, float]:
    """One scale for the intervals of all pairs, which 0 is on."""
    ends = [
        end
        for differing in lines
        for end in (*(differing.interval or ()), differing.difference, 0.0)
    ]
    numbers = [end for end in ends if not math.isnan(end)]
    return min(numbers), max(numbers)


def _lists(compared: Comparison, pair: ComparedPair, options: Options) -> Iterator[Block]:
    """Yield the lists of a pair by the primary measure: four counts of 0 and 1, else bars."""
    measure = compared.measures[0]
    if (counts := four_counts(compared, pair)) is not None:
        yield from [] if options.page else [Heading(counts.caption, 3)]
        yield counts
        return
    listed = ComparedLists(
        (pair.a, pair.b),
        compared.lists,
        printable(measure.id),
        compared.unit,
        compared.units,
        measure.metric.better,
    )
    figure = differences(listed, pair.measures[measure.id].per_list, options.precision)
    if figure is not None:
        yield figure
