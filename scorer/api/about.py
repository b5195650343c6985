"""The description of a challenge and its pages, as text."""

from __future__ import annotations

from scorer.challenge.model import Challenge
from scorer.core.errors import UnknownName
from scorer.reports.base import Options
from scorer.reports.commonmark import described, pages
from scorer.reports.document import Document
from scorer.reports.write.text import text


def describe_challenge(challenge: Challenge, page: str | None, options: Options) -> str:
    """Return what a challenge says of itself and all of its pages, or one page of that name.

    Raises:
        UnknownName: The challenge has no such page.
    """
    if page is not None and page not in challenge.pages:
        raise UnknownName("page", page, list(challenge.pages))
    description = described(challenge) if page is None else []
    return text(Document(challenge.title, [*description, *pages(challenge, page)]), options)
