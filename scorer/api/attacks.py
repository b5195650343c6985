"""What garbage gains: submissions made worse, or made odd, that a measure ranks no lower.

From a good submission, the truth with some of it left to chance, attacks are made that know no more
than it does. What the challenge's checks refuse gains nothing.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product
from typing import NamedTuple

import numpy as np

from scorer.api.submissions import terms_of
from scorer.core.arrays import Floats, Ints, Mask, starts
from scorer.core.problems import Findings
from scorer.core.text import quoted
from scorer.leaderboard.board import settled
from scorer.prepare.open import OpenChallenge
from scorer.prepare.probes import probes
from scorer.prepare.probes_of_grades import with_extra_columns
from scorer.reading.numbers import LARGEST
from scorer.reading.schema import NUMBER
from scorer.scoring.lists import score_table
from scorer.tables.columns import CodedColumn
from scorer.tables.table import Table

LOST = 0.2  # the share of the truth that the good submission leaves to chance
SOFT = 0.3  # the share of each probability that is spread evenly, so that no mistake is certain
LEAST = 1e-6  # of the measure's values: what is less is rounding
ODD = {"-2": -2.0, "a huge number": LARGEST, "0": 0.0}
GROUPS = 3  # as many groups, or classes, are tried
LENGTH = "submission: {length: {min: N}}, or {complete: true} where items has the candidates"
RANGE = "submission: {range: [LOW, HIGH]}"
WORST = "undefined: worst"
OWN_CHECK = "nothing but a check of your own that the column can be true"


class Attack(NamedTuple):
    """A way to make a submission worse, or odd."""

    name: str
    table: Table
    remedy: str  # what to write in the challenge


class Gain(NamedTuple):
    """What an attack gained by a measure, compared with the submission that it was made from."""

    measure: str
    attack: str
    honest: float
    attacked: float
    remedy: str


def gains(ready: OpenChallenge) -> tuple[Gain, ...]:
    """Every gain of an attack, by each measure; `PluginError` if one fails on the truth itself."""
    rng = np.random.default_rng(ready.prepared.challenge.leaderboard.seed)
    honest = _soft(with_extra_columns(ready, probes(ready).degraded(rng, LOST), true_values=False))
    before = _means(ready, honest)
    tried = (
        [(each, _means(ready, each.table)) for each in attacks(honest, ready.public.groups)]
        if before
        else []
    )
    return tuple(
        Gain(m.id, attack.name, before[m.id], after[m.id], attack.remedy)
        for m in ready.measures
        for attack, after in tried
        if m.id in after and _better(after[m.id], before[m.id], m.metric.better)
    )


def _better(after: float, before: float, better: str) -> bool:
    sign = 1 if better == "higher" else -1
    if math.isnan(before):
        return False  # nothing to be gained from: it has no value to begin with
    return sign * (after - before) > LEAST * max(1.0, abs(before))


def _means(ready: OpenChallenge, table: Table) -> Mapping[str, float]:
    """The value by each measure; nothing where the challenge refuses the table."""
    found = score_table(ready.plan, table, Findings())
    scored = settled(terms_of(ready), "attack", "attack", found)
    return {key: value.mean for key, value in scored.values.items()}


def attacks(honest: Table, groups: Mapping[str, str]) -> Iterator[Attack]:
    """The attacks that make sense for a submission's columns; `groups` is list -> its group."""
    in_list, rows = honest.ids["list"].codes, np.arange(len(honest))
    place = _rows_before(in_list)
    if "item" in honest.ids and "prediction" not in honest.numbers:
        for most in (1, 2):
            if (kept := np.flatnonzero(place < most)).size < rows.size:
                name = f"leaving out all but {most} item{'s' * (most > 1)} of a list"
                yield Attack(name, honest.where(kept), LENGTH)
    for share in (2, 10):
        kept = np.flatnonzero(in_list % share > 0)
        if 0 < kept.size < rows.size:
            remedy = "submission: {missing_list: error}"
            yield Attack(f"leaving out one list in {share}", honest.where(kept), remedy)
    twice = honest.where(np.repeat(rows, 2))
    yield Attack("giving each row twice", twice, "a check of your own: each row once")
    parts = list(_subsets(honest, groups))
    yield from _of_labels(honest)
    yield from _of_numbers(honest, parts)


def _subsets(honest: Table, groups: Mapping[str, str]) -> Iterator[tuple[str, Mask]]:
    """All rows, those of half of the lists, and those of some groups."""
    lists = honest.ids["list"]
    yield "all", np.ones(len(honest), dtype=bool)
    yield "half of the lists", lists.codes % 2 > 0
    own = np.array([groups.get(name, "") for name in lists.names], dtype=object)[lists.codes]
    for group in sorted({*groups.values()})[:GROUPS]:
        yield f"group {quoted(group)}", own == group


def _of_labels(honest: Table) -> Iterator[Attack]:
    """One class for all rows; probabilities stand beside it."""
    if (label := honest.ids.get("label")) is None or set(honest.numbers):
        return
    for code, name in list(enumerate(label.names))[:GROUPS]:
        column = CodedColumn(np.full(len(honest), code), label.names)
        table = replace(honest, ids={**honest.ids, "label": column})
        remedy = "rank by a measure that mistakes of each kind cost, such as F1 or MCC"
        yield Attack(f"{quoted(name)} as label of all", table, remedy)


def _of_numbers(honest: Table, parts: Sequence[tuple[str, Mask]]) -> Iterator[Attack]:
    """Attacks by the numbers of a submission: probabilities, predictions, scores, intervals."""
    likely = [role for role in honest.numbers if role.startswith("probability[")]
    if len(likely) > 1:
        for factor in (1.0009, 1.5, 0.5):
            scaled = {role: honest.numbers[role] * factor for role in likely}
            yield Attack(
                f"probabilities times {factor:g}", _with(honest, scaled), "sums: normalize"
            )
    if {"low", "high"} <= honest.numbers.keys():
        wide = {"low": -LARGEST, "high": LARGEST}
        remedy = "rank by a measure that wide intervals cost, too"
        yield Attack("intervals without end", _with(honest, wide), remedy)
    further = [role for role in honest.numbers if role.startswith(NUMBER)]
    for role in ("prediction", "score", *further):
        if (given := honest.numbers.get(role)) is None or (
            role == "score" and "item" in honest.ids
        ):
            continue  # equal scores order items by their names
        for (name, value), (called, rows) in product(ODD.items(), parts):
            table = _with(honest, {role: np.where(rows, value, given)})
            column = role.removeprefix(NUMBER).removesuffix("]")
            remedy = OWN_CHECK if role in further else f"{RANGE}, or {WORST}"
            yield Attack(f"{name} as {column} of {called}", table, remedy)


def _with(table: Table, numbers: Mapping[str, Floats | float]) -> Table:
    """The table with other numbers in some columns."""
    rows = len(table)
    columns = {role: np.broadcast_to(np.float64(x), (rows,)) for role, x in numbers.items()}
    return replace(table, numbers={**table.numbers, **columns})


def _soft(table: Table) -> Table:
    """With probabilities that are less certain than the truth."""
    likely = {role: x for role, x in table.numbers.items() if role.startswith("probability[")}
    even = SOFT / max(len(likely), 2)
    return _with(table, {role: (1 - SOFT) * values + even for role, values in likely.items()})


def _rows_before(in_list: Ints) -> Ints:
    """How many rows of its list stand before each row; rows of a list stand together."""
    rows = np.arange(in_list.size, dtype=np.int64)
    return rows - np.maximum.accumulate(np.where(starts(in_list), rows, 0))
