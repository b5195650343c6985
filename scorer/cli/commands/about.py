"""`score about CHALLENGE [PAGE]`: what the challenge says of itself, such as its rules and data."""

from __future__ import annotations

from typing import Annotated

import typer

from scorer.cli.options import ChallengeWord, Result, Terminal, challenge_of


def about(
    context: typer.Context,
    challenge: ChallengeWord,
    page: Annotated[
        str | None, typer.Argument(metavar="[PAGE]", help="One of its pages, such as rules.")
    ] = None,
) -> Result:
    """Print the description of a challenge and its pages, or one of them."""
    from scorer.core.errors import UnknownName
    from scorer.reports.document import Document
    from scorer.reports.leaderboard.prose import described, pages
    from scorer.reports.write.text import text

    terminal: Terminal = context.obj
    settled, notes = challenge_of(challenge, terminal)
    if page is not None and page not in settled.pages:
        raise UnknownName("page", page, list(settled.pages))
    blocks = [*(described(settled) if page is None else ()), *pages(settled, page)]
    return Result(text(Document(settled.title, blocks), terminal.options(None)), notes)
