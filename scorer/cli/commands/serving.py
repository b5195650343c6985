"""The commands that serve a board and send to it: serve, work, submit."""

from __future__ import annotations

import errno
import json
import os
import signal
import socket
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from ipaddress import ip_network
from pathlib import Path
from signal import SIGINT, SIGTERM
from types import FrameType
from typing import TYPE_CHECKING, Annotated, Any
from urllib.parse import quote
from zipfile import is_zipfile

import typer

from scorer.challenge.kit_archive import MOST_STORED
from scorer.cli.board import (
    FILES,
    STORE,
    FilesWord,
    Form,
    Format,
    Log,
    LogFile,
    LogForm,
    Memory,
    Seconds,
    StoreWord,
    as_json,
    begin_log,
    board_of,
)
from scorer.cli.options import Plugins, Result, Terminal, challenge_of, problems, submissions_of
from scorer.cli.remote import TokenFile, api_of, asked, client_with, received, token_of
from scorer.core.errors import UsageError
from scorer.core.text import format_number, printable, quoted

if TYPE_CHECKING:
    from scorer.challenge.model import Challenge


SECRET = "SCORER_SECRET"  # of the environment: what sessions are signed with, on several machines


WORK_PAUSE = 1.0  # seconds between looks for work
REFUSED, FAILED, REJECTED = 3, 4, 1
# why a server gives no kit, by the status of its answer
UNKITTED = {
    401: "the server does not know this token; is it this challenge's, whole, and not revoked?",
    404: "the server has no such challenge; is the address its page's?",
    429: "the server has had too many requests; wait a minute",
    503: "the server has too much to do; try again soon",
}
POLL_PAUSE, PATIENCE = 0.5, 900.0  # seconds between looks, and until nothing is awaited any more


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
    from scorer.board.confine import protections
    from scorer.board.isolation import require_limits

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
    # With the protocol asyncio sends each answer at once: else its head and its body are two
    # packets, and the second waits 40 ms for the client to acknowledge the first.
    bound = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
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


def work(
    context: typer.Context,
    challenges: Annotated[
        list[Path],
        typer.Argument(metavar="CHALLENGE...", help="The challenges whose entries are evaluated."),
    ],
    once: Annotated[
        bool,
        typer.Option("--once", help="Exit when no entry is waiting, instead of waiting for more."),
    ] = False,
    seconds: Seconds = 600,
    memory: Memory = 4096,
    log: Log = LogForm.json,
    log_file: LogFile = None,
    store: StoreWord = None,
    files_at: FilesWord = None,
    allow_plugins: Plugins = False,
) -> Result:
    """Evaluate what waits until interrupted, each in a child process; workers share the work."""
    from scorer.board.confine import protections
    from scorer.board.evaluation_service import worker_name
    from scorer.board.isolation import BoardPlace, ChildLimits, ask_child, evaluate_next

    begin_log(context, log, log_file)
    terminal: Terminal = context.obj
    limits, done = ChildLimits(seconds, memory << 20), 0
    store, files = store or os.environ.get(STORE), files_at or os.environ.get(FILES)
    boards = []
    for path in challenges:
        board, _ = board_of(path, terminal, store, files, allow_plugins)
        place = BoardPlace(str(board.challenge.path), store, files, allow_plugins)
        ask_child(
            place, limits, "prepare"
        )  # a challenge that cannot be evaluated ends the command at once
        boards.append((board, place))
    print(protections(), file=sys.stderr, flush=True)
    name = worker_name()
    while True:
        evaluated = sum(evaluate_next(board, place, limits, name) for board, place in boards)
        done += evaluated
        if once and not evaluated:
            return Result(f"{done:,} evaluated\n")
        if not evaluated:
            time.sleep(WORK_PAUSE)


def submit(
    context: typer.Context,
    url: Annotated[
        str, typer.Argument(metavar="URL", help="The challenge's page: https://.../c/ID.")
    ],
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The submission.")],
    token_file: TokenFile = None,
    answer: Annotated[
        list[str] | None,
        typer.Option("--answer", metavar="KEY=VALUE", help="An answer; repeatable."),
    ] = None,
    format: Format = Form.text,
) -> Result:
    """Check a file with the challenge's kit, send it, wait for its values and show them."""
    terminal: Terminal = context.obj
    token = token_of(token_file)
    answers = dict(word.split("=", 1) for word in answer or [] if "=" in word)
    base, page = api_of(url), url.rstrip("/")
    details = list[str]()
    with client_with(token) as client:
        try:
            notes, fine = _checked(client, base, file, terminal)
            if not fine:
                return Result("", (*notes, f"{printable(file)}: nothing was sent"), REJECTED)
            with file.open("rb") as opened:
                status, fields = asked(
                    client,
                    "POST",
                    f"{base}/entries",
                    files={"file": (file.name, opened)},
                    data={"answers": json.dumps(answers)},
                )
            if status == 202:
                fields = _awaited(client, base, fields)
            if format is Form.text and status in (202, 409):
                details = [*_rank(client, base, fields), *_quota(client, base)]
        except OSError as error:
            raise UsageError(f"{file} cannot be read: {error.strerror}") from None
    if status not in (202, 409):
        raise UsageError(f"the server says {status}: {printable(fields.get('message', ''))}")
    code = {"rejected": REJECTED, "failed": FAILED}.get(fields.get("status", ""), 0)
    code = REFUSED if status == 409 else code
    if format is Form.json:
        return Result(as_json(fields), notes, code)
    if fields.get("entry") is not None:
        details.append(f"{page}/entries/{fields['entry']}")
    return Result(_summary(fields, file, details), notes, code)


def _checked(
    client: Any, base: str, file: Path, terminal: Terminal
) -> tuple[tuple[str, ...], bool]:
    """The findings of the kit's checks, and whether the file would be accepted."""
    from scorer.api.check import check

    with tempfile.NamedTemporaryFile(suffix=".zip") as kit:
        status = received(client, "GET", f"{base}/kit.zip", kit, MOST_STORED)
        if status != 200:
            raise UsageError(UNKITTED.get(status, f"the server gives no kit: it says {status}"))
        kit.flush()
        if not is_zipfile(kit.name):
            raise UsageError("the server gives no kit: it sent something else")
        challenge, _ = challenge_of(Path(kit.name), terminal)
        (scored,) = check(challenge, [file])
        notes = problems(scored.findings)
        if scored.findings.fatal and _is_repairable(challenge, file, terminal):
            notes = [*notes, f"score check KIT {printable(file)} --fix would repair it"]
    return tuple(notes), not scored.findings.fatal


def _is_repairable(challenge: Challenge, file: Path, terminal: Terminal) -> bool:
    """Return whether a repaired copy of a wrong file would be accepted."""
    from scorer.api.check import check
    from scorer.api.fix import repair_files
    from scorer.reading.repair import unpacked_name

    (repaired,) = repair_files(challenge, submissions_of([str(file)], terminal, challenge))
    if not repaired.changes:
        return False
    with tempfile.TemporaryDirectory(prefix="scorer-") as folder:
        copy = Path(folder, unpacked_name(file))
        copy.write_bytes(repaired.data)
        (scored,) = check(challenge, [copy])
    return not scored.findings.fatal


def _awaited(client: Any, base: str, sent: dict[str, Any]) -> dict[str, Any]:
    """The entry, once it is evaluated."""
    begun = time.monotonic()
    while True:
        _, fields = asked(client, "GET", f"{base}/entries/{sent['entry']}")
        if fields.get("status") != "pending" or time.monotonic() - begun > PATIENCE:
            return fields
        time.sleep(POLL_PAUSE)


def _rank(client: Any, base: str, fields: dict[str, Any]) -> Iterator[str]:
    """The team's place on the board, where a board is shown and the team is on it."""
    if fields.get("status") != "scored":
        return
    try:
        status, board = asked(client, "GET", f"{base}/board")
    except UsageError:  # a very long one
        return
    ranks = [row for row in board.get("leaderboard", ()) if row.get("rank") is not None]
    own = next((row for row in ranks if row.get("team") == fields.get("team")), None)
    if status != 200 or own is None:
        return
    split = "" if board.get("split") in (None, "all") else f" ({printable(board['split'])})"
    by = "" if own["entry"] == fields["entry"] else f", by entry {own['entry']}"
    yield f"rank {own['rank']} of {len(ranks):,}{split}{by}"


def _quota(client: Any, base: str) -> Iterator[str]:
    """What the team may still send."""
    status, about = asked(client, "GET", base)
    quota = about.get("quota") if status == 200 else None
    if not quota:
        return
    left = [(quota.get("today"), "today"), (quota.get("total"), "in this phase")]
    limited = [f"{number:,} {when}" for number, when in left if number is not None]
    then = f"; the next entry is possible {printable(quota['next'])}" if quota.get("next") else ""
    if limited or then:
        yield f"left of the quota: {' and '.join(limited) or 'nothing'}{then}"


def _summary(fields: dict[str, Any], file: Path, details: Sequence[str] = ()) -> str:
    name = printable(file)
    if fields.get("entry") is None:
        message = printable(fields.get("message"), 500)
        refused = f"{name}: refused: error[{fields.get('code')}] {message}"
        return "".join(f"{line}\n" for line in (refused, *(f"  {line}" for line in details)))
    lines = [f"{name}: entry {fields['entry']}: {fields['status']}"]
    for split, means in (fields.get("values") or {}).items():
        values = ", ".join(
            f"{printable(key)} {format_number(mean)}"
            for key, mean in means.items()
            if mean is not None
        )
        lines.append(f"  {printable(split)}: {values}")
    if fields.get("message"):
        code = f"{fields['code']}: " if fields.get("code") else ""
        lines.append(f"  {code}{printable(fields['message'], 500)}")
    lines += [*(f"  {line}" for line in details), f"  receipt {fields.get('receipt')}"]
    return "".join(f"{line}\n" for line in lines)
