"""The sentences at a leaderboard: the ranking rule, the findings of tests, missing values."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

from scorer.core.text import join_first, printable, quoted, unit
from scorer.metrics.notation import Measure
from scorer.reports.document import join_names
from scorer.reports.leaderboard.cells import has_no_hit, has_ranges, level, number, possible_ranks
from scorer.reports.leaderboard.front import describe_front
from scorer.results.certainty import Certainty
from scorer.results.json import ABSENT
from scorer.results.report import RankAggregate, Report, Scope
from scorer.stats.intervals import MIN_UNITS

FEW_LISTS = 10  # lists below which the level of an interval is nominal


def remarks(report: Report, precision: int) -> list[str]:
    """Return what ranks, and what intervals, tests and ranks mean, a sentence or two each."""
    if not report.leaderboard:
        return list(_not_on_the_board(report))
    return [
        *_ranked_by(report),
        *_tested(report, precision),
        *_intervals(report),
        *(describe_front(report.pareto) if report.pareto else ()),
        *_not_on_the_board(report),
        *_undefined(report),
        *_without_a_value(report, baselines=True),
    ]


def cautions(report: Report, precision: int) -> list[str]:
    """Return what may be wrong with submissions or with their order, the gravest first."""
    none = [row.name for row in report.leaderboard if has_no_hit(row, report)]
    return [
        *([_no_hit(none, report)] if none else []),
        *_below_chance(report, precision),
        *_without_a_value(report, baselines=False),
        *_missing(report),
        *(_contradicted(report, report.certainty) if report.certainty else ()),
        *(
            f"The preferences contradict each other: each of {join_first(cycle, 5)} is preferred, "
            "directly or through others, to one that is preferred to it. The aggregation decides "
            "their order."
            for cycle in report.cycles
        ),
        *_without_interval(report),
    ]


def _without_interval(report: Report) -> Iterator[str]:
    if report.too_few is not None:
        word = unit(report.called)
        units = {"lists": word, "lists in runs": word}.get(report.too_few, report.too_few)
        yield f"With fewer than {MIN_UNITS} {units} there is no interval."


def _ranked_by(report: Report) -> Iterator[str]:
    """Yield what ranks where it is no measure alone."""
    if report.pairwise is not None:
        preference, aggregate = (printable(measure.name) for measure in report.pairwise)
        yield (
            f"Ranked by the preference {preference} between submissions in each "
            f"{unit(report.called, 1)}, from which {aggregate} makes an order; measures do not "
            "rank, so there are no tiers."
        )
    by = report.rank_aggregate
    if by is not None and by.each is not None:
        yield _of_wins(by, report)
    elif by is not None:
        points = [
            f"{printable(row.name, 60)} {abs(row.points):g}"
            for row in report.leaderboard
            if row.points is not ABSENT
        ]
        more = f" and {len(points) - 10:,} more" if len(points) > 10 else ""
        yield (
            f"Ranked by {printable(by.aggregate.name)} of the ranks by "
            f"{', '.join(map(printable, by.measures))}: {', '.join(points[:10])}{more}. No single "
            "measure ranks, so there are no tiers."
        )


def ranked_below(report: Report) -> str:
    """Return how many stand below the part of a board that is shown."""
    return f"{report.omitted:,} more submissions are ranked below these."


def _not_on_the_board(report: Report) -> Iterator[str]:
    if report.absent:
        reasons = [
            f"{printable(name, 60)} ({printable(why)})" for name, why in report.absent.items()
        ]
        more = f" and {len(reasons) - 10:,} more" if len(reasons) > 10 else ""
        yield f"Not on the board: {', '.join(reasons[:10])}{more}."


def _below_chance(report: Report, precision: int) -> Iterator[str]:
    """Yield the remark on values far below chance, for the first measure that has any."""
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
    elif not report.definition.submission.has_texts:
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


def _of_wins(by: RankAggregate, report: Report) -> str:
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
    """Yield what rules and ranges of ranks mean, and what the tests can detect."""
    certainty = report.certainty
    if certainty is None:
        return
    yield from _significant(report, certainty)
    ranges = (row for row in report.leaderboard if row.rank is not None and possible_ranks(row))
    if has_ranges(report) and (row := next(ranges, None)) is not None and row.ranks is not None:
        low, high = row.ranks
        yield (
            f"({possible_ranks(row)}): the true rank is between {low:,} and {high:,} with "
            f"{100 * (1 - certainty.how.alpha):g} % confidence, for all rows at once."
        )
    yield from _detectable(report, certainty, precision)
    yield from _against(report, certainty)
    if certainty.shake_up is not None:
        one, other = (printable(name, 60) for name in certainty.shake_up.groups)
        moved = certainty.shake_up
        yield (
            f"From {one} to {other} {unit(report.called)} ranks move by {moved.moved:.2f} on "
            f"average; random groups of these sizes give {moved.expected:.2f}, and at most "
            f"{moved.most:.2f} in 95 % of cases."
        )


def _significant(report: Report, certainty: Certainty) -> Iterator[str]:
    """Yield the meaning of the rules between rows, or that no rule is drawn, and the test."""
    how, tiers = certainty.how, {row.tier for row in report.leaderboard if row.tier}
    if not tiers:
        return
    over = f", {_clusters(report)} drawn together" if how.over == "clusters" else ""
    test = test_name(how.test, how.adjust, certainty.pairs)
    by = f"({printable(report.primary.id)}, {test}, alpha {how.alpha:g}{over})"
    if len(tiers) > 1:
        yield f"Above a rule all are significantly better than all below it {by}."
    elif bool((certainty.p <= how.alpha).any()):
        yield f"Some differ significantly, but no rule parts all above it from all below {by}."
    elif len(certainty.names) == 2:
        yield f"The two submissions do not differ significantly {by}."
    else:
        yield f"No two of the {len(certainty.names):,} submissions differ significantly {by}."


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
                f"{how.units:,}."
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
    if low is not None and high is not None and certainty.detectable > high - low:
        yield f"{many} are too few to detect any difference reliably."
    else:
        yield (
            f"With {many} a true difference of {least} in {primary} is detected about 80 % of "
            "the time."
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
    """Yield who is better and who is worse than each baseline, a family of tests of its own."""
    sign = 1 if report.primary.metric.better == "higher" else -1
    alpha = certainty.how.alpha
    for tests in certainty.baselines:
        leads = sign * tests.difference * (tests.p <= alpha)
        baseline = f"the baseline {printable(tests.name, 60)}"
        for word, sure in (("Better", leads > 0), ("Worse", leads < 0)):
            if sure.any():
                names = [certainty.names[n] for n in sure.nonzero()[0].tolist()]
                yield f"{word} than {baseline} (p < {alpha:g}): {join_names(names, 5)}."
        if not leads.any():
            yield f"None differs significantly from {baseline}."


def _intervals(report: Report) -> Iterator[str]:
    """Yield how intervals were made, and the reason if they are missing."""
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


def _undefined(report: Report) -> Iterator[str]:
    """Yield for how many lists measures are undefined, and what these count."""
    valid = [scored for scored in report.submissions if scored.valid]
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
        of = f"{many} of {len(report.lists):,} {units} ({counts})"
        yield f"{', '.join(names)} {are} undefined for {of}."


def _without_a_value(report: Report, baselines: bool) -> Iterator[str]:
    """Yield which submissions, or which baselines, have no value of a measure."""
    lenient = report.definition.undefined in ("skip", "worst")
    for measure in report.measures:
        without = [
            scored.name
            for scored in report.submissions
            if scored.valid
            and scored.baseline is baselines
            and math.isnan(scored.values[measure.id].mean)
        ]
        if without:
            metric = measure.metric
            says = f"; `score metrics {metric.name}` says when" if metric.in_catalogue else ""
            if lenient and measure.of_lists:
                says += "; a submission has to have one for each list that the truth has one for"
            yield f"{printable(measure.id)} has no value for {join_first(without)}{says}."


def _missing(report: Report) -> Iterator[str]:
    """Yield how many lists have no answer, and what these count."""
    missing = {
        scored.name: scored.values[report.primary.id].missing
        for scored in report.submissions
        if scored.valid and scored.values[report.primary.id].missing
    }
    if not missing:
        return
    skip = report.definition.submission.missing_list == "skip"
    counts = "left out" if skip else "scored as empty"
    first = ", ".join(
        f"{printable(name, 60)} {count:,}" for name, count in list(missing.items())[:5]
    )
    more = f" and {len(missing) - 5:,} more submissions" if len(missing) > 5 else ""
    units = unit(report.called, len(report.lists)).capitalize()
    yield f"{units} without an answer, of {len(report.lists):,} ({counts}): {first}{more}."
