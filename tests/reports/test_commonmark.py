"""Texts of organizers: what they may show, and that nothing in them acts."""

import re
from html.parser import HTMLParser

import pytest
from tables import rows

from scorer.reports.commonmark import Written, first_words, html, plain, titled

TEXT = """# Title #

Some *text* with `code`
in two lines.

### Deeper

| column | means |
|--------|-------|
| user   | an id |

- one
  1. two
"""


def test_the_parts_of_a_text():
    made = html(TEXT, Written(level=2, key="rules"))
    assert "<h2>Title</h2>" in made
    assert "<h3>Deeper</h3>" in made
    assert "<em>text</em> with <code>code</code>\nin two lines." in made
    assert 'aria-label="Table 1 of rules"' in made
    assert '<th scope="col">column</th>' in made
    assert "<li>one\n<ol>" in made


def test_the_same_for_a_terminal():
    lines = plain(TEXT, 60).splitlines()
    assert lines[0] == "Title"
    assert "Some text with code in two lines." in lines
    assert " user    an id" in lines
    assert all(line == line.rstrip() and "\x1b" not in line for line in lines)
    assert "\x1b[" in plain(TEXT, 60, colour=True)


@pytest.mark.parametrize(
    ("heads", "levels"),
    [
        ("### a\n# b\n###### c\n## d", [3, 3, 4, 4]),
        ("# a\n## b\n### c\n#### d\n##### e\n###### f", [3, 4, 5, 6, 6, 6]),
        ("a\n=\n\nb\n-\n\n# c", [3, 4, 3]),
    ],
)
def test_headings_begin_below_the_pages_and_leave_none_out(heads, levels):
    found = re.findall(r"<h(\d)>", html(heads, Written(level=3)))
    assert [int(level) for level in found] == levels


class Acting(HTMLParser):
    """The tags, attributes and addresses of a page."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.attributes, self.addresses = set(), set(), set()
        self.depth = self.deepest = 0
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.depth += tag not in ("br", "hr", "img")
        self.deepest = max(self.deepest, self.depth)
        self.attributes |= {name for name, _ in attrs}
        self.addresses |= {value for name, value in attrs if name in ("href", "src")}

    def handle_endtag(self, tag):
        self.depth -= 1


@pytest.mark.parametrize("text", rows(__file__, "nothing_hostile_acts"))
def test_nothing_hostile_acts(text):
    made = Acting(html(text, Written(pages=("rules",))))
    assert made.tags <= {"p", "pre", "code", "div", "table", "thead", "tbody", "tr", "th", "td",
                         "strong"}  # fmt: skip
    assert made.attributes <= {"class", "role", "aria-label", "tabindex", "scope"}
    assert made.addresses == set()


@pytest.mark.parametrize(("text", "address"), rows(__file__, "a_link_leads_where_it_may"))
def test_a_link_leads_where_it_may(text, address):
    made = Acting(html(text, Written(pages=("rules",))))
    assert made.addresses == {address}
    assert made.tags == {"p", "a"}
    assert made.attributes == {"href"} if address.startswith("#") else {"href", "rel"}


def test_a_picture_is_shown_where_it_may_be():
    remote, own = "![the *plot*](https://x.org/p.png)", "![p](data:image/png;base64,iVBORw0=)"
    assert "<img" not in html(remote)
    assert '<img src="data:image/png;base64,iVBORw0=" alt="p"' in html(own)
    assert html(f"[{remote}](https://y.org)").count("<a ") == 1
    assert plain(remote, 80) == "the plot (https://x.org/p.png)"


@pytest.mark.parametrize("text", ["a\x1b[31mb", "&#27;[31m", "`\u202eb`", "![\u200bx](https://x)",
                                  "    \x07b", "[\x1bx](https://x)", "# \x9bb"])  # fmt: skip
def test_nothing_unseen_is_written(text):
    for made in (html(text), plain(text, 80), first_words(text, 80)):
        assert all(character.isprintable() or character == "\n" for character in made)


@pytest.mark.slow("writes deeply nested text", beyond=1)
@pytest.mark.parametrize(
    "text",
    [
        ">" * 20_000, "- " * 10_000, "[" * 20_000, "![" * 10_000, "*a " * 7_000, "<a " * 7_000,
        "[a](b" * 4_000, "_a__b" * 4_000, "\n".join(" " * n + "- a" for n in range(200)),
        "".join("`" * n + " " for n in range(200)), "|a" * 4_000 + "\n" + "|-" * 4_000,
        "**" * 5_000 + "a" + "**" * 5_000, "((" * 9_000,
    ],
)  # fmt: skip
def test_nesting_is_bounded(text):
    assert Acting(html(text)).deepest <= 40
    plain(text, 80)


def test_the_first_words_of_a_text():
    assert first_words("# No\n\nSome *text*,\nand `more`.", 80) == "Some text, and more."
    assert first_words("one two three", 9) == "one two …"
    assert first_words("", 9) == ""


@pytest.mark.parametrize(
    ("text", "title", "rest"),
    [
        ("# The *rules* #\n\nOne.", "The *rules*", "\nOne."),
        ("\n\n## R\nOne.", "R", "One."),
        ("One.", "Late-data", "One."),
        ("#hash", "Late-data", "#hash"),
    ],
)
def test_a_pages_title(text, title, rest):
    assert titled("late-data", text) == (title.replace("Late-data", "Late data"), rest)
