"""`score kit CHALLENGE -o kit.zip`: what participants get."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from scorer.cli.options import (
    ChallengeWord,
    Plugins,
    Result,
    Terminal,
    challenge_of,
    refuse_overwrite,
)
from scorer.core.text import printable


def kit(
    context: typer.Context,
    challenge: ChallengeWord,
    output: Annotated[
        Path, typer.Option("-o", "--output", metavar="FILE", help="The kit's file.")
    ] = Path("kit.zip"),
    allow_plugins: Plugins = False,
) -> Result:
    """Pack what participants need to check their submissions, and none of the answers."""
    from scorer.api import kit as kits
    from scorer.scoring.bind import bind
    from scorer.scoring.open import read_public

    terminal: Terminal = context.obj
    settled, notes = challenge_of(challenge, terminal)
    refuse_overwrite([output], settled, challenge)
    prepared = bind(settled, allow_plugins)
    archive = kits.kit(prepared, read_public(prepared))
    path = printable(output)
    lines = [f"{path}: {len(archive.data):,} bytes; score check {path} SUBMISSION"]
    lines += map(printable, archive.packed)
    lines += [f"left out, since the kit cannot compute it: {printable(n)}" for n in archive.dropped]
    lines += [f"left out: {part}" for part in archive.left]
    return Result(archive.data, notes, files=((output, archive.data),), written=tuple(lines))
