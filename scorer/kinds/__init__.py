"""The kinds of challenge: what their files have, and how truth and submissions are joined."""

from __future__ import annotations

from importlib import import_module

from scorer.core.errors import UnknownName
from scorer.kinds.base import Kind

# The name of each kind, and the module that has it as a constant: a challenge imports only its own.
KINDS = {
    "boxes": "images",
    "frames": "values",
    "grades": "ranking",
    "labels": "rows",
    "masks": "images",
    "preferences": "preferences",
    "ratings": "rows",
    "values": "values",
}


def find_kind(name: str) -> Kind:
    """Return the kind of challenge of a name, whatever its case.

    Raises:
        UnknownName: No kind has that name.
    """
    if (module := KINDS.get(name.casefold())) is None:
        raise UnknownName("kind of challenge", name, list(KINDS))
    kind: Kind = getattr(import_module(f"{__name__}.{module}"), name.upper())
    return kind
