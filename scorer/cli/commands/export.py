"""`score export PLATFORM CHALLENGE -o OUT`: a challenge as a bundle for another platform."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from scorer.cli.options import ChallengeWord, Plugins, Result, Terminal, challenge_of
from scorer.core.text import printable


def export(
    context: typer.Context,
    platform: Annotated[
        str,
        typer.Argument(
            metavar="PLATFORM",
            help="codabench, evalai, evaluate, github-classroom, gradescope, "
            "grand-challenge, huggingface, kaggle, tira.",
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

    The challenge is linted first. What the platform cannot say is told; `score rehearse` runs the
    bundle here.
    """
    from scorer.bridges.export import IMAGE, bundle_for
    from scorer.bytes.write import folder, zipped

    terminal: Terminal = context.obj
    settled, notes = challenge_of(challenge, terminal)
    bundle = bundle_for(platform, settled, image=image or IMAGE, allow_plugins=allow_plugins)
    lines = [f"{printable(output)}: {len(bundle.files):,} files for {platform}"]
    lines += [f"lost: {printable(each)}" for each in bundle.lost]
    lines += [f"next: {each}" for each in bundle.next]
    lines.append(f"try it: score rehearse {printable(output)} SUBMISSION...")
    if output.suffix == ".zip":
        data = zipped(bundle.files, bundle.runnable)
        return Result(data, notes, files=((output, data),), written=tuple(lines))
    folder(output, bundle.files)
    for name in bundle.runnable:
        (output / name).chmod(0o755)
    return Result(notes=(*notes, *lines))
