"""What a proxy says counts where it is trusted, and nowhere else."""

import pytest
from fastapi import Request
from web_helpers import API

from scorer.web.proxies import Proxies

TRUSTED = ("127.0.0.1", "10.1.0.0/16", "::1")


def request(peer, *headers, scheme="http"):
    named = [(name.lower().encode(), value.encode()) for name, value in headers]
    return Request(
        {"type": "http", "method": "GET", "path": "/", "query_string": b"", "scheme": scheme,
         "server": ("board", 80), "client": peer and (peer, 1), "headers": named}
    )  # fmt: skip


@pytest.mark.parametrize(
    ("peer", "forwarded", "address"),
    [
        ("192.0.2.9", (), "192.0.2.9"),
        ("192.0.2.9", ("1.2.3.4",), "192.0.2.9"),
        ("127.0.0.1", (), "127.0.0.1"),
        ("127.0.0.1", ("1.2.3.4",), "1.2.3.4"),
        ("127.0.0.1", ("6.6.6.6, 1.2.3.4",), "1.2.3.4"),  # whoever came wrote the first
        ("127.0.0.1", ("6.6.6.6", "1.2.3.4"), "1.2.3.4"),
        ("127.0.0.1", ("1.2.3.4, 10.1.7.7",), "1.2.3.4"),  # two proxies, one after the other
        ("::ffff:127.0.0.1", ("1.2.3.4",), "1.2.3.4"),
        ("::1", ("2001:db8::7",), "2001:db8::7"),
        ("127.0.0.1", ("10.1.7.7",), "10.1.7.7"),
        (None, ("1.2.3.4",), ""),
    ],
)
def test_the_address_of_who_came(peer, forwarded, address):
    headers = [("X-Forwarded-For", value) for value in forwarded]
    assert Proxies(TRUSTED).address(request(peer, *headers)) == address


@pytest.mark.parametrize(
    ("peer", "scheme", "forwarded", "secure"),
    [
        ("127.0.0.1", "http", "https", True),
        ("127.0.0.1", "http", "http", False),
        ("192.0.2.9", "http", "https", False),
        ("192.0.2.9", "https", "http", True),
    ],
)
def test_whether_the_browser_came_by_https(peer, scheme, forwarded, secure):
    came = request(peer, ("X-Forwarded-Proto", forwarded), scheme=scheme)
    assert Proxies(TRUSTED).is_secure(came) is secure


@pytest.mark.parametrize(
    ("peer", "header", "value", "team"),
    [
        ("127.0.0.1", "X-Team", "red", "red"),
        ("127.0.0.1", "X-Team", "Łódź", "Łódź"),
        ("127.0.0.1", "X-Team", " ", None),
        ("192.0.2.9", "X-Team", "red", None),
        ("127.0.0.1", None, "red", None),
    ],
)
def test_the_team_that_a_proxy_names(peer, header, value, team):
    assert Proxies(TRUSTED, header).team(request(peer, ("x-team", value))) == team


@pytest.mark.slow("serves a board")
def test_a_proxy_signs_a_team_in(client_with, served):
    served.token("red")
    client = client_with(trusted_proxies=("127.0.0.1",), team_header="X-Team", private=True)
    red = {"X-Team": "red"}
    for headers, status in ((red, 200), ({}, 401), ({"X-Team": "nobody"}, 401)):
        assert client.get("/c/course", headers=headers).status_code == status
        assert client.get(API, headers=headers).status_code == status
    page = client.get("/c/course/submit", headers=red).text
    assert '<p class="who">red</p>' in page
    assert "Sign out" not in page
    file = {"files": {"file": ("a.csv", b"list,item\nq00,a\n")}}
    foreign = red | {"Sec-Fetch-Site": "cross-site"}
    for headers, status in ((foreign, 403), (red, 303)):
        sent = client.post("/c/course/submit", headers=headers, **file, data={"act": "send"})
        assert sent.status_code == status, sent.text
    organizer = red | served.bearer("organizer")  # a token says more than a proxy
    assert client.get("/c/course/admin", headers=organizer).status_code == 200
    assert client.get("/c/course/admin", headers=red).status_code == 404


@pytest.mark.slow("serves a board")
def test_without_team_header_nobody_is_signed_in_by_one(client_with, served):
    served.token("red")
    client = client_with(trusted_proxies=("127.0.0.1",))
    assert client.get(f"{API}/entries", headers={"X-Team": "red"}).status_code == 401
