"""What an audit found, as fields and as sentences."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from scorer.board.audit import Audited, Pair, Probing
from scorer.challenge.model import Challenge
from scorer.core.text import printable
from scorer.results.json import VERSION, ChallengeIdentity


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """What an organizer should look at. No proof."""

    schema: str = "audit/1"
    scorer: str = VERSION
    challenge: ChallengeIdentity
    altered: Sequence[str]
    duplicates: Sequence[Sequence[int]]
    near_duplicates: Sequence[Pair]
    probing: Sequence[Probing]


def fields(audited: Audited, challenge: Challenge) -> Record:
    """The record of an audit."""
    return Record(challenge=ChallengeIdentity.of(challenge), **audited._asdict())


def sentences(audit: dict[str, Any]) -> list[str]:
    """An audit's fields as lines of text, of which each is one finding."""
    return list(_findings(audit)) or ["nothing suspicious"]


def _findings(audit: dict[str, Any]) -> Iterator[str]:
    for fault in audit["altered"]:
        yield f"altered: {printable(fault)}"
    for group in audit["duplicates"]:
        yield f"entries {', '.join(map(str, group))} have the same value in every list"
    for pair in audit["near_duplicates"]:
        one, other = pair["entries"]
        share = f"{100 * pair['agreement']:.1f} %"
        yield f"entries {one} and {other} have equal values in {share} of the lists"
    for series in audit["probing"]:
        numbers = ", ".join(map(str, series["entries"]))
        yield f"{printable(series['team'])} changes few lists at a time: entries {numbers}"
