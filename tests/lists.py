"""Lists made into what metrics look at, by way of the package's own join."""

from scorer.reading.table import make_table
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
    truth = GradedItems.of(table(grades, "grade").frame, names)
    return judge(table(returned, "score"), truth, ties)[0]


def table(rows, number):
    """The table of rows of a list, an item and a number, which is the column `number`."""
    roles = ("list", "item", number)
    return make_table({role: [row[n] for row in rows] for n, role in enumerate(roles)})
