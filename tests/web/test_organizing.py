"""The organizer's page: is all well, and what is changed while the board lives."""

import re
from datetime import timedelta

import pytest
from fastapi import HTTPException
from web_helpers import API, finished, mixed, send

CHANGE = "/c/course/admin/change"


def signs(client, served):
    answer = client.get(f"{API}/overview", headers=served.bearer("organizer")).json()
    return answer["well"], {each["name"]: each for each in answer["signs"]}


@pytest.mark.slow("serves a board and evaluates entries")
def test_the_overview_says_what_is_not_well(client, served, monkeypatch):
    red, head = served.bearer("red"), served.bearer("organizer")
    served.token("blue")
    finished(client, red, send(client, red, mixed(2)).json()["entry"])
    well, found = signs(client, served)
    assert well
    values = {name: (each["value"], each["more"]) for name, each in found.items()}
    assert values["teams"] == ("2", "1 of them has sent entries")
    assert values["entries today"] == ("1", "1 scored")
    assert (values["waiting"][0], values["failed"][0]) == ("0", "0")
    assert found["next date"]["due"].startswith("2120-01-01")
    assert re.fullmatch(r"\d+ [kM]B", values["store"][0])
    page = client.get("/c/course/admin", headers=head).text
    assert "All is well" in page
    (served.folder / "truth.csv").write_text("list,item,grade\nq00,a,1\n")
    monkeypatch.setattr("scorer.web.overview.SCARCE", 1 << 60)
    well, found = signs(client, served)
    assert not well
    assert found["store"]["alarm"] == "the disk is nearly full"
    assert "truth.csv" in found["files"]["alarm"]
    assert "Not all is well" in client.get("/c/course/admin", headers=head).text


@pytest.mark.slow("serves a board")
def test_what_waits_and_fails_is_told_on_the_overview(client_with, served, monkeypatch):
    path = served.folder / "challenge.yaml"
    path.write_text(path.read_text().replace(", baselines: [poor.csv]", ""))
    client = client_with(workers=0)  # others do the work
    send(client, served.bearer("red"), mixed(2))
    well, found = signs(client, served)
    assert (well, found["waiting"]["value"]) == (True, "1")
    assert found["waiting"]["more"] == "the first for 0 minutes"
    monkeypatch.setattr("scorer.web.overview.SLOW", timedelta(0))
    assert "are workers running" in signs(client, served)[1]["waiting"]["alarm"]
    with served.board() as board:
        board.evaluations.fail(board.evaluations.claim("somebody", 60), "no memory")
    well, found = signs(client, served)
    assert (well, found["failed"]["alarm"]) == (False, "entries '1' failed")
    assert found["waiting"]["value"] == "0"


@pytest.mark.slow("serves a board and evaluates entries")
def test_a_quota_is_previewed_and_put_in_force(client, served):
    red, head = served.bearer("red"), served.bearer("organizer")
    finished(client, red, send(client, red, mixed(2)).json()["entry"])
    client.post("/c/course/sign-in", data={"token": served.token("organizer")})
    data = {"phase": "main", "closes": "2119-06-01T12:00", "total": "1"}
    path = served.folder / "challenge.yaml"
    before = path.read_text()
    seen = client.post(CHANGE, data=data | {"do": "preview"})
    assert seen.status_code == 200
    assert "closes at 2119-06-01T12:00:00+00:00; it was 2120-01-01" in seen.text
    assert "Entries in all in phase main: 1; before: any number." in seen.text
    assert path.read_text() == before
    version = re.search(r'name="version" value="(\d+)"', seen.text)[1]
    stale = client.post(CHANGE, data=data | {"do": "apply", "version": int(version) - 1})
    assert stale.status_code == 422
    assert path.read_text() == before
    done = client.post(CHANGE, data=data | {"do": "apply", "version": version})
    assert "Version 2 is in force" in done.text
    changed = "closes: 2119-06-01T12:00:00+00:00, show: public, quota: {total: 1}"
    assert path.read_text() == before.replace("closes: 2120-01-01T00:00:00Z, show: public", changed)
    refused = send(client, red, mixed(3))
    assert (refused.status_code, refused.json()["code"]) == (409, "S802")
    assert client.get(API, headers=head).json()["until"].startswith("2119-06-01")
    events = client.get(f"{API}/log", headers=head).json()["events"]
    assert [event["kind"] for event in events].count("version") == 2


@pytest.mark.slow("serves a board")
def test_what_cannot_be_put_in_force_leaves_the_file(client, served, monkeypatch):
    head, path = served.bearer("organizer"), served.folder / "challenge.yaml"
    before = path.read_bytes()
    wanted = {"phase": "main", "closes": "2119-06-01T12:00:00Z"}

    def fails(*_, **__):
        raise HTTPException(503, "the scorer failed")

    monkeypatch.setattr(client.app.state.context, "ask", fails)
    answer = client.post(f"{API}/change?dry_run=false", headers=head, json=wanted)
    assert answer.status_code == 503
    assert path.read_bytes() == before
    answer = client.post(f"{API}/change", headers=head, json=wanted | {"closes": "2019-01-01"})
    assert answer.status_code == 422
    assert "closes before it opens" in answer.json()["message"]
