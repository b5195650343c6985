"""A comparison as one page that loads nothing from the network: orders, pairs, measures."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

from scorer.core.text import printable
from scorer.metrics.base import Measure
from scorer.reports.base import PRIVATE, Options, form
from scorer.reports.comparison.cells import (
    EQUIVALENT,
    MANY,
    MOST,
    TOGETHER,
    Compared,
    bars,
    contradictions,
    figures,
    headings,
    legend,
    most,
    orders,
    record,
    shared,
    signed,
    title,
)
from scorer.reports.leaderboard.cells import chance
from scorer.reports.syntax.html import (
    Cell,
    Differences,
    Head,
    Line,
    Part,
    Row,
    Table,
    bar,
    differences,
    named,
    page,
    plain,
    sorted_by,
    source_of,
)
from scorer.results.comparison import Differing, Pair, Preferred

BARS = 80  # of a picture; more lists share bars


@form("comparison", "html")
def html(compared: Compared, options: Options) -> str:
    """Everything that is known, for people; every pair's picture where pairs are few."""
    challenge, report = compared.challenge, compared.report
    names = [printable(name, 60) for name in compared.pairing.names]
    about = [Line(f"{len(names):,} submissions compared: {', '.join(names)}.")]
    if options.private:
        about.insert(0, Line(PRIVATE, "fault"))
    if report is not None and (out := [s.name for s in report.submissions if not s.valid]):
        message = ", ".join(printable(name, 60) for name in out)
        about.append(Line(f"Not compared, as they cannot be scored: {message}.", "fault"))
    source = source_of(challenge, report.fingerprint if report else None)
    text = f"{printable(challenge.title)}: comparison"
    return page(text, "Skip to the comparison", about, list(parts(compared, options)), source)


def parts(compared: Compared, options: Options) -> Iterator[Part]:
    """The sections of the page; each can stand in a page of another kind."""
    pairing = compared.pairing
    if len(pairing.pairs) <= MANY:
        pairs = [_pair(n, pair, compared, options) for n, pair in enumerate(pairing.pairs, start=1)]
        lead = legend(compared) if compared.measures else ""
        yield Part("pairs", "Pairs", "comparison/pairs.html", {"lead": lead, "pairs": pairs})
    if len(pairing.pairs) > 1 and compared.measures:
        yield Part("measures", "Measures", "tables.html", _measures(compared, options))
    if pairing.orders:
        yield Part("orders", "Orders", "comparison/orders.html", _orders(compared))
    if len(pairing.pairs) > 1 and pairing.orders:
        yield Part("preferences", "Preferences", "tables.html", _preferences(compared, options))


def _orders(compared: Compared) -> dict[str, Any]:
    sheet = orders(compared.pairing)
    rows = [
        Row([named(name), *(Cell(cell, look="text long") for cell in cells)])
        for name, *cells in sheet.rows
    ]
    heads = [Head(head, look="text") for head in sheet.head]
    contradicting = list(contradictions(compared.pairing))
    return {"table": Table(f"{sheet.title}.", heads, rows), "contradictions": contradicting}


def _pair(n: int, pair: Pair, compared: Compared, options: Options) -> dict[str, Any]:
    """One pair: its measures, its preferences, and a picture of its lists."""
    state, measures, preferences = "", None, None
    if compared.measures:
        first = compared.measures[0]
        differing = pair.measures[first.id]
        state = f"{printable(first.id)} {signed(differing.difference, options.precision)}"
        state += f", p {chance(differing.p)}"
        rows = [
            Row([_name(m.id), *_figures(pair.measures[m.id], compared, options)])
            for m in compared.measures
        ]
        heads = [Head("measure", "text"), *_heads(compared)]
        measures = Table(f"Measures, {title(pair)}", heads, rows)
    if pair.preferences:
        caption = f"Preferences; above 0, {printable(pair.a, 60)} is preferred"
        rows = [
            Row([_name(name), *_mean(preferred, options)])
            for name, preferred in pair.preferences.items()
        ]
        preferences = Table(caption, [Head("preference", "text"), *_mean_heads()], rows)
    return {
        "id": f"p{n}",
        "name": title(pair),
        "state": state,
        "measures": measures,
        "picture": _picture(compared, pair, options) if compared.measures else None,
        "preferences": preferences,
    }


def _picture(compared: Compared, pair: Pair, options: Options) -> Differences | None:
    """The primary measure's differences, list by list; many lists share bars."""
    measure = compared.measures[0]
    drawn = bars(compared.pairing, pair.measures[measure.id].per_list, BARS)
    if not drawn:
        return None
    one, rule = compared.unit, shared(drawn, compared.units)
    label = f"{printable(measure.id)}, {one} by {one}, {title(pair)}, greatest first"
    label += f"; {rule}" if rule else ""
    values = [bar.value for bar in drawn]
    ends = [signed(end, options.precision) for end in (max(*values, 0.0), min(*values, 0.0))]
    rows = [
        [bar.name, f"{len(bar.lists):,}", signed(bar.value, options.precision)] for bar in drawn
    ]
    numbers = plain(label, [compared.units, "how many", "difference"], rows)
    rounded = [round(value, options.precision) for value in values]
    return differences(f"{label}.", rounded, (ends[0], ends[1]), numbers)


def _measures(compared: Compared, options: Options) -> dict[str, Any]:
    tables = [
        {"name": printable(measure.id), "table": _measure(measure, compared, options)}
        for measure in compared.measures
    ]
    return {"lead": f"{legend(compared)} Click a heading to sort.", "tables": tables}


def _measure(measure: Measure, compared: Compared, options: Options) -> Table:
    """A row a pair, with its interval as a bar on one scale."""
    pairing = compared.pairing
    lines = [pair.measures[measure.id] for pair in pairing.pairs]
    scale = _scale(lines)
    rows = []
    for n, (pair, differing) in enumerate(zip(pairing.pairs, lines, strict=True), start=1):
        link = f"#p{n}" if len(pairing.pairs) <= MANY else ""
        rows.append(Row([*_names(pair, link), *_figures(differing, compared, options, scale)]))
    heads = [Head("a", "text"), Head("b", "text"), *_heads(compared)]
    ends = " to ".join(signed(end, options.precision) for end in scale)
    caption = (
        f"{printable(measure.id)}, pair by pair. Every bar is an interval on one scale, {ends}."
    )
    return Table(caption, heads, rows, "board")


def _heads(compared: Compared) -> list[Head]:
    rising = ("p", EQUIVALENT)
    heads = [
        Head(f, "number", "ascending" if f in rising else "descending") for f in headings(compared)
    ]
    return [*heads, Head(MOST, look="text")]


def _figures(
    differing: Differing,
    compared: Compared,
    options: Options,
    scale: tuple[float, float] | None = None,
) -> list[Cell]:
    """The cells below `_heads`; with a scale the interval is a bar, too."""
    interval_bar = (
        bar(differing.interval, differing.difference, scale, options.precision)
        if scale and differing.interval
        else None
    )
    texts = dict(
        zip(headings(compared), figures(differing, compared, options.precision), strict=True)
    )
    sorts = {key: sorted_by(cell) for key, cell in texts.items()}
    sorts["interval"] = sorts["difference"]
    sorts["w-t-l"] = str(differing.tally.wins - differing.tally.losses)
    if TOGETHER in sorts:
        sorts[TOGETHER] = sorts["difference"]
    return [
        *(
            Cell(cell, sorts[key], bar=interval_bar if key == "interval" else None)
            for key, cell in texts.items()
        ),
        Cell(most(differing, compared.pairing.lists, options.precision), look="text long"),
    ]


def _scale(rows: Sequence[Differing]) -> tuple[float, float]:
    """The ends of the scale of the bars; 0 is on it."""
    ends = [
        end
        for differing in rows
        for end in (*(differing.interval or ()), differing.difference, 0.0)
    ]
    numbers = [end for end in ends if not math.isnan(end)]
    return min(numbers), max(numbers)


def _preferences(compared: Compared, options: Options) -> dict[str, Any]:
    tables = []
    for name in compared.preferences:
        rows = [
            Row([*_names(pair), *_mean(pair.preferences[name], options)])
            for pair in compared.pairing.pairs
        ]
        heads = [Head("a", "text"), Head("b", "text"), *_mean_heads()]
        table = Table(f"{printable(name)}, pair by pair", heads, rows, "board")
        tables.append({"name": printable(name), "table": table})
    lead = (
        f"The mean over {compared.units}, above 0 where a is preferred, and the {compared.units} "
        "that a wins, ties and loses. Click a heading to sort."
    )
    return {"lead": lead, "tables": tables}


def _name(text: str, link: str = "") -> Cell:
    return named(text, 60, sort=printable(text), link=link)


def _names(pair: Pair, link: str = "") -> tuple[Cell, Cell]:
    second = named(pair.b, 60, sort=printable(pair.b), look="text")
    return _name(pair.a, link), second


def _mean_heads() -> list[Head]:
    return [Head("mean", "number", "descending"), Head("w-t-l", "number", "descending")]


def _mean(preferred: Preferred, options: Options) -> tuple[Cell, Cell]:
    mean = signed(preferred.mean, options.precision)
    balance = str(preferred.tally.wins - preferred.tally.losses)
    return Cell(mean, sorted_by(mean)), Cell(record(preferred.tally), balance)
