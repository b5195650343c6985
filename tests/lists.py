"""Lists made into what metrics look at, by way of the package's own judging."""

import numpy as np

from scorer.columns import Ids, Table, Wanted
from scorer.judging import Truth, judge


def table(rows, number):
    """A table of rows `(list, item, number)`."""
    ids = {}
    for column, role in enumerate(("list", "item")):
        texts = [row[column] for row in rows]
        names = {text: code for code, text in enumerate(dict.fromkeys(texts))}
        codes = np.array([names[text] for text in texts], dtype=np.int64)
        ids[role] = Ids(codes, tuple(names))
    numbers = {number: np.array([row[2] for row in rows], dtype=np.float64)}
    lines = np.arange(1, len(rows) + 1, dtype=np.int64)
    return Table(ids, numbers, lines, Wanted(("list", "item")))


def meet(lists, ties="item-desc"):
    """Pairs of a submitted list and its truth, judged.

    A submitted list is made of items and of groups of items that tie; a truth
    is `{item: grade}`.
    """
    returned, grades, names = [], [], [f"{n:06}" for n in range(len(lists))]
    for name, (groups, truth) in zip(names, lists, strict=True):
        grades += [(name, item, grade) for item, grade in truth.items()]
        for place, group in enumerate(groups):
            items = group if isinstance(group, list | tuple) else [group]
            returned += [(name, item, -place) for item in items]
    judged, _ = judge(table(returned, "score"), Truth.of(table(grades, "grade"), names), ties)
    return judged
