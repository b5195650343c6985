"""Large files of the organizer's, such as a truth, as tables."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from scorer.columns import TEXT, Ids, Table, Wanted, largest
from scorer.cutting import Doubt, frames
from scorer.streams import Bounds, Unreadable
from scorer.tables import Format


def table(path: Path, format: Format, wanted: Sequence[Wanted], limits: Bounds) -> Table:
    """The whole of a file as a table, such as a large truth.

    Raises:
        Doubt: the thorough reader must look.
    """
    import polars as pl

    if format.name not in ("csv", "trec"):
        raise Doubt
    try:
        found = list(frames(path, format, wanted, limits))
    except Unreadable:
        raise Doubt from None
    if not found:
        raise Doubt
    layout, frame = found[0][0], pl.concat([frame for _, frame in found])
    ids, numbers = {}, {}
    for role, place in layout.places.items():
        column = frame[str(place)]
        if role not in TEXT:
            numbers[role] = column.to_numpy()
            if not (np.abs(numbers[role]) <= largest(role)).all():
                raise Doubt
        else:
            times: Any = 1
            if role == "list":  # its rows stand together more often than not
                runs = column.rle().struct.unnest()
                column, times = runs["value"], runs["len"].to_numpy()
            names = column.unique(maintain_order=True)
            codes = column.cast(pl.Enum(names)).to_physical().to_numpy().astype(np.int64)
            ids[role] = Ids(np.repeat(codes, times), tuple(names.to_list()))
    if format.name == "trec" and any(name.startswith("#") for name in ids["list"].names):
        raise Doubt  # a comment
    first = 2 if layout.header else 1
    return Table(ids, numbers, np.arange(first, first + frame.height), layout.shape)
