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
    from scorer.api.kit import kit as pack_kit

    terminal: Terminal = context.obj
    settled, notes = challenge_of(challenge, terminal)
    refuse_overwrite([output], settled, challenge)
    packed = pack_kit(settled, allow_plugins=allow_plugins)
    path = printable(output)
    lines = [f"{path}: {len(packed.data):,} bytes; score check {path} SUBMISSION"]
    lines += map(printable, packed.columns)
    lines += [
        f"left out, since the kit cannot compute it: {printable(name)}"
        for name in packed.omitted_measures
    ]
    lines += [f"left out: {part}" for part in packed.omitted_parts]
    return Result(packed.data, notes, files=((output, packed.data),), written=tuple(lines))
