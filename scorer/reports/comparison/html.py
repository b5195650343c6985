"""A comparison as one page that asks nothing of the network: orders, pairs, measures."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from xml.etree.ElementTree import Element

from scorer.core.text import printable
from scorer.metrics.base import Measure
from scorer.reports.base import Options, form
from scorer.reports.comparison.cells import (
    FIGURES,
    MANY,
    MOST,
    Compared,
    bars,
    contradictions,
    figures,
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
    Inside,
    differences,
    folded,
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
from scorer.results.comparison import Differing, Pair, Preferred

BARS = 80  # of a picture; more lists share bars


@form("comparison", "html")
def html(compared: Compared, options: Options) -> str:
    """Everything that is known, for people; every pair's picture where pairs are few."""
    challenge, report = compared.challenge, compared.report
    names = [printable(name, 60) for name in compared.pairing.names]
    about: list[Inside] = [node("p", f"{len(names):,} submissions compared: {', '.join(names)}.")]
    if report is not None and (out := [s.name for s in report.submissions if not s.valid]):
        message = ", ".join(printable(name, 60) for name in out)
        about.append(
            node("p", f"Not compared, as they cannot be scored: {message}.", class_="fault")
        )
    parts = list(_parts(compared, options))
    source = source_of(challenge, report.fingerprint if report else None)
    return page(
        f"{printable(challenge.title)}: comparison", "Skip to the comparison", about, parts, source
    )


def _parts(compared: Compared, options: Options) -> Iterator[Element]:
    found = compared.pairing
    if len(found.pairs) <= MANY:
        pairs = [_pair(n, pair, compared, options) for n, pair in enumerate(found.pairs, start=1)]
        meaning = node("p", legend(compared)) if compared.measures else None
        yield section("pairs", "Pairs", meaning, node("div", *pairs, class_="submissions"))
    if found.orders:
        yield section("orders", "Orders", *_orders(compared))
    if len(found.pairs) > 1 and compared.measures:
        yield section("measures", "Measures", *_measures(compared, options))
    if len(found.pairs) > 1 and found.orders:
        yield section("preferences", "Preferences", *_preferences(compared, options))


def _orders(compared: Compared) -> Iterator[Element]:
    sheet = orders(compared.pairing)
    body = node("tbody")
    for name, *cells in sheet.rows:
        first = node("th", printable(name), scope="row")
        body.append(node("tr", first, *(node("td", cell, class_="text long") for cell in cells)))
    heads = [node("th", head, scope="col", class_="text") for head in sheet.head]
    yield scrolling(f"{sheet.title}.", heads, body)
    lines = [node("li", each) for each in contradictions(compared.pairing)]
    yield node("ul", *lines) if lines else node("p", "No preference contradicts itself.")


def _pair(n: int, pair: Pair, compared: Compared, options: Options) -> Element:
    """One pair: its measures, its preferences, and a picture of its lists."""
    inside: list[Inside] = []
    state = ""
    if compared.measures:
        first = compared.measures[0]
        each = pair.measures[first.id]
        state = f"{printable(first.id)} {signed(each.difference, options.precision)}"
        state += f", p {chance(each.p)}"
        body = node("tbody")
        for measure in compared.measures:
            name = node("th", printable(measure.id), scope="row", data_sort=printable(measure.id))
            cells = _figures(pair.measures[measure.id], compared, options)
            body.append(node("tr", name, *cells))
        heads = [sorter("measure", "text", "ascending"), *_heads()]
        inside.append(scrolling(f"Measures, {title(pair)}", heads, body))
        inside.append(_picture(compared, pair, options))
    if pair.preferences:
        message = f"Preferences; above 0, {printable(pair.a, 60)} is preferred"
        inside += [node("p", f"{message}."), _preferred(message, pair, options)]
    summary = node("summary", node("h3", title(pair)), node("span", state))
    return node("details", summary, *inside, id=f"p{n}", open=len(compared.pairing.pairs) == 1)


def _preferred(caption: str, pair: Pair, options: Options) -> Element:
    body = node("tbody")
    for name, each in pair.preferences.items():
        first = node("th", printable(name), scope="row", data_sort=printable(name))
        body.append(node("tr", first, *_mean(each, options)))
    return scrolling(caption, [sorter("preference", "text", "ascending"), *_mean_heads()], body)


def _picture(compared: Compared, pair: Pair, options: Options) -> Element | None:
    """The primary measure's differences, list by list; many lists share bars."""
    measure = compared.measures[0]
    made = bars(compared.pairing, pair.measures[measure.id].per_list, BARS)
    if not made:
        return None
    label = f"{printable(measure.id)} list by list, {title(pair)}, greatest first"
    label += f"; {shared(made)}" if shared(made) else ""
    values = [bar.value for bar in made]
    ends = [signed(end, options.precision) for end in (max(*values, 0.0), min(*values, 0.0))]
    rows = [[bar.name, f"{len(bar.lists):,}", signed(bar.value, options.precision)] for bar in made]
    numbers = table(label, ["lists", "how many", "difference"], rows)
    return differences(f"{label}.", values, (ends[0], ends[1]), numbers)


def _measures(compared: Compared, options: Options) -> Iterator[Element]:
    yield node("p", f"{legend(compared)} A heading's button sorts.")
    for n, measure in enumerate(compared.measures):
        yield folded(printable(measure.id), _measure(measure, compared, options), open=n == 0)


def _measure(measure: Measure, compared: Compared, options: Options) -> Element:
    """A row a pair, with its interval as a bar on one scale."""
    found = compared.pairing
    lines = [pair.measures[measure.id] for pair in found.pairs]
    scale = _scale(lines)
    body = node("tbody")
    for n, (pair, each) in enumerate(zip(found.pairs, lines, strict=True), start=1):
        link = n if len(found.pairs) <= MANY else None
        body.append(node("tr", *_names(pair, link), *_figures(each, compared, options, scale)))
    heads = [sorter("a", "text", "ascending"), sorter("b", "text", "ascending"), *_heads()]
    ends = " to ".join(signed(end, options.precision) for end in scale)
    caption = (
        f"{printable(measure.id)}, pair by pair. Every bar is an interval on one scale, {ends}."
    )
    return scrolling(caption, heads, body, class_="board")


def _heads() -> list[Element]:
    heads = [sorter(f, "number", "ascending" if f == "p" else "descending") for f in FIGURES]
    return [*heads, node("th", MOST, scope="col", class_="text")]


def _figures(
    each: Differing,
    compared: Compared,
    options: Options,
    scale: tuple[float, float] | None = None,
) -> list[Element]:
    """The cells below `_heads`; with a scale the interval is a bar, too."""
    difference, interval, tally, effect, p = figures(each, options.precision)
    bar = span(each.interval, each.difference, scale) if scale and each.interval else None
    return [
        node("td", difference, data_sort=key(each.difference)),
        node("td", bar, node("span", interval, class_="range"), data_sort=key(each.difference)),
        node("td", tally, data_sort=each.tally.wins - each.tally.losses),
        node("td", effect, data_sort=key(each.effect)),
        node("td", p, data_sort=key(each.p)),
        node("td", most(each, compared.pairing.lists, options.precision), class_="text long"),
    ]


def _scale(message: Sequence[Differing]) -> tuple[float, float]:
    """From where to where the bars run; 0 is on it."""
    ends = [end for each in message for end in (*(each.interval or ()), each.difference, 0.0)]
    known = [end for end in ends if not math.isnan(end)]
    return min(known), max(known)


def _preferences(compared: Compared, options: Options) -> Iterator[Element]:
    yield node(
        "p", "The mean over lists, above 0 where a is preferred, and the lists that a wins, ties "
        "and loses. A heading's button sorts.",
    )  # fmt: skip
    for n, name in enumerate(compared.preferences):
        body = node("tbody")
        for pair in compared.pairing.pairs:
            body.append(node("tr", *_names(pair), *_mean(pair.preferences[name], options)))
        heads = [sorter("a", "text", "ascending"), sorter("b", "text", "ascending")]
        board = scrolling(f"{printable(name)}, pair by pair", [*heads, *_mean_heads()], body)
        yield folded(printable(name), board, open=n == 0)


def _names(pair: Pair, link: int | None = None) -> tuple[Element, Element]:
    first: Inside = printable(pair.a, 60)
    if link is not None:
        first = node("a", printable(pair.a, 60), href=f"#p{link}")
    return (
        node("th", first, scope="row", data_sort=printable(pair.a)),
        node("td", printable(pair.b, 60), class_="text", data_sort=printable(pair.b)),
    )


def _mean_heads() -> list[Element]:
    return [sorter("mean", "number", "descending"), sorter("w-t-l", "number", "descending")]


def _mean(each: Preferred, options: Options) -> tuple[Element, Element]:
    tally = each.tally
    return (
        node("td", signed(each.mean, options.precision), data_sort=key(each.mean)),
        node("td", record(tally), data_sort=tally.wins - tally.losses),
    )
