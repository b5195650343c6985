"""The process around a command: signals, standard streams, what a plugin prints."""

from __future__ import annotations

import atexit
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout, suppress
from types import FrameType
from typing import TextIO

RESULTS: list[int] = []  # the descriptor of standard output, while a command runs


class Ended(KeyboardInterrupt):
    """The process was told to end, by SIGTERM or the like."""


def answer_signals() -> None:
    """On SIGTERM or SIGHUP unwind the command first, then end by that same signal."""
    signals: list[int] = []

    def end(number: int, frame: FrameType | None) -> None:
        signal.signal(number, signal.SIG_IGN)
        signals.append(number)
        raise Ended

    def end_by_it() -> None:
        for number in signals:
            signal.signal(number, signal.SIG_DFL)
            os.kill(os.getpid(), number)

    def report_once(unraisable: sys.UnraisableHookArgs) -> None:
        # polars raises an interrupt of its own for the same Ctrl-C; one of the two is enough
        if not issubclass(unraisable.exc_type, KeyboardInterrupt):
            sys.__unraisablehook__(unraisable)

    sys.unraisablehook = report_once
    atexit.register(end_by_it)  # before all others, so that it runs after them
    for name in ("SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) == signal.SIG_DFL:
            signal.signal(number, end)


def open_what_is_closed() -> None:
    """Reopen closed standard streams on /dev/null, so that no output file gets descriptor 0-2."""
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # it gets the lowest number that is free


def is_terminal(stream: TextIO | None) -> bool:
    """Whether a standard stream, None where it is closed, is a terminal."""
    return stream is not None and stream.isatty()


@contextmanager
def reserve_stdout() -> Iterator[None]:
    """Send whatever a plugin prints to stderr, so that stdout holds only the result."""
    printed = [stream for stream in (sys.stdout, sys.__stdout__) if stream is not None]
    for stream in printed:
        stream.flush()
    saved = os.dup(1)
    RESULTS.append(saved)
    os.dup2(2, 1)
    try:
        with redirect_stdout(sys.stderr):
            yield
    finally:
        with suppress(OSError, ValueError):
            for stream in printed:
                stream.flush()
        os.dup2(saved, 1)
        os.close(RESULTS.pop())


def write_at_once(text: str) -> None:
    """Write a part of a command's result while it runs. Raises `BrokenPipeError`."""
    data = text.encode("utf-8", "backslashreplace")
    while data:
        data = data[os.write(RESULTS[-1], data) :]


@contextmanager
def same_folder() -> Iterator[None]:
    """The working directory is afterwards what it was: paths of the command are relative to it."""
    folder = os.getcwd() if os.path.isdir(".") else "/"  # our folder may be gone
    try:
        yield
    finally:
        os.chdir(folder)


def abandon(stream: TextIO | None) -> None:
    """The pipe is closed: redirect to /dev/null, so that the flush at exit cannot fail."""
    if stream is not None:
        with suppress(OSError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
