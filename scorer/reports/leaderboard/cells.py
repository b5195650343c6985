"""The cells that several formats of the leaderboard share."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator

from scorer.core.text import format_number
from scorer.metrics.notation import Measure
from scorer.reports.base import DECIMALS, Options
from scorer.reports.document import Table, texts
from scorer.results.report import Report, Scored, Standing, group_gap


def number(value: float, measure: Measure, precision: int) -> str:
    """Return a value as people read it.

    A value up to 1 has so many decimals as `precision` says, a larger one in all one digit more
    than that, a count none; NaN is a dash.
    """
    if math.isnan(value):
        return "-"
    if not measure.decimals and value.is_integer():
        return f"{value:z.0f}"
    if measure.metric.better == "lower" and 0 < abs(value) < 0.5 * 10**-precision:
        return f"{value:.2g}"  # a small error is none
    return f"{value:z.{decimals_of(value, precision)}f}"


def board_precision(report: Report, chosen: int | None = None) -> int:
    """Return the decimals of a board's values: those chosen, else the challenge's, else 3."""
    rules, high = report.definition.leaderboard, report.primary.metric.range[1]
    if chosen is not None:
        return chosen
    if "digits" not in rules.model_fields_set:
        return DECIMALS
    # Digits of a value up to 1 are its decimals; a larger value has one digit more than those.
    is_large = high is None or high > 1
    return max(rules.digits - is_large, 0)


def with_digits(report: Report, options: Options) -> Options:
    """Return the options with the digits that the challenge sets, unless a precision is given."""
    if has_precision(options) or "digits" not in report.definition.leaderboard.model_fields_set:
        return options
    return options._replace(precision=board_precision(report), distinct=False)


def has_precision(options: Options) -> bool:
    """Return whether somebody set the precision, which then rules."""
    return not options.distinct or options.precision != DECIMALS


def decimals_of(value: float, precision: int) -> int:
    """Return the decimals of a value; a larger one has fewer."""
    whole = len(f"{abs(value):.0f}")
    return max(precision + 1 - whole, 0)


def chance(p: float) -> str:
    """A p-value as people read it; one that cannot be had is a dash.

    >>> chance(0.0499), chance(1e-6)
    ('0.0499', '< 0.0001')
    """
    known = f"{p:.4f}" if p >= 0.0001 else "< 0.0001"
    return "-" if math.isnan(p) else known


def signed(value: float, precision: int) -> str:
    """Return a difference as text; one that is rounded to 0 has no sign, none is a dash.

    >>> signed(0.25, 2), signed(-1e-17, 2)
    ('+0.25', '0.00')
    """
    text = format_number(value, precision, "+")
    return "-" if math.isnan(value) else text if float(text) else text[1:]


def mean_of(standing: Standing, measure: Measure, precision: int) -> str:
    """The mean of a measure; over folds with its standard deviation: `0.5 ± 0.1`."""
    mean = number(standing.values[measure.id], measure, precision)
    deviation = standing.deviations.get(measure.id, math.nan)
    return mean if math.isnan(deviation) else f"{mean} ± {number(deviation, measure, precision)}"


def place(standing: Standing, ranged: bool = True) -> str:
    """Return the rank, and the ranks that the lists leave possible: `2 (1-4)`; a baseline is B.

    Unless `ranged`, it is the rank alone, as where no range says anything.
    """
    if standing.rank is None:
        return "B"
    ranks = possible_ranks(standing) if ranged else ""
    return f"{standing.rank} ({ranks})" if ranks else f"{standing.rank}"


def possible_ranks(standing: Standing) -> str:
    """Return the ranks that the lists leave possible: `1-4`; empty where these are its own."""
    if standing.ranks is None or standing.ranks == (standing.rank, standing.rank):
        return ""
    low, high = standing.ranks
    return f"{low}-{high}" if low < high else f"{low}"


def has_ranges(report: Report) -> bool:
    """Whether ranges of ranks say anything: without tests that can be significant, all is open."""
    certainty = report.certainty
    return certainty is not None and certainty.least_p <= certainty.how.alpha


def interval(standing: Standing, measure: Measure, precision: int) -> str:
    """Return the interval of the primary mean, `[0.41, 0.52]`; empty without one.

    Equal values have no spread to estimate an interval from, so that it says `all equal`.
    """
    if standing.interval is None:
        return ""
    if standing.interval[0] == standing.interval[1]:
        return "all equal"
    low, high = (number(end, measure, precision) for end in standing.interval)
    return f"[{low}, {high}]"


def lists_of(standing: Standing, lists: int, report: Report) -> str:
    """Return the number of lists: `20 of 60` if others have more, `3, no hit` without a hit."""
    fewer = standing.fewer_lists
    count = f"{lists:,}" if fewer is None else "{:,} of {:,}".format(*fewer)
    return f"{count}, no hit" if has_no_hit(standing, report) else count


def has_no_hit(standing: Standing, report: Report) -> bool:
    """Whether no list has any item that counts: all measures of items are 0, which all can see."""
    least = [
        measure.metric.better == "higher"
        and measure.metric.range[0] == 0
        and "grades" in measure.metric.kinds
        for measure in report.measures
    ]
    return all(least) and not any(standing.values[m.id] != 0 for m in report.measures)


def level(report: Report) -> str:
    """The heading of the intervals; empty where no standing has one."""
    rules = report.definition.leaderboard
    if rules.intervals is None or not any(standing.interval for standing in report.leaderboard):
        return ""
    return f"{100 * rules.intervals:g} % interval"


def sliced(scored: Scored, measure: Measure, report: Report) -> list[float]:
    """The mean of each group of lists, then their gap; nothing where there are no groups."""
    if not report.groups:
        return []
    means = scored.groups[measure.id]
    return [*(means[group] for group in report.groups), group_gap(means)]


def by_group(report: Report, precision: int) -> Iterator[Table]:
    """Yield for each measure, the primary one first, the means over groups of lists, if any."""
    valid = [scored for scored in ordered(report) if scored.valid]
    word = report.called.get("group", "group")
    measures = sorted(report.measures, key=lambda measure: measure.id != report.primary.id)
    for measure in measures if report.groups and valid else ():
        if all(math.isnan(v) for s in valid for v in s.groups[measure.id].values()):
            continue  # a formula of measures of different groups
        if measure.combination.group is not None:
            continue  # of one alone, which its column says
        yield texts(
            f"{measure.id}{measure.mark} by {word}",
            ["name", *(group or "(none)" for group in report.groups), "gap"],
            [
                [s.name, *(number(v, measure, precision) for v in sliced(s, measure, report))]
                for s in valid
            ],
        )


def by_list(report: Report, scored: Scored, precision: int) -> Table:
    """Return the value of each list by every measure, sorted by list; a dash for no value."""
    order = sorted(range(len(report.lists)), key=lambda n: _natural_key(report.lists[n]))
    columns = [(m, scored.values[m.id].per_list) for m in report.measures]
    return texts(
        scored.name,
        [report.called.get("list", "list"), *(f"{m.id}{m.mark}" for m in report.measures)],
        [
            [
                report.lists[n],
                *("-" if c is None else number(float(c[n]), m, precision) for m, c in columns),
            ]
            for n in order
        ],
    )


def ordered(report: Report) -> list[Scored]:
    """The submissions in the order of the board; those that were not scored come last."""
    order = {standing.name: n for n, standing in enumerate(report.leaderboard)}
    return sorted(report.submissions, key=lambda scored: order.get(scored.name, len(order)))


def _natural_key(name: str) -> tuple[object, ...]:
    """A key by which names are sorted with the numbers in them by their size.

    >>> names = sorted(["q10", "q9", "q1", "q010", "", "9" * 5_000, "10"], key=_natural_key)
    >>> [*names[:2], *names[3:]]
    ['', '10', 'q1', 'q9', 'q010', 'q10']
    """
    parts = re.split("([0-9]+)", name)
    digits = [part.lstrip("0") for part in parts[1::2]]  # int() refuses more than 4,300 of them
    return (*zip(parts[::2], [*((len(n), n) for n in digits), ()], strict=True), name)
