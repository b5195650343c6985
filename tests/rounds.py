"""How many examples a property is tried on: a few, the same each time; or FUZZ new ones."""

import os

from hypothesis import settings

ASKED = os.environ.get("FUZZ")


def rounds(few, **more):
    """Settings of so many examples; `make fuzz` asks for more of them, drawn anew."""
    return settings(
        derandomize=ASKED is None, deadline=None, max_examples=int(ASKED or few), **more
    )
