"""What garbage gains: submissions made worse, or made odd, that a measure ranks no lower.

From a good submission, the truth with some of it left to chance, attacks are made that know no more
than it does. What the challenge's checks refuse gains nothing.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import NamedTuple

import numpy as np
import polars as pl

from scorer.api.probes import probes
from scorer.api.probes_of_grades import with_extra_columns
from scorer.api.submissions import terms_of
from scorer.core.arrays import Ints, Mask, starts
from scorer.core.problems import Findings
from scorer.core.text import format_distinct, quoted
from scorer.leaderboard.board import settled
from scorer.reading.numbers import LARGEST
from scorer.reading.schema import NUMBER, holds_text
from scorer.reading.table import Table, encode
from scorer.scoring.open import OpenChallenge
from scorer.scoring.submission import score_table

LOST = 0.2  # the share of the truth that the good submission leaves to chance
SOFT = 0.3  # the share of each probability that is spread evenly, so that no mistake is certain
LEAST = 1e-6  # of the measure's values: what is less is rounding
ODD = {"-2": -2.0, "a huge number": LARGEST, "0": 0.0}
GROUPS = 3  # as many groups, or classes, are tried
LENGTH = "submission: {length: {min: N}}"
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

    @property
    def message(self) -> str:
        """What was gained, and how to prevent it."""
        values = " in place of ".join(format_distinct(self.attacked, self.honest))
        return f"{self.measure} gains by {self.attack}: {values}; write {self.remedy}"


def gains(ready: OpenChallenge) -> tuple[Gain, ...]:
    """Every gain of an attack, by each measure; `PluginError` if one fails on the truth itself."""
    rng = np.random.default_rng(ready.bound.challenge.leaderboard.seed)
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
    in_list = encode(honest.frame["list"])[1]
    place = _rows_before(in_list)
    if "item" in honest and "prediction" not in honest:
        for most in (1, 2):
            if not (kept := place < most).all():
                name = f"leaving out all but {most} item{'s' * (most > 1)} of a list"
                yield Attack(name, honest.with_frame(honest.frame.filter(kept)), LENGTH)
    for share in (2, 10):
        kept = in_list % share > 0
        if kept.any() and not kept.all():
            attacked = honest.with_frame(honest.frame.filter(kept))
            remedy = "submission: {missing_list: error}"
            yield Attack(f"leaving out one list in {share}", attacked, remedy)
    twice = honest.with_frame(honest.frame[np.repeat(np.arange(len(honest)), 2)])
    yield Attack("giving each row twice", twice, "a check of your own: each row once")
    parts = list(_subsets(honest, groups))
    yield from _of_labels(honest)
    yield from _of_numbers(honest, parts)


def _subsets(honest: Table, groups: Mapping[str, str]) -> Iterator[tuple[str, Mask]]:
    """All rows, those of half of the lists, and those of some groups."""
    names, in_list = encode(honest.frame["list"])
    yield "all", np.ones(len(honest), dtype=bool)
    yield "half of the lists", in_list % 2 > 0
    own = np.array([groups.get(name, "") for name in names], dtype=object)[in_list]
    for group in sorted({*groups.values()})[:GROUPS]:
        yield f"group {quoted(group)}", own == group


def _of_labels(honest: Table) -> Iterator[Attack]:
    """One class for all rows; probabilities stand beside it."""
    if "label" not in honest or _number_roles(honest):
        return
    for name in encode(honest.frame["label"])[0][:GROUPS]:
        label = pl.lit(name, dtype=pl.String)
        table = honest.with_frame(honest.frame.with_columns(label=label))
        remedy = "rank by a measure that mistakes of each kind cost, such as F1 or MCC"
        yield Attack(f"{quoted(name)} as label of all", table, remedy)


def _of_numbers(honest: Table, parts: Sequence[tuple[str, Mask]]) -> Iterator[Attack]:
    """Attacks by the numbers of a submission: probabilities, predictions, scores, intervals."""
    numbers = _number_roles(honest)
    if {"low", "high"} <= {*numbers}:
        wide = [pl.lit(-LARGEST).alias("low"), pl.lit(LARGEST).alias("high")]
        remedy = "rank by a measure that wide intervals cost, too"
        yield Attack("intervals without end", _with(honest, wide), remedy)
    further = [role for role in numbers if role.startswith(NUMBER)]
    for role in ("prediction", "score", *further):
        if role not in numbers or (role == "score" and "item" in honest):
            continue  # equal scores order items by their names
        given = honest.frame[role].to_numpy()
        for (name, value), (called, rows) in product(ODD.items(), parts):
            table = _with(honest, [pl.Series(role, np.where(rows, value, given))])
            column = role.removeprefix(NUMBER).removesuffix("]")
            remedy = OWN_CHECK if role in further else f"{RANGE}, or {WORST}"
            yield Attack(f"{name} as {column} of {called}", table, remedy)


def _number_roles(table: Table) -> list[str]:
    """The roles of a table's columns of numbers."""
    return [role for role in table.frame.columns[1:] if not holds_text(role)]


def _with(table: Table, columns: Sequence[pl.Expr | pl.Series]) -> Table:
    """The table with other numbers in some columns."""
    return table.with_frame(table.frame.with_columns(columns))


def _soft(table: Table) -> Table:
    """With probabilities that are less certain than the truth."""
    likely = [role for role in table.frame.columns if role.startswith("probability[")]
    even = SOFT / max(len(likely), 2)
    return _with(table, [pl.col(role) * (1 - SOFT) + even for role in likely])


def _rows_before(in_list: Ints) -> Ints:
    """How many rows of its list stand before each row; rows of a list stand together."""
    rows = np.arange(in_list.size, dtype=np.int64)
    return rows - np.maximum.accumulate(np.where(starts(in_list), rows, 0))
