"""`score init [KIND] DIR`: a challenge that runs."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path
from typing import Annotated

import typer

from scorer.cli.options import Result
from scorer.core.errors import UnknownName, UsageError
from scorer.core.text import printable


def init(
    words: Annotated[
        list[str],
        typer.Argument(metavar="[KIND] DIR", help="ranking (default), or another kind; a folder."),
    ],
) -> Result:
    """Make a folder with a small challenge that scores at once, to be changed into your own."""
    from scorer.io.write import folder as make_folder

    templates = files("scorer.challenge.templates")
    kinds = sorted(k.name for k in templates.iterdir() if not k.name.startswith("_"))
    kind, folder = ("ranking", words[0]) if len(words) == 1 else (words[0], words[1])
    if len(words) > 2:
        raise UsageError("score init takes a kind and a folder")
    if kind not in kinds:
        raise UnknownName("kind of challenge", kind, kinds)
    sources = sorted(templates.joinpath(kind).iterdir(), key=lambda source: source.name)
    made = {source.name: source.read_bytes() for source in sources}
    make_folder(Path(folder), made)
    submission = next(name for name in made if name.startswith("submission"))
    where = printable(folder)
    return Result(
        f"made {where}: {', '.join(made)}\n\nscore it:  score {where} {where}/{submission}\n"
    )
