"""nginx and Caddy before a board, with the examples of docs/host.md."""

import re
import shutil
import subprocess
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import httpx2 as httpx
import pytest
from conftest import COMMAND, ROOT
from web_helpers import API, ended, free_port, good, rows

HOST = (ROOT / "docs/host.md").read_text(encoding="utf-8")
PLAIN, SIGNED_IN = re.findall(r"```nginx\n(.*?)```", HOST, re.DOTALL)
(CADDY,) = re.findall(r"```caddy\n(.*?)```", HOST, re.DOTALL)
(UNIT,) = re.findall(r"```ini\n(.*?)```", HOST, re.DOTALL)
TRUSTED = ("--trusted-proxy", "127.0.0.1", "--team-header", "X-Team", "--workers", "0")
slow = pytest.mark.slow("a server and a proxy as processes")


def needs(*programs):
    """The paths of programs; skips with how to get those that are not there."""
    for program in programs:
        if shutil.which(program, path="/usr/sbin:/usr/bin:/bin") is None:
            pytest.skip(f"{program} is missing: apt-get install {program}")
    return [shutil.which(program, path="/usr/sbin:/usr/bin:/bin") for program in programs]


def changed(text, *pairs):
    for old, new in pairs:
        assert old in text, old
        text = text.replace(old, str(new))
    return text


@pytest.fixture
def certificate(tmp_path):
    """A certificate and its key."""
    (openssl,) = needs("openssl")
    pem, key = tmp_path / "c.pem", tmp_path / "c.key"
    command = [openssl, "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256",
               "-nodes", "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost",
               "-out", pem, "-keyout", key]  # fmt: skip
    subprocess.run(command, check=True, capture_output=True)
    return pem, key


@pytest.fixture
def runs():
    """Start a proxy, and wait until it takes requests; gives a client."""
    running, clients = [], []

    def run(command, port, **environment):
        process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **environment
        )
        running.append(process)
        client = httpx.Client(base_url=f"https://localhost:{port}", verify=False, timeout=60)
        clients.append(client)
        for _ in range(200):
            try:
                client.get("/healthz")
            except httpx.TransportError:
                assert process.poll() is None, process.stdout.read().decode()
                time.sleep(0.1)
            else:
                return client
        raise AssertionError("the proxy does not answer")

    yield run
    for client in clients:
        client.close()
    for process in running:
        ended(process)


@pytest.fixture
def nginx(tmp_path, certificate, runs):
    """Start nginx with an example of the page."""

    def start(example, board, *more):
        (program,) = needs("nginx")
        port, (pem, key) = free_port(), certificate
        server = changed(
            example, ("443", f"127.0.0.1:{port}"), ("http://127.0.0.1:8000", board), *more,
            ("/etc/ssl/board.example.org.pem", pem), ("/etc/ssl/board.example.org.key", key),
        )  # fmt: skip
        kinds = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
        places = "".join(f"{kind}_temp_path {tmp_path}/{kind};" for kind in kinds)
        (tmp_path / "nginx.conf").write_text(
            f"daemon off; pid {tmp_path}/pid; error_log stderr; events {{}}\n"
            f"http {{ access_log off; {places}\n{server} }}"
        )
        words = [program, "-e", "stderr", "-p", tmp_path, "-c", tmp_path / "nginx.conf"]
        return runs(words, port)

    return start


@pytest.fixture
def caddy(tmp_path, certificate, runs):
    """Start Caddy with the example of the page, and a certificate that is there."""

    def start(example, board):
        (program,) = needs("caddy")
        port, (pem, key) = free_port(), certificate
        site = changed(
            example, ("127.0.0.1:8000", board.removeprefix("http://")),
            ("board.example.org {", f"https://localhost:{port} {{\n    tls {pem} {key}"),
        )  # fmt: skip
        options = "{\n    admin off\n    auto_https disable_redirects\n}\n"
        (tmp_path / "Caddyfile").write_text(options + site)
        words = [program, "run", "--adapter", "caddyfile", "--config", tmp_path / "Caddyfile"]
        return runs(words, port, env={"HOME": str(tmp_path), "PATH": "/usr/bin:/bin"})

    return start


@slow
@pytest.mark.parametrize("kind", ["nginx", "caddy"])
def test_a_board_behind_a_proxy(kind, request, serve, served):
    needs(kind)
    token = served.token("red")
    _, board = serve(served.folder, *TRUSTED)
    start = request.getfixturevalue(kind)
    client = start(PLAIN if kind == "nginx" else CADDY, board)
    assert client.get("/c/course").status_code == 200
    signed = client.post("/c/course/sign-in", data={"token": token})
    assert signed.status_code == 303
    assert "Secure" in signed.headers["set-cookie"]
    large = rows(good) + "q00,zz,0\n" * 300_000  # nginx takes 1 MB where nobody says another size
    sent = client.post(
        f"{API}/entries", headers=served.bearer("red"), files={"file": ("a.csv", large.encode())}
    )
    assert sent.status_code == 202, sent.text
    part = client.get("/c/course/part?split=public")
    same = {"If-None-Match": part.headers["etag"]}  # which nginx may have made weak
    assert client.get("/c/course/part?split=public", headers=same).status_code == 304


class Accounts(BaseHTTPRequestHandler):
    """Answers as oauth2-proxy does: 202 with the address of who has its cookie, else 401."""

    def do_GET(self):
        _, _, email = self.headers.get("Cookie", "").partition("email=")
        is_asked = self.path == "/oauth2/auth"
        self.send_response((202 if email else 401) if is_asked else 403)
        self.send_header("X-Auth-Request-Email", email)
        body = b"" if is_asked else b"Sign in with your account"
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *words):
        pass


@pytest.fixture
def accounts():
    """The address of a server of accounts."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Accounts)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


@slow
def test_people_with_accounts_are_signed_in_by_a_header(nginx, accounts, serve, served):
    needs("nginx")
    token = served.token("red"), served.token("blue")
    _, board = serve(served.folder, *TRUSTED)
    client = nginx(SIGNED_IN, board, ("http://127.0.0.1:4180", accounts))
    anna, other, forged = "email=anna@example.org", "email=eve@example.org", {"X-Team": "blue"}
    stranger = client.get("/c/course")
    assert stranger.text == "Sign in with your account"
    for cookie, headers, status in ((anna, {}, 200), (anna, forged, 200), (other, forged, 401)):
        page = client.get("/c/course/submit", headers={"Cookie": cookie, **headers})
        assert page.status_code == status
        assert ('<p class="who">red</p>' in page.text) == (status == 200)
        assert "blue" not in page.text
    assert client.get(f"{API}/entries", headers=forged).status_code == 401
    bearer = {"Authorization": f"Bearer {token[1]}"}
    assert client.get(f"{API}/entries", headers=bearer).status_code == 200


@slow
def test_the_unit_of_systemd_has_options_that_there_are():
    (line,) = re.findall(r"^ExecStart=/opt/scorer/bin/score (.*)$", UNIT, re.MULTILINE)
    verb, *words = line.split()
    told = subprocess.run([COMMAND, verb, "--help"], capture_output=True, text=True, check=True)
    assert all(word in told.stdout for word in words if word.startswith("--"))
    assert "KillMode=mixed" in UNIT  # without it, evaluations die with the server
