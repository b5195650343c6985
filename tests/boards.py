"""Boards as data, of which reports are made: `scorer.score` and its like, without their methods."""

import scorer
from scorer.api.text import content_of


def score(*words, **options):
    """The board of submissions."""
    return content_of(scorer.score(*words, **options))


def evaluate(*words, **options):
    """The board of runs against a truth."""
    return content_of(scorer.evaluate(*words, **options))


def values(*words, **options):
    """The board of values that were computed elsewhere."""
    return content_of(scorer.values(*words, **options))
