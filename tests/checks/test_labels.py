"""Checks of tables find the same however the rows are split."""

import numpy as np
import pytest

from scorer.challenge.public import Public
from scorer.challenge.submission import Submission
from scorer.checks.base import Submitted, checked
from scorer.checks.tally import FileContext
from scorer.tables.columns import CodedColumn
from scorer.tables.table import Schema, Table

IDS = [f"r{n}" for n in range(40)]


def table(rows, rng, form):
    """Rows of a submission with all that can be wrong with them."""
    ids = {"list": [IDS[n] for n in rows]}
    numbers = {}
    if form == "label":
        names = ["a", "b", "A", "c", "", "nan", "0.5", "a"]
        ids["label"] = rng.choice(names, len(rows)).tolist()
    elif form == "number":
        ids["label"] = rng.choice(["0.5", "0.25", "1"], len(rows)).tolist()
    elif form == "same":
        ids["label"] = ["a"] * len(rows)
    elif form == "likely":
        numbers = {f"probability[{n}]": rng.choice([0, 0.5, 1, 1.5], len(rows)) for n in range(2)}
    else:
        numbers = {"prediction": rng.choice([1.0, 2.0, 9.0], len(rows))}
    coded = {}
    for role, texts in ids.items():
        distinct = {text: code for code, text in enumerate(dict.fromkeys(texts))}
        codes = np.array([distinct[text] for text in texts], dtype=np.int64)
        coded[role] = CodedColumn(codes, tuple(distinct))
    lines = np.array(rows, dtype=np.int64) + 2
    return Table(coded, numbers, lines, Schema(("list", *numbers)))


def part(whole, rows):
    """Some rows of a table, their codes their own."""
    keep = np.isin(whole.line - 2, rows)
    ids = {}
    for role, column in whole.ids.items():
        texts = [column.names[code] for code in column.codes[keep].tolist()]
        distinct = {text: code for code, text in enumerate(dict.fromkeys(texts))}
        codes = np.array([distinct[text] for text in texts], dtype=np.int64)
        ids[role] = CodedColumn(codes, tuple(distinct))
    numbers = {role: values[keep] for role, values in whole.numbers.items()}
    return Table(ids, numbers, whole.line[keep], whole.wanted)


@pytest.mark.parametrize("form", ["label", "number", "same", "likely", "prediction"])
@pytest.mark.parametrize("seed", range(6))
def test_parts_add_up(form, seed):
    rng = np.random.default_rng(seed)
    given = table(list(range(40)), rng, form)
    public = Public("labels", dict.fromkeys(IDS), classes=("a", "b"))
    rules = Submission(range=[0, 5]) if form == "prediction" else Submission()
    side = rng.integers(3, size=40)
    tables = [part(given, np.flatnonzero(side == n)) for n in range(3)]
    found = [checked(Submitted(each, public, rules)) for each in (given, *tables)]
    whole = FileContext(public, rules, Submitted(given, public, rules).known, False)
    together = list(found[0].problems(whole))
    order = rng.permutation(3) + 1
    first, *others = (found[n] for n in order)
    assert list(first.plus(others).problems(whole)) == together
    assert together or form == "likely"
