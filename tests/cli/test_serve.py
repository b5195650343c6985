"""`score serve` says in words why it cannot listen, before anything is opened."""

import socket

import pytest

from scorer.web.server import listen


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


def test_answers_are_sent_at_once():
    """Asyncio sets TCP_NODELAY for sockets that name their protocol alone."""
    with listen("127.0.0.1", 0) as bound:
        assert bound.proto == socket.IPPROTO_TCP
