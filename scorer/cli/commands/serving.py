"""The commands that serve a board and send to it: serve, work, submit."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Sequence
from ipaddress import ip_network
from pathlib import Path
from typing import Annotated, Any

import typer

from scorer.cli import options
from scorer.cli.board import BoardArguments, begin_log, format_json, format_lines, read_token
from scorer.cli.options import FILES, STORE, Form, LogForm
from scorer.cli.result import FAILED, REFUSED, REJECTED, Result, problem_lines
from scorer.core.errors import UsageError
from scorer.core.text import format_number, printable, quoted

SECRET = "SCORER_SECRET"  # the environment variable with the key that signs sessions
WORK_PAUSE = 1.0  # seconds between looks for work

Workers = Annotated[
    int | None,
    typer.Option(
        "--workers",
        metavar="N",
        min=0,
        help="Parallel evaluations; default: one less than there are cores.",
    ),
]
Limit = Annotated[
    int | None,
    typer.Option("--limit", metavar="N", min=0, help="Uploads per minute and token; 0: no limit."),
]
RootPath = Annotated[
    str,
    typer.Option(
        "--root-path",
        metavar="PATH",
        envvar="SCORER_ROOT_PATH",
        help="The path at which a proxy serves it, such as /board.",
    ),
]
PublicUrl = Annotated[
    str | None,
    typer.Option(
        "--public-url",
        envvar="SCORER_PUBLIC_URL",
        metavar="URL",
        help="The address that participants are told; default: that of --host and --port.",
    ),
]
TrustedProxies = Annotated[
    list[str] | None,
    typer.Option(
        "--trusted-proxy",
        envvar="SCORER_TRUSTED_PROXY",
        metavar="ADDRESS",
        help="A proxy whose headers are trusted, or a network of them, such as 10.0.0.0/8.",
    ),
]
TeamHeader = Annotated[
    str | None,
    typer.Option(
        "--team-header",
        envvar="SCORER_TEAM_HEADER",
        metavar="NAME",
        help="The header in which a trusted proxy names the team that it has signed in.",
    ),
]


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
    workers: Workers = None,
    limit: Limit = None,
    seconds: options.Seconds = 600,
    memory: options.Memory = 4096,
    root_path: RootPath = "",
    public_url: PublicUrl = None,
    trusted_proxy: TrustedProxies = None,
    team_header: TeamHeader = None,
    log: options.Log = LogForm.json,
    log_file: options.LogFile = None,
    store: options.Store = None,
    files_at: options.Files = None,
    allow_plugins: options.AllowPlugins = False,
) -> Result:
    """Serve boards until interrupted; uploads under way are finished first."""
    signal.signal(signal.SIGTERM, _end)  # until the server handles it
    if public_url is not None and not public_url.startswith(("https://", "http://")):
        raise UsageError(f"--public-url {quoted(public_url)}: write https://...")
    _refuse_wrong_proxies(trusted_proxy or [], team_header)
    try:
        from scorer.web.context import Settings
        from scorer.web.server import serve_boards
    except ImportError:
        install = "pip install challenge-scorer[web]"
        raise UsageError(f"the web page needs its extra: {install}") from None
    begin_log(context, log, log_file)
    settings = Settings(
        challenges=tuple(str(path.resolve()) for path in challenges),
        store=store or os.environ.get(STORE),
        files=files_at or os.environ.get(FILES),
        workers=max((os.cpu_count() or 2) - 1, 1) if workers is None else workers,
        private=private,
        allow_plugins=allow_plugins,
        limit=limit,
        seconds=seconds,
        memory=memory << 20,
        root_path=root_path.rstrip("/"),
        trusted_proxies=tuple(trusted_proxy or ()),
        team_header=team_header,
        secret=os.environ.get(SECRET),
        public_url=public_url or "",
    )
    serve_boards(settings, host, port)
    return Result()


def _end(*_: object) -> None:
    """End the process with exit code 0."""
    sys.exit(0)


def _refuse_wrong_proxies(proxies: list[str], team_header: str | None) -> None:
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
    seconds: options.Seconds = 600,
    memory: options.Memory = 4096,
    log: options.Log = LogForm.json,
    log_file: options.LogFile = None,
    store: options.Store = None,
    files_at: options.Files = None,
    allow_plugins: options.AllowPlugins = False,
) -> Result:
    """Evaluate what waits until interrupted, each in a child process; workers share the work."""
    from scorer.board.confine import protections
    from scorer.board.evaluation_service import worker_name
    from scorer.board.isolation import BoardPlace, ChildLimits, ask_child, evaluate_next

    begin_log(context, log, log_file)
    limits, done = ChildLimits(seconds, memory << 20), 0
    store, files = store or os.environ.get(STORE), files_at or os.environ.get(FILES)
    boards = []
    for path in challenges:
        board, _ = BoardArguments(path, context.obj, store, files, allow_plugins).open()
        place = BoardPlace(str(board.challenge.path), store, files, allow_plugins)
        ask_child(place, limits, "prepare")  # ends the command if nothing can be evaluated
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
    url: Annotated[
        str, typer.Argument(metavar="URL", help="The challenge's page: https://.../c/ID.")
    ],
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The submission.")],
    token_file: options.TokenFile = None,
    answer: options.Answers = None,
    format: options.Format = Form.text,
) -> Result:
    """Check a file with the challenge's kit, send it, wait for its values and show them."""
    from scorer.board.client import open_client

    answers = dict(word.split("=", 1) for word in answer or [] if "=" in word)
    details = list[str]()
    with open_client(url, read_token(token_file)) as client:
        try:
            checked = client.check(file)
            notes = problem_lines([checked.findings])
            if checked.is_repairable:
                notes.append(f"score check KIT {printable(file)} --fix would repair it")
            if checked.findings.fatal:
                return Result("", (*notes, f"{printable(file)}: nothing was sent"), REJECTED)
            sent = client.send(file, answers)
            if format is Form.text and sent.status in (202, 409):
                details = [*client.describe_rank(sent.fields), *client.describe_quota()]
        except OSError as error:
            raise UsageError(f"{file} cannot be read: {error.strerror}") from None
    if sent.status not in (202, 409):
        raise sent.error()
    fields = sent.fields
    code = {"rejected": REJECTED, "failed": FAILED}.get(fields.get("status", ""), 0)
    code = REFUSED if sent.status == 409 else code
    if format is Form.json:
        return Result(format_json(fields), tuple(notes), code)
    if fields.get("entry") is not None:
        details.append(f"{url.rstrip('/')}/entries/{fields['entry']}")
    return Result(_describe_entry(fields, file, details), tuple(notes), code)


def _describe_entry(fields: dict[str, Any], file: Path, details: Sequence[str]) -> str:
    """Return the text on an entry, or on its refusal, from the fields of the server's answer."""
    name = printable(file)
    if fields.get("entry") is None:
        message = printable(fields.get("message"), 500)
        refused = f"{name}: refused: error[{fields.get('code')}] {message}"
        return format_lines([refused, *(f"  {line}" for line in details)])
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
    return format_lines(lines)
