"""Which of very many unknown ids something may explain, told by their hashes and by patterns.

Nothing explains most of them; the few others are looked at one by one, by `Known.fault`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from scorer.checks.ids import FAULT_CLASSES, LOST, ODD, Known
from scorer.core.arrays import Mask

if TYPE_CHECKING:
    import polars as pl

PLAIN, DECIMAL, EXPLAINED = FAULT_CLASSES.index("plain"), FAULT_CLASSES.index("decimal"), 255
UNUSUAL = r"[^!-~]"  # what is not seen, or not in ASCII
# as in `ids`, whose patterns take no more time for a long id
DECIMALS, DIGITS, ZEROS = r"^[0-9]+\.0+$", r"^[0-9]+$", r"\.0+$"
SPREADSHEET = (
    r"^[0-9](?:[.,][0-9]+)?[eE]\+[0-9]{2,3}$"
    r"|^[0-9]{1,2}-[A-Z][a-z]{2}$|^[A-Z][a-z]{2}-[0-9]{2}$"
)


def classes_of(names: pl.Series, known: Known) -> NDArray[np.uint8]:
    """The class of each unknown id, (ids,): `PLAIN`, `DECIMAL`, or `EXPLAINED` by a look at it."""
    kinds = np.full(len(names), PLAIN, dtype=np.uint8)
    lower = names.str.to_lowercase()
    explained = _mask(names.str.contains(UNUSUAL) | names.str.contains(SPREADSHEET))
    explained |= _among(lower, known.alike) | _mask(lower.is_in(sorted(LOST)) | (names == ""))
    explained |= _mask(names.str.contains(ODD.pattern)) if known.names else False
    decimal = _mask(names.str.contains(DECIMALS))
    number = np.flatnonzero(decimal | _mask(names.str.contains(DIGITS)))
    if number.size:
        head = names.gather(number).str.replace(ZEROS, "")
        stripped = head.str.strip_chars_start("0").replace("", "0")
        meant = _among(head, known.whole) | _among(stripped, known.whole)
        explained[number[meant]] = True
    kinds[decimal] = DECIMAL
    kinds[explained] = EXPLAINED
    return kinds


def _mask(series: pl.Series) -> Mask:
    mask: Mask = np.array(series.to_numpy(), dtype=bool)
    return mask


def _among(names: pl.Series, hashes: NDArray[np.uint64]) -> Mask:
    """Which of the ids have one of these hashes, which ascend."""
    own_hashes: NDArray[np.uint64] = names.hash().to_numpy()
    if not hashes.size:
        return np.zeros(own_hashes.size, dtype=bool)
    at = np.minimum(np.searchsorted(hashes, own_hashes), hashes.size - 1)
    mask: Mask = hashes[at] == own_hashes
    return mask
