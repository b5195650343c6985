"""How far a board depends on what was decided, as data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from scorer.results.json import VERSION, ChallengeIdentity, Internal, Number, optional
from scorer.results.report import Scored

# What a variation changes. `tenth` and `half` leave the rules, and draw some of the lists.
DecisionKind = Literal[
    "measure", "cut-off", "aggregate", "rule", "weights", "split", "group", "tenth", "half"
]
DRAWN: tuple[DecisionKind, ...] = ("tenth", "half")
PODIUM = 3


def first_names(names: Sequence[str], ranks: Sequence[int], most: int = 1) -> list[str]:
    """Return the names with a rank up to `most`."""
    return [name for name, rank in zip(names, ranks, strict=True) if rank <= most]


@dataclass(frozen=True, slots=True)
class Variation:
    """The board under another decision than the official one."""

    about: DecisionKind
    variation: str  # what there is in place of the official decision
    tau: float  # Kendall's tau-b with the official order
    winner: Sequence[str]
    winner_stays: bool
    podium_stays: bool  # whether the same submissions have the first three ranks
    ranks: tuple[int, ...]  # of the submissions, in the official order

    @classmethod
    def of(
        cls,
        about: DecisionKind,
        variation: str,
        tau: float,
        names: Sequence[str],
        official: Sequence[int],
        ranks: Sequence[int],
    ) -> Variation:
        """Return a variation in which the named submissions have other ranks than officially."""
        winner = first_names(names, ranks)
        podium = first_names(names, ranks, PODIUM)
        return cls(
            about,
            variation,
            tau,
            winner,
            winner == first_names(names, official),
            podium == first_names(names, official, PODIUM),
            tuple(ranks),
        )


@dataclass(frozen=True, slots=True)
class StudiedSubmission:
    """A submission's official rank, and its best and worst rank under other decisions."""

    name: str
    rank: int
    best: int
    worst: int


@dataclass(frozen=True, slots=True)
class Stability:
    """Under how many of the other decisions the same submissions are in front."""

    decisions: int
    winner: int
    podium: int


@dataclass(frozen=True, slots=True)
class Halves:
    """How far two random halves of the lists agree, on average over draws."""

    draws: int
    tau: float  # Kendall's tau-b of the orders by both halves
    correlation: Number  # of the values by both halves; NaN: a preference ranks, not a measure
    reliability: Number  # of the values by all lists: Spearman and Brown's, of `correlation`


@dataclass(frozen=True, slots=True, kw_only=True)
class Study:
    """How far a board depends on what was decided."""

    private: str = optional()  # ABSENT: it tells nothing hidden
    schema: str = "study/1"
    scorer: str = VERSION
    challenge: ChallengeIdentity
    ranked_by: str
    lists: int
    seed: int
    submissions: Sequence[StudiedSubmission]  # in the official order
    staying: Stability
    variations: Sequence[Variation]
    halves: Halves | None  # None: too few lists
    left_out: Sequence[str]  # what could not be varied, and why
    called: Internal[Mapping[str, str]]  # role -> the challenge's word
    rejected: Internal[Sequence[Scored]]

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the submissions, in the official order."""
        return tuple(each.name for each in self.submissions)

    @property
    def ranks(self) -> tuple[int, ...]:
        """The official ranks."""
        return tuple(each.rank for each in self.submissions)

    @property
    def decisions(self) -> list[Variation]:
        """The variations that are no draws of the lists."""
        return decisions_of(self.variations)


def decisions_of(variations: Sequence[Variation]) -> list[Variation]:
    """Return the variations that are no draws of the lists."""
    return [each for each in variations if each.about not in DRAWN]


def count_stable(variations: Sequence[Variation]) -> Stability:
    """Return under how many of the decisions the same submissions are in front."""
    decisions = decisions_of(variations)
    return Stability(
        len(decisions),
        sum(each.winner_stays for each in decisions),
        sum(each.podium_stays for each in decisions),
    )


def span_ranks(
    names: Sequence[str], official: Sequence[int], variations: Sequence[Variation]
) -> list[StudiedSubmission]:
    """Return each submission with its official rank, and its best and worst by any decision."""
    every = zip(official, *(each.ranks for each in decisions_of(variations)), strict=True)
    return [
        StudiedSubmission(name, ranks[0], min(ranks), max(ranks))
        for name, ranks in zip(names, every, strict=True)
    ]
