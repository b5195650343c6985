"""The remarks of `score lint`: on a challenge's truth, its rules, and the values of its probes."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

import numpy as np

from scorer.api.attacks import find_gains
from scorer.api.probes import Probes
from scorer.api.ranked_probes import JUST_ABOVE_ZERO, cutoffs
from scorer.challenge.model import KEY
from scorer.checks.ids import describe_difference, fold_id
from scorer.core.problems import Severity
from scorer.core.text import format_distinct, join_first, printable, quoted, unit
from scorer.kinds.ranking import Grades
from scorer.metrics.notation import Measure
from scorer.metrics.registry import ignored_entry_points
from scorer.reading.numbers import parse_number
from scorer.reading.read import header_words
from scorer.results.lint import ROUNDING, Chance, Remark
from scorer.scoring.fingerprint import has_key
from scorer.scoring.kaggle import failing_examples
from scorer.scoring.open import OpenChallenge
from scorer.views.diverse import Diverse
from scorer.views.recommendations import Returned, Scored
from scorer.views.texts import Texts

NUMBER_ID = re.compile(r"0*([0-9]+?)(?:\.0+)?")  # a number, less zeros that do not change it
SHOWN_PAIRS = 3  # ids that look alike, in one remark


class ProbeValues(NamedTuple):
    """The values of probes; each mapping is by a measure's id.

    Attributes:
        draws: How many random submissions there were.
        means: Of each probe, by its name; None of one that the checks refuse.
        chance: Of random submissions.
        chance_of_ties: Of tied submissions whose items have other names.
    """

    draws: int
    means: Mapping[str, Mapping[str, float | None]]
    chance: Mapping[str, Chance]
    chance_of_ties: Mapping[str, Chance]


def remarks_on_probes(
    ready: OpenChallenge, probes: Probes, values: ProbeValues
) -> Iterator[Remark]:
    """Yield what the values of the probes say of the measures."""
    for measure in ready.measures:
        if _has_ceiling(measure):
            yield from _measure_faults(ready, measure, values)
    yield from _ceilings(ready.measures, values)
    primary = next(measure.id for measure in ready.measures if measure.primary)
    largest = sorted(find_gains(ready, probes), key=lambda gain: -abs(gain.attacked - gain.honest))
    for gain in {gain.measure: gain for gain in reversed(largest)}.values():
        yield Remark("warning" if gain.measure == primary else "note", gain.message)


def remarks_on_challenge(ready: OpenChallenge) -> Iterator[Remark]:
    """Yield what the truth, the public files and the rules say without any submission."""
    if isinstance(ready.truth, Grades):
        yield from _lists_without_pairs(ready, ready.truth)
        yield from _irrelevant_lists(ready, ready.truth)
        yield from _ties_at_cutoffs(ready, ready.truth)
        yield from _revealing_items(ready, ready.truth)
        yield from _rules_of_items(ready)
    yield from _lookalikes(ready)
    yield from _public_answers(ready)
    yield from _classes_by_alphabet(ready)
    yield from _rules(ready)
    for spec in ready.bound.challenge.metrics:
        if spec.kaggle is not None:
            for failure in failing_examples(spec.kaggle):
                yield Remark("error", f"{spec.kaggle.name}: {failure}")


def _has_ceiling(measure: Measure) -> bool:
    """Return whether some submission is perfect by a measure; not by one of diversity or counts."""
    return measure.metric.view is not Returned and measure.metric.aggregate != "sum"


def _may_have_better(measure: Measure) -> bool:
    """Return whether better submissions may exist than those taken for perfect.

    The order of best diversity is the greedy one, since the best takes too long to find.
    """
    return any(
        not part.metric.own
        or part.metric.truth_order is not None
        or part.metric.view in (Scored, Diverse)
        for part in measure.all_parts
    )


def _measure_faults(
    ready: OpenChallenge, measure: Measure, values: ProbeValues
) -> Iterator[Remark]:
    """Yield why a measure cannot rank submissions as it should."""
    name = measure.id
    is_up = measure.metric.better == "higher"
    means = values.means[name]
    chance = values.chance[name]
    severity: Severity = "error" if measure.primary else "warning"
    perfect = means["perfect"]
    assert perfect is not None
    if math.isnan(perfect):
        floor = "under a logarithm or a divisor write a least value: log(max(mae, 0.000000001))"
        why = f"; it would rank last; {floor}" if measure.parts else ""
        yield Remark(severity, f"{name} has no value even for a perfect submission{why}")
        return
    defined = [mean for mean in means.values() if mean is not None and not math.isnan(mean)]
    if not math.isnan(chance.mean):
        defined += [chance.low, chance.high]
    if len(defined) > 1 and max(defined) - min(defined) <= 4 * ROUNDING:
        yield _constant_measure(ready, measure, perfect, severity)
        return
    for probe, mean in [*means.items(), ("random", chance.mean)]:
        if mean is not None and (mean - perfect if is_up else perfect - mean) > ROUNDING:
            better, best = format_distinct(mean, perfect)
            message = f"{name}: {probe} ({better}) is better than perfect ({best})"
            message += "; is the truth, or the metric's direction, inverted?"
            yield Remark(severity, message)
    tied = means.get("tied")
    others = values.chance_of_ties[name]
    if tied is not None and (tied < others.low or tied > others.high):
        message = f"{name}: a submission of equal scores has {tied:.4g}, and {others.low:.4g} to "
        message += f"{others.high:.4g} in 99 % of cases where the items' ids are shuffled: the rule"
        message += f" for ties ({ready.bound.challenge.submission.ties}) decides the board"
        yield Remark("warning", message)
    empty = means.get("empty")
    if empty is not None and (empty > chance.high if is_up else empty < chance.low):
        of_empty, of_chance = format_distinct(empty, chance.mean, digits=4)
        message = f"{name}: an empty submission has {of_empty}, better than random ones"
        yield Remark("warning", f"{message} ({of_chance})")


def _constant_measure(
    ready: OpenChallenge, measure: Measure, value: float, severity: Severity
) -> Remark:
    """Return the remark on a measure that is the same for every probe."""
    message = f"{measure.id} is {value:.6g} for every submission, so it distinguishes none"
    public = ready.public
    if not measure.metric.own and measure.metric.view is Texts:
        message += "; those tried have the truth's texts: where answers are written otherwise, "
        message += "an example of such a submission shows what it gives"
        return Remark("warning", message)
    if ready.bound.kind.name == "grades" and public.items is None and public.candidates is None:
        message += "; those tried have the items that the truth names, and a file of items "
        message += "would say which others there are"
        return Remark("warning", message)
    return Remark(severity, message)


def _ceilings(measures: Iterable[Measure], values: ProbeValues) -> Iterator[Remark]:
    """Yield the measures whose range no submission uses up."""
    ceilings = []
    for measure in filter(_has_ceiling, measures):
        bound = measure.range[measure.metric.better == "higher"]
        perfect = values.means[measure.id]["perfect"]
        if bound is not None and perfect is not None and abs(perfect - bound) > ROUNDING:
            best, end = format_distinct(perfect, bound)
            least = "at least " if measure.metric.better == "higher" else "at most "
            word = least if _may_have_better(measure) else ""
            ceilings.append(f"{measure.id} {word}{best} instead of {end}")
    if ceilings:
        yield Remark("note", f"the best that is possible here: {', '.join(ceilings)}")


def _lists_without_pairs(ready: OpenChallenge, answers: Grades) -> Iterator[Remark]:
    """Yield the measures of orders that have no value for any list, since none has two items."""
    if int(np.bincount(answers.truth.in_list).max(initial=0)) != 1:
        return
    word = ready.public.word("list")
    for measure in ready.measures:
        if measure.metric.truth_order:
            message = f"{measure.id} has no value for any {word}: it needs 2 judged items in a "
            yield Remark("warning", f"{message}{word}, and none has more than 1")


def _irrelevant_lists(ready: OpenChallenge, answers: Grades) -> Iterator[Remark]:
    """Yield how many lists have no relevant item."""
    truth = answers.truth
    count = len(answers.lists)
    rels = {m.params["rel"] for m in ready.measures if m.params.get("rel") is not None}
    for rel in sorted(rels or {JUST_ABOVE_ZERO}):
        has = np.bincount(truth.in_list[truth.grade >= rel], minlength=count) > 0
        if names := [truth.lists[n] for n in np.flatnonzero(~has).tolist()]:
            grade = f"grade {rel:g} or more" if rels else "a grade above 0"
            message = f"{len(names):,} of {count:,} {unit(ready.public.called)} have no relevant "
            message += f"item ({grade}): {join_first(names)}; measures undefined for them: "
            yield Remark("warning", message + (ready.bound.challenge.undefined or "zero"))


def _ties_at_cutoffs(ready: OpenChallenge, answers: Grades) -> Iterator[Remark]:
    """Yield how many lists have equal grades just above and just below a cut-off."""
    ideal = answers.truth.ideal
    count = len(answers.lists)
    for k in sorted({k for measure in ready.measures for k in cutoffs(measure)}):
        grades = np.full((2, count), np.nan)
        for n, rank in enumerate((k, k + 1)):
            at = (ideal.rank == rank) & (ideal.grade > 0)
            grades[n, ideal.in_list[at]] = ideal.grade[at]
        if tied := int((grades[0] == grades[1]).sum()):
            message = f"{tied:,} of {count:,} {unit(ready.public.called)} have equal grades on both"
            message += f" sides of rank {k:,}: which of these items is returned does not matter"
            yield Remark("note", message)


def _revealing_items(ready: OpenChallenge, answers: Grades) -> Iterator[Remark]:
    """Yield a warning if the public items alone reveal which items are relevant, or judged."""
    public = ready.public
    truth = answers.truth
    if public.candidates is not None:
        relevant: dict[str, set[str]] = {name: set() for name in truth.lists}
        good = truth.grade > 0
        for n, item in zip(truth.in_list[good].tolist(), truth.items.filter(good), strict=True):
            relevant[truth.lists[n]].add(item)
        candidates = public.candidates
        bare = sum(
            bool(items) and items == {*candidates.get(name, ())} for name, items in relevant.items()
        )
        if 2 * bare > len(truth.lists):
            message = f"items: {bare:,} of {len(truth.lists):,} {unit(public.called)} have no "
            message += "other candidates than their relevant items, which are the answers"
            yield Remark("warning", message)
    elif public.items is not None and public.items.keys() == set(truth.named):
        message = "items: the catalogue holds just the items that the truth names"
        yield Remark("warning", f"{message}, which reveals which are judged")


def _rules_of_items(ready: OpenChallenge) -> Iterator[Remark]:
    """Yield what the rules leave open about the items of ranked lists."""
    challenge = ready.bound.challenge
    if challenge.items is None and not (
        challenge.truth.has_texts or challenge.submission.has_texts
    ):
        message = (
            "no public file of items: checks cannot detect unknown item ids (2.0 instead of 2)"
        )
        yield Remark("note", message)
    orders = [m.id for m in ready.measures if any(p.metric.truth_order for p in m.all_parts)]
    if orders and not ready.public.complete:
        message = f"{join_first(orders)} compares the items that a list ranks, so that leaving out "
        message += "those it is unsure of can gain: items with a column list says which it has to "
        yield Remark("warning", f"{message}rank")


def _lookalikes(ready: OpenChallenge) -> Iterator[Remark]:
    """Yield the ids and classes of the truth that a reader, or a tool, takes for one another."""
    truth = ready.truth
    challenge = ready.bound.challenge
    assert truth is not None
    ids: dict[str, Iterable[str]] = {ready.public.word("list"): truth.lists}
    are_texts = Texts in ready.views or challenge.truth.has_texts or challenge.submission.has_texts
    if isinstance(truth, Grades) and not are_texts:
        ids[ready.public.word("item")] = truth.truth.named
    ids["class"] = truth.constants.classes
    for word, names in ids.items():
        firsts = dict[str, str]()
        pairs = []
        for name in names:
            folded = fold_id(name)
            number = NUMBER_ID.fullmatch(folded)
            first = firsts.setdefault(number[1] if number else folded, name)
            if first != name:
                pairs.append((name, first))
        if pairs:
            alike = [_describe_pair(*pair) for pair in pairs[:SHOWN_PAIRS]]
            more = f" and {len(pairs) - SHOWN_PAIRS:,} more" if len(pairs) > SHOWN_PAIRS else ""
            message = f"truth: {word} {', '.join(alike)}{more}; are these different ones? "
            yield Remark("warning", f"{message}a submission that confuses them loses")


def _describe_pair(name: str, other: str) -> str:
    """Return an id, and by what alone it differs from one that looks alike."""
    if fold_id(name) == fold_id(other):
        return f"{quoted(name)} {describe_difference(name, other)}"
    by = "by leading zeros" if "." not in name + other else "as a number is written"
    return f"{quoted(name)} differs from {quoted(other)} only {by}"


def _public_answers(ready: OpenChallenge) -> Iterator[Remark]:
    """Yield public files that seem to hold answers, or groups that the truth might hold alone."""
    challenge = ready.bound.challenge
    public = ready.public
    if challenge.truthless:
        return
    is_named = challenge.lists is not None and not challenge.has_parts
    if public.groups and is_named and "group" not in challenge.truth.columns:
        word = public.called.get("group", "group")
        message = f"participants see which {word} each of the {public.lists_called} is in; "
        message += f"if only the answers say it, truth: {{columns: {{group: {word}}}}} keeps it "
        yield Remark("warning", f"{message}private")
    for key in ("lists", "items"):
        source = getattr(challenge, key)
        if source is None:
            continue
        words = header_words(source.file, source.format, challenge.layout(source))
        answers = {challenge.truth.columns.get(role, role) for role in ("grade", "rating")}
        for name in sorted(words & answers - {*source.columns.values()}):
            message = f"{key}: the public file has a column {quoted(name)}, as the truth has"
            yield Remark("warning", f"{message}; are these answers? (the kit leaves it out)")


def _classes_by_alphabet(ready: OpenChallenge) -> Iterator[Remark]:
    """Yield measures for which classes have an order that nobody says, and are no numbers."""
    submission = ready.bound.challenge.submission
    if submission.classes or submission.probability:
        return
    for part in (part for measure in ready.measures for part in measure.all_parts):
        is_weighted = part.metric.name == "Kappa" and part.params["weights"] != "none"
        if is_weighted and any(parse_number(name).code for name in part.classes):
            order = join_first(part.classes, 8)
            message = f"{printable(part.name)} takes the classes in the order of the alphabet: "
            message += f"{order}; write submission: {{classes: [..]}} in their own order"
            yield Remark("warning", message)


def _rules(ready: OpenChallenge) -> Iterator[Remark]:
    """Yield what else the rules of any challenge allow, or lack."""
    challenge = ready.bound.challenge
    if challenge.submission.missing_list == "skip":
        word = unit(ready.public.called)
        message = f"missing_list: skip lets a submission choose the {word} it is scored on"
        yield Remark("warning", message)
    for metric, origin in ready.bound.metrics.replaced:
        message = f"{metric.name} is the one of {printable(origin)}, in place of scorer's own"
        yield Remark("note", f"{message}; another name would tell them apart")
    for point in ignored_entry_points():
        name = f"{printable(point.name)} ({printable(point.value)})"
        message = f"the installed plugin {name} of {printable(point.group)} is ignored"
        yield Remark("note", f"{message}: installed projects add metrics alone")
    if not challenge.examples:
        message = "no examples: a submission with known values (examples: in challenge.yaml)"
        yield Remark("note", f"{message} would detect changed numbers")
    if not (challenge.truthless or has_key(challenge)):
        message = f"no {KEY} beside the challenge: the fingerprint lets a guess of the truth be"
        yield Remark("note", f"{message} verified, if slowly (make one: openssl rand -hex 32)")
