"""What the page promises: sessions, forms, limits, hostile names, and what nobody may learn."""

import gzip
import io
import json
import re
import socket
import stat
import zipfile
from urllib.parse import quote

import httpx2 as httpx
import pytest
from web_helpers import API, NOW, entered, finished, good, mixed, rows, send

from scorer.board.models import Token
from scorer.core.errors import UsageError
from scorer.web.auth import Limiter, Sessions


def sign_in(client, token):
    return client.post("/c/course/sign-in", data={"token": token})


@pytest.mark.slow("asks a server many times")
def test_a_session_is_signed_and_sends_forms(client, served):
    token = served.token("red")
    wrong = sign_in(client, "x" * 32)
    assert wrong.status_code == 401
    assert "not known here" in wrong.text
    answer = sign_in(client, token)
    assert answer.status_code == 303
    cookie = answer.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=lax" in cookie
    assert token not in cookie
    file = {"file": ("a.csv", mixed(2).encode())}
    checked = client.post("/c/course/submit", files=file, data={"act": "check"})
    assert "Nothing is wrong with this file" in checked.text
    assert "data-fatal" not in checked.text
    bad = {"file": ("b.csv", b"list,item\nnowhere,a\n")}
    checked = client.post("/c/course/submit", files=bad, data={"act": "check"})
    assert "Nothing was sent, nothing was counted." in checked.text
    assert "data-fatal" in checked.text  # by which the page offers no Send
    with served.board() as board:
        assert board.entries() == []
    sent = client.post("/c/course/submit", files=file, data={"act": "send"})
    assert sent.headers["location"] == "/c/course/entries/1"
    entry = client.get("/c/course/entries/1")
    assert entry.status_code == 200
    kept = {"kind": "withdraw", "entry": 1}
    assert client.post("/c/course/decide", data=kept).status_code == 303
    assert client.get("/c/course/admin").status_code == 404
    out = client.post("/c/course/sign-out")
    assert out.status_code == 303
    client.cookies.clear()
    assert client.get("/c/course/entries").status_code == 401
    with served.board() as board:
        board.revoke("red")
    assert sign_in(client, token).status_code == 401


def test_a_session_of_another_key_or_too_old_is_nobodys(monkeypatch):
    ours, other = Sessions("a" * 64), Sessions("b" * 64)
    token = Token(7, 1, "f" * 64, NOW)
    cookie = ours.sign("course", token)
    assert ours.session(cookie) == ("course", 7, "f" * 16)
    assert other.session(cookie) is None
    signed, _, seal = cookie.rpartition(".")
    other_seal = ("A" if seal[0] != "A" else "B") + seal[
        1:
    ]  # of the last letter not all bits count
    assert ours.session(f"{signed}.{other_seal}") is None
    assert ours.session("7") is None
    monkeypatch.setattr("scorer.web.auth.SESSION_SECONDS", -1)
    assert ours.session(cookie) is None


def test_so_many_a_minute():
    now = [0.0]
    limiter = Limiter(lambda: now[0])
    assert [limiter.allows("a", "x", 2) for _ in range(3)] == [True, True, False]
    assert limiter.allows("a", "y", 2)
    assert limiter.allows("b", "x", 2)
    now[0] = 60.1
    assert limiter.allows("a", "x", 2)
    assert all(limiter.allows("a", "x", 0) for _ in range(100))


@pytest.mark.slow("asks a server many times")
def test_limits_are_told_with_429(client_with, served):
    client = client_with(limit=2)
    answers = [sign_in(client, "wrong").status_code for _ in range(4)]
    assert answers == [401, 401, 429, 429]
    red = served.bearer("red")
    codes = [send(client, red, rows(good)).status_code for _ in range(4)]
    assert codes[-1] == 429
    assert client.get("/c/course").status_code == 200


@pytest.mark.slow("asks a server many times")
def test_every_answer_bears_its_guards(client):
    for path in ("/", "/c/course", f"{API}/board", "/nowhere", "/static/site.js", "/api/docs"):
        headers = client.get(path).headers
        policy = headers["content-security-policy"]
        assert policy.startswith("default-src 'self'")
        assert "unsafe" not in policy
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["x-frame-options"] == "DENY"
    for path in ("/", "/c/course", "/c/course/rules", "/c/course/sign-in", "/api/docs"):
        page = client.get(path).text
        assert not re.search(r"<script(?![^>]*\bsrc=)", page)
        assert not re.search(r"\sstyle=|\son\w+=|javascript:", page)
        assert not re.search(r"(?:src|href)=\"(?:https?:)?//", page)


HOSTILE = ["<script>alert(1)</script>", "=cmd|' /C calc'!A0", "a\u202eb", "x" * 100, "'; DROP--"]


@pytest.mark.slow("serves a board and evaluates entries")
def test_hostile_names_and_files_stay_text(client, served):
    for n, name in enumerate(HOSTILE):
        if not name.isprintable() or len(name) > 99:
            with pytest.raises(UsageError, match="cannot be a name"):
                served.bearer(f"{name}x")
            continue
        headers = served.bearer(name)
        sent = send(client, headers, mixed(n + 1), name="../../../etc/<b>passwd</b>\\x.csv")
        done = finished(client, headers, sent.json()["entry"])
        assert done["status"] == "scored"
    with served.board() as board:
        assert all("/" not in entry.file and "\\" not in entry.file for entry in board.entries())
    page = client.get("/c/course").text
    assert "<script>alert" not in page
    assert "\u202e" not in page
    csv = client.get("/c/course/board.csv?split=public").text
    assert not any(line.startswith("=") or ",=" in line for line in csv.splitlines())


@pytest.mark.slow("serves a board and evaluates entries", beyond=1)
@pytest.mark.parametrize("name", ["..", ".", "a/..", "\ufdfa" * 100, "é" * 200 + ".csv"])
def test_a_file_of_any_name_is_taken(client, served, name):
    sent = send(client, served.bearer("red"), mixed(1), name=name)
    assert sent.json()["entry"] == 1, sent.text
    checked = client.post(f"{API}/check", files={"file": (name, mixed(1).encode())})
    assert checked.status_code == 200, checked.text


def archive(*entries):
    """A ZIP archive of (name, text) entries; a name may be a ZipInfo."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as made:
        for name, text in entries:
            made.writestr(name, text)
    return out.getvalue()


def link(name):
    """An entry that is a symbolic link."""
    entry = zipfile.ZipInfo(name)
    entry.create_system, entry.external_attr = 3, (stat.S_IFLNK | 0o777) << 16
    return entry


BOMB = b"list,item,score\n" + b"q00,a,1\n" * 4_000_000
SENT = {
    "a link to the truth": ("mine.zip", archive((link("mine.csv"), "truth.csv"))),
    "a bomb": ("mine.zip", archive(("mine.csv", BOMB))),
    "a bomb by gzip": ("mine.csv.gz", gzip.compress(BOMB)),
    "two files": ("mine.zip", archive(("a.csv", mixed(1)), ("b.csv", mixed(2)))),
    "an archive in it": ("mine.zip", archive(("a.zip", archive(("a.csv", mixed(1)))))),
    "cut short": ("mine.zip", archive(("mine.csv", mixed(1)))[:-30]),
    "no archive": ("mine.zip", b"PK\x03\x04 and no more"),
    "gzip cut short": ("mine.csv.gz", gzip.compress(mixed(1).encode())[:-9]),
}


@pytest.mark.slow("serves a board and evaluates entries")
@pytest.mark.parametrize(("name", "data"), SENT.values(), ids=SENT)
def test_hostile_archives_are_refused_and_others_are_scored(client, served, name, data):
    before = sorted(path.name for path in served.folder.rglob("*"))
    headers = served.bearer("red")
    sent = client.post(f"{API}/entries", headers=headers, files={"file": (name, data)})
    done = finished(client, headers, sent.json()["entry"])
    assert done["status"] == "rejected"
    assert done["problems"]
    assert "grade" not in json.dumps(done)
    after = sorted(path.name for path in served.folder.rglob("*"))
    assert not [each for each in after if each.endswith((".csv", ".zip")) and each not in before]
    other = served.bearer("blue")
    number = send(client, other, mixed(1)).json()["entry"]
    assert finished(client, other, number)["status"] == "scored"


@pytest.mark.slow("serves a board and evaluates entries")
def test_names_in_an_archive_lead_nowhere(children, client, served):
    headers = served.bearer("red")
    data = archive(("../../truth.csv", mixed(1)))
    sent = client.post(f"{API}/entries", headers=headers, files={"file": ("mine.zip", data)})
    truth = (served.folder / "truth.csv").read_bytes()
    assert finished(client, headers, sent.json()["entry"])["status"] in ("scored", "rejected")
    assert (served.folder / "truth.csv").read_bytes() == truth
    assert not (served.folder.parent.parent / "truth.csv").exists()


@pytest.mark.slow("serves a board and evaluates entries", beyond=1)
@pytest.mark.parametrize(
    "path",
    [
        "/static/../auth.py", "/static/%2e%2e/auth.py", "/c/..%2f..%2fetc/passwd",
        "/c/course/entries/../../x", "/c/%00", "/c/course/admin/failures/..%2f..",
    ],
)  # fmt: skip
def test_no_path_leads_out(client, path):
    assert client.get(path).status_code in (404, 422)


SPLITS = ["\r\nX-Evil: 1", "\nX-Evil: 1", "\rX-Evil: 1", "\u560a\u560dX-Evil: 1", "\x85X-Evil: 1",
          '"; filename="X-Evil']  # fmt: skip


def test_no_redirect_leads_elsewhere_and_no_header_is_split(client, served):
    sign = sign_in(client, served.token("red"))
    assert sign.headers["location"] == "/c/course"
    for evil in ("//evil.example", "a%0d%0aX-Evil:1"):
        answer = client.get(f"/c/{evil}", follow_redirects=False)
        assert answer.status_code == 404
        assert "evil" not in str(answer.headers).lower()


@pytest.mark.slow("serves a board and evaluates entries", beyond=1)
@pytest.mark.parametrize("split", SPLITS, ids=ascii)
def test_what_is_sent_is_in_no_header(client, served, split):
    """In paths, queries, forms, names of files and teams, answers and decisions."""
    head, word = served.bearer("organizer"), quote(split)
    sign_in(client, served.token("red"))
    answers = [
        client.get(f"/c/course?split={word}"),
        client.get(f"/c/course/board.csv?split={word}"),
        client.get(f"/c/course/entries/{word}"),
        client.get(f"{API}/entries/{word}/receipt.json", headers=head),
        client.get(f"/c/course/admin/failures/{word}", headers=head),
        client.get(f"/static/{word}"),
        client.post("/c/course/sign-in", data={"token": split}),
        client.post("/c/course/sign-in?next=" + word, data={"token": served.token("red")}),
        client.post("/c/course/join", data={"name": f"a{split}"}),
        client.post("/c/course/decide", data={"kind": split, "entry": 1}),
        client.post(
            "/c/course/submit", files={"file": (f"a{split}.csv", mixed(2).encode())},
            data={"act": "send", "answer.method": split},
        ),
        send(client, served.bearer("red"), mixed(3), name=f"{split}.csv"),
        client.get(f"{API}/receipts.jsonl"),
        client.get("/c/course", headers={"X-Forwarded-Proto": "https", "Host": "evil.example"}),
    ]  # fmt: skip
    for answer in answers:
        assert answer.status_code < 500
        assert "evil" not in str(answer.headers).lower(), answer.request.url
        assert set(answer.headers) <= {
            "content-type", "content-length", "content-security-policy", "content-disposition",
            "x-content-type-options", "referrer-policy", "x-frame-options", "cache-control",
            "vary", "content-encoding", "location", "set-cookie", "etag", "last-modified",
            "accept-ranges", "allow", "x-request-id",
        }, answer.request.url  # fmt: skip


def test_a_file_that_is_too_large_is_refused_while_it_comes(client_with, served):
    served.rewrite("registration:", "submission: {limits: {size: 1kB}}\nregistration:")
    client = client_with()
    red = served.bearer("red")
    big = "x" * 200_000
    assert send(client, red, big).status_code == 413

    def endless():
        head = '--b\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n'
        yield head.encode()
        for _ in range(1000):
            yield b"x" * 10_000

    answer = client.post(
        f"{API}/entries", headers={**red, "Content-Type": "multipart/form-data; boundary=b"},
        content=endless(),
    )  # fmt: skip
    assert answer.status_code == 413
    with served.board() as board:
        assert board.entries() == []


@pytest.mark.slow("serves a board and evaluates entries")
def test_a_private_server_shows_nothing_to_strangers(client_with, served):
    client = client_with(private=True)
    for path in ("/c/course", "/c/course/rules", f"{API}/board", API, f"{API}/kit.zip"):
        assert client.get(path).status_code == 401
        assert client.get(path, headers=served.bearer("red")).status_code == 200
    titled = [
        "A &lt;b&gt;course" in client.get("/", headers=headers).text
        for headers in ({}, served.bearer("red"))
    ]
    assert titled == [False, True]


def test_forwarded_headers_count_from_trusted_proxies_only(client_with, served):
    plain = client_with()
    forwarded = {"X-Forwarded-Proto": "https", "X-Forwarded-For": "1.2.3.4"}
    token = {"token": served.token("red")}
    answer = plain.post("/c/course/sign-in", data=token, headers=forwarded)
    assert "Secure" not in answer.headers["set-cookie"]
    behind = client_with(trusted_proxies=("127.0.0.0/8",))
    answer = behind.post("/c/course/sign-in", data=token, headers=forwarded)
    assert "Secure" in answer.headers["set-cookie"]


def without_lines(text, others):
    """A page's text without the lines that another text has, too."""
    others = set(others.splitlines())
    return "\n".join(line for line in text.splitlines() if line.strip() not in others)


@pytest.mark.slow("serves a board and evaluates entries")
def test_nothing_private_is_on_any_page_or_answer_for_a_team(client, served):
    red, blue = served.bearer("red"), served.bearer("blue")
    number = send(client, red, mixed(3)).json()["entry"]
    finished(client, red, number)
    entered(client, blue, mixed(2))
    with served.board() as board:
        private = set(board.versions.splits()["private"])
        hidden = board.ledger.outcome(number).values
    assert hidden["private"] != hidden["public"]
    secret = {repr(hidden[split]["RR"]) for split in ("private", "all")}
    secret = {value for value in secret - {repr(hidden["public"]["RR"])} if len(value) > 6}
    assert secret
    with zipfile.ZipFile(io.BytesIO(client.get(f"{API}/kit.zip").content)) as kit:
        sample = kit.read("sample_submission.csv").decode()
    paths = [
        "/", "/c/course", "/c/course?split=public", "/c/course/part?split=public",
        "/c/course/board.csv?split=public", "/c/course/rules", "/c/course/submit",
        "/c/course/entries", f"/c/course/entries/{number}", f"{API}", f"{API}/board",
        f"{API}/entries", f"{API}/entries/{number}", f"{API}/receipts.jsonl",
    ]  # fmt: skip
    for path in paths:
        for headers in ({}, red, blue):
            text = client.get(path, headers=headers).text
            assert "424242" not in text, path
            names = private
            if path.endswith("rules"):  # the first rows of the kit's sample, of all lists
                text = without_lines(text, sample)
                names = private - {sample.splitlines()[1].split(",")[0]}  # an example of an id
            assert not any(re.search(rf"\b{name}\b", text) for name in names), path
            # a board has intervals, and another team values, that may be equal by chance
            if "entries" in path and headers is not blue:
                assert not any(value in text for value in secret), path
    for path in ("/c/course?split=private", "/c/course/part?split=all", "/c/course/admin"):
        assert client.get(path, headers=red).status_code == 404
    assert client.get(f"/c/course/entries/{number}", headers=blue).status_code == 404


@pytest.mark.slow("serves a board and evaluates entries")
def test_organizers_do_their_work_on_the_page(children, client, served):
    client.post("/c/course/sign-in", data={"token": served.token("organizer")})
    made = client.post("/c/course/admin/team", data={"name": "new"})
    token = re.search(r'<pre id="new-token">([^<]+)</pre>', made.text)[1]
    new = {"Authorization": f"Bearer {token}"}
    entered(client, new, rows(good))
    for act, words in (("audit", "nothing suspicious"), ("preview", "Would change")):
        page = client.post("/c/course/admin/act", data={"do": act})
        assert words in page.text, act
    copy = client.get("/c/course/admin/backup")
    assert copy.content.startswith(b"SQLite format 3")
    decision = {"kind": "disqualify", "entry": 1, "reason": "a test"}
    assert client.post("/c/course/decide", data=decision).status_code == 303
    assert "a test" in client.get("/c/course/admin?view=log").text
    assert "new" not in json.dumps(client.get(f"{API}/board").json()["leaderboard"])


@pytest.mark.slow("serves a board and evaluates entries")
def test_tokens_are_in_no_log(serve, served):
    """Not by an API key, a sign-in, a form, nor by requests that fail."""
    red, organizer = served.token("red"), served.token("organizer")
    secrets = {red, organizer, "wr0ng-token-of-somebody"}
    process, url = serve(served.folder, "--log", "json")
    where = (url.removeprefix("http://").split(":")[0], int(url.rsplit(":", 1)[1]))
    with httpx.Client(base_url=url, timeout=60) as client:
        for token in (red, organizer):
            head = {"Authorization": f"Bearer {token}"}
            assert client.get(f"{API}/entries", headers=head).status_code == 200
            assert client.get(f"{API}/nowhere", headers=head).status_code == 404
            assert client.get(f"{API}/entries/x", headers=head).status_code == 422
            assert send(client, head, "no form").status_code in (202, 403)
            bad = client.post(f"{API}/entries", headers=head, content=b"{")
            assert bad.status_code in (403, 422)
        wrong = {"Authorization": "Bearer wr0ng-token-of-somebody"}
        assert client.get(f"{API}/entries", headers=wrong).status_code == 401
        assert sign_in(client, "wr0ng-token-of-somebody").status_code == 401
        assert client.get(f"/c/course/sign-in?token={red}").status_code == 200
        assert client.get(f"/{red}").status_code == 404
        joined = client.post("/c/course/join", data={"name": "joined"})
        secrets.add(re.search(r'<pre id="new-token">([^<]+)</pre>', joined.text)[1])
        assert sign_in(client, organizer).status_code == 303
        secrets |= {*client.cookies.values()}
        invited = client.post("/c/course/admin/team", data={"name": "new"})
        secrets.add(re.search(r'<pre id="new-token">([^<]+)</pre>', invited.text)[1])
    for broken in (f"GET / HTTP/9 {red}", f"{red}", f"GET / HTTP/1.1\r\n{red}"):
        with socket.create_connection(where) as line:
            line.sendall(f"{broken}\r\n\r\n".encode())
            line.recv(1000)
    process.terminate()
    assert process.wait(60) == 0
    logged = process.stdout.read().decode()
    assert '"event": "sign-in failed"' in logged
    with served.board() as board:
        logged += "".join(map(repr, board.log())) + board.receipts()
    stored = b"".join(
        path.read_bytes() for path in (served.folder / ".scorer").rglob("*") if path.is_file()
    )
    assert len(secrets) == 6
    for secret in secrets:
        assert len(secret) > 20
        assert secret not in logged
        assert secret.encode() not in stored


FOREIGN = (
    {"Sec-Fetch-Site": "cross-site"},
    {"Sec-Fetch-Site": "same-site"},
    {"Sec-Fetch-Site": "cross-site", "Origin": "http://testserver"},
    {"Origin": "https://evil.example"},
    {"Origin": "null"},
)


def test_what_another_sites_page_sends_is_refused(client, served):
    token = {"token": served.token("red")}
    for headers in FOREIGN:
        answer = client.post("/c/course/sign-in", data=token, headers=headers)
        assert answer.status_code == 403, headers
        assert "set-cookie" not in answer.headers
        sent = send(client, {**served.bearer("red"), **headers}, rows(good))
        assert sent.status_code == 403
    for headers in ({"Sec-Fetch-Site": "same-origin"}, {"Origin": "http://testserver"}, {}):
        assert client.post("/c/course/sign-in", data=token, headers=headers).status_code == 303
    # reading is for everybody, also by a link from another site
    assert client.get("/c/course", headers={"Sec-Fetch-Site": "cross-site"}).status_code == 200
    with served.board() as board:
        assert board.entries() == []


@pytest.mark.parametrize("headers", FOREIGN, ids=str)
def test_no_session_makes_the_form_of_another_sites_page_ours(client, served, headers):
    file = {"file": ("a.csv", rows(good).encode())}
    forms = {
        "red": (("submit", {"data": {"act": "send"}, "files": file}), ("sign-out", {})),
        "organizer": (
            ("admin/team", {"data": {"name": "evil"}}),
            ("admin/act", {"data": {"do": "revoke", "subject": "red"}}),
            ("decide", {"data": {"kind": "disqualify", "team": "red", "reason": "x"}}),
        ),
    }
    tokens = {who: served.token(who) for who in forms}
    for who, sent in forms.items():
        assert sign_in(client, tokens[who]).status_code == 303
        for path, more in sent:
            answer = client.post(f"/c/course/{path}", headers=headers, **more)
            assert answer.status_code == 403, path
            assert "set-cookie" not in answer.headers
    with served.board() as board:
        assert board.entries() == board.database.decisions() == []
        assert list(board.teams.by_name()) == ["red"]
        assert all(token.is_valid for token in board.database.tokens())


@pytest.mark.slow("asks a server many times")
def test_a_stranger_cannot_have_a_file_read(client, served):
    """Whoever is not signed in is refused before the file comes."""

    def never():
        raise AssertionError("it was read")
        yield b""

    for path in ("/c/course/submit", f"{API}/entries"):
        answer = client.post(
            path, content=never(), headers={"Content-Type": "multipart/form-data; boundary=b"}
        )
        assert answer.status_code == 401


def test_tokens_are_kept_as_hashes_and_compared_in_constant_time(served, monkeypatch):
    import hmac

    from scorer.web import auth

    token = served.token("red")
    stored = b"".join(
        path.read_bytes() for path in (served.folder / ".scorer").rglob("*") if path.is_file()
    )
    assert token.encode() not in stored
    compared = []

    def watched(one, other):
        compared.append((one, other))
        return hmac.compare_digest(one, other)

    class Watched:
        compare_digest = staticmethod(watched)

    for team in ("blue", "green"):
        served.token(team)
    monkeypatch.setattr(auth, "hmac", Watched)
    with served.board() as board:
        assert auth.viewer_of(board, auth.token_of(board, token)).team == "red"
        assert len(compared) == 1  # it is looked up by its hash
        assert auth.token_of(board, token + "x") is None
        assert all(token not in pair for pair in compared)


def test_a_revoked_token_ends_its_sessions(client, served):
    sign_in(client, served.token("red"))
    assert client.get("/c/course/entries").status_code == 200
    with served.board() as board:
        board.revoke("red")
    assert client.get("/c/course/entries").status_code == 401


@pytest.mark.slow("serves a board and evaluates entries")
def test_pictures_tell_no_value_that_the_board_does_not(client, served):
    """Of another team's entries, only those that were the best of it when they came."""
    red, blue = served.bearer("red"), served.bearer("blue")
    values = []
    for text in (mixed(2), mixed(3), rows(good)):  # the second is worse than the first
        number = send(client, red, text).json()["entry"]
        values.append(finished(client, red, number)["values"]["public"]["P@2"])
    assert values[1] < values[0] < values[2]
    entered(client, blue, mixed(4))
    page = client.get("/c/course").text
    dots = re.findall(r"<title>red: ([0-9.]+)</title>", page)
    assert [float(dot) for dot in dots] == [round(values[0], 4), round(values[2], 4)]
