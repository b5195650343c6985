"""How many lists a difference takes, as fields."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from scorer.reports.base import Options
from scorer.reports.codec import VERSION, About
from scorer.results.soundness import POWER, Power


@dataclass(frozen=True, slots=True)
class Row:
    """How many lists the difference takes among so many submissions."""

    submissions: int
    pairs: int
    lists: int
    detectable: float | None  # with the lists at hand; None: no difference can be detected


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """How many lists it takes to detect a difference."""

    schema: str = "power/1"
    scorer: str = VERSION
    challenge: About
    measure: str
    difference: float
    power: float
    alpha: float
    test: str
    adjust: str
    deviation: float
    basis: str
    over: str
    lists: int
    units: int
    needed: Sequence[Row]


def fields(power: Power, options: Options) -> Record:
    """The record of an estimate."""
    known = power.known
    return Record(
        challenge=About.of(power.challenge),
        measure=power.primary.id,
        difference=power.difference,
        power=POWER,
        alpha=known.alpha,
        test=known.test,
        adjust=known.adjust,
        deviation=known.deviation,
        basis=known.basis,
        over=known.over,
        lists=known.lists,
        units=known.units,
        needed=[Row(r.submissions, r.pairs, r.lists, r.detectable) for r in power.needed],
    )
