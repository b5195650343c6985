"""The cells that several formats of the leaderboard share."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping

from scorer.core.text import join_first, printable
from scorer.metrics.base import Measure
from scorer.reports.base import Sheet
from scorer.results.report import Report, Scored, Standing


def number(value: float, measure: Measure, precision: int) -> str:
    """A value as people read it; a count without decimals, no value as a dash."""
    if math.isnan(value):
        return "-"
    if not measure.decimals and value.is_integer():
        return f"{value:.0f}"
    return f"{value:.{precision}f}"


def chance(p: float) -> str:
    """A p-value as people read it."""
    return "unknown" if math.isnan(p) else f"{p:.4f}" if p >= 0.0001 else "< 0.0001"


def mean_of(standing: Standing, measure: Measure, precision: int) -> str:
    """The mean of a measure; over folds with its standard deviation: `0.5 ± 0.1`."""
    mean = number(standing.values[measure.id], measure, precision)
    apart = standing.deviations.get(measure.id, math.nan)
    return mean if math.isnan(apart) else f"{mean} ± {apart:.{precision}f}"


def place(standing: Standing) -> str:
    """The rank, and the ranks that the lists leave possible: `2 (1-4)`; a baseline is a B."""
    if standing.rank is None:
        return "B"
    if standing.ranks is None or standing.ranks[0] == standing.ranks[1]:
        return str(standing.rank)
    return "{} ({}-{})".format(standing.rank, *standing.ranks)


def interval(standing: Standing, measure: Measure, precision: int) -> str:
    """The interval of the primary mean: `[0.41, 0.52]`; empty where there is none."""
    if standing.interval is None:
        return ""
    low, high = (number(end, measure, precision) for end in standing.interval)
    return f"[{low}, {high}]"


def level(report: Report) -> str:
    """What to write over the intervals; empty where no standing has one."""
    share = report.challenge.leaderboard.intervals
    if share is None or not any(standing.interval for standing in report.standings):
        return ""
    return f"{100 * share:g} % interval"


def gap(scored: Scored, measure: Measure) -> float:
    """How far the best group's mean is from the worst one's; NaN for fewer than two of them."""
    means = [mean for mean in scored.groups[measure.id].values() if not math.isnan(mean)]
    return max(means) - min(means) if len(means) > 1 else math.nan


def sliced(scored: Scored, measure: Measure, report: Report) -> list[float]:
    """The mean of each group of lists, then their gap; nothing where there are no groups."""
    if not report.groups:
        return []
    return [*(scored.groups[measure.id][group] for group in report.groups), gap(scored, measure)]


def by_group(report: Report, precision: int) -> Iterator[Sheet]:
    """For each measure the means over groups of lists; none where there are no groups."""
    valid = [scored for scored in ordered(report) if scored.valid]
    word = report.called.get("group", "group")
    for measure in report.measures if report.groups and valid else ():
        yield Sheet(
            f"{measure.id} by {word}",
            ["name", *(group or "(none)" for group in report.groups), "gap"],
            [
                [s.name, *(number(v, measure, precision) for v in sliced(s, measure, report))]
                for s in valid
            ],
        )


def by_list(report: Report, scored: Scored, precision: int) -> Sheet:
    """What every measure says of each list; a dash where it says nothing."""
    columns = [(m, scored.values[m.id].per_list) for m in report.measures]
    return Sheet(
        scored.name,
        [report.called.get("list", "list"), *(measure.id for measure in report.measures)],
        [
            [name, *("-" if c is None else number(float(c[n]), m, precision) for m, c in columns)]
            for n, name in enumerate(report.lists)
        ],
    )


def ordered(report: Report) -> list[Scored]:
    """The submissions in the order of the board; those that were not scored come last."""
    order = {standing.name: n for n, standing in enumerate(report.standings)}
    return sorted(report.submissions, key=lambda scored: order.get(scored.name, len(order)))


def head_of(measure: Measure, report: Report) -> str:
    """What the column of a measure is headed with, which says how it is meant."""
    return measure.heading(unit(report.called, 1))


def unit(called: Mapping[str, str], count: int = 2) -> str:
    """What the challenge calls a list, as a word of a sentence: `users` for a column `userId`.

    Args:
        called: role -> the challenge's word for it, which is a column's name.
        count: how many there are.
    """
    word = re.sub(r"(?<=[a-z])I[dD]$|[ _-]id$", "", called.get("list", "list"))
    word = {"qid": "query", "uid": "user"}.get(word.casefold(), word).replace("_", " ")
    if not re.fullmatch(r"[A-Za-z][A-Za-z ]*", word) or word == "id":
        word = "list"
    word = word.lower() if word.istitle() or word.isupper() else word
    if count == 1 or word.endswith("s"):
        return word
    if re.search(r"[^aeiou]y$", word):
        return f"{word[:-1]}ies"
    return f"{word}es" if re.search(r"(x|z|ch|sh)$", word) else f"{word}s"


def worse(report: Report) -> frozenset[str]:
    """The names of those that are significantly worse than the first of the ranked."""
    certainty, rules = report.certainty, report.challenge.leaderboard.tiers
    first = next((s.name for s in report.standings if s.rank is not None), None)
    if certainty is None or rules is None or first not in certainty.names:
        return frozenset()
    head = certainty.names.index(first)
    sign = 1 if report.primary.metric.better == "higher" else -1
    behind = (certainty.p[head] <= rules.alpha) & (sign * certainty.difference[head] > 0)
    return frozenset(certainty.names[n] for n in behind.nonzero()[0])


def remarks(report: Report, precision: int) -> list[str]:
    """What a reader should know beside the numbers, a sentence or two each."""
    lines = []
    rules, certainty = report.challenge.leaderboard.tiers, report.certainty
    primary = printable(report.primary.id)
    if rules is not None and sum(standing.tier is not None for standing in report.standings) > 1:
        lines.append(
            "Submissions in the same tier are not significantly worse than the tier's best "
            f"({rules.test} test of {primary}, {rules.adjust} adjusted, alpha {rules.alpha:g}). "
            "In parentheses: the range of ranks the data cannot rule out."
        )
    if certainty is not None and certainty.detectable > 0:  # 0: all are equal; NaN: too few
        low, high = report.primary.metric.range
        count = f"{certainty.lists:,} {unit(report.called, certainty.lists)}"
        least = number(certainty.detectable, report.primary, precision)
        if low is not None and high is not None and certainty.detectable > high - low:
            lines.append(f"{count} are too few to detect any difference reliably.")
        else:
            lines.append(
                f"With {count}, a true difference of {least} in {primary} is detected about "
                "80 % of the time."
            )
    if report.rank_by is not None and report.standings:
        preference, aggregate = (printable(each.name) for each in report.rank_by)
        lines.insert(
            0,
            f"Ranked by the preference {preference} between submissions in each "
            f"{unit(report.called, 1)}, from which {aggregate} makes an order; measures do not "
            "rank, so there are no tiers.",
        )
    for cycle in report.cycles:
        lines.append(
            f"The preferences contradict each other: each of {join_first(cycle, 5)} is preferred, "
            "directly or through others, to one that is preferred to it. The aggregation decides "
            "their order."
        )
    if report.omitted:
        lines.append(f"{report.omitted:,} more submissions are ranked below these.")
    return [*lines, *_absent(report)]


def _absent(report: Report) -> Iterator[str]:
    """Lists without a value: how many, for which measures and submissions, and what they count."""
    valid = [scored for scored in report.submissions if scored.valid]
    lists = f"{len(report.lists):,}"
    units = unit(report.called, len(report.lists))
    counts = "left out" if report.challenge.undefined == "skip" else "counted as 0"
    alike: dict[tuple[int, int], list[str]] = {}
    for measure in report.measures:
        undefined = [scored.values[measure.id].undefined for scored in valid]
        if any(undefined):
            alike.setdefault((min(undefined), max(undefined)), []).append(printable(measure.id))
    for (least, most), names in alike.items():
        many = f"{most:,}" if least == most else f"{least:,} to {most:,}"
        are = "is" if len(names) == 1 else "are"
        message = f"{', '.join(names)} {are} undefined for {many} of {lists} {units} ({counts})."
        yield message
    missing = {scored.name: scored.values[report.primary.id].missing for scored in valid}
    missing = {name: count for name, count in missing.items() if count}
    if missing:
        skip = report.challenge.submission.missing_list == "skip"
        counts = "left out" if skip else "scored as empty"
        first = ", ".join(
            f"{printable(name, 60)} {count:,}" for name, count in list(missing.items())[:5]
        )
        more = f" and {len(missing) - 5:,} more submissions" if len(missing) > 5 else ""
        yield f"Missing of {lists} {units} ({counts}): {first}{more}."
