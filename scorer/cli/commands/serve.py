"""`score serve CHALLENGE...`: the web page and the API of living boards."""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from signal import SIGINT, SIGTERM
from types import FrameType
from typing import Annotated

import typer

from scorer.cli.board import FILES, STORE, FilesWord, Memory, Seconds, StoreWord
from scorer.cli.options import Plugins, Result
from scorer.core.errors import UsageError
from scorer.core.text import quoted

SECRET = "SCORER_SECRET"  # of the environment: what sessions are signed with, on several machines


def serve(
    challenges: Annotated[
        list[Path], typer.Argument(metavar="CHALLENGE...", help="The challenges to serve.")
    ],
    host: Annotated[str, typer.Option("--host", help="The address to listen at.")] = "127.0.0.1",
    port: Annotated[int, typer.Option("--port", min=0, max=65535, help="The port.")] = 8000,
    private: Annotated[
        bool, typer.Option("--private", help="Show nothing to visitors who have not signed in.")
    ] = False,
    workers: Annotated[
        int | None,
        typer.Option(
            "--workers", min=0, help="Parallel evaluations; default: one less than there are cores."
        ),
    ] = None,
    limit: Annotated[
        int | None,
        typer.Option("--limit", min=0, help="Uploads per minute and token; 0: no limit."),
    ] = None,
    seconds: Seconds = 600,
    memory: Memory = 4096,
    root_path: Annotated[
        str,
        typer.Option("--root-path", help="The path at which a proxy serves it, such as /board."),
    ] = "",
    public_url: Annotated[
        str | None,
        typer.Option(
            "--public-url",
            metavar="URL",
            help="The address that participants are told; default: that of --host and --port.",
        ),
    ] = None,
    trusted_proxy: Annotated[
        list[str] | None,
        typer.Option(
            "--trusted-proxy",
            metavar="ADDRESS",
            help="The proxies whose forwarded headers are trusted.",
        ),
    ] = None,
    store: StoreWord = None,
    files_at: FilesWord = None,
    allow_plugins: Plugins = False,
) -> Result:
    """Serve boards until interrupted; uploads under way are finished first."""
    signal.signal(SIGTERM, lambda number, frame: sys.exit(0))  # until the server takes it over
    if public_url is not None and not public_url.startswith(("https://", "http://")):
        raise UsageError(f"--public-url {quoted(public_url)}: write https://...")
    try:
        import uvicorn
    except ImportError:
        raise UsageError(
            "the web page needs its extra: pip install challenge-scorer[web]"
        ) from None
    from scorer.board.children import require_limits
    from scorer.board.confine import protections

    require_limits()
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
        "public_url": (public_url or f"http://{host}:{port}{root_path}").rstrip("/"),
        "trusted_proxies": trusted_proxy or [],
        "secret": os.environ.get(SECRET),
    }
    print(protections(), file=sys.stderr, flush=True)
    os.environ["SCORER_SERVE"] = json.dumps(settings)
    # by its name: the command line knows the web no more than the web knows it
    config = uvicorn.Config(
        "scorer.web.app:create", factory=True, host=host, port=port, log_level="warning",
        server_header=False, proxy_headers=False, timeout_graceful_shutdown=30,
        http="scorer.web.idle:ImpatientProtocol",
    )  # fmt: skip

    class Server(uvicorn.Server):
        """One that ends with 0 when it is told to end, and does not die of the signal."""

        @contextmanager
        def capture_signals(self) -> Iterator[None]:
            before = {n: signal.signal(n, self.handle_exit) for n in (SIGINT, SIGTERM)}
            try:
                yield
            finally:
                for number, handler in before.items():
                    signal.signal(number, handler)

        def handle_exit(self, sig: int, frame: FrameType | None) -> None:
            """Tell the application at once, so that pages that follow a board let go of it."""
            if not self.config.loaded:
                sys.exit(0)
            self.config.loaded_app.state.context.closing = True
            super().handle_exit(sig, frame)

    Server(config).run()
    return Result()
