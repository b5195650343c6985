"""What the items of one list are called."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from scorer.core.arrays import Ints


class Names(NamedTuple):
    """What the items of one list are called."""

    truth: tuple[str, ...] = ()  # the truth's: an ideal's in its order, else in that of the view
    returned: tuple[str, ...] = ()  # the submission's, by rank
    before: Ints = np.empty(0, dtype=np.int64)  # as in `Hits`,
    tied: Ints = np.empty(0, dtype=np.int64)  # one a returned item
