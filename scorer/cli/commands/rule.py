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
    return Result(context.obj.page(code(name).text))
