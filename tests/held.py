"""Bytes of the arrays that something holds, each counted once."""

from collections.abc import Mapping

import numpy as np
import polars as pl


def held_bytes(*things):
    """Of arrays, and of texts as polars has them, wherever they stand in these things."""
    seen, waiting, size = {}, list(things), 0
    while waiting:
        thing = waiting.pop()
        if id(thing) in seen:
            continue
        seen[id(thing)] = thing
        if isinstance(thing, np.ndarray):
            if thing.base is None:
                size += thing.nbytes
            else:  # it keeps all of what it is a part of
                waiting.append(thing.base)
        elif isinstance(thing, pl.Series):
            size += thing.estimated_size()
        elif isinstance(thing, bytes):
            size += len(thing)
        elif isinstance(thing, Mapping):
            waiting += thing.values()
        elif isinstance(thing, (tuple, list, set, frozenset)):
            waiting += thing
        elif type(thing).__module__.startswith("scorer."):
            waiting += getattr(thing, "__dict__", {}).values()
            waiting += [getattr(thing, name) for name in getattr(thing, "__slots__", ())]
    return size
