"""How far a board depends on what was decided, as data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from scorer.challenge.model import Challenge
from scorer.metrics.notation import Measure
from scorer.results.report import Scored

# what is decided otherwise; `tenth` and `half` are draws of the lists
Decided = Literal[
    "measure", "cut-off", "aggregate", "rule", "weights", "split", "group", "tenth", "half"
]
DRAWN: tuple[Decided, ...] = ("tenth", "half")
PODIUM = 3


@dataclass(frozen=True, slots=True)
class Variation:
    """The board if something were decided otherwise."""

    about: Decided
    name: str  # what there is in place of the official decision
    ranks: tuple[int, ...]  # of the submissions, in the official order
    tau: float  # Kendall's tau-b with the official order


class Halves(NamedTuple):
    """How far two random halves of the lists agree, on average over draws."""

    draws: int
    tau: float  # Kendall's tau-b of the orders by both halves
    correlation: float  # of the values by both halves; NaN: it is no measure that ranks
    reliability: float  # of the values by all lists, from that, by Spearman and Brown


@dataclass(frozen=True)
class Study:
    """How far a board depends on what was decided."""

    challenge: Challenge
    fingerprint: str
    measures: tuple[Measure, ...]
    ruled: str  # what ranks
    names: tuple[str, ...]  # in the official order
    ranks: tuple[int, ...]  # official
    lists: int
    seed: int
    variations: tuple[Variation, ...]
    halves: Halves | None = None  # None: too few lists
    left_out: tuple[str, ...] = ()  # what could not be varied, and why
    called: Mapping[str, str] = field(default_factory=dict)  # role -> the challenge's word
    rejected: tuple[Scored, ...] = ()

    @property
    def open(self) -> bool:
        """Whether it tells nothing hidden: it has neither a truth nor splits."""
        return self.challenge.truthless and self.challenge.splits is None

    def decisions(self) -> list[Variation]:
        """The variations that are no draws of the lists."""
        return [each for each in self.variations if each.about not in DRAWN]

    def top(self, ranks: Sequence[int] | None = None, most: int = 1) -> list[str]:
        """The submissions with a rank up to `most`; by default of the official ranks."""
        pairs = zip(self.names, self.ranks if ranks is None else ranks, strict=True)
        return [name for name, rank in pairs if rank <= most]

    def stays(self, variation: Variation, most: int = 1) -> bool:
        """Whether the same submissions have the ranks up to `most` as officially."""
        return self.top(variation.ranks, most) == self.top(None, most)

    def spread(self) -> list[tuple[str, int, int, int]]:
        """Each submission with its official rank, and the best and the worst by any decision."""
        every = [self.ranks, *(each.ranks for each in self.decisions())]
        ranks = zip(*every, strict=True)
        return [(name, of[0], min(of), max(of)) for name, of in zip(self.names, ranks, strict=True)]
