"""`score serve CHALLENGE...`: the web page and the API of living boards."""

from __future__ import annotations

import errno
import json
import os
import signal
import socket
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from ipaddress import ip_network
from pathlib import Path
from signal import SIGINT, SIGTERM
from types import FrameType
from typing import Annotated, Any
from urllib.parse import quote

import typer

from scorer.cli.board import (
    FILES,
    STORE,
    FilesWord,
    Log,
    LogFile,
    LogForm,
    Memory,
    Seconds,
    StoreWord,
    begin_log,
)
from scorer.cli.options import Plugins, Result
from scorer.core.errors import UsageError
from scorer.core.text import printable, quoted

SECRET = "SCORER_SECRET"  # of the environment: what sessions are signed with, on several machines


def serve(
    context: typer.Context,
    challenges: Annotated[
        list[Path], typer.Argument(metavar="CHALLENGE...", help="The challenges to serve.")
    ],
    host: Annotated[
        str, typer.Option("--host", metavar="ADDRESS", help="The address to listen at.")
    ] = "127.0.0.1",
    port: Annotated[
        int, typer.Option("--port", metavar="PORT", min=0, max=65535, help="The port.")
    ] = 8000,
    private: Annotated[
        bool, typer.Option("--private", help="Show nothing to visitors who have not signed in.")
    ] = False,
    workers: Annotated[
        int | None,
        typer.Option(
            "--workers",
            metavar="N",
            min=0,
            help="Parallel evaluations; default: one less than there are cores.",
        ),
    ] = None,
    limit: Annotated[
        int | None,
        typer.Option(
            "--limit", metavar="N", min=0, help="Uploads per minute and token; 0: no limit."
        ),
    ] = None,
    seconds: Seconds = 600,
    memory: Memory = 4096,
    root_path: Annotated[
        str,
        typer.Option(
            "--root-path",
            metavar="PATH",
            envvar="SCORER_ROOT_PATH",
            help="The path at which a proxy serves it, such as /board.",
        ),
    ] = "",
    public_url: Annotated[
        str | None,
        typer.Option(
            "--public-url",
            envvar="SCORER_PUBLIC_URL",
            metavar="URL",
            help="The address that participants are told; default: that of --host and --port.",
        ),
    ] = None,
    trusted_proxy: Annotated[
        list[str] | None,
        typer.Option(
            "--trusted-proxy",
            envvar="SCORER_TRUSTED_PROXY",
            metavar="ADDRESS",
            help="A proxy whose headers are trusted, or a network of them, such as 10.0.0.0/8.",
        ),
    ] = None,
    team_header: Annotated[
        str | None,
        typer.Option(
            "--team-header",
            envvar="SCORER_TEAM_HEADER",
            metavar="NAME",
            help="The header in which a trusted proxy names the team that it has signed in.",
        ),
    ] = None,
    log: Log = LogForm.json,
    log_file: LogFile = None,
    store: StoreWord = None,
    files_at: FilesWord = None,
    allow_plugins: Plugins = False,
) -> Result:
    """Serve boards until interrupted; uploads under way are finished first."""
    signal.signal(SIGTERM, lambda number, frame: sys.exit(0))  # until the server takes it over
    if public_url is not None and not public_url.startswith(("https://", "http://")):
        raise UsageError(f"--public-url {quoted(public_url)}: write https://...")
    _refuse_unfit(trusted_proxy or [], team_header)
    try:
        import uvicorn
    except ImportError:
        raise UsageError(
            "the web page needs its extra: pip install challenge-scorer[web]"
        ) from None
    from scorer.board.children import require_limits
    from scorer.board.confine import protections

    require_limits()
    begin_log(context, log, log_file)
    listening = _listening(host, port)
    address = _address(host, listening.getsockname()[1])
    settings = {
        "challenges": [str(path.resolve()) for path in challenges],
        "store": store or os.environ.get(STORE),
        "files": files_at or os.environ.get(FILES),
        "workers": max((os.cpu_count() or 2) - 1, 1) if workers is None else workers,
        "private": private,
        "allow_plugins": allow_plugins,
        "limit": limit,
        "seconds": seconds,
        "memory": memory << 20,
        "root_path": root_path.rstrip("/"),
        "public_url": (public_url or f"{address}{root_path}").rstrip("/"),
        "trusted_proxies": trusted_proxy or [],
        "team_header": team_header,
        "secret": os.environ.get(SECRET),
    }
    _say(f"{address}{settings['root_path']}/ is being prepared; {protections()}")
    os.environ["SCORER_SERVE"] = json.dumps(settings)
    # by its name: the command line knows the web no more than the web knows it
    config = uvicorn.Config(
        "scorer.web.app:create",
        factory=True,
        host=host,
        port=port,
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        timeout_graceful_shutdown=30,
    )

    class Server(uvicorn.Server):
        """A server that ends with 0 on SIGTERM or SIGINT, and does not die of the signal."""

        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            """Start, then print the addresses of the challenges."""
            await super().startup(sockets)
            if self.started:
                context = self.config.loaded_app.state.context
                _say(*_served(context.sites.values(), context.settings.public_url))

        @contextmanager
        def capture_signals(self) -> Iterator[None]:
            before = {n: signal.signal(n, self.handle_exit) for n in (SIGINT, SIGTERM)}
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

    with listening:
        Server(config).run([listening])
    return Result()


def _refuse_unfit(proxies: list[str], team_header: str | None) -> None:
    """`UsageError` for a proxy that is no address, or a header that nobody is trusted to set."""
    for proxy in proxies:
        try:
            ip_network(proxy, strict=False)
        except ValueError:
            raise UsageError(
                f"--trusted-proxy {quoted(proxy)}: write an address or a network, such as "
                "127.0.0.1 or 172.16.0.0/12"
            ) from None
    if team_header is not None and not proxies:
        raise UsageError("--team-header needs --trusted-proxy, whose word alone is taken")


def _listening(host: str, port: int) -> socket.socket:
    """A socket at the address; `UsageError` in words where there can be none."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    bound = socket.socket(family)
    bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        bound.bind((host, port))
    except OSError as error:
        bound.close()
        raise UsageError(_unbound(error, host, port)) from None
    return bound


def _unbound(error: OSError, host: str, port: int) -> str:
    """Why nothing can listen at the address."""
    if error.errno == errno.EADDRINUSE:
        return f"port {port} of {host} is in use; choose another: --port {port + 1}, or 0 for any"
    if error.errno == errno.EACCES:
        return f"port {port} is the administrator's; choose one from 1024 on: --port 8000"
    return f"--host {quoted(host)}: this machine has no such address ({error.strerror})"


def _address(host: str, port: int) -> str:
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def _served(sites: Iterable[Any], address: str) -> Iterator[str]:
    """A line a challenge: its title, its page, its teams and entries; then how to end."""
    for site in sites:
        teams, entries = len(site.teams), sum(site.sent.values())
        counts = f"{teams:,} {'team' if teams == 1 else 'teams'}"
        counts += f", {entries:,} {'entry' if entries == 1 else 'entries'}"
        yield f"{printable(site.title)}: {address}/c/{quote(site.id)} ({counts})"
    yield "ready; Ctrl-C ends"


def _say(*lines: str) -> None:
    """Write lines on stderr at once."""
    print(*lines, sep="\n", file=sys.stderr, flush=True)
