"""`score metrics [NAME]`: the catalogue, or one metric's page."""

from __future__ import annotations

from typing import Annotated

import typer

from scorer.cli.board import Form, Format, as_json
from scorer.cli.options import Result


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
    words = " ".join(name or ())
    if format is Form.json:
        from scorer.api.catalogue import list_metrics

        return Result(as_json(list_metrics(words)))
    if not name:
        from scorer.metrics.catalogue import metrics as known
        from scorer.metrics.catalogue import overview

        return Result(context.obj.page(overview(known()), "catalogue"))
    from scorer.api.example import describe_metric  # which scores, as the overview does not

    return Result(context.obj.page(describe_metric(words, width=context.obj.example_width).text))
