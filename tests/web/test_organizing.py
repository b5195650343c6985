"""The organizer's page: whether all is well."""

import re
from datetime import timedelta

import pytest
from web_helpers import entered, mixed, send

from scorer.web.overview import overview


def signs(client):
    found = overview(client.app.state.context.sites["course"], None, "")
    return not any(each.alarm for each in found), {each.name: each for each in found}


@pytest.mark.slow("serves a board and evaluates entries")
def test_the_overview_says_what_is_not_well(client, served, monkeypatch):
    red, head = served.bearer("red"), served.bearer("organizer")
    served.token("blue")
    entered(client, red, mixed(2))
    well, found = signs(client)
    assert well
    values = {name: (each.value, each.more) for name, each in found.items()}
    assert values["teams"] == ("2", "1 of them has sent entries")
    assert values["entries today"] == ("1", "1 scored")
    assert (values["waiting"][0], values["failed"][0]) == ("0", "0")
    assert found["next date"].due.year == 2120
    assert re.fullmatch(r"\d+ [kM]B", values["store"][0])
    page = client.get("/c/course/admin", headers=head).text
    assert "All is well" in page
    (served.folder / "truth.csv").write_text("list,item,grade\nq00,a,1\n")
    monkeypatch.setattr("scorer.web.overview.SCARCE", 1 << 60)
    well, found = signs(client)
    assert not well
    assert found["store"].alarm == "the disk is nearly full"
    assert "truth.csv" in found["files"].alarm
    assert "Needs attention" in client.get("/c/course/admin", headers=head).text


@pytest.mark.slow("serves a board")
def test_what_waits_and_fails_is_told_on_the_overview(client_with, served, monkeypatch):
    served.rewrite(", baselines: [poor.csv]", "")
    client = client_with(workers=0)  # others do the work
    send(client, served.bearer("red"), mixed(2))
    well, found = signs(client)
    assert (well, found["waiting"].value) == (True, "1")
    assert found["waiting"].more == "the first for 0 minutes"
    monkeypatch.setattr("scorer.web.overview.SLOW", timedelta(0))
    assert "are workers running" in signs(client)[1]["waiting"].alarm
    with served.board() as board:
        board.evaluations.fail(board.evaluations.claim("somebody", 60), "no memory")
    well, found = signs(client)
    assert (well, found["failed"].alarm) == (False, "entries '1' failed")
    assert found["waiting"].value == "0"
