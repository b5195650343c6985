"""Attacks: submissions made worse, or made odd, that a measure ranks no lower.

Each is made from a good submission, the truth with some of it left to chance, and knows no more
than that one does. What the challenge's checks refuse gains nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product
from typing import NamedTuple

import numpy as np
import polars as pl

from scorer.api.outcomes import terms_of
from scorer.api.probes import Probes, add_extra_columns, make_probes
from scorer.core.errors import UsageError
from scorer.core.problems import Findings
from scorer.core.text import format_distinct, quoted
from scorer.leaderboard.board import apply_rules
from scorer.reading.numbers import LARGEST
from scorer.reading.schema import NUMBER, holds_text
from scorer.reading.table import Table, encode
from scorer.scoring.open import OpenChallenge
from scorer.scoring.submission import score_table

LOST = 0.2  # the share of the truth that the good submission leaves to chance
SOFT = 0.3  # the share of each probability that is spread evenly, so that no mistake is certain
LEAST = 1e-6  # the least difference in the measure's value that is not rounding
ODD = {"-2": -2.0, "a huge number": LARGEST, "0": 0.0}
GROUPS = 3  # as many groups, or classes, are tried


class Attack(NamedTuple):
    """A way to make a submission worse, or odd."""

    name: str
    frame: pl.DataFrame  # the rows of the submission
    remedy: str  # what to write in the challenge


class Gain(NamedTuple):
    """What an attack gains by a measure, compared with the submission that it was made from."""

    measure: str
    attack: str
    honest: float
    attacked: float
    remedy: str

    @property
    def message(self) -> str:
        """What is gained, and how to prevent it."""
        values = " in place of ".join(format_distinct(self.attacked, self.honest))
        return f"{self.measure} gains by {self.attack}: {values}; write {self.remedy}"


def find_gains(ready: OpenChallenge, probes: Probes | None = None) -> list[Gain]:
    """Return the gains of all attacks, by each measure.

    Args:
        ready: The challenge, whose truth is open.
        probes: Its probes; made here by default.

    Raises:
        PluginError: A metric fails on the truth itself.
        UsageError: No submission can be made from a truth of this kind.
    """
    if (probes := probes or make_probes(ready)) is None:
        kind = ready.bound.kind.name
        raise UsageError(f"no submission can be made from the truth of the kind {kind}")
    rng = np.random.default_rng(ready.bound.challenge.leaderboard.seed)
    honest = add_extra_columns(ready, probes.degraded(rng, LOST))
    honest = honest.with_frame(_soften_probabilities(honest.frame))
    before = _means(ready, honest)
    if not before:
        return []
    attacks = [
        (attack, _means(ready, honest.with_frame(attack.frame)))
        for attack in make_attacks(honest.frame, ready.public.groups)
    ]
    return [
        Gain(measure.id, attack.name, before[measure.id], after[measure.id], attack.remedy)
        for measure in ready.measures
        for attack, after in attacks
        if measure.id in after
        and _is_better(after[measure.id], before[measure.id], measure.metric.better)
    ]


def _is_better(after: float, before: float, better: str) -> bool:
    """Return whether a value is better by more than rounding; nothing is better than NaN."""
    gain = after - before if better == "higher" else before - after
    return gain > LEAST * max(1.0, abs(before))


def _means(ready: OpenChallenge, table: Table) -> Mapping[str, float]:
    """Return the value by each measure; nothing where the challenge refuses the table."""
    outcome = score_table(ready.plan, table, Findings())
    scored = apply_rules(terms_of(ready), "attack", "attack", outcome)
    return {key: value.mean for key, value in scored.values.items()}


def make_attacks(honest: pl.DataFrame, groups: Mapping[str, str]) -> Iterator[Attack]:
    """Yield the attacks that make sense for the columns of a submission.

    Args:
        honest: The rows of the submission.
        groups: list -> its group.
    """
    in_list = encode(honest["list"])[1]
    if "item" in honest.columns and "prediction" not in honest.columns:
        place = pl.int_range(pl.len()).over("list")
        for most in (1, 2):
            kept = honest.filter(place < most)
            if kept.height < honest.height:
                name = f"leaving out all but {most} item{'s' * (most > 1)} of a list"
                yield Attack(name, kept, "submission: {length: {min: N}}")
    for share in (2, 10):
        kept = honest.filter(in_list % share > 0)
        if 0 < kept.height < honest.height:
            remedy = "submission: {missing_list: error}"
            yield Attack(f"leaving out one list in {share}", kept, remedy)
    twice = honest[np.repeat(np.arange(honest.height), 2)]
    yield Attack("giving each row twice", twice, "a check of your own: each row once")
    numbers = [role for role in honest.columns[1:] if not holds_text(role)]
    if "label" in honest.columns and not numbers:
        for label in encode(honest["label"])[0][:GROUPS]:
            same = honest.with_columns(pl.lit(label, dtype=pl.String).alias("label"))
            remedy = "rank by a measure that mistakes of each kind cost, such as F1 or MCC"
            yield Attack(f"{quoted(label)} as label of all", same, remedy)
    if {"low", "high"} <= {*numbers}:
        wide = honest.with_columns(low=pl.lit(-LARGEST), high=pl.lit(LARGEST))
        remedy = "rank by a measure that wide intervals cost, too"
        yield Attack("intervals without end", wide, remedy)
    yield from _odd_numbers(honest, numbers, groups)


def _odd_numbers(
    honest: pl.DataFrame, numbers: list[str], groups: Mapping[str, str]
) -> Iterator[Attack]:
    """Yield attacks with one odd number in all rows, in half of the lists, or in a group."""
    names, in_list = encode(honest["list"])
    group = np.array([groups.get(name, "") for name in names], dtype=object)[in_list]
    parts = {"all": np.ones(honest.height, dtype=bool), "half of the lists": in_list % 2 > 0}
    for name in sorted({*groups.values()})[:GROUPS]:
        parts[f"group {quoted(name)}"] = group == name
    further = [role for role in numbers if role.startswith(NUMBER)]
    # Equal scores order items by their names, which is no attack.
    usual = ("prediction",) if "item" in honest.columns else ("prediction", "score")
    for role in (*(role for role in usual if role in numbers), *further):
        column = role.removeprefix(NUMBER).removesuffix("]")
        remedy = "submission: {range: [LOW, HIGH]}, or undefined: worst"
        if role in further:
            remedy = "nothing but a check of your own that the column can be true"
        for (name, value), (part, rows) in product(ODD.items(), parts.items()):
            changed = pl.Series(role, np.where(rows, value, honest[role].to_numpy()))
            yield Attack(f"{name} as {column} of {part}", honest.with_columns(changed), remedy)


def _soften_probabilities(frame: pl.DataFrame) -> pl.DataFrame:
    """Return the rows with probabilities that are less certain than the truth."""
    roles = [role for role in frame.columns if role.startswith("probability[")]
    even = SOFT / max(len(roles), 2)
    return frame.with_columns(pl.col(role) * (1 - SOFT) + even for role in roles)
