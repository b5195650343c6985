"""True and sent answers as rows, for platforms that score by code of their own form."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import numpy as np

from scorer.api.kits.sample import sample
from scorer.core.problems import Findings
from scorer.formats.read import read
from scorer.kinds.grades import Grades
from scorer.kinds.labels import Labels
from scorer.prepare.bind import BoundChallenge
from scorer.prepare.open import OpenChallenge
from scorer.tables.table import Table

Grading = Mapping[str, float]  # of a list: item -> grade
Truths = Mapping[str, str | float | Grading]  # by the names of lists, in their order
Answer = str | tuple[str, ...] | tuple[float, ...]  # a class; items, best first; numbers


class SentAnswer(NamedTuple):
    """What a submission says of a list; of a list that it names twice there are two."""

    name: str
    answer: Answer


def true_answers(ready: OpenChallenge) -> Truths:
    """The class or the number of each row, or the grades of each list's items."""
    truth = ready.answers
    if isinstance(truth, Grades):
        graded = truth.truth
        grades: dict[str, dict[str, float]] = {name: {} for name in graded.lists}
        rows = zip(
            graded.in_list.tolist(), graded.item.tolist(), graded.grade.tolist(), strict=True
        )
        for place, item, grade in rows:
            grades[graded.lists[place]][graded.named[item]] = grade
        return grades
    assert isinstance(truth, Labels)
    if truth.target.size:
        return dict(zip(truth.lists, truth.target.tolist(), strict=True))
    names = truth.constants.classes
    return {name: names[code] for name, code in zip(truth.lists, truth.truth.tolist(), strict=True)}


def sent_answers(prepared: BoundChallenge, file: Path, role: str) -> list[SentAnswer] | None:
    """The answers of a file in any form that is read here, in its order.

    `role` says which: item, label, prediction, or probability. None where the file cannot be read
    without errors; its answers may be wrong all the same.
    """
    findings = Findings(file.name)
    table = read(file, prepared.format(file), prepared.shapes, findings, prepared.limits)
    if table is None or findings.fatal:
        return None
    if role == "item":
        return _rankings(table, prepared.challenge.submission.ties)
    rows = np.arange(len(table))
    names = table.ids["list"].texts(rows)
    if role == "label":
        return list(map(SentAnswer, names, table.ids["label"].texts(rows)))
    columns = [values for key, values in table.numbers.items() if key.split("[")[0] == role]
    return list(map(SentAnswer, names, zip(*(column.tolist() for column in columns), strict=True)))


def _rankings(table: Table, ties: str) -> list[SentAnswer]:
    """The items of each list, best first; equal ones by the rule of the challenge."""
    rows = np.arange(len(table))
    names, items = table.ids["list"].texts(rows), table.ids["item"].texts(rows)
    key, sign = ("score", -1.0) if "score" in table.numbers else ("rank", 1.0)
    keys = (table.numbers[key] * sign).tolist() if key in table.numbers else [0.0] * len(rows)
    if ties != "file" and key in table.numbers:
        order = sorted(rows.tolist(), key=items.__getitem__, reverse=ties != "item-asc")
    else:
        order = rows.tolist()
    lists: dict[str, list[str]] = {name: [] for name in names}
    for row in sorted(order, key=keys.__getitem__):
        lists[names[row]].append(items[row])
    return [SentAnswer(name, tuple(found)) for name, found in lists.items()]


def sample_answers(ready: OpenChallenge, role: str) -> list[SentAnswer]:
    """A submission that says nothing of the truth; without answers where none can be made."""
    made = sample(ready.prepared, ready.public)
    found: Sequence[SentAnswer] | None = None
    if made is not None:
        with TemporaryDirectory() as folder:
            file = Path(folder, made[0])
            file.write_bytes(made[1])
            found = sent_answers(ready.prepared, file, role)
    return list(found or (SentAnswer(name, ()) for name in ready.public.lists))
