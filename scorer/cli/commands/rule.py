"""`score rule [CODE]`: the problem codes, or one code's page."""

from __future__ import annotations

from typing import Annotated

import typer

from scorer.cli.options import Result
from scorer.core.codes import code, codes


def rule(
    context: typer.Context,
    name: Annotated[
        str | None, typer.Argument(metavar="[CODE]", help="A problem code, such as S304.")
    ] = None,
) -> Result:
    """List the problem codes, or print the page of one."""
    if name is None:
        lines = [f"{entry.code}  {entry.severity:7}  {entry.title}" for entry in codes().values()]
        return Result(context.obj.page("\n".join(lines) + "\n", "catalogue"))
    page = code(name)
    example = "\n".join(f"    {line}" for line in page.example.rstrip().splitlines())
    text = (
        f"{page.code} ({page.severity}): {page.title}\n\n{page.meaning.rstrip()}\n\n"
        f"Example:\n\n{example}\n\nWhat to do:\n\n{page.fix.rstrip()}\n"
    )
    return Result(context.obj.page(text))
