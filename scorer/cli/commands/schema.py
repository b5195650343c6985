"""`score schema [RESULT]`: the JSON Schema of challenge.yaml, or of a result."""

from __future__ import annotations

from typing import Annotated

import typer

from scorer.cli.options import Result
from scorer.core.errors import UnknownName, UsageError


def schema(
    result: Annotated[
        str | None,
        typer.Argument(
            metavar="RESULT",
            help="What --format json writes: report, findings, comparison, explanation, "
            "soundness, study, votes, catalogue, audit, log, rescoring, entry, decision, team, "
            "standing, verification. Default: challenge.yaml.",
        ),
    ] = None,
) -> Result:
    """Print the JSON Schema of challenge.yaml, for editors that complete it, or of a result."""
    import json

    if result is None:
        from scorer.challenge.schema import schema as described

        document = described()
    else:
        from scorer.results.json import RESULTS
        from scorer.results.json import schema as schema_of

        if result not in RESULTS:
            unknown = UnknownName("result", result, list(RESULTS))
            raise UsageError(f"{unknown} (results: {', '.join(RESULTS)})")
        document = schema_of(result)
    return Result(json.dumps(document, indent=1, ensure_ascii=False) + "\n")
