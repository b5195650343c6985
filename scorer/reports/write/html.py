"""HTML by templates: one page that loads nothing from the network, in which text stays text.

`sections` and `view` bring a document into the shape that the templates take; they are in the
folder beside this file, and the web server uses them too.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import chain, count, groupby
from typing import Any, NamedTuple

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from scorer import __version__
from scorer.core.text import printable, unseen
from scorer.metrics.catalogue import mathml
from scorer.reports import document as blocks
from scorer.reports.base import Options
from scorer.reports.charts import svg
from scorer.reports.charts.charts import IntervalSpan
from scorer.reports.commonmark import Written
from scorer.reports.commonmark import html as commonmark_as_html
from scorer.reports.document import Column, Document, Heading, Picture, cut, name_of


class HtmlCell(NamedTuple):
    """A cell of a table."""

    text: str = ""
    sort: str | None = None  # what it is sorted by; empty: it stays last
    look: str = ""  # its classes
    link: str = ""
    title: str = ""  # all of a text that was cut
    note: str = ""  # a word behind the text
    bar: IntervalSpan | None = None
    hidden: bool = False  # from sight, but not from screen readers
    wide: int = 0  # how many columns it spans, if more than one


class Head(NamedTuple):
    """A column's heading; with a kind it is a button that sorts by the cells' `sort`."""

    text: str
    kind: str = ""  # text, number, or rank: the order of the rows as they come
    first: str = "ascending"  # what a first click asks for
    now: str = "none"  # how the column is sorted as the page opens
    look: str = ""
    title: str = ""
    axis: Sequence[tuple[float, str]] = ()  # of bars: places in per cent, and their numbers


class HtmlRow(NamedTuple):
    """A row of a table."""

    cells: Sequence[HtmlCell]
    look: str = ""
    by: int = 0  # the index of the cell that names the row
    key: str = ""  # by which a link leads to it


class Table(NamedTuple):
    """A table that scrolls by itself where it is wide."""

    caption: str
    head: Sequence[Head]
    rows: Sequence[HtmlRow]
    look: str = ""
    id: str = ""


class Item(NamedTuple):
    """A block of a section, by the name of its kind; a part of a section has items of its own."""

    kind: str
    block: Any
    items: Sequence[Item] = ()


class Section(NamedTuple):
    """What follows a heading of the second level."""

    key: str
    title: str
    items: Sequence[Item]
    folded: bool = False


def html(document: Document, options: Options) -> str:
    """The whole page. Its own style and script are the only ones that a browser will take."""
    source, fingerprint = document.source
    page = (
        environment()
        .get_template("page.html")
        .render(
            title=printable(document.title),
            skip=document.skip,
            private=document.private,
            about=document.about,
            sections=sections(document.blocks),
            style=_asset("page.css"),
            script=_asset("page.js"),
            version=__version__,
            source=printable(source),
            fingerprint=fingerprint,
            downloads=document.downloads,
        )
    )
    return f"{page.replace('##[', '##&#91;')}\n"  # GitHub's runners obey it


def commonmark(text: blocks.Prose, level: int) -> Any:
    """The text of an organizer's as markup."""
    return Markup(commonmark_as_html(text.text, Written(level, text.pages, text.key)))


def sections(document_blocks: Sequence[blocks.Block]) -> list[Section]:
    """The sections of a document; what comes before its first heading is the first."""
    made = [Section("result", "Result", [])]
    for block in _with_distinct_captions(document_blocks):
        if isinstance(block, Heading) and block.level == 2:
            key = block.key or f"part-{len(made)}"
            made.append(Section(key, printable(block.text), [], not block.open))
        else:
            made[-1].items.append(block)  # type: ignore[attr-defined]
    return [each._replace(items=_section_items(each.items)) for each in made if each.items]


def _with_distinct_captions(all_blocks: Sequence[blocks.Block]) -> Iterator[blocks.Block]:
    """Yield the blocks with captions that all differ, as screen readers list tables by them."""
    taken = {block.text for block in all_blocks if isinstance(block, Heading) and block.level == 2}
    part = ""
    for block in all_blocks:
        if isinstance(block, Heading) and block.level < 4:
            part = cut(block.text) if block.level == 3 else ""
        if isinstance(block, Picture) and block.numbers is not None:
            yield block._replace(numbers=_renamed(block.numbers, part, taken))
        else:
            yield _renamed(block, part, taken) if isinstance(block, blocks.Table) else block


def _renamed(table: blocks.Table, part: str, taken: set[str]) -> blocks.Table:
    """The table, called by its part or a number, too, where its caption is taken."""
    named = f"{table.caption}, {part}" if part else table.caption
    names = chain((table.caption, named), (f"{named} ({n})" for n in count(2)))
    caption = next(text for text in names if text not in taken)
    taken.add(caption)
    return table._replace(caption=caption)


def _section_items(section_blocks: Sequence[Any]) -> list[Item]:
    """The blocks of a section, those below a heading of the third level gathered in parts."""
    items = list[Item]()
    for block in section_blocks:
        if isinstance(block, Heading) and block.level == 3:
            items.append(Item("part" if block.key else "article", block, []))
        else:
            inside = items[-1].items if items and items[-1].kind in ("part", "article") else items
            inside.append(Item(type(block).__name__.lower(), block))  # type: ignore[attr-defined]
    return items


def view(table: blocks.Table | Table) -> Table:
    """A table as the templates take it."""
    if isinstance(table, Table):
        return table
    ranked = any(column.kind == "rank" for column in table.columns)
    columns = range(len(table.columns))
    by = name_of(table)
    spans = {n: span for n in columns if (span := _first_span(table, n)) is not None}
    heads = list[Head]()
    for n in columns:
        heads += [Head("", look="bar", axis=_axis(spans[n]))] if n in spans else []
        heads.append(_head(table.columns[n], n == by))
    rows, group = list[HtmlRow](), table.rows[0].group if table.rows else None
    for row in table.rows:
        cells = list[HtmlCell]()
        for n in columns:
            cells += [HtmlCell(look="bar", bar=row.cells[n].span)] if n in spans else []
            cells.append(_cell(row.cells[n], table.columns[n]))
        marks = {"head": row.group != group and row.group is not None, "aside": row.unranked}
        rows.append(HtmlRow(cells, " ".join(mark for mark, holds in marks.items() if holds), by))
        group = row.group if row.group is not None else group
    sorts = any(column.first for column in table.columns)
    look = "board ranked" if ranked else "board" if sorts else ""
    return Table(table.caption, heads, rows, look, table.key)


def _first_span(table: blocks.Table, column: int) -> IntervalSpan | None:
    """Return one of the intervals of a column, which all have one scale."""
    spans = (row.cells[column].span for row in table.rows)
    return next((span for span in spans if span is not None), None)


def _axis(span: IntervalSpan) -> list[tuple[float, str]]:
    """Return the ticks of a column of intervals, by their places in per cent."""
    axis = span.axis(100.0)
    marks = svg.round_marks(axis.low, axis.high, 4)
    return [(axis.at(value), text) for value, text in marks.items()]


def _head(column: Column, names: bool) -> Head:
    text, title = _shortened(column.head, 60 if column.kind != "number" else column.cut)
    words = column.kind in ("name", "text", "long")
    if not column.first:
        return Head(text, look="text" if words and not names else "", title=title)
    kind = "rank" if column.kind == "rank" else "text" if words else "number"
    return Head(text, kind, column.first, "ascending" if kind == "rank" else "none", title=title)


def _cell(cell: blocks.Cell, column: Column) -> HtmlCell:
    words = column.kind in ("name", "text", "long")
    text, title = _shortened(cell.text, column.cut if column.kind != "long" else 10_000)
    sort = cell.sort if cell.sort is not None else cell.text
    look = {"rank": "text", "text": "text", "long": "text long"}.get(column.kind, "")
    return HtmlCell(
        text,
        None if not column.first else printable(sort, 1000) if words else sorted_by(sort),
        "told" if "significant" in cell.marks else look,
        f"#{cell.link}" if cell.link else "",
        title,
        cell.note,
        hidden="itself" in cell.marks,
    )


def _shortened(text: str, width: int) -> tuple[str, str]:
    """A text as it is shown, and more of it where it is cut."""
    return printable(text, width), printable(text, 1000) if len(text) > width else ""


def prose(docstring: str) -> Iterator[dict[str, Any]]:
    """A docstring: its paragraphs with their code, its examples and indented parts as they are."""
    paragraphs = re.split(r"\n\s*\n", docstring.strip())
    for is_verbatim, run in groupby(paragraphs, lambda block: block.startswith((">>>", " "))):
        if is_verbatim:
            yield {"stands": True, "text": "\n\n".join(run)}
            continue
        for block in run:
            texts = re.split(r"``?([^`]+)``?", " ".join(block.split()))
            yield {"stands": False, "runs": [(text, n % 2 == 1) for n, text in enumerate(texts)]}


def formulas(lines: Sequence[str]) -> list[Any]:
    """The lines of a formula in LaTeX, each as markup."""
    return [Markup(mathml(line)) for line in lines]


@cache
def environment() -> Environment:
    """The templates. Their output is escaped, and invisible characters are shown as escapes."""
    made = Environment(
        loader=PackageLoader("scorer.reports.write"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_without_controls,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters |= {
        "view": view,
        "prose": prose,
        "cut": printable,
        "formulas": formulas,
        "commonmark": commonmark,
        "inline": _inline,
        "coordinate": svg.coordinate,
    }
    return made


def _inline(figure: Picture) -> Any:
    width = svg.SMALL_WIDTH if figure.small else svg.PAGE_WIDTH
    look = f"small {figure.key}" if figure.small else figure.key
    return Markup(svg.inline_svg(figure.drawn(width), width, look))


def _without_controls(value: Any) -> Any:
    """The value that a template writes: text without controls but line ends; markup as it is."""
    if isinstance(value, str) and not hasattr(value, "__html__") and unseen(value) is not None:
        return "\n".join(printable(line, len(line)) for line in value.split("\n"))
    return value


class _Asset(NamedTuple):
    code: Any  # markup
    digest: str


@cache
def _asset(name: str) -> _Asset:
    """A style or a script with its digest, by which a browser knows it."""
    loader = environment().loader
    assert loader is not None
    code, _, _ = loader.get_source(environment(), name)
    code += svg.style() if name == "page.css" else ""
    digest = base64.b64encode(hashlib.sha256(code.encode()).digest()).decode()
    return _Asset(Markup(code), f"sha256-{digest}")


def named(text: str, width: int = 100, **rest: Any) -> HtmlCell:
    """A cell that holds a name; one beyond `width` characters is cut, its title has more of it."""
    label, title = _shortened(text, width)
    return HtmlCell(label, title=title, **rest)


def sorted_by(text: str) -> str:
    """The key that a number is sorted by: itself as it is shown, without hidden digits.

    >>> sorted_by("0.25"), sorted_by("1,024"), sorted_by("-"), sorted_by("< 0.0001")
    ('0.25', '1024', '', '0')
    """
    if text in ("-", "", "unknown"):
        return ""
    return "0" if text.startswith("<") else text.replace(",", "")
