"""People on the web: one token and several challenges, invitations, renewal, names in the log."""

import re

import pytest
from fastapi.testclient import TestClient
from web_helpers import API, good, made, rows, send

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
    path = other.folder / "challenge.yaml"
    path.write_text(path.read_text().replace("opens: 2020", "opens: 2119"))
    client = client()
    states = {each["id"]: (each["state"], each["until"][:4]) for each in client.get(ALL).json()}
    assert states == {"course": ("open", "2120"), "other": ("upcoming", "2119")}
    text = " ".join(re.sub("<[^>]*>", "", client.get("/").text).split())
    assert "open until 2120-01-01 00:00 (UTC)" in text
    assert "upcoming opens 2119-01-01 00:00 (UTC)" in text


@pytest.mark.slow("serves two boards")
def test_a_private_server_tells_visitors_no_title(pair):
    client, *_ = pair
    text = client(private=True).get("/").text
    assert "course" not in text
    assert "its organizer gave it" in " ".join(text.split())


def secret_in(answer):
    assert answer.status_code == 200, answer.text
    return re.search(r"<pre>(.*)</pre>", answer.text)[1]


@pytest.mark.slow("serves a board")
def test_a_person_comes_in_by_a_link_and_renews_the_token(client, served):
    client.post("/c/course/sign-in", data={"token": served.token("red")})
    data = {"person": "mia"}
    link = secret_in(client.post("/c/course/account/invitation", data=data))
    client.cookies.clear()
    for _ in range(2):  # to look does not use it up
        seen = client.get(link).text
        assert "<strong>red</strong> as <strong>mia</strong>" in seen
        assert 'name="code"' in seen
    own = secret_in(client.post("/c/course/invitation", data={"code": link.partition("=")[2]}))
    assert "red (mia)" in client.get("/c/course").text  # who is signed in now
    assert client.get(link).status_code == 404
    renewed = secret_in(client.post("/c/course/account/token"))
    assert client.get("/c/course/account").status_code == 200
    heads = [{"Authorization": f"Bearer {each}"} for each in (own, renewed)]
    assert [client.get(f"{API}/entries", headers=h).status_code for h in heads] == [401, 200]
    assert client.get(f"{API}/entries", headers=served.bearer("red")).status_code == 200


@pytest.mark.slow("serves a board")
def test_the_log_names_who_decided(client, served):
    red, head = served.bearer("red"), served.bearer("organizer")
    send(client, red, rows(good))
    made = []
    for headers, body in ((red, {"person": "mia"}), (head, {"person": "anna"})):
        answer = client.post(f"{API}/invitations", headers=headers, json=body)
        code = answer.json()["invitation"].partition("=")[2]
        made.append(client.post(f"{API}/invitations/accept", json={"code": code}).json())
    assert [(each["team"], each["person"]) for each in made] == [("red", "mia"), (None, "anna")]
    for each, kind in zip(made, ("select", "disqualify"), strict=True):
        headers = {"Authorization": f"Bearer {each['token']}"}
        body = {"kind": kind, "entry": 1, "reason": "x"}
        assert client.post(f"{API}/decisions", headers=headers, json=body).status_code == 201
    events = client.get(f"{API}/log", headers=head).json()["events"]
    assert [e["by"] for e in events if e["kind"] == "decision"] == ["red (mia)", "anna"]
    answer = client.post(f"{API}/invitations", headers=red, json={"team": "blue", "person": "x"})
    assert answer.status_code == 404
