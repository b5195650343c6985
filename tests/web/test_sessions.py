"""A session belongs to one board: every route for every viewer, on its own and another board."""

import re

import pytest
from fastapi.testclient import TestClient
from web_helpers import good, made, mixed, rows, send

from scorer.web import dependencies
from scorer.web.app import ROUTERS, create
from scorer.web.auth import token_of
from scorer.web.context import Settings

V1, PAGE = "/api/v1/challenges/ID", "/c/ID"
FILE = {"files": {"file": ("b.csv", mixed(2).encode())}}
SELECT = {"kind": "select", "entry": 1, "reason": "x"}
VISITOR, TEAM, ORGANIZER = range(3)

# method, path, what is sent, the answer to a visitor, a team and an organizer of the board
ROUTES = [
    ("get", V1, {}, 200, 200, 200),
    ("post", V1 + "/check", FILE, 200, 200, 200),
    ("post", V1 + "/entries", FILE, 401, 202, 403),
    ("get", V1 + "/entries", {}, 401, 200, 200),
    ("get", V1 + "/entries/1", {}, 401, 200, 200),
    ("get", V1 + "/entries/1/receipt.json", {}, 401, 200, 200),
    ("get", V1 + "/why?team=red", {}, 401, 200, 200),
    ("get", V1 + "/board", {}, 200, 200, 200),
    ("get", V1 + "/board?split=private", {}, 404, 404, 200),
    ("post", V1 + "/decisions", {"json": SELECT}, 401, 201, 201),
    ("get", V1 + "/kit.zip", {}, 200, 200, 200),
    ("get", V1 + "/receipts.jsonl", {}, 200, 200, 200),
    ("get", PAGE, {}, 200, 200, 200),
    ("get", PAGE + "?split=private", {}, 404, 404, 200),
    ("get", PAGE + "/part?split=private", {}, 404, 404, 200),
    ("get", PAGE + "/board.csv?split=private", {}, 404, 404, 200),
    ("get", PAGE + "/rules", {}, 200, 200, 200),
    ("get", PAGE + "/challenge.seal", {}, 404, 404, 404),
    ("get", PAGE + "/pictures/over-time.svg?split=private", {}, 404, 404, 404),
    ("get", PAGE + "/teams/1", {}, 200, 200, 200),
    ("get", PAGE + "/badge.svg", {}, 200, 200, 200),
    ("get", PAGE + "/badge.svg?split=private", {}, 404, 404, 200),
    ("get", PAGE + "/sign-in", {}, 200, 200, 200),
    ("post", PAGE + "/sign-in", {"data": {"token": "x"}}, 401, 401, 401),
    ("get", PAGE + "/join", {}, 200, 200, 200),
    ("post", PAGE + "/join", {"data": {"name": ""}}, 422, 422, 422),
    ("get", PAGE + "/submit", {}, 401, 200, 401),
    ("post", PAGE + "/submit", FILE | {"data": {"act": "check"}}, 401, 200, 403),
    ("get", PAGE + "/entries", {}, 401, 200, 200),
    ("get", PAGE + "/entries/1", {}, 401, 200, 200),
    ("post", PAGE + "/decide", {"data": {"kind": "select", "entry": 1}}, 401, 303, 303),
    ("get", PAGE + "/admin", {}, 404, 404, 200),
    ("post", PAGE + "/admin/team", {"data": {"name": "pink"}}, 401, 404, 200),
    ("post", PAGE + "/admin/act", {"data": {"do": "audit"}}, 401, 404, 200),
    ("get", PAGE + "/admin/failures/x", {}, 404, 404, 404),
    ("get", PAGE + "/admin/backup", {}, 404, 404, 200),
    ("post", PAGE + "/sign-out", {"data": {}}, 401, 303, 303),
]  # fmt: skip
OPEN = {"/api/v1/challenges", "/", "/healthz", "/api/docs", "/codes/{name}"}


def test_the_table_holds_every_route():
    def plain(path):
        return re.sub(r"\{\w+\}|\b(1|x|blue|ID|over-time)\b", "_", path.partition("?")[0])

    routes = {
        (method.lower(), plain(route.path))
        for router in ROUTERS
        for route in router.routes
        if route.path not in OPEN
        for method in route.methods
    }
    assert routes == {(method, plain(path)) for method, path, *_ in ROUTES}


def test_the_signature_of_a_boards_route_says_for_whom_it_is():
    def calls(dependant):
        return {dependant.call} | {each for sub in dependant.dependencies for each in calls(sub)}

    for route in (route for router in ROUTERS for route in router.routes):
        if "{id}" in route.path and not route.path.endswith(("/sign-in", "/join")):
            assert dependencies._viewer in calls(route.dependant), route.path


@pytest.fixture
def two(tmp_path):
    """Two boards; the first token of the one is a team's, of the other its organizer's."""
    ours, other = made(tmp_path), made(tmp_path, "other")
    for served, teams in (
        (ours, ("red", "organizer", "blue")),
        (other, ("organizer", "red", "blue")),
    ):
        for team in teams:
            served.token(team)
        (served.folder / "a.csv").write_text(rows(good))
        with served.board() as board:
            board.add([served.folder / "a.csv"], "red")
    settings = Settings((str(ours.folder), str(other.folder)), workers=0, limit=0)
    with TestClient(create(settings), follow_redirects=False) as client:
        yield client, ours, other


def cookie_of(client, served, team):
    if team is None:
        return ""
    answer = client.post("/c/course/sign-in", data={"token": served.token(team)})
    client.cookies.clear()
    return answer.headers["set-cookie"].partition(";")[0].partition("=")[2]


def sent(client, board, cookie, method, path, more):
    """An answer's status, and what it shows."""
    headers = {"Cookie": f"scorer_session_{board}={cookie}"} if cookie else {}
    url = path.replace("ID", board)
    answer = client.request(method.upper(), url, headers=headers, **more)
    return answer.status_code, answer.content if method == "get" and "kit" not in path else b""


@pytest.mark.slow("serves a board and evaluates entries")
@pytest.mark.parametrize("who", [VISITOR, TEAM, ORGANIZER], ids=["visitor", "team", "organizer"])
def test_every_route_on_ones_own_board_and_on_another(two, who):
    client, ours, _ = two
    cookie = cookie_of(client, ours, [None, "red", "organizer"][who])
    for method, path, more, *expected in ROUTES:
        status, _ = sent(client, "course", cookie, method, path, more)
        assert status == expected[who], (method, path)
        strangers = sent(client, "other", "", method, path, more)
        assert strangers[0] == expected[VISITOR], (method, path)
        assert sent(client, "other", cookie, method, path, more) == strangers, (method, path)


@pytest.mark.slow("serves a board and evaluates entries")
@pytest.mark.parametrize("team", [None, "red", "organizer"])
def test_no_answer_holds_the_host_that_was_asked_for(two, team):
    client, ours, _ = two
    cookie = cookie_of(client, ours, team)
    client.headers["Host"] = "evil.example"
    for method, path, more, *_ in ROUTES:
        for slash in ("", "/"):
            url = path.replace("ID", "course").replace("?", f"{slash}?") + slash * ("?" not in path)
            headers = {"Cookie": f"scorer_session_course={cookie}"} if cookie else {}
            answer = client.request(method.upper(), url, headers=headers, **more)
            assert b"evil" not in answer.content, url
            assert "evil" not in str(answer.headers), url


@pytest.mark.slow("serves a board and evaluates entries")
def test_a_session_of_an_older_store_beside_the_same_key_is_nobodys(two):
    client, ours, other = two
    sessions = client.app.state.context.sessions
    with other.board() as board:  # its token has the number that the session names
        token = token_of(board, other.token("organizer"))
    with ours.board() as board:
        older = token_of(board, ours.token("red"))
    assert older.id == token.id
    for kept, status in ((token, 200), (older, 404)):
        cookie = sessions.sign("other", kept)
        assert sent(client, "other", cookie, "get", PAGE + "/admin", {})[0] == status


def test_uploads_are_limited_by_token_and_board(tmp_path):
    ours, other = made(tmp_path), made(tmp_path, "other")
    red = {served: served.bearer("red") for served in (ours, other)}
    settings = Settings((str(ours.folder), str(other.folder)), workers=0, limit=1)
    with TestClient(create(settings)) as client:
        assert [send(client, red[ours], rows(good)).status_code for _ in range(2)] == [202, 429]
        path = V1.replace("ID", "other") + "/entries"
        assert client.post(path, headers=red[other], **FILE).status_code == 202
