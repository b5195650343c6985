"""Checks of masks and boxes: cells that can be read, with runs in order, inside the image."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from scorer.checks.base import Row, SubmissionRows, TruthRows, check
from scorer.core.problems import Problem
from scorer.core.text import quoted
from scorer.reading.schema import NUMBER

UNLIMITED = (-math.inf, math.inf)


class RegionFault(NamedTuple):
    """The fault of a cell, with the code that its problem has in a submission."""

    code: str
    message: str


@check("S541", "S542", "S543", kinds=("masks", "boxes"))
def wrong_region(rows: SubmissionRows) -> Iterator[Problem]:
    """Every cell can be read, has its runs in order, and lies in the image."""
    role = "runs" if "runs" in rows.frame.columns else "boxes"
    parts, limits = rows.rules.each or (), rows.rules.range or UNLIMITED
    for line, name, cell in rows.named.select("line", "list", role).iter_rows():
        if (fault := _find_fault(cell, role, parts, limits)) is not None:
            message = f"{role} of {quoted(name)}: {fault.message}"
            yield Problem(fault.code, message, line=line, list=name, role=role)


@check("T541", "T542", kinds=("masks", "boxes"), of="truth")
def wrong_true_region(rows: TruthRows) -> Iterator[Problem]:
    """Every cell is of the form that the challenge says."""
    frame, parts = rows.frame, rows.challenge.each[0]
    role = "runs" if "runs" in frame.columns else "boxes"
    for row in frame.iter_rows(named=True):
        fault = _find_fault(row[role], role, parts) if role in row else _find_box_fault(row)
        if fault is not None:
            message, code = f"{role} of {quoted(row['list'])}: {fault.message}", fault.code
            yield Problem(f"T{code[1:]}", message, line=row["line"], list=row["list"])


def _find_fault(
    cell: str, role: str, parts: Sequence[str], limits: tuple[float, float] = UNLIMITED
) -> RegionFault | None:
    """Return the fault of a cell of masks or boxes; None if it is right.

    Args:
        cell: The cell.
        role: `runs` or `boxes`.
        parts: The names of the numbers of each box, in their order.
        limits: The first and last coordinate of the image.
    """
    # Imported here, since other challenges need neither.
    from scorer.views.images import BoxFault, RunFault, boxes_of, runs_of

    try:
        if role == "runs":
            runs = runs_of(cell)
            ends = [*runs[:1, 0].tolist(), *(runs[-1:, 1] - 1).tolist()]  # first and last pixel
        else:
            ends = [end for box in boxes_of(cell, parts) for end in box.corners]
    except (RunFault, BoxFault) as fault:
        return RegionFault(getattr(fault, "code", "S541"), str(fault))  # only runs have codes
    low, high = limits
    if outside := [end for end in ends if not low <= end <= high]:
        return RegionFault("S543", f"{outside[0]:,.12g} is outside {low:,.12g} to {high:,.12g}")
    return None


def _find_box_fault(row: Row) -> RegionFault | None:
    """Return the fault of a box whose parts are columns of a row; None if it is right."""
    from scorer.views.images import BoxFault, make_box

    numbers = {
        role.removeprefix(NUMBER).rstrip("]"): number
        for role, number in row.items()
        if role.startswith(NUMBER)
    }
    try:
        make_box("", numbers)
    except BoxFault as fault:
        return RegionFault("S541", str(fault))
    return None
