"""The texts of a challenge, as blocks of a document."""

from __future__ import annotations

from collections.abc import Iterator

from scorer.challenge.model import Challenge
from scorer.reports.commonmark import titled
from scorer.reports.document import Block, Heading, Prose


def described(challenge: Challenge) -> list[Prose]:
    """What the challenge is about."""
    return [_prose(challenge, challenge.description)] if challenge.description.strip() else []


def pages(challenge: Challenge, only: str | None = None) -> Iterator[Block]:
    """Its pages, or one of them, each a section."""
    for key, text in challenge.pages.items():
        if only in (None, key):
            title, rest = titled(key, text)
            yield Heading(title, key=f"page-{key}")
            yield _prose(challenge, rest)._replace(key=key)


def _prose(challenge: Challenge, text: str) -> Prose:
    return Prose(text, [*challenge.pages])
