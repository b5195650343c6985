"""The page on which a file is checked and sent: problems as cards, files sent twice, codes."""

import re

import pytest
from web_helpers import good, rows


def submit(client, head, text, act):
    files = {"file": ("a.csv", text.encode())}
    return client.post("/c/course/submit", headers=head, files=files, data={"act": act})


def words(page):
    return " ".join(re.sub("<[^>]*>", " ", page).split())


def test_a_problem_is_a_card_with_its_line_what_to_do_and_its_code(client, served):
    bad = rows(good).replace("q00,a,3", "q00,a,x<y").replace("q01,", "zz,")
    page = submit(client, served.bearer("red"), bad, "check").text
    assert re.search(r"a.csv cannot be scored: \d+ problems", words(page))
    assert "line 2" in page
    assert "2 | q00,a,x&lt;y" in page
    assert 'href="/codes/S501"' in page
    assert "Nothing was sent, nothing was counted." in page
    assert "data-fatal" in page
    code = client.get("/codes/S501")
    assert code.status_code == 200
    assert "What to do" in code.text
    assert client.get("/codes/S999").status_code == 404


@pytest.mark.slow("records entries")
def test_a_file_sent_before_is_told_by_its_entry(client, served):
    red = served.bearer("red")
    assert submit(client, red, rows(good), "send").status_code == 303
    for act, status in (("check", 200), ("send", 409)):
        answer = submit(client, red, rows(good), act)
        assert answer.status_code == status
        assert "You have already sent this file, as entry 1" in words(answer.text)
        assert 'href="/c/course/entries/1"' in answer.text
    assert "already sent" not in submit(client, served.bearer("blue"), rows(good), "check").text
