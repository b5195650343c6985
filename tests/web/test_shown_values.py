"""A team sees of its own entries what the phase shows: by the Ladder's rule, and rounded."""

import json
import re

import pytest
from web_helpers import API, entered, good, mixed, rows, send

TIME = r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d[^\"<,]*"
LONG = re.compile(r"0\.0*[1-9]\d{4,}|[1-9]\d*\.\d{5,}")  # more than four significant digits
PAGE = "/c/course"
SHOWN = [
    f"{API}/entries", f"{API}/entries/1", f"{API}/entries/2", f"{API}/entries/3", f"{API}/board",
    f"{API}/receipts.jsonl", f"{API}/why", f"{API}/entries/1/receipt.json",
    PAGE, f"{PAGE}/part?split=public",
    f"{PAGE}/board.csv?split=public", f"{PAGE}/entries", f"{PAGE}/entries/1", f"{PAGE}/entries/2",
]  # fmt: skip


def rules(served, **more):
    words = "".join(f"{key}: {value}, " for key, value in more.items())
    served.rewrite("leaderboard: {", f"leaderboard: {{{words}")


def three(client, headers):
    """A first entry, a worse one and a perfect one, as their team sees them."""
    return [entered(client, headers, text) for text in (mixed(2), mixed(3), rows(good))]


@pytest.mark.slow("serves a board and evaluates entries")
@pytest.mark.parametrize("ladder", ["off", "auto", 0.05])
def test_no_answer_has_more_digits_than_are_shown(client_with, served, ladder):
    rules(served, ladder=ladder)
    client, red, head = client_with(), served.bearer("red"), served.bearer("organizer")
    three(client, red)
    entered(client, served.bearer("blue"), mixed(5))
    for path in SHOWN:
        for headers in (red, {}):
            text = re.sub(TIME, "", client.get(path, headers=headers).text)
            if "svg" in text:  # whose places are those of rounded values
                text = re.sub(r'\b(d|x|y|x1|x2|y1|y2|cx|cy|width|height|points)="[^"]*"', "", text)
            text = re.sub(r'"how":\s*{[^}]*}|"(sha256|digest|previous|receipt)":\s*"\w+"', "", text)
            assert not LONG.findall(text), path
    exact = client.get(f"{API}/entries/1", headers=head).json()["values"]["public"]
    board = client.get(f"{API}/board", headers=head).json()["leaderboard"]
    assert LONG.search(json.dumps(exact))
    assert LONG.search(json.dumps(board))


@pytest.mark.slow("serves a board and evaluates entries")
def test_digits_are_a_setting(client_with, served):
    rules(served, digits=2)
    client, red = client_with(), served.bearer("red")
    (first, *_) = three(client, red)
    exact = client.get(f"{API}/entries/1", headers=served.bearer("organizer")).json()["values"]
    shown = {key: float(f"{value:.2g}") for key, value in exact["public"].items()}
    assert first["values"]["public"] == shown != exact["public"]


@pytest.mark.slow("serves a board and evaluates entries")
@pytest.mark.parametrize("ladder", ["auto", 0.05])
def test_a_value_that_the_ladder_keeps_is_nowhere(client_with, served, ladder):
    rules(served, ladder=ladder)
    client, red, head = client_with(), served.bearer("red"), served.bearer("organizer")
    first, second, third = three(client, red)
    assert (second["values"], second["status"]) == (None, "scored")
    told = f"no significant improvement over your {first['values']['public']['P@2']:.4f} (entry 1)"
    assert second["message"] == told
    assert (second["counts"], second["why"]) == (False, told)
    lines = client.get(f"{API}/why", headers=red).json()["lines"]
    assert any(line.startswith("entry 2, ") and line.endswith(told) for line in lines)
    assert first["values"]
    assert third["values"]
    kept = client.get(f"{API}/entries/2", headers=head).json()["values"]["public"]["P@2"]
    for path in SHOWN:
        page = client.get(path, headers=red)
        assert page.status_code == 200, path
        assert f"{kept:.4f}" not in page.text, path
    assert told in client.get(f"{PAGE}/entries/2", headers=red).text


@pytest.mark.slow("fills a board")
def test_disqualifying_shows_no_value_that_the_ladder_keeps(client_with, served):
    rules(served, ladder="auto")
    client, red = client_with(), served.bearer("red")
    three(client, red)
    for number in (2, 1):
        decision = {"kind": "disqualify", "entry": number, "reason": "x"}
        head = served.bearer("organizer")
        assert client.post(f"{API}/decisions", headers=head, json=decision).status_code == 201
        fields = client.get(f"{API}/entries/2", headers=red).json()
        assert (fields["values"], fields["message"]) == (None, "no value, since it is disqualified")
    assert client.get(f"{API}/entries/3", headers=red).json()["values"]


@pytest.mark.slow("fills a board")
def test_neither_withdrawing_nor_selecting_shows_a_value_that_the_ladder_keeps(client_with, served):
    rules(served, ladder="auto", entry="selected")
    client, red = client_with(), served.bearer("red")
    send(client, red, mixed(2))
    entered(client, red, mixed(3))

    def row():
        board = client.get(f"{API}/board").json()["leaderboard"]
        return next((each["entry"] for each in board if each["team"] == "red"), None)

    assert row() == 1
    for kind, number, counts in (("select", 2, 1), ("withdraw", 1, None)):
        decision = {"kind": kind, "entry": number, "reason": "x"}
        assert client.post(f"{API}/decisions", headers=red, json=decision).status_code == 201
        assert row() == counts
        assert client.get(f"{API}/entries/2", headers=red).json()["values"] is None


@pytest.mark.slow("serves a board and evaluates entries")
def test_a_visitor_is_not_told_the_highest_grade_of_the_truth(client_with, served):
    served.rewrite("[P@2, RR]", "[P@2, ERR]")
    client, red = client_with(), served.bearer("red")
    entered(client, red, rows(good))
    for headers, shown in (({}, None), (red, None), (served.bearer("organizer"), 2)):
        err = client.get(f"{API}/board", headers=headers).json()["measures"][1]
        assert err["params"]["max_grade"] == shown
