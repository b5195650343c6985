"""Texts of organizers: CommonMark with tables, as HTML and as plain text.

No raw HTML, no link but to http, https, mail and the challenge's own pages, and a picture of
another server only where the challenge allows it: else a link. What is not seen is escaped.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from functools import cache
from io import StringIO
from typing import NamedTuple

from markdown_it import MarkdownIt
from markdown_it.token import Token

from scorer.challenge.model import Challenge
from scorer.core.text import printable
from scorer.reports.document import Block, Heading, Prose

LINKED = re.compile(r"(?:https?://|mailto:)", re.IGNORECASE)
EMBEDDED = re.compile(r"data:image/(?:png|jpeg|gif|webp);base64,", re.IGNORECASE)
PAGE = re.compile(r"([a-z0-9-]+)\.md(?:#.*)?")
DEEPEST = 6  # level of a heading
DEEPEST_MARKS = 10  # how deep marks in a line are nested
OUTWARD = {"rel": "nofollow noopener noreferrer"}


class Written(NamedTuple):
    """How a text is written where it stands."""

    level: int = 2  # of its first heading
    pages: Collection[str] = ()  # to which it may link, as KEY.md
    key: str = "text"  # tells its tables from those of other texts


ALONE = Written()


def html(text: str, how: Written = ALONE) -> str:
    """The text as HTML; its headings begin at a level, and none is left out between two."""
    parser = _parser()
    return str(parser.renderer.render(_tokens(text, how), parser.options, {}))


def plain(text: str, width: int, colour: bool = False) -> str:
    """The text for a terminal, or a pipe; a link is followed by its address."""
    from rich.console import Console
    from rich.markdown import Markdown

    console = Console(
        file=StringIO(),
        width=width,
        force_terminal=colour,
        color_system="standard" if colour else None,
        legacy_windows=False,
    )
    markdown = Markdown("", hyperlinks=False)
    markdown.parsed = _tokens(text, ALONE)
    console.print(markdown)
    lines = console.file.getvalue().splitlines()  # type: ignore[attr-defined]
    return "\n".join(line.rstrip() for line in lines).strip("\n")


def first_words(text: str, most: int) -> str:
    """The beginning of the running text, without headings and marks."""
    words: list[str] = []
    tokens = _tokens(text, ALONE)
    for before, token in zip([None, *tokens], tokens, strict=False):
        if token.type == "inline" and not (before and before.type == "heading_open"):
            parts = token.children or ()
            words += "".join(" " if "break" in p.type else p.content for p in parts).split()
    line = " ".join(words)
    return line if len(line) <= most else f"{line[:most].rpartition(' ')[0]} …"


def titled(key: str, text: str) -> tuple[str, str]:
    """A page's title, which is its first line where that is a heading, and the rest of the page."""
    head, _, rest = text.lstrip("\ufeff\n\r ").partition("\n")
    match = re.fullmatch(r"#{1,6}[ \t]+(.*?)(?:[ \t]+#+)?[ \t\r]*", head)
    return (match[1], rest) if match and match[1] else (key.replace("-", " ").capitalize(), text)


@cache
def _parser() -> MarkdownIt:
    made = MarkdownIt("commonmark", {"html": False}).enable("table")
    made.add_render_rule("table_open", _table_open)
    made.add_render_rule("table_close", lambda *_: "</table>\n</div>\n")
    return made


def _table_open(_: object, tokens: Sequence[Token], n: int, *rest: object) -> str:
    name = tokens[n].meta["name"]
    return f'<div class="scroll" role="region" aria-label="{name}" tabindex="0">\n<table>\n'


def _tokens(text: str, how: Written) -> list[Token]:
    """The tokens of a text, with nothing in them that is not allowed."""
    above: list[int] = []
    tables = 0
    tokens = _parser().parse("\n".join(_seen(line) for line in text.expandtabs(4).splitlines()))
    for token in tokens:
        token.content, token.info = _all_seen(token.content), ""
        if token.type == "heading_open":
            above = [*(level for level in above if level < int(token.tag[1])), int(token.tag[1])]
        if token.type in ("heading_open", "heading_close"):
            token.tag = f"h{min(how.level + len(above) - 1, DEEPEST)}"
        if token.type == "table_open":
            tables += 1
            token.meta["name"] = f"Table {tables:,} of {how.key}"
        if token.type == "th_open":
            token.attrs["scope"] = "col"
        if token.children:
            token.children = list(_inline(token.children, how))
    return tokens


def _inline(children: Sequence[Token], how: Written) -> Iterator[Token]:
    """The marks and texts of a line: links that may be followed, pictures that may be shown."""
    linked, depth = False, 0
    for token in children:
        token.content = _all_seen(token.content)
        depth += token.nesting
        if depth + (token.nesting < 0) > DEEPEST_MARKS:
            continue
        if token.type == "link_open":
            token.attrs = _link(str(token.attrs.get("href", "")), how)
            if linked := bool(token.attrs):
                yield token
        elif token.type == "link_close":
            if linked:
                yield token
            linked = False
        elif token.type == "image":
            yield from _picture(token, how, linked)
        else:
            yield token


def _link(address: str, how: Written) -> dict[str, str | int | float]:
    """The attributes of a link; none where it leads nowhere."""
    if LINKED.match(address):
        return {"href": address, **OUTWARD}
    own = PAGE.fullmatch(address)
    return {"href": f"#page-{own[1]}"} if own and own[1] in how.pages else {}


def _picture(token: Token, how: Written, linked: bool) -> Iterator[Token]:
    """A picture; where it may not be shown a link to it, or inside of a link its text."""
    words = "".join(child.content for child in token.children or ())
    text = Token("text", "", 0, content=_all_seen(words) or "picture")
    address = str(token.attrs.get("src", ""))
    outside = bool(LINKED.match(address)) and not address.casefold().startswith("mailto:")
    if EMBEDDED.match(address):
        token.attrs, token.children = {"src": address, "alt": ""}, [text]
        yield token
        return
    if linked or not outside:
        yield text
        return
    yield Token("link_open", "a", 1, attrs={"href": address, **OUTWARD})
    yield text
    yield Token("link_close", "a", -1)


def _all_seen(text: str) -> str:
    if text.isprintable() and text.isascii():
        return text
    return "\n".join(map(_seen, text.split("\n")))


def _seen(line: str) -> str:
    return printable(line, len(line))


def described(challenge: Challenge) -> list[Prose]:
    """Return the challenge's description, if it has one."""
    return [_prose(challenge, challenge.description)] if challenge.description.strip() else []


def pages(challenge: Challenge, only: str | None = None) -> Iterator[Block]:
    """Yield the challenge's pages, or one of them, each a section."""
    for key, text in challenge.pages.items():
        if only in (None, key):
            title, rest = titled(key, text)
            yield Heading(title, key=f"page-{key}")
            yield _prose(challenge, rest)._replace(key=key)


def _prose(challenge: Challenge, text: str) -> Prose:
    return Prose(text, [*challenge.pages])
