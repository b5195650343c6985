"""The kinds of challenge: what their files have, and how truth and submissions are joined."""

from __future__ import annotations

from scorer.core.errors import UnknownName
from scorer.kinds.base import Kind
from scorer.kinds.images import BOXES, MASKS
from scorer.kinds.preferences import PREFERENCES
from scorer.kinds.ranking import GRADES
from scorer.kinds.rows import LABELS, RATINGS
from scorer.kinds.values import FRAMES, VALUES

KINDS = {
    kind.name: kind for kind in (BOXES, FRAMES, GRADES, LABELS, MASKS, PREFERENCES, RATINGS, VALUES)
}


def find_kind(name: str) -> Kind:
    """Return the kind of challenge of a name, whatever its case.

    Raises:
        UnknownName: No kind has that name.
    """
    if (kind := KINDS.get(name.casefold())) is None:
        raise UnknownName("kind of challenge", name, list(KINDS))
    return kind
