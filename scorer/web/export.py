"""A challenge's pages and downloads as plain files, for any host of files.

The application is asked as a visitor's browser asks it, so that nothing is written but what
visitors see; what a page links to is written, too, and its links lead from file to file.
"""

from __future__ import annotations

import asyncio
import hashlib
import posixpath
import re
from collections.abc import Callable, Iterator, Mapping
from html import escape, unescape
from pathlib import Path, PurePosixPath
from urllib.parse import parse_qsl, quote, unquote, urljoin, urlsplit

import httpx2 as httpx

from scorer.board.children import evaluate_next
from scorer.board.evaluations import worker_name
from scorer.bytes.write import write
from scorer.core.errors import ScorerError, UsageError
from scorer.core.text import printable
from scorer.web.app import create
from scorer.web.context import Context, Settings
from scorer.web.site import Site

MANIFEST = "SHA256SUMS"
API = "/api/v1/challenges"
ROOT = "/_"  # of the pages while they are asked for: what begins otherwise is no link of ours
HOST = "http://site"
LINK = re.compile(r'(?<=\s)(href|src)="([^"]*)"')
LINE = re.compile(r"[0-9a-f]{64}  (.+)")
SUFFIX = {"text/html": ".html", "application/json": ".json"}
PAUSE = 1.0  # seconds between looks for something new


def export(
    challenge: Path,
    folder: Path,
    store: str | None,
    files: str | None,
    allow_plugins: bool,
    told: Callable[[str], None],
    *,
    watch: bool = False,
) -> None:
    """Write what visitors see of a challenge into a folder, and again after each change.

    Args:
        told: gets a line each time that it is written.
        watch: go on until interrupted; otherwise waiting entries are evaluated first.

    Raises:
        UsageError: a file is in the way.
        ScorerError: the challenge cannot be shown.
    """
    app = create(Settings((str(challenge),), store, files, workers=0, limit=0, still=True,
                          allow_plugins=allow_plugins))  # fmt: skip
    context: Context = app.state.context
    (site,) = context.sites.values()
    try:
        if not watch:
            while evaluate_next(site.board, site.place, context.limits, worker_name()):
                pass
        asyncio.run(_export(httpx.ASGITransport(app, root_path=ROOT), site, folder, told, watch))
    finally:
        site.board.close()
        context.kits.close()


async def _export(
    transport: httpx.ASGITransport, site: Site, folder: Path, told: Callable[[str], None],
    watch: bool,
) -> None:  # fmt: skip
    before: tuple[object, ...] = ()
    async with httpx.AsyncClient(transport=transport, base_url=HOST) as client:
        while True:
            state = await asyncio.to_thread(_state, site)
            if state != before:
                if before and state[0] != before[0]:  # another process put a version in force
                    await asyncio.to_thread(site.reload)
                before = state
                pages = await _pages(client, site)
                told(f"{printable(folder)}: {put_files(folder, pages):,} files")
            if not watch:
                return
            await asyncio.sleep(PAUSE)


def _state(site: Site) -> tuple[object, ...]:
    """The number of the version in force, and all else that the pages depend on."""
    site.look()
    span = site.span()
    return site.board.version().number, site.board.stamp(), span and span.phase.id


async def _pages(client: httpx.AsyncClient, site: Site) -> dict[str, bytes]:
    """Path below the folder -> content, of the board's page and of all that it leads to."""
    start = f"{HOST}{ROOT}/c/{quote(site.id)}"
    names, found, texts = {f"{HOST}{ROOT}/": "index.html"}, dict[str, bytes](), dict[str, str]()
    seen, waiting = {start, *names}, [start]
    while waiting:
        address = waiting.pop()
        answer = await client.get(address)
        if answer.status_code >= 500:
            raise ScorerError(f"{address.removeprefix(HOST + ROOT)}: this page cannot be made")
        if answer.status_code != 200:
            continue  # such a link stays as it is
        media = answer.headers.get("content-type", "").partition(";")[0]
        names[address] = _name(address, start, SUFFIX.get(media, ""))
        found[names[address]] = answer.content
        if media == "text/html":
            texts[address] = answer.text
            links = set(_links(address, answer.text)) - seen
            seen |= links
            waiting += sorted(links)
    return found | {names[a]: _moved(a, text, names).encode() for a, text in texts.items()}


def _links(address: str, text: str) -> Iterator[str]:
    """The addresses of this server to which a page links, without their fragments."""
    for match in LINK.finditer(text):
        link = _target(address, match)[0]
        if link.startswith(f"{HOST}{ROOT}/"):
            yield link


def _target(address: str, match: re.Match[str]) -> tuple[str, str]:
    """The address of a link on a page, and its fragment."""
    link, _, fragment = urljoin(address, unescape(match[2])).partition("#")
    return link, fragment


def _moved(address: str, text: str, names: Mapping[str, str]) -> str:
    """A page whose links lead to files."""

    def moved(match: re.Match[str]) -> str:
        link, fragment = _target(address, match)
        if link not in names:
            return match[0]
        place = quote(posixpath.relpath(names[link], posixpath.dirname(names[address]) or "."))
        return f'{match[1]}="{escape(place + (fragment and f"#{fragment}"))}"'

    return LINK.sub(moved, text)


def _name(address: str, start: str, suffix: str) -> str:
    """The path of an address's file.

    >>> start = "http://site/_/c/course"
    >>> _name(f"{start}/rules", start, ".html"), _name(f"{start}/board.csv?split=a b", start, "")
    ('rules.html', 'board-a-20-b.csv')
    >>> _name(f"{start}?split=private", start, ".html"), _name(start, start, ".html")
    ('board-private.html', 'index.html')
    >>> _name("http://site/_/api/v1/challenges/course", start, ".json")
    'challenge.json'
    """
    parts, root = urlsplit(address), urlsplit(start).path
    values = [value for _, value in parse_qsl(parts.query)]
    path = parts.path.replace(root.replace("/c/", f"{API}/"), root, 1)
    if path.startswith(f"{root}/"):
        path = path.removeprefix(f"{root}/")
    elif path == root:
        path = "challenge" if path != parts.path else "board" if values else "index"
    else:
        path = path.removeprefix(f"{ROOT}/")
    path = "/".join(map(_safe_name, unquote(path).split("/")))
    stem, kind = posixpath.splitext(path)
    return "-".join([stem, *map(_safe_name, values)]) + (kind or suffix)


def _safe_name(text: str) -> str:
    """A name without signs that a file system or an address could take for others."""
    safe = "abcdefghijklmnopqrstuvwxyz0123456789_"
    letters = [c if c.lower() in safe or c in ".-" else f"-{ord(c):x}-" for c in text]
    return "".join(letters).lstrip(".") or "-"


def put_files(folder: Path, pages: Mapping[str, bytes]) -> int:
    """Write pages and their manifest, last, and remove what an earlier site had beyond them.

    Gives the number of files. `UsageError` if a file is in the way that no earlier site wrote.
    """
    earlier = _earlier(folder)
    for name in sorted(pages.keys() - earlier):
        if (folder / name).exists():
            raise UsageError(f"{printable(folder / name)} is there, and is no file of a site")
    for name, data in pages.items():
        path = folder / name
        if not path.exists() or path.read_bytes() != data:
            _make_folder(path.parent)
            write(path, data)
    for name in earlier - pages.keys():
        (folder / name).unlink(missing_ok=True)
    sums = [f"{hashlib.sha256(data).hexdigest()}  {name}\n" for name, data in pages.items()]
    write(folder / MANIFEST, "".join(sorted(sums, key=lambda line: line[66:])).encode())
    return len(pages) + 1


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"{printable(folder)} cannot be made: {error.strerror}") from None


def _earlier(folder: Path) -> set[str]:
    """The files that the manifest of an earlier site names; `UsageError` if it is none."""
    _make_folder(folder)
    try:
        lines = (folder / MANIFEST).read_text(encoding="utf-8").splitlines()
    except FileNotFoundError:
        return set()
    except OSError as error:
        raise UsageError(f"{printable(folder / MANIFEST)}: {error.strerror}") from None
    except ValueError:
        lines = [""]
    names = {found[1] for line in lines if (found := LINE.fullmatch(line))}
    if len(names) < len(lines) or any(".." in PurePosixPath(name).parts for name in names):
        raise UsageError(f"{printable(folder / MANIFEST)} is not the manifest of a site")
    return names
