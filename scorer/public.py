"""What participants may know of a challenge: all that a check is ever handed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from scorer.errors import shown


@dataclass(frozen=True, slots=True)
class Public:
    """The public part: nothing here depends on a graded truth's items, nor on any grade."""

    kind: str  # grades, ratings or preferences
    lists: Mapping[str, None]  # the ids of the lists, in order; a mapping for its look-up
    items: Mapping[str, None] | None = None  # the catalogue, where it is public
    candidates: Mapping[str, frozenset[str]] | None = None  # the items of each list, where public
    asked: Mapping[tuple[str, str], None] | None = None  # the (list, item) pairs to be predicted
    called: Mapping[str, str] = field(default_factory=dict)  # role -> the challenge's word for it
    groups: Mapping[str, str] = field(default_factory=dict)  # list -> the group that it is in

    def word(self, role: str) -> str:
        """The challenge's own word for a list or an item, for messages."""
        return shown(self.called.get(role, role), 60)
