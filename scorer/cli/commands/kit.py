"""`score kit CHALLENGE -o kit.zip`: what participants get."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, date, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from scorer.cli.options import (
    ChallengeWord,
    Plugins,
    Result,
    Terminal,
    challenge_of,
    refuse_overwrite,
)
from scorer.core.errors import UsageError
from scorer.core.text import printable, quoted

if TYPE_CHECKING:
    from scorer.api.kits.croissant import Published


def kit(
    context: typer.Context,
    challenge: ChallengeWord,
    output: Annotated[
        Path, typer.Option("-o", "--output", metavar="FILE", help="The kit's file.")
    ] = Path("kit.zip"),
    croissant: Annotated[
        bool,
        typer.Option(
            "--croissant",
            help="With croissant.json, which describes the tables (Croissant 1.0); needs "
            "--license, --creator and --url.",
        ),
    ] = False,
    license: Annotated[
        str | None, typer.Option("--license", metavar="SPDX", help="Of the kit: CC-BY-4.0, an URL.")
    ] = None,
    creator: Annotated[
        list[str] | None, typer.Option("--creator", metavar="NAME", help="Who made it; repeatable.")
    ] = None,
    url: Annotated[
        str | None, typer.Option("--url", metavar="URL", help="Where the kit is published.")
    ] = None,
    published: Annotated[
        str | None, typer.Option("--published", metavar="DATE", help="When; default: today.")
    ] = None,
    allow_plugins: Plugins = False,
) -> Result:
    """Pack what participants need to check their submissions, and none of the answers."""
    from scorer.api import kit as kits
    from scorer.prepare.bind import prepare
    from scorer.prepare.open import public

    terminal: Terminal = context.obj
    settled, notes = challenge_of(challenge, terminal)
    refuse_overwrite([output], settled, challenge)
    prepared = prepare(settled, allow_plugins)
    told = _published(license, creator or (), url, published) if croissant else None
    if told is None and (license or creator or url or published):
        raise UsageError("--license, --creator, --url and --published belong to --croissant")
    archive = kits.kit(prepared, public(prepared), told)
    path = printable(output)
    lines = [f"{path}: {len(archive.data):,} bytes; score check {path} SUBMISSION"]
    lines += map(printable, archive.packed)
    lines += [f"left out, since the kit cannot compute it: {printable(n)}" for n in archive.dropped]
    lines += [f"left out: {part}" for part in archive.left]
    return Result(archive.data, notes, files=((output, archive.data),), written=tuple(lines))


def _published(
    license: str | None, creators: Sequence[str], url: str | None, day: str | None
) -> Published:
    """What --croissant needs. `UsageError` if some of it is not given, or the day is none."""
    from scorer.api.kits.croissant import Published

    if not (license and url and creators and all(creators)):
        raise UsageError("--croissant needs --license SPDX, --creator NAME and --url URL")
    if not url.startswith(("https://", "http://")):
        raise UsageError(f"--url {quoted(url)} is no address; write https://...")
    try:
        when = date.fromisoformat(day) if day else datetime.now(UTC).date()
    except ValueError:
        raise UsageError(f"--published {quoted(day)} is no date; write 2026-10-01") from None
    return Published(license, creators, url, when.isoformat())
