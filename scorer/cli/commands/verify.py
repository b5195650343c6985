"""`score verify FILE...`: receipts, or a revealed folder: does all of it fit together?"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from scorer.cli.options import Result
from scorer.cli.store import Form, Format, as_json


def verify(
    paths: Annotated[
        list[Path], typer.Argument(metavar="FILE...", help="receipts.jsonl, or a revealed folder.")
    ],
    format: Format = Form.text,
) -> Result:
    """Find entries that were removed, altered, reordered or added, and a changed truth."""
    from scorer.store.receipts import verify as run

    checked, problems = run(paths)
    code = 1 if problems else 0
    if format is Form.json:
        fields = {"ok": not problems, "checked": checked, "problems": problems}
        return Result(as_json(fields), exit_code=code)
    lines = problems or [f"{checked:,} checked; everything is consistent"]
    return Result("".join(f"{line}\n" for line in lines), exit_code=code)
