"""Lists made into what metrics look at, by way of the package's own judging."""

from scorer.testing import _truth_table as table
from scorer.testing import judged

__all__ = ["meet", "table"]


def meet(lists, ties="item-desc"):
    """Pairs of a submitted list and its truth, judged.

    A submitted list is made of items and of groups of items that tie; a truth
    is `{item: grade}`.
    """
    return judged(*lists, ties=ties)
