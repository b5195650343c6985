"""The JSON API: what it answers, and to whom."""

import json
from datetime import UTC, datetime, timedelta
from importlib.metadata import version
from pathlib import Path

import pytest
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.formparsers import MultiPartParser
from web_helpers import API, NOW, entered, finished, good, mixed, poor, rows, send

from scorer import __version__
from scorer.web.auth import Viewer
from scorer.web.context import Context

OPENAPI = Path(__file__).with_name("openapi.json")


def test_answers_that_are_no_json_are_refused(client, served):
    red = served.bearer("red")
    for answers in ("{", "[]", '{"method": ' + "[" * 100_000):
        assert send(client, red, rows(good), answers=answers).status_code == 422


@pytest.mark.slow("serves a board and evaluates entries")
def test_an_entry_goes_its_way(children, client, served):
    red = served.bearer("red")
    sent = send(client, red, rows(good), answers=json.dumps({"method": "x"}))
    assert sent.status_code == 202
    fields = sent.json()
    assert [*fields] == ["entry", "status", "sha256", "received", "receipt"]
    assert (fields["entry"], fields["status"]) == (1, "pending")
    done = finished(client, red, 1)
    assert done["status"] == "scored"
    assert done["values"] == {"public": {"P@2": 1.0, "RR": 1.0}}
    board = client.get(f"{API}/board").json()
    rows_ = {row["name"]: row for row in board["leaderboard"]}
    assert rows_["red"]["entry"] == 1
    assert rows_["red"]["answers"] == {"method": "x"}
    assert rows_["poor"]["rank"] is None
    again = send(client, red, rows(good))
    assert (again.status_code, again.json()["code"]) == (409, "S803")


@pytest.mark.slow("serves a board and evaluates entries")
def test_the_board_is_score_offline(client, served):
    import scorer

    for team, text in (("red", mixed(2)), ("blue", mixed(3)), ("green", rows(good))):
        (served.folder.parent / f"{team}.csv").write_text(text)
        headers = served.bearer(team)
        entered(client, headers, text)
    organizer = served.bearer("organizer")
    found = client.get(f"{API}/board?split=all", headers=organizer).json()
    files = [served.folder.parent / f"{team}.csv" for team in ("red", "blue", "green")]
    offline = scorer.score(served.folder, files)
    ours = {row["name"]: row["values"] for row in found["leaderboard"]}
    assert ours == {s.name: dict(s.values) for s in offline.leaderboard}


@pytest.mark.slow("serves a board and evaluates entries")
def test_a_check_costs_nothing_and_needs_no_token(children, client, served):
    answer = client.post(f"{API}/check", files={"file": ("a.csv", b"list,item,score\nq00,a,x\n")})
    assert answer.status_code == 200
    codes = {problem["code"] for problem in answer.json()["problems"]}
    assert codes >= {"S501", "S301"}
    with served.board() as board:
        assert board.entries() == []


def test_a_rejected_entry_says_why(client, served):
    red = served.bearer("red")
    number = send(client, red, "list,item,score\nq00,a,x\n").json()["entry"]
    done = finished(client, red, number)
    assert done["status"] == "rejected"
    assert done["values"] is None
    assert {"S501"} <= {problem["code"] for problem in done["problems"]}


WHO = [  # beside the table of test_sessions.py, which has every route
    ("get", "/entries/1", "blue", 404),
    ("get", "/entries/9", "red", 404),
    ("get", "/board?split=all", "red", 404),
    ("get", "/board?split=nothing", "organizer", 404),
    ("get", "/nowhere", "organizer", 404),
    ("post", "/teams", "organizer", 404),
    ("post", "/entries", None, 401),
    ("post", "/entries", "red", 422),
]


@pytest.mark.slow("serves a board and evaluates entries")
def test_who_may_do_what(children, client, served):
    send(client, served.bearer("red"), rows(good))
    for method, path, team, code in WHO:
        headers = served.bearer(team) if team else {}
        answer = getattr(client, method)(API + path, headers=headers)
        assert answer.status_code == code, (method, path, team, answer.text)
        if code >= 400:
            assert [*answer.json()] == ["code", "message", "problems"]


DECISIONS = [
    ("red", {"kind": "withdraw", "entry": 1, "reason": "a mistake"}, 201),
    ("red", {"kind": "select", "entry": 1, "reason": "ours"}, 201),
    ("red", {"kind": "disqualify", "entry": 1, "reason": "x"}, 403),
    ("red", {"kind": "rename", "team": "red", "name": "rot", "reason": "x"}, 403),
    ("red", {"kind": "unselect", "entry": 1, "reason": "not ours"}, 201),
    ("red", {"kind": "select", "entry": 1, "reason": "ours", "late": True}, 403),
    ("blue", {"kind": "withdraw", "entry": 1, "reason": "x"}, 404),
    ("organizer", {"kind": "disqualify", "team": "red", "reason": "x"}, 201),
    ("organizer", {"kind": "disqualify", "team": "nobody", "reason": "x"}, 404),
    ("organizer", {"kind": "disqualify", "team": "1", "reason": "x"}, 422),
    ("organizer", {"kind": "disqualify", "team": "²", "reason": "x"}, 422),
    ("organizer", {"kind": "disqualify", "reason": "x"}, 422),
    ("organizer", {"kind": "disqualify", "entry": 1, "reason": " "}, 422),
    ("organizer", {"kind": "explode", "entry": 1, "reason": "x"}, 422),
]


@pytest.mark.slow("serves a board and evaluates entries")
def test_a_team_decides_nothing_after_the_close(client, served):
    """Of those who sign in, an organizer alone can, and says that it is late."""
    red = served.bearer("red")
    entered(client, red, rows(good))
    site = client.app.state.context.sites["course"]
    site.clock = lambda: datetime(2121, 1, 1, tzinfo=UTC)
    for act in ("select", "unselect", "withdraw"):
        for team in ("red", "organizer"):
            decision = {"kind": act, "entry": 1, "reason": "now I know"}
            headers = served.bearer(team)
            answer = client.post(f"{API}/decisions", headers=headers, json=decision)
            assert (answer.status_code, answer.json()["code"]) == (409, "S807"), (act, team)
    late = decision | {"late": True}
    assert client.post(f"{API}/decisions", headers=red, json=late).status_code == 403
    assert client.post(f"{API}/decisions", headers=headers, json=late).status_code == 201
    told = "entry 1 of red: withdraw, late"
    assert told in client.get("/c/course").text
    page = client.get("/c/course/entries", headers=red).text
    assert 'value="select"' not in page


@pytest.mark.slow("serves a board and evaluates entries")
def test_decisions(client, served):
    red = served.bearer("red")
    entered(client, red, rows(good))
    for team, body, code in DECISIONS:
        answer = client.post(f"{API}/decisions", headers=served.bearer(team), json=body)
        assert answer.status_code == code, (team, body, answer.text)


@pytest.mark.slow("fills a board")
def test_a_phase_that_shows_ones_own_values_shows_no_board(client_with, served):
    text = (served.folder / "challenge.yaml").read_text()
    own = "\n".join(s for s in text.splitlines() if not s.startswith(("splits", "  - {id: final")))
    (served.folder / "challenge.yaml").write_text(own.replace("show: public", "show: own") + "\n")
    client = client_with()
    red = served.bearer("red")
    done = entered(client, red, rows(good))
    assert done["values"]["all"]["P@2"] == 1.0
    assert client.get(f"{API}/board").status_code == 404
    assert "not shown now" in client.get("/c/course").text


@pytest.mark.slow("serves a board and evaluates entries")
def test_a_quota_is_told_and_kept(client_with, served):
    served.rewrite("show: public}", "show: public, quota: {per_day: 1}}")
    client = client_with()
    red = served.bearer("red")
    assert client.get(API, headers=red).json()["quota"]["today"] == 1
    entered(client, red, rows(good))
    answer = send(client, red, rows(poor))
    assert (answer.status_code, answer.json()["code"]) == (409, "S802")
    quota = client.get(API, headers=red).json()["quota"]
    assert quota["today"] == 0
    site = client.app.state.context.sites["course"]
    site.clock = lambda: datetime.fromisoformat(quota["next"])
    assert client.get(API, headers=red).json()["quota"]["today"] == 1


LOCKED = Path(__file__).parents[2] / "constraints.txt"


def test_the_description_of_the_api_is_what_was_agreed(client):
    for name in ("fastapi", "pydantic"):  # which write it
        if f"\n{name}=={version(name)} " not in LOCKED.read_text():
            pytest.skip(f"the locked version of {name} writes it: make installed")
    found = client.get("/api/openapi.json").json()
    for operations in found["paths"].values():
        for operation in operations.values():  # the order of parameters means nothing
            operation.get("parameters", []).sort(key=lambda each: each["name"] != "id")
    text = json.dumps(found, indent=1, sort_keys=True).replace(__version__, "") + "\n"
    if not OPENAPI.exists():  # made anew on purpose: delete it, run this, look at the difference
        OPENAPI.write_text(text)
    assert json.loads(OPENAPI.read_text()) == json.loads(text)


def test_a_monitor_is_told_that_all_is_well(client):
    assert client.get("/healthz").text == "ok\n"


def test_times_are_of_the_server_not_of_the_form(client, served):
    answer = send(client, served.bearer("red"), rows(good), received=NOW.isoformat())
    assert not answer.json()["received"].startswith("2026-01-05")


def test_rules_are_prose_with_worked_examples(client):
    page = client.get("/c/course/rules").text
    assert "<math " in page
    assert "\\n" not in page
    assert "<code>" in page
    assert '<p>A worked example:</p>\n<pre class="example" tabindex="0">' in page
    assert "&gt;&gt;&gt;" not in page
    assert "Download the kit" in page
    assert "<pre><code>list,item,rank\n" in page  # a sample's first rows
    assert "<p>12 lists are to be answered.</p>" in page
    assert "<td><code>score</code></td>" in page  # a column, with what it holds and an example
    assert "<li>A file may have up to 1 GiB, 4 GiB once decompressed" in page


def test_rules_stand_without_the_form_while_no_kit_can_be_made(client, monkeypatch):
    def full(*_, **__):
        raise HTTPException(503, "too many wait")

    monkeypatch.setattr(Context, "ask", full)
    page = client.get("/c/course/rules")
    assert page.status_code == 200
    assert "are to be answered" not in page.text


def test_rules_show_the_description_and_the_pages_as_markdown(client_with, served):
    path = served.folder / "challenge.yaml"
    path.write_text(
        f"{path.read_text()}description: '# What\n\n  *Rank* <b>it</b>, as in [the rules]"
        "(rules.md).'\npages: {rules: rules.md}\n"
    )
    (served.folder / "rules.md").write_text("# Be fair\n\n| a | b |\n|---|---|\n| 1 | 2 |\n")
    client = client_with()
    answer = client.get("/c/course/rules")
    assert "<h2>What</h2>\n<p><em>Rank</em> &lt;b&gt;it&lt;/b&gt;, as in" in answer.text
    assert '<a href="#page-rules">the rules</a>' in answer.text
    assert '<h2 id="page-rules-title">Be fair</h2>' in answer.text
    assert "img-src 'self' data:" in answer.headers["content-security-policy"]
    assert "https:" not in answer.headers["content-security-policy"]
    assert "<p>Rank &lt;b&gt;it&lt;/b&gt;, as in the rules.</p>" in client.get("/").text
    about = client.get(API).json()
    assert about["pages"] == {"rules": "# Be fair\n\n| a | b |\n|---|---|\n| 1 | 2 |\n"}


@pytest.mark.slow("serves a board and evaluates entries")
def test_an_entry_is_received_when_its_head_comes_however_busy_the_server_is(
    client, served, monkeypatch
):
    """The close passes while the file comes; what it shows waits for the file."""
    red = served.bearer("red")
    entered(client, red, rows(good))
    site = client.app.state.context.sites["course"]
    closes = datetime(2120, 1, 1, tzinfo=UTC)
    began, seen = closes - timedelta(seconds=6), []
    parse = MultiPartParser.parse

    async def slowly(parser):
        site.clock = lambda: closes + timedelta(seconds=3)
        seen.append(await run_in_threadpool(site.visible, Viewer("red", False, 1)))
        return await parse(parser)

    monkeypatch.setattr(MultiPartParser, "parse", slowly)
    site.clock = lambda: began
    sent = send(client, red, rows(poor))
    assert sent.status_code == 202
    received = datetime.fromisoformat(sent.json()["received"])
    assert timedelta(0) <= began - received < timedelta(minutes=1)  # and the time for its head
    assert seen == [("public",)]
    assert site.visible(Viewer("red", False, 1)) == ("public", "private")
    assert send(client, red, rows(good)).json()["code"] == "S801"
    receipt = client.get(f"{API}/entries/2/receipt.json", headers=red).json()
    assert receipt["given"] is False


@pytest.mark.slow("serves a board")
def test_lists_come_a_page_at_a_time_by_team_and_status(client_with, served, tmp_path):
    client = client_with(workers=0)
    head, red, _ = map(served.bearer, ("organizer", "red", "blue"))
    with served.board() as board:
        for n, team in enumerate(("red", "blue", "red", "red")):
            (tmp_path / f"{n}.csv").write_text(mixed(n + 1))
            board.add([tmp_path / f"{n}.csv"], team, evaluate=n == 3)

    def listed(head, **query):
        answer = client.get(f"{API}/entries", headers=head, params=query).json()
        numbers = [entry["entry"] for entry in answer["entries"]]
        return numbers, answer["page"], answer["pages"], answer["total"]

    assert listed(head) == ([1, 2, 3, 4], 1, 1, 4)
    assert listed(head, limit=3, page=2) == ([4], 2, 2, 4)
    assert listed(head, team="red", status="pending") == ([1, 3], 1, 1, 2)
    assert listed(red, limit=2) == ([1, 3], 1, 2, 3)
    assert listed(red, team="blue") == ([1, 3, 4], 1, 1, 3)  # a team's own, whatever it asks for
    assert listed(red, page=9) == ([], 9, 1, 3)
    for query in ({"page": 0}, {"limit": 9999}, {"status": "x"}, {"page": "x"}):
        assert client.get(f"{API}/entries", headers=head, params=query).status_code == 422
    assert client.get(f"{API}/entries", headers=head, params={"team": "no"}).status_code == 404
    page = client.get("/c/course/entries?team=red&status=pending", headers=head).text
    assert [f">{n}</a>" in page for n in (1, 2, 3, 4)] == [True, False, True, False]
    assert "There is no such page" in client.get("/c/course/entries?page=9", headers=red).text
