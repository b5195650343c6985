"""`score export PLATFORM CHALLENGE -o OUT`: a challenge as a bundle for another platform."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, cast

import typer

from scorer.cli.options import ChallengeWord, Plugins, Result, Terminal, challenge_of
from scorer.core.text import printable


def export(
    context: typer.Context,
    platform: Annotated[
        str,
        typer.Argument(
            metavar="PLATFORM",
            help="codabench, evalai, github-classroom, gradescope, grand-challenge, tira.",
        ),
    ],
    challenge: ChallengeWord,
    output: Annotated[
        Path,
        typer.Option("-o", "--output", metavar="OUT", help="A new folder, or a file.zip."),
    ],
    image: Annotated[
        str | None,
        typer.Option("--image", metavar="NAME", help="A container image with `score`."),
    ] = None,
    allow_plugins: Plugins = False,
) -> Result:
    """Make a bundle that runs `score` on a platform. It holds the answers: for organizers only.

    The challenge is linted first. The command says what the platform does not have of what the
    challenge asks for, and what to do with the bundle.
    """
    from scorer.export.bundle import export_bundle

    terminal: Terminal = context.obj
    settled, notes = challenge_of(challenge, terminal)
    bundle = export_bundle(cast(Any, platform), settled, image=image, allow_plugins=allow_plugins)
    lines = [f"{printable(output)}: {len(bundle.files):,} files for {platform}"]
    lines += [f"not supported: {printable(sentence)}" for sentence in bundle.unsupported]
    lines += [f"next: {step}" for step in bundle.next_steps]
    if output.suffix == ".zip":
        data = bundle.to_zip()
        return Result(data, notes, files=((output, data),), written=tuple(lines))
    bundle.write(output)
    return Result(notes=(*notes, *lines))
