"""What each test of a command leaves as it was."""

import signal

import pytest


@pytest.fixture(autouse=True)
def same_signals():
    """`score serve` takes SIGTERM over, for the process that it is."""
    before = signal.getsignal(signal.SIGTERM)
    yield
    signal.signal(signal.SIGTERM, before)
