"""Why an entry counts or does not, as its team learns it: by the API, on its page, from `score`."""

from pathlib import Path

import pytest
from web_helpers import API, entered, good, mixed, poor, rows

from scorer.cli.board import page_address

PAGE = "/c/course"


@pytest.fixture
def played(client, served):
    """Three entries of red: the first counts, the second is disqualified, the third withdrawn."""
    red = served.bearer("red")
    for text in (rows(good), rows(poor), mixed(2)):
        entered(client, red, text)
    for team, kind, number, reason in (
        ("organizer", "disqualify", 2, "three accounts of one person"),
        ("red", "withdraw", 3, "a mistake"),
    ):
        decision = {"kind": kind, "entry": number, "reason": reason}
        answer = client.post(f"{API}/decisions", headers=served.bearer(team), json=decision)
        assert answer.status_code == 201, answer.text
    return client


@pytest.mark.slow("serves a board and evaluates entries")
def test_a_team_learns_which_entry_counts_and_why(played, served):
    red = served.bearer("red")
    entries = [played.get(f"{API}/entries/{n}", headers=red).json() for n in (1, 2, 3)]
    assert [each["counts"] for each in entries] == [True, False, False]
    assert entries[0]["why"] == "rule best"
    assert entries[1]["why"].endswith(": three accounts of one person")
    (act,) = entries[1]["decisions"]
    assert (act["act"], act["reason"]) == ("disqualify", "three accounts of one person")
    assert entries[2]["why"].endswith(": a mistake")
    page = played.get(f"{PAGE}/entries/2", headers=red).text
    assert page.count("three accounts of one person") == 2
    assert "It does not count" in page
    assert "three accounts of one person" in played.get(f"{PAGE}/entries", headers=red).text
    assert "It counts" in played.get(f"{PAGE}/entries/1", headers=red).text
    told = played.get(f"{API}/why", headers=red).json()
    assert (told["team"], told["rank"], told["split"]) == ("red", 1, "public")
    for words in ("rank 1 of 1 by P@2 = 1", "counts: entry 1 (rule best)", "three accounts"):
        assert any(words in line for line in told["lines"]), words
    covering = {"kind": "withdraw", "entry": 2, "reason": "mine"}
    answer = played.post(f"{API}/decisions", headers=red, json=covering)
    assert (answer.status_code, "disqualified" in answer.json()["message"]) == (422, True)


@pytest.mark.slow("serves a board and evaluates entries")
def test_a_team_is_told_of_itself_alone(played, served):
    asked = {
        "red": [("", 200), ("?team=red", 200), ("?team=blue", 404), ("?split=private", 404)],
        "blue": [("?team=red", 404), ("", 200)],
        "organizer": [("", 422), ("?team=red", 200), ("?team=red&split=private", 200),
                      ("?team=nobody", 404)],
    }  # fmt: skip
    for team, cases in asked.items():
        for words, status in cases:
            answer = played.get(f"{API}/why{words}", headers=served.bearer(team))
            assert answer.status_code == status, (team, words)
    assert played.get(f"{API}/why").status_code == 401


def test_a_team_newer_than_what_a_server_has_read_is_told_of_itself(client, served, monkeypatch):
    red = served.bearer("red")
    client.app.state.context.sites["course"].expect_change()
    monkeypatch.setattr("scorer.web.site.STAMP_SECONDS", 60.0)
    assert client.get(f"{API}/why", headers=red).json()["team"] == "red"
    told = client.get(f"{API}/why", headers=served.bearer("blue")).json()
    assert (told["team"], told["rank"], told["lines"][1]) == (
        "blue", None, "not on the board: no entry counts"
    )  # fmt: skip


@pytest.mark.slow("serves a board and evaluates entries")
@pytest.mark.parametrize("show", ["none", "own"])
def test_what_depends_on_values_is_not_told_where_none_is_shown(client_with, served, show):
    served.rewrite("show: public", f"show: {show}")
    client, red = client_with(), served.bearer("red")
    for text in (rows(poor), rows(good)):
        entered(client, red, text)
    told = client.get(f"{API}/why", headers=red).json()
    assert (told["rank"], told["ranked"], told["split"]) == (None, 0, None)
    assert [line.partition(": ")[2] for line in told["lines"][1:]] == [
        "what counts is not shown in this phase"
    ] * 2
    fields = client.get(f"{API}/entries/1", headers=red).json()
    assert (fields["counts"], fields["values"]) == (None, None)
    assert "What counts is not shown" in client.get(f"{PAGE}/entries/1", headers=red).text


@pytest.mark.parametrize(
    ("word", "address"),
    [
        ("https://host/c/ID", "https://host/c/ID"),
        ("http://127.0.0.1:8000/c/ID/", "http://127.0.0.1:8000/c/ID"),
        ("course/challenge.yaml", None),
        ("C:/course", None),
    ],
)
def test_an_address_is_known_among_paths(word, address):
    assert page_address(Path(word)) == address
