"""`score metrics [NAME]`: the catalogue, or one metric's page."""

from __future__ import annotations

from typing import Annotated

import typer

from scorer.cli.board import Form, Format, as_json
from scorer.cli.options import Result

INDENT = 4  # columns, of an example in a page


def metrics(
    context: typer.Context,
    name: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[NAME]",
            help="A metric: nDCG, nDCG(gain=exp2)@10, by a name elsewhere, such as roc_auc_score, "
            "or by words, such as hit rate.",
        ),
    ] = None,
    format: Format = Form.text,
) -> Result:
    """List the metrics, or print the page of one."""
    from scorer.metrics.catalogue import distinct_pages, find_metrics, overview
    from scorer.metrics.catalogue import metrics as known

    if format is Form.json:
        from scorer.reports.catalogue import Catalogue

        found = find_metrics(known(), " ".join(name)) if name else known()
        return Result(as_json(Catalogue.of(distinct_pages(found))))
    if not name:
        return Result(context.obj.page(overview(known()), "catalogue"))
    from scorer.api.example import describe_metric  # which scores, as the overview does not

    room = max(width - INDENT, 20) if (width := context.obj.width) else None
    return Result(context.obj.page(describe_metric(" ".join(name), width=room).text))
