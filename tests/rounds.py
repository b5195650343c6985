"""How many examples a property is tried on: a few, the same each time; or FUZZ new ones."""

import os

from hypothesis import HealthCheck, settings

ASKED = os.environ.get("FUZZ")
QUICK = 15  # examples in `make test`; they are the same each time, so that more find little


def rounds(whole, suppress_health_check=(), **more):
    """Settings of so many examples in `make test-all`, of the first ones in `make test`.

    `make fuzz` asks for more of them, drawn anew. How long one takes is never looked at.
    """
    count = whole if "EVERYTHING" in os.environ else min(whole, QUICK)
    return settings(
        derandomize=ASKED is None,
        deadline=None,
        database=None,
        max_examples=int(ASKED or count),
        suppress_health_check=[HealthCheck.too_slow, *suppress_health_check],
        **more,
    )
