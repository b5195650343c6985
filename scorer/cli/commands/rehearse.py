"""`score rehearse OUT SUBMISSION...`: a bundle run here as its platform would run it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from scorer.cli.options import FAILED, Result
from scorer.core.text import printable


def rehearse(
    bundle: Annotated[
        Path, typer.Argument(metavar="OUT", help="What `score export` wrote: a folder or a zip.")
    ],
    submissions: Annotated[
        list[Path], typer.Argument(metavar="SUBMISSION...", help="Good and bad ones.")
    ],
) -> Result:
    """Run a bundle before it is uploaded: folders, environment and exit codes of the platform.

    Each submission is scored by the bundle and by `score`; then the bundle is run once with a
    scorer that cannot be started. Exit code 4: the bundle does something else than `score`.
    """
    from scorer.bridges.rehearse import rehearsals

    lines, wrong = [], 0
    for done in rehearsals(bundle, submissions):
        wrong += not done.fine
        ended = f"exit {done.run.code} after {done.run.seconds:.1f} s"
        lines.append(f"{printable(done.name)}: {ended}, {done.said}")
        lines += [f"  shown: {printable(line, 1000)}" for line in done.run.seen.splitlines()]
        lines += [f"  {printable(name)} = {value!r}" for name, value in done.run.values.items()]
    return Result("\n".join(lines) + "\n", exit_code=FAILED if wrong else 0)
