"""The sentences beside a leaderboard: what ranks, what the tests find, and what is missing."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

from scorer.core.text import join_first, printable, quoted, unit
from scorer.metrics.notation import Measure
from scorer.reports.leaderboard.cells import DAGGER, hitless, level, number
from scorer.reports.leaderboard.front import on_the_front
from scorer.results.json import ABSENT
from scorer.results.report import Certainty, RankedBy, Report, Scope, Standing
from scorer.stats.intervals import MIN_UNITS

FEW_LISTS = 10  # lists below which the level of an interval is nominal


def worse(report: Report) -> frozenset[str]:
    """The names of those that are significantly worse than the first of the ranked."""
    certainty, rules = report.certainty, report.definition.leaderboard.tiers
    first = next((s.name for s in report.leaderboard if s.rank is not None), None)
    if certainty is None or rules is None or first not in certainty.names:
        return frozenset()
    head = certainty.names.index(first)
    sign = 1 if report.primary.metric.better == "higher" else -1
    behind = (certainty.p[head] <= rules.alpha) & (sign * certainty.lead[head] > 0)
    return frozenset(certainty.names[n] for n in behind.nonzero()[0])


def remarks(report: Report, precision: int) -> list[str]:
    """Remarks beside the numbers, of a sentence or two each."""
    lines = [scope(report.scope, report.called)] if report.scope else []
    if report.rank_by is not None and report.leaderboard:
        preference, aggregate = (printable(measure.name) for measure in report.rank_by)
        lines.append(
            f"Ranked by the preference {preference} between submissions in each "
            f"{unit(report.called, 1)}, from which {aggregate} makes an order; measures do not "
            "rank, so there are no tiers."
        )
    if (by := report.several) is not None and by.each is not None and report.leaderboard:
        lines.append(_of_wins(by, report))
    elif by is not None and report.leaderboard:
        points = [
            f"{printable(row.name, 60)} {abs(row.points):g}"
            for row in report.leaderboard if row.points is not ABSENT
        ]  # fmt: skip
        more = f" and {len(points) - 10:,} more" if len(points) > 10 else ""
        lines.append(
            f"Ranked by {printable(by.aggregate.name)} of the ranks by "
            f"{', '.join(map(printable, by.measures))}: {', '.join(points[:10])}{more}. No single "
            "measure ranks, so there are no tiers."
        )
    if none := [row.name for row in report.leaderboard if hitless(row, report)]:
        lines.append(_no_hit(none, report))
    lines += [
        *_below_chance(report, precision),
        *_tested(report, precision),
        *_intervals(report),
    ]
    if report.pareto:
        lines += on_the_front(report.pareto)
    for cycle in report.cycles:
        lines.append(
            f"The preferences contradict each other: each of {join_first(cycle, 5)} is preferred, "
            "directly or through others, to one that is preferred to it. The aggregation decides "
            "their order."
        )
    if report.omitted:
        lines.append(f"{report.omitted:,} more submissions are ranked below these.")
    if report.absent:
        reasons = [
            f"{printable(name, 60)} ({printable(why)})" for name, why in report.absent.items()
        ]
        more = f" and {len(reasons) - 10:,} more" if len(reasons) > 10 else ""
        lines.append(f"Not on the board: {', '.join(reasons[:10])}{more}.")
    return [*lines, *_absent(report)]


def _below_chance(report: Report, precision: int) -> Iterator[str]:
    """Yield the remark on values far below those of guesses, of the first measure that has any."""
    for measure in report.measures:
        if (chance := measure.chance) is None:
            continue
        middle = (chance + (measure.metric.range[0] or 0)) / 2
        below = [
            row
            for row in report.leaderboard
            if row.values[measure.id] < middle
            or (measure.primary and row.interval is not None and row.interval[1] < chance)
        ]
        if below:
            names = join_first([row.name for row in below], 5)
            values = ", ".join(
                number(row.values[measure.id], measure, precision) for row in below[:5]
            )
            yield (
                f"Worse than guesses: {measure.id} of {names} is {values}, and that of "
                f"guesses {chance:g}. {_reversal(measure, report)}"
            )
            return


def _reversal(measure: Measure, report: Report) -> str:
    """Return the question whether answers are reversed, by what the challenge takes them for."""
    rules, classes = report.definition.submission, measure.classes
    columns = rules.probability or {"": rules.columns.get("score", "")}
    column = next(iter(columns.values()))
    if len(classes) != 2 or len(columns) != 1 or not column:
        return "Are the answers reversed?"
    positive = next(iter(columns)) or classes[-1]
    what = "the probability of" if rules.probability else "higher for"
    return f"Is {printable(column, 60)} {what} {quoted(positive)}, as the challenge takes it?"


def _no_hit(names: Sequence[str], report: Report) -> str:
    """Return the remark on submissions without a hit, with the likeliest cause."""
    found, question = "nothing", "Are its texts written as the challenge asks?"
    if any(p.metric.class_cells(p.params) for m in report.measures for p in m.all_parts):
        question = "Are the classes this challenge's?"
    elif not report.definition.submission.texts:
        found, question = "no item", "Are the ids of the items this challenge's?"
    return (
        f"No hit: {join_first(names, 5)} found {found} that counts, in any of the "
        f"{unit(report.called)}. {question}"
    )


def scope(part: Scope, called: Mapping[str, str]) -> str:
    """The part of the truth that a board is of, and when: `public: 30 % of the rows, 72 of 240`."""
    word = unit(called, part.of)
    sizes = ", ".join(f"{printable(name, 60)} {size:,}" for name, size in part.others.items())
    if part.split is None:
        said = f"All {part.of:,} {word}"
        said += f", of all splits together: {sizes}" if sizes else ""
    else:
        share = f"{100 * part.lists / max(part.of, 1):.3g} %"
        said = f"{printable(part.split, 60)}: {share} of the {word}, {part.lists:,} of {part.of:,}"
        if part.final is not None:
            size = part.others[part.final]
            said += f"; final ranks by the other {size:,} ({printable(part.final, 60)})"
    when = f"as of {part.time}" if part.time else ""
    phase = f"phase {printable(part.phase, 60)}" if part.phase else ""
    context = ", ".join(filter(None, (phase, when)))
    return f"{said}. {context[:1].upper()}{context[1:]}." if context else f"{said}."


def test_name(test: str, adjust: str, pairs: int) -> str:
    """A test and its adjustment: `permutation test, max adjusted for 10 pairs`."""
    names = {
        "wilcoxon": "Wilcoxon signed-rank test of medians",
        "t": "paired t-test",
        "skew-corrected t": "t-test corrected for skew, of each pair on its own lists",
        "corrected t": "t-test over folds corrected for shared training data",
    }
    many = f" for {pairs:,} pairs" if pairs > 1 else ""
    return f"{names.get(test, f'{test} test')}, {adjust.replace('h', 'H')} adjusted{many}"


def _of_runs(report: Report) -> Iterator[str]:
    """What runs of one submission vary by, beside lists."""
    valid = [each for each in report.submissions if each.valid]
    if not any(each.runs for each in valid):
        return
    said = (
        "± is the standard deviation between the runs of a submission, whose value is their mean."
    )
    errors = [row.variance for row in report.leaderboard if row.variance is not ABSENT]
    shares = [each.runs / (each.lists + each.runs) for each in errors if each.lists + each.runs > 0]
    if shares:
        low, high = (f"{100 * share:.0f}" for share in (min(shares), max(shares)))
        range_ = low if low == high else f"{low} to {high}"
        said += (
            f" Intervals and tests are of other {unit(report.called)} and other runs: runs make "
            f"{range_} % of the variance of a value, {unit(report.called)} the rest."
        )
    yield said
    single = [each.name for each in valid if len(each.runs) < 2]
    if shares and single:
        yield (
            f"{join_first(single, 5)} {'has' if len(single) == 1 else 'have'} a single run: the "
            f"interval is of other {unit(report.called)} alone, and in tests runs are taken to "
            "vary as those of the others."
        )


def _of_wins(by: RankedBy, report: Report) -> str:
    """What the measure of a board is that ranks by wins in each list, or group."""
    word = unit(report.called, 1) if by.each == "list" else "group"
    what = {
        "WinRate": "the share of the other submissions that one is above",
        "MeanRank": "the rank of a submission",
        "Borda": "the number of the other submissions that one is above",
    }[by.aggregate.metric.name]
    return (
        f"{by.aggregate.metric.name} is {what} by {join_first(by.measures, 5)} in each {word}, "
        f"equal ones half, on average over each {word}: it depends on who else is ranked."
    )


def _tested(report: Report, precision: int) -> Iterator[str]:
    """What tiers and ranges of ranks mean, and what the tests can detect."""
    certainty, primary = report.certainty, printable(report.primary.id)
    if certainty is None:
        return
    how, ranked = certainty.how, [row for row in report.leaderboard if row.tier is not None]
    if ranked:
        share, most = f"{100 * (1 - how.alpha):g} %", max(row.tier or 1 for row in ranked)
        over = f", {_clusters(report)} drawn together" if how.over == "clusters" else ""
        test = test_name(how.test, how.adjust, certainty.pairs)
        how_tested = f"({primary}, {test}, alpha {how.alpha:g}{over})"
        border = (
            " Every submission of a tier is significantly better than every one of a later tier."
        )
        yield _significant(ranked, certainty, how_tested) + border * (most > 1)
        several = (row for row in ranked if row.ranks and row.ranks != (row.rank, row.rank))
        tells = certainty.least_p <= how.alpha  # else no rank can be ruled out, which is said below
        if tells and (row := next(several, None)) is not None and row.ranks is not None:
            yield (
                "In parentheses: the ranks that the data leave possible. "
                f"{printable(row.name, 60)} ranks {row.rank} and may truly rank {row.ranks[0]:,} "
                f"to {row.ranks[1]:,}; all such ranges hold together in {share} of boards."
            )
    yield from _detectable(report, certainty, precision)
    yield from _contradicted(report, certainty)
    yield from _against(report, certainty)
    if certainty.shake_up is not None:
        one, other = (printable(name, 60) for name in certainty.shake_up.groups)
        moved = certainty.shake_up
        yield (
            f"From {one} to {other} {unit(report.called)} ranks move by {moved.moved:.2f} on "
            f"average; random groups of these sizes give {moved.expected:.2f}, and at most "
            f"{moved.most:.2f} in 95 % of cases."
        )


def _significant(ranked: Sequence[Standing], certainty: Certainty, tested: str) -> str:
    """Who of the ranked differs significantly, in a sentence."""
    worse = [row.name for row in ranked if row.worse]
    if worse:
        marked = f"{len(worse):,} of the {len(ranked):,} submissions are" if len(worse) > 1 else (
            f"{printable(worse[0], 60)} is"
        )  # fmt: skip
        return (
            f"{marked} significantly worse than the first, or than one below, and marked {DAGGER} "
            f"{tested}."
        )
    if bool((certainty.p <= certainty.how.alpha).any()):
        return f"None differs significantly from the first, though others do {tested}."
    if len(ranked) == 2:
        return f"The two submissions do not differ significantly {tested}."
    return f"No two of the {len(ranked):,} submissions differ significantly {tested}."


def _clusters(report: Report) -> str:
    word = unit({"list": report.called.get("cluster", "cluster")})
    return f"{unit(report.called)} of the same {unit({'list': word}, 1).removesuffix('s')}"


def _detectable(report: Report, certainty: Certainty, precision: int) -> Iterator[str]:
    """How small a difference the board's own test finds, or that it can find none."""
    how, primary = certainty.how, printable(report.primary.id)
    word = {"lists": unit(report.called, 2), "folds": "folds", "clusters": "clusters"}.get(
        how.over, how.over
    )
    if certainty.least_p > how.alpha:
        if how.units < certainty.fewest_lists:
            yield (
                "No difference can be significant with fewer than "
                f"{certainty.fewest_lists:,} {word}; there {'is' if how.units == 1 else 'are'} "
                f"{how.units:,}, so that every rank is possible."
            )
        else:
            yield (
                f"No difference can be significant: with {how.draws:,} draws the smallest p is "
                f"{certainty.least_p:.2g} (leaderboard: {{draws: 10000}} has more)."
            )
        return
    if not certainty.detectable > 0:  # 0: all are equal; NaN: too few
        return
    low, high = report.primary.metric.range
    of_lists = how.over in ("lists", "clusters")
    count = certainty.lists if of_lists else how.units
    many = f"{count:,} {unit(report.called, count) if of_lists else how.over}"
    least = number(certainty.detectable, report.primary, precision)
    submissions = len(certainty.names)
    among = f" of {submissions:,} submissions" if submissions > 2 else " submissions"
    if low is not None and high is not None and certainty.detectable > high - low:
        yield f"{many} are too few to detect any difference between two{among} reliably."
    else:
        yield (
            f"With {many}, a true difference of {least} in {primary} between two{among} is "
            "detected about 80 % of the time."
        )


def _contradicted(report: Report, certainty: Certainty) -> Iterator[str]:
    """The submissions that rank above one that is significantly better."""
    sign = 1 if report.primary.metric.better == "higher" else -1
    behind = (certainty.p <= certainty.how.alpha) & (sign * certainty.lead < 0)
    for n, name in enumerate(certainty.names):
        below = [certainty.names[m] for m in behind[n].nonzero()[0].tolist() if m > n]
        if below:
            yield (
                f"{printable(name, 60)} stands above {join_first(below, 5)} by its own mean, but "
                f"is significantly worse on the {unit(report.called)} that both have."
            )


def _against(report: Report, certainty: Certainty) -> Iterator[str]:
    """Each baseline against the ranked, a family of its own."""
    sign = 1 if report.primary.metric.better == "higher" else -1
    alpha = certainty.how.alpha
    for baseline in certainty.baselines:
        sure = baseline.p <= alpha
        better = [n for n, s, d in zip(certainty.names, sure, baseline.difference, strict=True)
                  if s and sign * d > 0]  # fmt: skip
        worse = [n for n, s, d in zip(certainty.names, sure, baseline.difference, strict=True)
                 if s and sign * d < 0]  # fmt: skip
        name = printable(baseline.name, 60)
        if not better and not worse:
            what = f"from the baseline {name}, tested separately"
            yield f"No submission differs significantly {what}."
        for word, names in (("better", better), ("worse", worse)):
            if names:
                yield (
                    f"Significantly {word} than the baseline {name}, tested separately: "
                    f"{join_first(names, 5)}."
                )


def _intervals(report: Report) -> Iterator[str]:
    """The limits of the intervals, and the reason where there are none."""
    if report.no_certainty:
        bounded = any(row.interval is not None for row in report.leaderboard)
        what = "tests" if bounded else "intervals or tests"
        yield f"No {what} of {printable(report.primary.id)}: {report.no_certainty}."
    share, word = level(report), unit(report.called)
    yield from _of_runs(report)
    folds = report.definition.folds is not None
    if folds and any(report.primary.id in row.deviations for row in report.leaderboard):
        yield (
            "± is the standard deviation over folds, not a standard error. Folds share training "
            "data: intervals and tests are Nadeau and Bengio's, of the mean that is shown."
        )
    lists = [
        scored.values[report.primary.id].lists for scored in report.submissions if scored.valid
    ]
    if report.too_few is not None:
        units = {"lists": word, "lists in runs": word}.get(report.too_few, report.too_few)
        yield f"With fewer than {MIN_UNITS} {units} there is no interval."
    if share and lists and min(lists) < FEW_LISTS and not folds:
        yield (
            f"With fewer than {FEW_LISTS} {word}, 95 % intervals of skewed values contain the "
            "true mean less often."
        )
    called = printable(report.primary.id)
    if share and lists and min(lists) >= FEW_LISTS > report.rarest_class:
        yield (
            f"Some value of {called} rests on {report.rarest_class:,.0f} of the {min(lists):,} "
            f"{word}, those of the rarest class; with fewer than {FEW_LISTS}, 95 % intervals "
            "contain the true value less often."
        )


def _absent(report: Report) -> Iterator[str]:
    """Lists without a value: how many, for which measures and submissions, and what they count."""
    valid = [scored for scored in report.submissions if scored.valid]
    lists = f"{len(report.lists):,}"
    units = unit(report.called, len(report.lists))
    lenient = report.definition.undefined in ("skip", "worst")
    counts = "left out where the truth is why" if lenient else "counted as 0"
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
    for measure in report.measures:
        without = [s.name for s in valid if math.isnan(s.values[measure.id].mean)]
        if without:
            called = printable(measure.id)
            metric = measure.metric
            says = f"; `score metrics {metric.name}` says when" if metric.in_catalogue else ""
            if lenient and measure.of_lists:
                says += "; a submission has to have one for each list that the truth has one for"
            yield f"{called} has no value for {join_first(without)}{says}."
    missing = {scored.name: scored.values[report.primary.id].missing for scored in valid}
    missing = {name: count for name, count in missing.items() if count}
    if missing:
        skip = report.definition.submission.missing_list == "skip"
        counts = "left out" if skip else "scored as empty"
        first = ", ".join(
            f"{printable(name, 60)} {count:,}" for name, count in list(missing.items())[:5]
        )
        more = f" and {len(missing) - 5:,} more submissions" if len(missing) > 5 else ""
        yield f"{units.capitalize()} without an answer, of {lists} ({counts}): {first}{more}."
