"""Lists made into what metrics look at, by way of the package's own join."""

import numpy as np

from scorer.tables.columns import CodedColumn
from scorer.tables.table import Schema, Table
from scorer.views.join import GradedItems, judge


def meet(lists, ties="item-desc"):
    """Pairs of a submitted list and its truth, judged.

    A submitted list is made of items and of groups of items that tie; a truth
    is `{item: grade}`.
    """
    names = [f"{n:06}" for n in range(len(lists))]
    returned, grades = [], []
    for name, (groups, truth) in zip(names, lists, strict=True):
        grades += [(name, item, grade) for item, grade in truth.items()]
        for place, group in enumerate(groups):
            items = [group] if isinstance(group, str) else group
            returned += [(name, item, -place) for item in items]
    return judge(table(returned, "score"), GradedItems.of(table(grades, "grade"), names), ties)[0]


def table(rows, number):
    """The table of rows of a list, an item and a number, which is the column `number`."""
    ids = {}
    for column, role in enumerate(("list", "item")):
        texts = [str(row[column]) for row in rows]
        names = {text: code for code, text in enumerate(dict.fromkeys(texts))}
        codes = np.array([names[text] for text in texts], dtype=np.int64)
        ids[role] = CodedColumn(codes, tuple(names))
    numbers = {number: np.array([row[2] for row in rows], dtype=np.float64)}
    lines = np.arange(1, len(rows) + 1, dtype=np.int64)
    return Table(ids, numbers, lines, Schema(("list", "item")))
