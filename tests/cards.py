"""Scorecards of some lists, put together by the lists' names."""

import numpy as np

from scorer.results.scorecard import merged


def together(cards):
    names = [name for card in cards for name in card.lists]
    lists = tuple(sorted(names))
    return merged(cards, lists, np.array([lists.index(name) for name in names]))
