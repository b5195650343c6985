"""Tokens on the web: of one challenge among several, several of a team, labels in the log."""

import re

import pytest
from fastapi.testclient import TestClient
from web_helpers import API, entered, good, made, rows

from scorer.web.app import create
from scorer.web.context import Settings

ALL = "/api/v1/challenges"


@pytest.fixture
def pair(tmp_path):
    """Two challenges of one server, made by settings, and their clients."""
    ours, other = made(tmp_path), made(tmp_path, "other")
    opened = []

    def client(**more):
        settings = Settings((str(ours.folder), str(other.folder)), workers=0, **more)
        opened.append(TestClient(create(settings), follow_redirects=False))
        return opened[-1].__enter__()

    yield client, ours, other
    for each in opened:
        each.__exit__(None, None, None)


@pytest.mark.slow("serves two boards")
@pytest.mark.parametrize(("private", "listed"), [(False, ["course", "other"]), (True, ["course"])])
def test_a_token_of_one_challenge_lists_what_it_may_see(pair, private, listed):
    client, ours, _ = pair
    client = client(private=private)
    red = ours.bearer("red")
    for _ in range(12):  # more than failed sign-ins may be in a minute
        answer = client.get(ALL, headers=red)
        assert answer.status_code == 200
    found = {fields["id"]: fields["quota"] for fields in answer.json()}
    assert [*found] == listed
    assert found["course"] is not None
    assert found.get("other") is None
    assert client.get("/", headers=red).text.count("signed in as red") == 1
    statuses = [
        client.get(ALL, headers={"Authorization": "Bearer x"}).status_code for _ in range(12)
    ]
    assert statuses == [401] * 10 + [429] * 2
    assert client.get(ALL).status_code == (401 if private else 200)


@pytest.mark.slow("serves two boards")
def test_the_page_of_all_challenges_says_their_state(pair):
    client, _, other = pair
    other.rewrite("opens: 2020", "opens: 2119")
    client = client()
    states = {each["id"]: (each["state"], each["until"][:4]) for each in client.get(ALL).json()}
    assert states == {"course": ("open", "2120"), "other": ("upcoming", "2119")}
    text = " ".join(re.sub("<[^>]*>", "", client.get("/").text).split())
    assert "2120-01-01 00:00 UTC" in text
    assert "upcoming opens 2119-01-01 00:00 UTC" in text


@pytest.mark.slow("serves two boards")
def test_a_private_server_tells_visitors_no_title(pair):
    client, *_ = pair
    text = client(private=True).get("/").text
    assert "course" not in text
    assert "its organizer gave it" in " ".join(text.split())


@pytest.mark.slow("serves a board")
def test_an_organizer_makes_and_revokes_single_tokens_on_the_page(client, served):
    served.token("red")
    client.post("/c/course/sign-in", data={"token": served.token("organizer")})
    act = "/c/course/admin/act"
    page = client.post(act, data={"do": "token", "subject": "red", "label": "mia <b>"}).text
    token = re.search(r'<pre id="new-token">(.*)</pre>', page)[1]
    assert "mia &lt;b&gt;" in page
    number = re.findall(r'name="number" value="(\d+)"', page)[-1]
    client.post(act, data={"do": "revoke", "subject": "red", "number": number})
    statuses = [
        client.get(f"{API}/entries", headers=headers).status_code
        for headers in (served.bearer("red"), {"Authorization": f"Bearer {token}"})
    ]
    assert statuses == [200, 401]


@pytest.mark.slow("serves a board")
def test_the_log_names_who_decided(client, served):
    red = served.bearer("red")
    entered(client, red, rows(good))
    with served.board() as board:
        tokens = board.new_token("red", "mia"), board.new_token(None, "anna")
    for token, kind in zip(tokens, ("select", "disqualify"), strict=True):
        headers = {"Authorization": f"Bearer {token}"}
        body = {"kind": kind, "entry": 1, "reason": "x"}
        assert client.post(f"{API}/decisions", headers=headers, json=body).status_code == 201
    with served.board() as board:
        events = board.log()
    assert [e.by for e in events if e.kind == "decision"] == ["red (mia)", "anna"]
