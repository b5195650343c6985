"""Random truths and runs for other scorers, and what ours makes of them."""

import numpy as np
from lists import table

from scorer.metrics.catalogue import metrics
from scorer.metrics.notation import parse, parse_measure
from scorer.views.join import GradedItems, judge

METRICS = metrics()
LISTS = 40


def data(lowest=0):
    """Truth and run as `{list: {item: number}}`; every tenth list is not answered."""
    rng = np.random.default_rng(20)
    items = [f"d{n:02}" for n in range(60)]
    truth, run = {}, {}
    for n in range(LISTS):
        known = rng.permutation(items)[: rng.integers(2, 40)].tolist()
        truth[f"{n + 100}"] = {item: int(rng.integers(lowest, 5)) for item in known}
        if n % 10:
            found = rng.permutation(items)[: rng.integers(1, 50)].tolist()
            run[f"{n + 100}"] = {item: int(rng.integers(160)) / 8 for item in found}
    return truth, run


def ours(notation, truth, run, ties="item-desc"):
    """Our value of every answered list; what is undefined is 0 to the others."""
    rows = [
        table([(q, item, x) for q, mine in side.items() for item, x in mine.items()], number)
        for side, number in ((truth, "grade"), (run, "score"))
    ]
    view, answered = judge(rows[1], GradedItems.of(rows[0].frame), ties)
    made = parse_measure(METRICS.get(parse(notation)[0]), notation)
    found = np.nan_to_num(made.values(view))
    return {
        name: value for name, value, is_in in zip(view.names, found, answered, strict=True) if is_in
    }


def differences(mine, theirs, tolerance=1e-12):
    assert mine.keys() == theirs.keys()
    return {q: (x, theirs[q]) for q, x in mine.items() if not abs(x - theirs[q]) <= tolerance}
