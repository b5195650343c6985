"""Whether there is memory for polars, which ends the whole process where there is not."""

from __future__ import annotations

from contextlib import suppress

import numpy as np

ADDRESSES = 1792 << 20  # bytes that polars and its threads take before they have read much
ROOM = 256 << 20  # bytes that may be asked for


def ask_for_polars() -> None:
    """Raise `MemoryError` where polars, when imported, would panic or abort for want of memory."""
    with suppress(ImportError):  # where a process has no such limits
        import resource

        most, _ = resource.getrlimit(resource.RLIMIT_AS)
        if most != resource.RLIM_INFINITY and most < ADDRESSES:
            raise MemoryError
    np.empty(ROOM, dtype=np.uint8)
