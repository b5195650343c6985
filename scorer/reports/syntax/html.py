"""A page of HTML as a tree, so that text stays text; one file that asks nothing of the network."""

from __future__ import annotations

import base64
import hashlib
import math
from collections.abc import Iterable, Sequence
from functools import cache
from importlib.resources import files
from xml.etree.ElementTree import Element, tostring

from scorer.challenge.model import Challenge
from scorer.core.text import printable
from scorer.core.version import __version__

Inside = Element | str | None


def node(tag: str, *inside: Inside, **attributes: object) -> Element:
    """An element; `class_` and `aria_label` are written `class` and `aria-label`.

    An attribute that is None or False is left out, one that is True is only named.

    >>> tostring(node("td", "<b>", node("br"), "&", data_sort=1), "unicode", method="html")
    '<td data-sort="1">&lt;b&gt;<br>&amp;</td>'
    """
    made = Element(tag)
    for key, value in attributes.items():
        if value is not None and value is not False:
            made.set(key.rstrip("_").replace("_", "-"), "" if value is True else str(value))
    return extend(made, inside)


def extend(element: Element, inside: Iterable[Inside]) -> Element:
    """The element with more in it; None is nothing."""
    for part in inside:
        if isinstance(part, Element):
            element.append(part)
        elif part is not None and len(element):
            element[-1].tail = (element[-1].tail or "") + part
        elif part is not None:
            element.text = (element.text or "") + part
    return element


def hidden(message: str) -> Element:
    """Text for those who listen."""
    return node("span", message, class_="hidden")


def section(key: str, title: str, *inside: Inside) -> Element:
    """A part of the page with a heading that names it and can be linked to."""
    return node(
        "section", node("h2", title, id=f"{key}-title"), *inside,
        id=key, aria_labelledby=f"{key}-title",
    )  # fmt: skip


def table(
    caption: str,
    head: Sequence[Element | str],
    rows: Iterable[Sequence[Element | str]],
    **attributes: object,
) -> Element:
    """A table that scrolls by itself where it is wide. Each row's first cell names the row.

    Cells that are no elements yet become ones: numbers, as all but the first are, to the right.
    """
    heads = [h if isinstance(h, Element) else node("th", h, scope="col") for h in head]
    body = node("tbody")
    for row in rows:
        first, *rest = row
        start = first if isinstance(first, Element) else node("th", first, scope="row")
        cells = [c if isinstance(c, Element) else node("td", c) for c in rest]
        body.append(node("tr", start, *cells))
    return scrolling(caption, heads, body, **attributes)


def scrolling(
    caption: str, heads: Sequence[Element], body: Element, **attributes: object
) -> Element:
    """A table of such parts; one that is too wide is scrolled, with the keyboard too."""
    whole = node(
        "table", node("caption", node("span", caption)), node("thead", node("tr", *heads)), body,
        **attributes,
    )  # fmt: skip
    return node("div", whole, class_="scroll", role="region", aria_label=caption, tabindex=0)


def sorter(head: str, kind: str, first: str, now: str = "none") -> Element:
    """A column's heading with a button that sorts by the cells' `data-sort`.

    Args:
        head: what it says.
        kind: text, number, or rank, which is the order of the rows as they come.
        first: ascending or descending, whichever a first click asks for.
        now: how the column is sorted as the page opens.
    """
    button = node("button", head, type="button")
    return node(
        "th", button, scope="col", aria_sort=now, data_kind=kind, data_first=first,
        class_="text" if kind != "number" else None,
    )  # fmt: skip


def key(value: float | None) -> str:
    """What a number is sorted by; no value stays last."""
    return "" if value is None or math.isnan(value) else repr(value)


def span(ends: tuple[float, float], dot: float, scale: tuple[float, float]) -> Element:
    """An interval as a bar with a dot, on an axis that runs over the whole scale."""
    low, high = scale
    wide = (high - low) or 1.0
    left, right, at = (f"{100 * (end - low) / wide:.1f}" for end in (*ends, dot))
    return node(
        "svg",
        node("path", d="M0 6H100", class_="axis"),
        node("path", d=f"M{left} 6H{right}", class_="span"),
        node("circle", cx=at, cy=6, r=2.5, class_="dot"),
        viewBox="0 0 100 12", aria_hidden="true",
    )  # fmt: skip


def folded(summary: str, *inside: Inside, **attributes: object) -> Element:
    """What opens when it is asked for."""
    return node("details", node("summary", summary), *inside, **attributes)


def histogram(
    label: str, word: str, edges: Sequence[str], counts: Sequence[int], mean: float | None = None
) -> Element:
    """Bars over equal steps, with the same numbers as a table.

    Args:
        label: what is counted, in words.
        word: what one of them is called, in the plural.
        edges: where the steps begin and end, one more than there are steps.
        counts: how many are in each step.
        mean: where the mean stands, as a share of the width.
    """
    wide, high, foot = 320, 90, 16
    step, most = wide / len(counts), max(*counts, 1)
    picture = node(
        "svg", viewBox=f"0 -14 {wide} {high + foot + 14}", class_="histogram", aria_hidden="true"
    )
    for n, count in enumerate(counts):
        tall = high * count / most
        if count:
            picture.append(
                node("rect", x=_place(n * step + 0.5), y=_place(high - tall),
                     width=_place(step - 1), height=_place(tall), class_="bar")
            )  # fmt: skip
    picture.append(node("path", d=f"M0 {high + 0.5}H{wide}", class_="axis"))
    if mean is not None:
        picture.append(node("path", d=f"M{_place(mean * wide)} 0V{high}", class_="mean"))
    picture.append(node("text", edges[0], x=0, y=high + foot - 3))
    picture.append(node("text", edges[-1], x=wide, y=high + foot - 3, text_anchor="end"))
    top = counts.index(max(counts))
    anchor = "start" if top * 2 < len(counts) else "end"
    picture.append(
        node("text", f"{counts[top]:,}", y=-4, text_anchor=anchor,
             x=_place((top + (anchor == "end")) * step))
    )  # fmt: skip
    rows = [[f"{a} to {b}", f"{c:,}"] for a, b, c in zip(edges, edges[1:], counts, strict=False)]
    return node(
        "figure", node("figcaption", label), picture,
        folded("The numbers of this picture", table(label, ["from, to", word], rows)),
    )  # fmt: skip


def differences(
    label: str, values: Sequence[float], ends: tuple[str, str], numbers: Element
) -> Element:
    """Bars up and down from a line at 0, one a value, with the same numbers as a table.

    Args:
        label: what the bars are, in words.
        values: at least one.
        ends: the greatest and the least value as text, 0 among them.
        numbers: the table.
    """
    wide, high, rim = 360, 110, 16
    most, least = max(*values, 0.0), min(*values, 0.0)
    scale, step = high / ((most - least) or 1.0), min(wide / len(values), 24.0)
    zero = most * scale
    picture = node(
        "svg", viewBox=f"0 {-rim} {wide} {high + 2 * rim}", class_="histogram", aria_hidden="true"
    )
    for n, value in enumerate(values):
        if value:
            picture.append(
                node("rect", x=_place(n * step), y=_place(zero - max(value, 0.0) * scale),
                     width=_place(max(step - 1, 0.5)), height=_place(abs(value) * scale),
                     class_="bar" if value > 0 else "bar below")
            )  # fmt: skip
    picture.append(node("path", d=f"M0 {_place(zero)}H{wide}", class_="axis"))
    picture.append(node("text", ends[0], x=wide, y=-4, text_anchor="end"))
    picture.append(node("text", ends[1], x=0, y=high + rim - 4))
    return node(
        "figure", node("figcaption", label), picture,
        folded("The numbers of this picture", numbers),
    )  # fmt: skip


def page(
    title: str, skip: str, about: Sequence[Inside], parts: Sequence[Element], footer: Element
) -> str:
    """The whole document. Its own style and script are the only ones that a browser will take.

    Args:
        title: what is on it.
        skip: the link to the first part, for those who use a keyboard.
        about: what stands below the title.
        parts: the sections, which the top links to.
        footer: what stands at the end.
    """
    style, script = _asset("page.css"), _asset("page.js")
    policy = (
        f"default-src 'none'; style-src '{_digest(style)}'; script-src '{_digest(script)}'; "
        "base-uri 'none'; form-action 'none'"
    )
    head = node(
        "head",
        node("meta", charset="utf-8"),
        node("meta", http_equiv="Content-Security-Policy", content=policy),
        node("meta", name="viewport", content="width=device-width, initial-scale=1"),
        node("meta", name="color-scheme", content="light dark"),
        node("meta", name="referrer", content="no-referrer"),
        node("title", title),
        node("style", style),
    )
    links = [
        node("li", node("a", part.find("h2").text, href=f"#{part.get('id')}"))  # type: ignore[union-attr]
        for part in parts
    ]
    body = node(
        "body",
        node("a", skip, href=f"#{parts[0].get('id')}", class_="skip"),
        node("header", node("h1", title), *about,
             node("nav", node("ul", *links), aria_label="Parts of this page")),
        node("main", *parts),
        node("footer", footer),
        node("script", script),
    )  # fmt: skip
    document = node("html", head, body, lang="en")
    return f"<!doctype html>\n{tostring(document, 'unicode', method='html')}\n"


@cache
def _asset(name: str) -> str:
    return (files(__package__) / name).read_text(encoding="utf-8")


def _digest(code: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(code.encode()).digest()).decode()}"


def _place(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".")


def source_of(challenge: Challenge, fingerprint: str | None) -> Element:
    """What made the page of what."""
    message = f"scorer {__version__}, challenge {printable(challenge.id)}"
    if fingerprint is None:
        return node("p", message)
    return node("p", f"{message}, fingerprint ", node("code", fingerprint))
