"""The page of a board: verdict, changes of rank, ties, the end, pages of teams, badges."""

import re
from datetime import UTC, datetime, timedelta

import pytest
from web_helpers import LISTS, good, mixed, poor, rows

NOW = datetime.now(UTC)
WEEKS_AGO, YESTERDAY = NOW - timedelta(days=20), NOW - timedelta(days=1)


def enter(served, *entries):
    """Record entries of (team, text, time, method)."""
    with served.board() as board:
        for team, text, time, method in entries:
            served.token(team)
            path = served.folder.parent / "entry.csv"
            path.write_text(text)
            board.add([path], team, now=time, answers={"method": method})
        board.evaluations.finish_pending()  # the baseline's


def rows_of(page):
    """The rows of the board: each the texts of its cells, without markup."""
    body = re.search(r'id="standings".*?<tbody>(.*?)</tbody>', page, re.S)[1]
    return [
        [
            " ".join(re.sub("<[^>]*>", " ", cell).split())
            for cell in re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row, re.S)
        ]
        for row in re.findall(r"<tr[^>]*>(.*?)</tr>", body, re.S)
    ]


@pytest.fixture
def filled(served):
    """A board on which blue leads, passed by red yesterday; a baseline stands beside them."""
    enter(
        served,
        ("red", mixed(3), WEEKS_AGO, "BM25"),
        ("blue", mixed(2), WEEKS_AGO, "<i>trees</i>"),
        ("red", rows(good), YESTERDAY, "two towers"),
        ("green", mixed(4), YESTERDAY, ""),
    )
    return served


@pytest.mark.slow("evaluates entries")
def test_a_row_has_name_and_method_and_how_far_it_moved(filled, client):
    page = client.get("/c/course").text
    by_team = {row[2].split()[0]: row for row in rows_of(page) if len(row) > 2}
    assert by_team["red"][1:3] == ["▲ 1", "red two towers"]
    assert by_team["blue"][1:3] == ["▼ 1", "blue &lt;i&gt;trees&lt;/i&gt;"]
    assert by_team["green"][1:3] == ["new", "green"]
    assert by_team["poor"][:3] == ["", "", "poor baseline"]
    assert "change of rank since" in page
    assert 'id="team-1" class="team-1"' in page
    assert 'href="course/teams/1"' in page
    text = " ".join(re.sub("<[^>]*>", " ", page).split())
    assert "red leads with 1.000 P@2" in text
    assert "Open · closes 2120-01-01 00:00 UTC · 3 teams, 4 entries" in text
    assert "public · " in text
    assert "private · opens 2120-01-01" in text
    assert 'href="?split=private' not in page


@pytest.mark.slow("evaluates entries")
def test_only_the_viewers_own_values_stand_beside_the_best_over_time(filled, client):
    visitors = client.get("/c/course").text.partition("Score over time")[2]
    assert "blue: 0.5" in visitors or "blue" in visitors  # the best when it came
    assert "green" not in visitors
    own = client.get("/c/course", headers=filled.bearer("green")).text
    assert re.search(r'class="own dot" [^>]*><title>green', own)
    assert "you</text>" in own


@pytest.mark.slow("evaluates entries")
def test_a_rule_says_where_the_tie_with_the_leader_ends(served, client):
    best = [("red", rows(good)), ("blue", rows(lambda n, item: good(n, item) + n))]
    worst = [("green", rows(poor)), ("pink", rows(lambda n, item: poor(n, item) * 2))]
    enter(served, *((team, text, YESTERDAY, "") for team, text in best + worst))
    table = rows_of(client.get("/c/course", headers=served.bearer("organizer")).text)
    rules = [n for n, row in enumerate(table) if len(row) == 2]
    page = client.get("/c/course?split=all", headers=served.bearer("organizer")).text
    table = rows_of(page)
    (place,) = [n for n, row in enumerate(table) if len(row) == 2]
    assert "tied with the leader" in table[place][1]
    assert place == 2
    assert len(rules) <= 1  # six lists are too few, or just enough


@pytest.mark.slow("evaluates entries")
def test_at_the_end_there_is_a_result_and_the_way_from_public_to_private(served, client_with):
    path = served.folder / "challenge.yaml"
    past = f"closes: {WEEKS_AGO + timedelta(days=5):%Y-%m-%dT%H:%M:%SZ}"
    path.write_text(path.read_text().replace("closes: 2120-01-01T00:00:00Z", past))
    enter(served, ("red", rows(good), WEEKS_AGO, ""), ("blue", mixed(2), WEEKS_AGO, ""))
    page = client_with().get("/c/course").text
    text = " ".join(re.sub("<[^>]*>", " ", page).split())
    assert "Final result by the" in text
    assert re.search(r"1 red · 2 blue", text)
    assert "Closed · since" in text
    assert "public → private" in text
    assert rows_of(page)[0][:3] == ["1 1-2", "– 1 → 1", "red"]
    assert ">Submit</a>" not in page


def test_an_empty_board_says_what_comes_next(client):
    page = client.get("/c/course").text
    assert "No entries yet. Be the first." in page
    assert "Register a team" in page


def test_an_upcoming_board_says_when_it_opens(served, client_with):
    served.rewrite("opens: 2020-", "opens: 2119-")
    text = re.sub("<[^>]*>", "", client_with().get("/c/course").text)
    assert "Opens 2119-01-01 00:00 UTC. The board begins with the first entries." in text


@pytest.mark.slow("evaluates entries")
def test_a_teams_page_and_badges_show_what_the_board_shows(filled, client):
    page = client.get("/c/course/teams/1")
    assert page.status_code == 200
    assert "two towers" in page.text
    assert "?split=private" not in page.text
    assert client.get("/c/course/teams/99").status_code == 404
    assert "?split=private" in client.get(
        "/c/course/teams/1", headers=filled.bearer("organizer")
    ).text  # fmt: skip
    badge = client.get("/c/course/badge.svg?team=1")
    assert badge.headers["content-type"] == "image/svg+xml"
    assert "P@2: 1.000 · rank 1" in badge.text
    assert "1.000 · 3 teams" in client.get("/c/course/badge.svg").text
    assert client.get("/c/course/badge.svg?team=99").status_code == 404
    assert len(LISTS) == 12
