"""Boards as data, of which reports are made: `scorer.score` and its like, without their methods."""

import scorer


def score(*words, **options):
    """The board of submissions."""
    return scorer.score(*words, **options).content()


def evaluate(*words, **options):
    """The board of runs against a truth."""
    return scorer.evaluate(*words, **options).content()


def values(*words, **options):
    """The board of values that were computed elsewhere."""
    return scorer.values(*words, **options).content()
