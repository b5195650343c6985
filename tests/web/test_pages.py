"""What a team sees of its own entries in time, and what is renewed of a page that is open."""

import re
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace

import pytest
from web_helpers import API, entered, good, mixed, rows

from scorer.web import pictures

DAY = datetime(2026, 3, 1, 12, tzinfo=UTC)


def outcome(entry, day, value, split="public"):
    """An entry as its team sees it; `split` holds its value."""
    values = {} if value is None else {split: {"RR": value}}
    return SimpleNamespace(entry=entry, received=DAY + timedelta(days=day), values=values)


@pytest.mark.parametrize(
    ("outcomes", "entries", "changes"),
    [
        ([], [], {}),
        ([outcome(1, 0, 0.5)], [1], {}),
        ([outcome(1, 0, 0.5), outcome(2, 1, 0.75)], [1, 2], {2: 0.25}),
        # a late mail, whose number is higher than its time
        ([outcome(1, 2, 0.5), outcome(2, 1, 0.75)], [2, 1], {1: -0.25}),
        # what the team does not see, and what has no value, is none of them
        ([outcome(1, 0, 0.5), outcome(2, 1, 0.9, "private"), outcome(3, 2, None),
          outcome(4, 3, float("nan")), outcome(5, 4, 0.5)], [1, 5], {5: 0.0}),
    ],
)  # fmt: skip
def test_the_history_of_a_team(outcomes, entries, changes):
    values = pictures.history(outcomes, "public", "RR")
    assert [each.entry for each in values] == entries
    assert pictures.changes(values) == changes


@pytest.mark.slow("serves a board and evaluates entries")
def test_the_history_is_of_all_pages(client, served):
    red = served.bearer("red")
    for by in (2, 3, 4):
        entered(client, red, mixed(by))
    whole, part = (
        client.get(f"/c/course/entries{query}", headers=red).text for query in ("", "?limit=1")
    )
    assert "Withdraw" in part
    for text in (whole, part):
        assert re.search(r"<td>[+-]0\.\d{4}</td>", text)


@pytest.mark.slow("serves a board and evaluates entries")
def test_an_open_page_is_renewed_with_the_teams_own_card(client, served):
    red, path = served.bearer("red"), "/c/course/part?split=public"
    page = client.get("/c/course", headers=red).text
    tag = re.search(r'data-tag="(\w+)"', page)[1]
    for same in (f'"{tag}"', f'W/"{tag}"'):  # as it is, or as nginx packs it
        answer = client.get(path, headers=red | {"If-None-Match": same})
        assert (answer.status_code, answer.content) == (304, b"")
    entered(client, red, rows(good))
    answer = client.get(path, headers=red | {"If-None-Match": f'"{tag}"'})
    assert answer.status_code == 200
    assert answer.headers["etag"] != f'"{tag}"'
    status, _, part = answer.text.partition("</p>\n")
    assert "1 team, 1 entry" in status
    card, _, board = part.partition("</section>")
    assert "your rank" in card
    assert "Your team is not on this board yet" not in card
    assert 'class="team-1 own' in board
    visitors = client.get(path)
    assert "your rank" not in visitors.text
    part = visitors.text.partition("</p>\n")[2]
    assert client.get("/c/course").text.count(part.strip()) == 1
    again = client.get(path, headers={"If-None-Match": visitors.headers["etag"]})
    assert again.status_code == 304


@pytest.mark.slow("serves a board")
def test_head_is_answered_as_get_without_a_body(client):
    for path in ("/", "/healthz", "/c/course", "/c/course/rules", API, f"{API}/board", "/nowhere"):
        got, head = client.get(path), client.head(path)
        assert (head.status_code, head.content) == (got.status_code, b""), path
        assert head.headers["content-type"] == got.headers["content-type"]


@pytest.mark.slow("serves a board")
def test_a_board_tells_other_pages_what_it_is(client):
    page = client.get("/c/course").text
    assert '<meta property="og:title" content="A &lt;b&gt;course&lt;/b&gt;">' in page
    assert 'property="og:description"' in page


@pytest.mark.slow("serves a board")
def test_answers_are_compressed(client, served):
    head = served.bearer("red") | {"Accept-Encoding": "gzip"}
    for path in ("/c/course", "/c/course/entries", "/static/site.css", f"{API}/board"):
        assert client.get(path, headers=head).headers["content-encoding"] == "gzip", path
