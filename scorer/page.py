"""A page of HTML as a tree, so that text stays text; one file that asks nothing of the network."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable, Sequence
from functools import cache
from importlib.resources import files
from xml.etree.ElementTree import Element, tostring

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


def hidden(said: str) -> Element:
    """Text for those who listen."""
    return node("span", said, class_="hidden")


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


def page(title: str, *inside: Element) -> str:
    """The whole document. Its own style and script are the only ones that a browser will take."""
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
    document = node("html", head, node("body", *inside, node("script", script)), lang="en")
    return f"<!doctype html>\n{tostring(document, 'unicode', method='html')}\n"


@cache
def _asset(name: str) -> str:
    return (files("scorer") / name).read_text(encoding="utf-8")


def _digest(code: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(code.encode()).digest()).decode()}"


def _place(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".")
