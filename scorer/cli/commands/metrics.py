"""`score metrics [NAME]`: the catalogue, or one metric's page."""

from __future__ import annotations

from typing import Annotated

import typer

from scorer.cli.options import Result


def metrics(
    name: Annotated[
        str | None, typer.Argument(metavar="[NAME]", help="A metric, such as nDCG.")
    ] = None,
) -> Result:
    """List the metrics, or print the page of one."""
    from scorer.metrics.base import metrics as known
    from scorer.metrics.pages import overview, page

    return Result(overview(known()) if name is None else page(known(), name))
