"""The server process of `score serve`: its socket, its signals, and its lines on stderr."""

from __future__ import annotations

import errno
import signal
import socket
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from signal import SIGINT, SIGTERM
from types import FrameType
from urllib.parse import quote

import uvicorn

from scorer.board.confine import protections
from scorer.board.isolation import require_limits
from scorer.core.errors import UsageError
from scorer.core.text import printable, quoted
from scorer.web.app import create
from scorer.web.context import Settings
from scorer.web.site import Site

SHUTDOWN_SECONDS = 30  # that requests under way have to end, once the server is told to


class Server(uvicorn.Server):
    """A server that ends with exit code 0 on SIGTERM or SIGINT, and does not die of the signal."""

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start, then print the addresses of the challenges."""
        await super().startup(sockets)
        if self.started:
            context = self.config.loaded_app.state.context
            _say(*_describe_sites(context.sites.values(), context.settings.public_url))

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Handle both signals while the server runs, and the former handlers' way afterwards."""
        before = {number: signal.signal(number, self.handle_exit) for number in (SIGINT, SIGTERM)}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Tell the application at once, which takes no new uploads from then on."""
        if not self.config.loaded:
            sys.exit(0)
        self.config.loaded_app.state.context.closing = True
        super().handle_exit(sig, frame)


def serve_boards(settings: Settings, host: str, port: int) -> None:
    """Serve boards until a signal ends the server; uploads under way are finished first.

    Without a public URL, participants are told the address of host and port.
    """
    require_limits()
    listener = listen(host, port)
    address = _address_of(listener, host)
    public_url = settings.public_url or f"{address}{settings.root_path}"
    settings = settings._replace(public_url=public_url.rstrip("/"))
    _say(f"{address}{settings.root_path}/ is being prepared; {protections()}")
    config = uvicorn.Config(
        partial(create, settings),
        factory=True,
        host=host,
        port=port,
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        timeout_graceful_shutdown=SHUTDOWN_SECONDS,
    )
    with listener:
        Server(config).run([listener])


def listen(host: str, port: int) -> socket.socket:
    """Return a socket at the address. Raises `UsageError` that says why there can be none."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # With the protocol asyncio sends each answer at once: else its head and its body are two
    # packets, and the second waits 40 ms for the client to acknowledge the first.
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
    except OSError as error:
        listener.close()
        raise UsageError(_describe_bind_error(error, host, port)) from None
    return listener


def _describe_bind_error(error: OSError, host: str, port: int) -> str:
    """Return why nothing can listen at the address."""
    if error.errno == errno.EADDRINUSE:
        return f"port {port} of {host} is in use; choose another: --port {port + 1}, or 0 for any"
    if error.errno == errno.EACCES:
        return f"port {port} is the administrator's; choose one from 1024 on: --port 8000"
    return f"--host {quoted(host)}: this machine has no such address ({error.strerror})"


def _address_of(listener: socket.socket, host: str) -> str:
    """Return the URL of a listening socket."""
    port = listener.getsockname()[1]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def _describe_sites(sites: Iterable[Site], address: str) -> Iterator[str]:
    """Yield a line a challenge: its title, its page, its teams and entries; then how to end."""
    for site in sites:
        teams, entries = len(site.teams), sum(site.sent.values())
        counts = f"{teams:,} {'team' if teams == 1 else 'teams'}"
        counts += f", {entries:,} {'entry' if entries == 1 else 'entries'}"
        yield f"{printable(site.title)}: {address}/c/{quote(site.id)} ({counts})"
    yield "ready; Ctrl-C ends"


def _say(*lines: str) -> None:
    """Write lines on stderr at once."""
    print(*lines, sep="\n", file=sys.stderr, flush=True)
