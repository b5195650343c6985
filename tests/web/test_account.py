"""Registering and signing in: one is signed in at once, and comes to where one wanted to go."""

import re

import pytest
from web_helpers import good, rows


@pytest.mark.slow("serves a board")
def test_who_registers_is_signed_in_and_sends_a_file_at_once(client):
    page = client.get("/c/course/submit")
    assert page.status_code == 401
    assert 'action="/c/course/join"' in page.text  # the way in stands on the page itself
    welcome = client.post("/c/course/join", data={"name": "My Team"})
    assert "Welcome, My Team. You are signed in." in welcome.text
    token = re.search(r'<pre id="new-token">([\w-]{32,})</pre>', welcome.text)[1]
    assert "kit.zip" in welcome.text
    assert 'action="/c/course/submit"' in welcome.text
    files = {"file": ("a.csv", rows(good).encode())}
    sent = client.post("/c/course/submit", files=files, data={"act": "send"})
    assert sent.headers["location"] == "/c/course/entries/1"
    assert token not in client.get("/c/course/submit").text  # it was shown once


@pytest.mark.slow("serves a board")
def test_a_name_that_is_taken_is_told_beside_the_form(client):
    client.post("/c/course/join", data={"name": "red"})
    again = client.post("/c/course/join", data={"name": "red"})
    assert again.status_code == 422
    assert 'role="alert"' in again.text
    assert 'name="name"' in again.text


@pytest.mark.slow("serves a board")
def test_a_sign_in_leads_back_to_where_one_wanted_to_go(client, served):
    places = {
        "": "", "submit": "/submit", "entries/7": "/entries/7", "admin": "/admin",
        # a link of somebody else leads nowhere else
        "//evil.example": "", "https://evil.example": "", "../other": "", "submit\r\nX: y": "",
    }  # fmt: skip
    for wanted, place in places.items():
        data = {"token": served.token("red"), "next": wanted}
        answer = client.post("/c/course/sign-in", data=data)
        assert answer.headers["location"] == f"/c/course{place}"


@pytest.mark.slow("serves a board")
def test_a_page_behind_the_sign_in_is_named_in_its_form(client):
    for path in ("submit", "entries", "entries/7"):
        assert f'name="next" value="{path}"' in client.get(f"/c/course/{path}").text
