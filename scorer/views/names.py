"""What the items of one list are called."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from scorer.core.arrays import Ints


@dataclass(frozen=True, slots=True)
class Names:
    """What the items of one list are called."""

    truth: tuple[str, ...] = ()  # the truth's: an ideal's in its order, else in that of the view
    returned: tuple[str, ...] = ()  # the submission's, by rank
    before: Ints = field(default_factory=lambda: np.empty(0, dtype=np.int64))  # as in `Hits`,
    tied: Ints = field(default_factory=lambda: np.empty(0, dtype=np.int64))  # one a returned item
