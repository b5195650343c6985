"""What submissions tell of the measures, the lists and the truth by which they are scored."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from scorer.core.arrays import Floats


class Separation(NamedTuple):
    """How well a measure separates submissions, and how far its order is the official one."""

    measure: str
    separated: int  # pairs that the board's test finds to differ
    pairs: int  # of how many; 0: this measure has no tests
    tau: float  # Kendall's tau-b with the official order
    ap: float  # AP correlation with it


class OrdersAgree(NamedTuple):
    """How far the orders by two measures agree."""

    first: str
    second: str
    tau: float
    ap: float


class AgainstOthers(NamedTuple):
    """A list on which submissions that are better elsewhere do worse."""

    name: str
    correlation: float  # of its values and the means of the other lists
    p: float  # one-sided, for this list by itself
    sure: bool  # whether it is below alpha among all lists, too


class Low(NamedTuple):
    """A list on which all of the better half are far below their usual value."""

    name: str
    deviations: float  # of the one that is the least below, of its own values; below 0


class Mislabelled(NamedTuple):
    """A row to which most of the better half give one class, and the truth another."""

    name: str
    truth: str
    said: str
    share: float  # of the better half


class Reversed(NamedTuple):
    """A measure by which all submissions are worse than chance."""

    measure: str
    best: float
    chance: float


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """What submissions tell of the measures, the lists and the truth by which they are scored."""

    alpha: float
    separations: tuple[Separation, ...] = ()
    agreements: tuple[OrdersAgree, ...] = ()
    measure: str = ""  # by whose values lists are looked at; empty: none has a value a list
    failed: tuple[str, ...] = ()  # lists in which all have the worst value
    solved: tuple[str, ...] = ()  # and the best
    alike: tuple[str, ...] = ()  # and another, all the same
    tested: int = 0  # lists whose correlation with the others is known
    against: tuple[AgainstOthers, ...] = ()  # the lowest first, down to p = alpha
    better_half: tuple[str, ...] = ()  # by which the truth is doubted
    low: tuple[Low, ...] = ()  # the lowest first
    mislabelled: tuple[Mislabelled, ...] = ()  # those that most agree on first
    reversed: tuple[Reversed, ...] = ()
    truth: str = ""  # the name of its file; empty: there is none
    shares: Floats | None = None  # (submissions, ranks), over resampled lists
    unknown: tuple[str, ...] = ()  # what could not be said, and why
