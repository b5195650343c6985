"""`score serve` says in words why it cannot listen, before anything is opened."""

import signal
import socket

import pytest

from scorer.cli.commands.serving import _listening


@pytest.fixture(autouse=True)
def same_signals():
    """The command takes SIGTERM over, for the process that it is."""
    before = signal.getsignal(signal.SIGTERM)
    yield
    signal.signal(signal.SIGTERM, before)


@pytest.fixture
def used():
    """A port at which something listens."""
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        bound.listen()
        yield bound.getsockname()[1]


def test_a_port_in_use_is_told(score, tmp_path, used):
    ran = score("serve", tmp_path, "--port", used)
    ran.assert_exit(2, err=f"port {used} of 127.0.0.1 is in use; choose another: --port {used + 1}")
    assert "Errno" not in ran.err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--host", "203.0.113.1"], "--host '203.0.113.1': this machine has no such address"),
        (["--host", "no.such.host.invalid"], "this machine has no such address"),
        (["--log-file", "/nowhere/a.log"], "--log-file /nowhere/a.log: No such file or directory"),
        (["--public-url", "board"], "write https://..."),
        (["--trusted-proxy", "web"], "--trusted-proxy 'web': write an address or a network"),
        (["--team-header", "X-Team"], "--team-header needs --trusted-proxy"),
    ],
)
def test_settings_that_cannot_be_are_told(score, tmp_path, words, said):
    score("serve", tmp_path, "--port", 0, *words).assert_exit(2, err=said)


def test_answers_are_sent_at_once():
    """Asyncio sets TCP_NODELAY for sockets that name their protocol alone."""
    with _listening("127.0.0.1", 0) as bound:
        assert bound.proto == socket.IPPROTO_TCP


def test_two_challenges_with_one_id_are_refused(score, tmp_path):
    for name in ("first", "second"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "challenge.yaml").write_text(
            "id: course\ntruth: truth.csv\nmetrics: [P@2]\n"
        )
        (tmp_path / name / "truth.csv").write_text("list,item,grade\nq1,a,1\n")
    ran = score("serve", tmp_path / "first", tmp_path / "second", "--port", 0)
    ran.assert_exit(2, err=["first and ", "second have the same id 'course'; change one"])
