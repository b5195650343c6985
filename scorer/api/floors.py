"""The values that no submission may be worse than, as `score --fail-under` asks for them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

from scorer.core.arrays import round_for_ranks
from scorer.core.errors import UnknownName, UsageError
from scorer.core.text import format_distinct, printable, quoted
from scorer.metrics.notation import Measure, find_measure
from scorer.reading.numbers import parse_number
from scorer.results.report import Report, Scored, ShownMeasure


def parse_floors(texts: Sequence[str], measures: Sequence[Measure]) -> dict[str, float]:
    """Return the id of each measure in `MEASURE=VALUE` texts, with its value.

    Raises:
        UsageError: A text is not MEASURE=VALUE.
        UnknownName: The challenge has no such measure.
    """
    floors = {}
    for text in texts:
        name, equals, value = text.rpartition("=")
        floor, fault, _ = parse_number(value)
        if not equals or fault:
            raise UsageError(f"--fail-under {quoted(text)}: write MEASURE=VALUE, such as P@5=0.4")
        measure = find_measure(measures, name)
        if measure is None:
            raise UnknownName("measure of this challenge", name, [m.id for m in measures])
        floors[measure.id] = floor
    return floors


def describe_missed_floors(report: Report, floors: Mapping[str, float]) -> Iterator[str]:
    """Yield a message for each submission below a floor, or without a value; none for baselines."""
    for measure in report.measures:
        if measure.id not in floors:
            continue
        for scored in report.submissions:
            if scored.valid and not scored.baseline:
                yield from _describe_if_missed(scored, measure, floors[measure.id])


def _describe_if_missed(scored: Scored, measure: ShownMeasure, floor: float) -> Iterator[str]:
    """Yield a message if a submission is worse than a floor, in the decimals that ranks see."""
    mean = scored.values[measure.id].mean
    rounded_mean, rounded_floor = round_for_ranks([mean, floor]).tolist()
    higher_is_better = measure.metric.better == "higher"
    reaches = rounded_mean >= rounded_floor if higher_is_better else rounded_mean <= rounded_floor
    if reaches:
        return
    side = "below" if higher_is_better else "above"
    values = f", {side} ".join(format_distinct(mean, floor))
    value = "undefined" if math.isnan(mean) else values
    yield f"{printable(scored.name)}: {printable(measure.id)} is {value} (--fail-under)"
