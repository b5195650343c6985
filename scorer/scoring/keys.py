"""The keys of challenge.yaml that only some kinds of challenge use.

In a challenge of another kind each is refused: it would look as if it did something.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from scorer.challenge.model import Challenge
from scorer.scoring.rules import Fault

VOTES = "votes"  # a kind without submissions
VOTE_KEYS = {"scorer", "id", "title", "kind", "votes", "leaderboard"}
VOTE_BOARD_KEYS = {"intervals", "tiers", "seed", "draws"}


class KeyUse(NamedTuple):
    """The kinds of challenge that use a key, and the fault of a challenge of another kind."""

    kinds: frozenset[str]
    message: str  # a format string, with {kind} for the kind of the challenge
    help: str = "leave it out"


RANKED = frozenset({"grades", "preferences"})
RATED = RANKED | {"ratings"}
LABELLED = frozenset({"labels"})
BOXED = frozenset({"boxes"})
BOX_PARTS = KeyUse(BOXED, "this challenge has {kind}, not boxes")
SEVERAL_LABELS = KeyUse(LABELLED, "cells have several labels, and this challenge has {kind}")

KEY_USES = {
    "votes": KeyUse(frozenset({VOTES}), "only a challenge of kind votes has votes"),
    "history": KeyUse(RATED, "only items are new or old to a user, and this challenge has {kind}"),
    "exclude": KeyUse(
        frozenset({"grades"}),
        "items are taken out of ranked lists, and this challenge has {kind}",
        "write where: at each measure, such as where: label != -1",
    ),
    "likelihood": KeyUse(RANKED, "preferences are likely, and this challenge has {kind}"),
    "truth.multilabel": SEVERAL_LABELS,
    "truth.each": BOX_PARTS,
    "submission.length": KeyUse(RANKED, "lists of items are long, and this challenge has {kind}"),
    "submission.item_pattern": KeyUse(RATED, "items have ids, and this challenge has {kind}"),
    "submission.multilabel": SEVERAL_LABELS,
    "submission.each": BOX_PARTS,
    "submission.numbers": KeyUse(
        LABELLED, "numbers stand beside classes, and this challenge has {kind}"
    ),
    "submission.values": KeyUse(
        frozenset({"values"}),
        "other tools computed no values of {kind}; the measures compute them",
        "write kind: values where submissions are values, else leave it out",
    ),
    "submission.ties": KeyUse(
        frozenset({"grades"}),
        "no scores rank items, and so none are equal: this challenge has {kind}",
        "leave it out; NormalizedGini(ties=file) takes equal rows as the file has them",
    ),
}


def find_unused_keys(challenge: Challenge, kind: str) -> Iterator[Fault]:
    """Yield a fault for each written key that has no effect in a challenge of this kind."""
    if kind == VOTES:
        board = challenge.leaderboard.model_fields_set - VOTE_BOARD_KEYS
        message = "means nothing for votes, which give no submission a value of its own"
        unused = [*(challenge.model_fields_set - VOTE_KEYS), *(f"leaderboard.{k}" for k in board)]
        for key in unused:
            yield Fault(key, "C122", message)
        return
    for key, use in KEY_USES.items():
        if kind not in use.kinds and _is_written(challenge, key):
            yield Fault(key, "C122", use.message.format(kind=kind), use.help)


def _is_written(challenge: Challenge, key: str) -> bool:
    """Return whether challenge.yaml has a key, with another value than its default."""
    *sections, name = key.split(".")
    section = getattr(challenge, sections[0]) if sections else challenge
    default = type(section).model_fields[name].get_default(call_default_factory=True)
    return name in section.model_fields_set and getattr(section, name) != default
