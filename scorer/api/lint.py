"""Whether a challenge is sound, by its examples and by submissions made from its truth."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path

import numpy as np

from scorer.api.attacks import gains
from scorer.api.power import detectable_of, known_files
from scorer.api.probes import probes, unanswerable, values_of_table
from scorer.api.probes_of_grades import cutoffs
from scorer.api.submissions import (
    SubmissionFile,
    list_baselines,
    scored_files,
    terms_of,
    to_challenge,
    with_lists_of,
)
from scorer.api.text import Renderable
from scorer.challenge.model import KEY, Challenge, Example
from scorer.challenge.submission import layout_of
from scorer.core.errors import ChallengeError, PluginError
from scorer.core.problems import SHOWN_PLACES, Problem, Severity
from scorer.core.text import format_distinct, join_first, printable, quoted, unit
from scorer.kinds.ranking import Grades
from scorer.metrics.notation import Measure, find_measure
from scorer.metrics.registry import ignored_entry_points
from scorer.reading.numbers import parse_number
from scorer.reading.read import header_words
from scorer.reading.table import make_table
from scorer.results import soundness
from scorer.results.grading import scale_of
from scorer.results.json import ChallengeIdentity
from scorer.results.report import Scored, Value
from scorer.results.soundness import SAME, Chance, ProbedMeasure, RandomSubmissions, Remark
from scorer.scoring.bind import bind
from scorer.scoring.fingerprint import has_key
from scorer.scoring.open import OpenChallenge, open_challenge
from scorer.scoring.splits import assign_splits
from scorer.views.recommendations import Returned
from scorer.views.texts import Texts
from scorer.views.values import CSV

FEWEST, MOST, ROWS = 10, 100, 2_000_000  # random draws, and rows of all of them together


@dataclass(frozen=True, repr=False, eq=False)
class Lint(Renderable, soundness.Lint):
    """All that is known of a challenge; for organizers."""

    subject, plain = "soundness", "text"

    def __repr__(self) -> str:
        state = "sound" if self.sound else "not sound"
        return f"<Lint of {printable(self.challenge.id, 40)}: {state}>"


def lint(challenge: Challenge | Path | str, *, allow_plugins: bool = False) -> Lint:
    """Test a challenge with its examples and with submissions made from its truth.

    Args:
        challenge: a loaded challenge, or the path of its challenge.yaml or folder.
        allow_plugins: whether the challenge's own metrics may be run.

    Raises:
        ChallengeError: it cannot be used at all.
        PluginError: a metric failed.
    """
    challenge = to_challenge(challenge)
    prepared = bind(challenge, allow_plugins)
    ready = _answerable(open_challenge(with_lists_of(prepared, known_files(prepared))))
    if challenge.splits is not None:  # a file of splits is read nowhere else here
        assert ready.truth is not None
        assign_splits(challenge, ready.truth.lists, ready.public.groups)
    examples, others = _examples(ready)
    rejected, accepted = _baselines(ready)
    rejected += _grading_faults(challenge, ready.measures, accepted)
    assert ready.truth is not None
    if ready.bound.kind.name == "frames" or challenge.truthless:
        return _without_probes(ready, examples, [*others, *accepted], rejected)
    probe_set = probes(ready)
    perfect = [values_of_table(ready, table) for table in probe_set.perfect()]
    other = {name: values_of_table(ready, table) for name, table in probe_set.others().items()}
    rng = np.random.default_rng(challenge.leaderboard.seed)
    draws = min(MOST, max(FEWEST, ROWS // max(probe_set.rows, 1)))
    random = [values_of_table(ready, probe_set.random(rng)) for _ in range(draws)]
    tied = (
        [values_of_table(ready, probe_set.tied(rng)) for _ in range(draws)]
        if "tied" in other
        else random
    )
    refused = challenge.submission.missing_list in (None, "error")
    means: dict[str, dict[str, float | None]] = {}
    for m in ready.measures:
        means[m.id] = {"perfect": _best_possible(m, [by_measure[m.id] for by_measure in perfect])}
        for name, by_measure in other.items():
            means[m.id][name] = None if name == "empty" and refused else by_measure[m.id].mean
    chance = {
        m.id: Chance.of([by_measure[m.id].mean for by_measure in random]) for m in ready.measures
    }
    remarks, items = list(rejected), (ready.public.items, ready.public.candidates)
    known = ready.bound.kind.name != "grades" or items != (None, None)
    for m in ready.measures:
        alike = Chance.of([by_measure[m.id].mean for by_measure in tied])
        rule = challenge.submission.ties
        remarks += _measured(m, means[m.id], chance[m.id], alike, rule, known)
    remarks += [*_ceilings(ready.measures, means), *_without_items(ready)]
    remarks += [*_truth(ready), *_rules(ready)]
    remarks += [
        *_public_groups(ready),
        *_published(challenge),
        *_revealing(ready),
        *_gaining(ready),
        *_doctests(ready),
    ]
    drawn = RandomSubmissions(draws, challenge.leaderboard.seed, probe_set.drawn)
    probed = [ProbedMeasure.of(m, means[m.id], chance[m.id]) for m in ready.measures]
    judged = probe_set.truth.in_list.size
    return _result(ready, judged, drawn, probed, [*others, *accepted], examples, remarks)


def _result(
    ready: OpenChallenge,
    judged: int,
    random: RandomSubmissions,
    measures: Sequence[ProbedMeasure],
    known: Sequence[Scored],
    examples: Sequence[Remark],
    remarks: Sequence[Remark],
) -> Lint:
    """Return what was found; `known` are submissions that show what the lists can detect."""
    assert ready.truth is not None
    challenge = ready.bound.challenge
    return Lint(
        challenge=ChallengeIdentity.of(challenge, terms_of(ready).fingerprint),
        sound=not any(remark.severity == "error" for remark in (*examples, *remarks)),
        kind=ready.bound.kind.name,
        lists=len(ready.truth.lists),
        judged=judged,
        random=random,
        measures=measures,
        detectable=detectable_of(ready, known),
        examples=examples,
        tested=len(challenge.examples),
        problems=ready.warnings,
        remarks=remarks,
        called=ready.public.called,
    )


def _without_items(ready: OpenChallenge) -> Iterator[Remark]:
    """The measures without a value for any list, since no list has items enough."""
    if not isinstance(ready.truth, Grades):
        return
    longest = int(np.bincount(ready.truth.truth.in_list).max(initial=0))
    for measure in ready.measures:
        if measure.metric.truth_order and longest == 1:
            word = ready.public.word("list")
            message = (
                f"{measure.id} has no value for any {word}: it needs 2 judged items in a {word}, "
                "and none has more than 1"
            )
            yield Remark("warning", message)


def _public_groups(ready: OpenChallenge) -> Iterator[Remark]:
    """That the groups of the lists are public, where participants get them with the lists."""
    challenge = ready.bound.challenge
    named = challenge.lists is not None and not challenge.parted
    if ready.public.groups and named and "group" not in challenge.truth.columns:
        word = ready.public.called.get("group", "group")
        message = (
            f"participants see which {word} each of the {ready.public.lists_called} is in; "
            f"if only the answers say it, truth: {{columns: {{group: {word}}}}} keeps it private"
        )
        yield Remark("warning", message)


def _without_probes(
    ready: OpenChallenge,
    examples: Sequence[Remark],
    known: Sequence[Scored],
    rejected: Sequence[Remark],
) -> Lint:
    """Of kinds of which no submission is made: the examples, and of data frames the truth."""
    assert ready.truth is not None
    challenge, lists = ready.bound.challenge, ready.truth.lists
    table = make_table({"list": list(lists)}, ready.plan.shapes[0])
    table = replace(table, facts={CSV: ready.solution})
    remarks, means = list(rejected), dict[str, Mapping[str, float | None]]()
    means = {m.id: {} if challenge.truthless else {"perfect": math.nan} for m in ready.measures}
    try:
        if not challenge.truthless:
            means |= {
                key: {"perfect": each.mean} for key, each in values_of_table(ready, table).items()
            }
    except PluginError as error:
        remarks.append(Remark("note", f"the truth, taken for a submission, has no value: {error}"))
    remarks += [*_doctests(ready), *_rules(ready)]
    drawn = RandomSubmissions(0, challenge.leaderboard.seed, "from what, nobody declares")
    probed = [ProbedMeasure.of(m, means[m.id], Chance.of([])) for m in ready.measures]
    return _result(ready, len(lists), drawn, probed, known, examples, remarks)


def _doctests(ready: OpenChallenge) -> Iterator[Remark]:
    """The examples of Kaggle's metrics that fail."""
    for spec in ready.bound.challenge.metrics:
        if spec.kaggle is not None:
            from scorer.scoring.kaggle import failing_examples

            for told in failing_examples(spec.kaggle):
                yield Remark("error", f"{spec.kaggle.name}: {told}")


def _answerable(ready: OpenChallenge) -> OpenChallenge:
    """Return the challenge, if a submission can have a value for each of its lists.

    Raises:
        ChallengeError: no submission can for some list, and the challenge allows no such list.
    """
    if problems := tuple(unanswerable(ready)):
        raise ChallengeError(problems=problems)
    return ready


def _examples(ready: OpenChallenge) -> tuple[list[Remark], list[Scored]]:
    """Remarks on the golden cases, and the cases scored on the challenge's own truth."""
    remarks, rows, prepared = [], [], ready.bound
    challenge = prepared.challenge
    for n, example in enumerate(challenge.examples):
        where = f"examples[{n}] ({printable(example.submission.name)})"
        against = ready
        if example.truth is not None:
            other = prepared._replace(challenge=challenge.with_truth(example.truth))
            against = _answerable(open_challenge(other))
        (scored,) = scored_files(against, [SubmissionFile("", example.submission)], None)
        remarks += [
            Remark(
                problem.severity, f"examples[{n}]: {_in_its_folder(problem, example.submission)}"
            )
            for problem in islice(scored.findings, SHOWN_PLACES)
        ]
        remarks += [
            Remark("note" if good else "error", f"{where}: {message}")
            for good, message in _expected(example, against.measures, scored.values)
        ]
        if example.truth is None and scored.valid:
            rows.append(scored)
    return remarks, rows


def _expected(
    example: Example, measures: Sequence[Measure], by_measure: Mapping[str, Value]
) -> Iterator[tuple[bool, str]]:
    """Whether each value is what it should be, and in words."""
    for name, expected in example.expect.items():
        measure = find_measure(measures, name)
        if measure is None or measure.id not in by_measure:
            hint = f" (measures: {', '.join(by_measure)})" if by_measure else ""
            yield False, f"{name}: no such value{hint}"
            continue
        got = by_measure[measure.id].mean
        close = math.isclose(got, expected, rel_tol=0, abs_tol=example.tolerance)
        state = "holds" if close else f"FAILS: expected {expected!r}"
        yield close, f"{name} = {got!r} {state}"


def _baselines(ready: OpenChallenge) -> tuple[list[Remark], list[Scored]]:
    """The baselines that are rejected, and the others."""
    remarks, rows = [], []
    for scored in scored_files(ready, list_baselines(ready.bound), None):
        if scored.valid:
            rows.append(scored)
        else:
            first = next(p for p in scored.findings if p.severity == "error")
            why = _in_its_folder(first, Path(scored.path))
            remarks.append(Remark("error", f"baseline {printable(scored.name)} is rejected: {why}"))
    return remarks, rows


def _grading_faults(
    challenge: Challenge, measures: Sequence[Measure], accepted: Sequence[Scored]
) -> list[Remark]:
    """Why no points could be given."""
    if challenge.grading is None:
        return []
    try:
        scale_of(challenge, measures, accepted)
    except ChallengeError as error:
        return [Remark("error", str(error))]
    return []


def _in_its_folder(problem: Problem, path: Path) -> Problem:
    return replace(problem, path=path.name)


def _best_possible(measure: Measure, perfect: Sequence[Value]) -> float:
    """The best possible value, made from the best of each list."""
    sign = 1.0 if measure.metric.better == "higher" else -1.0
    tables = [value.per_list for value in perfect if value.plain and value.per_list is not None]
    if len(tables) == len(perfect) and perfect[0].folds is None:
        best_of_lists = np.fmax.reduce([sign * table for table in tables])
        defined = best_of_lists[~np.isnan(best_of_lists)]
        total = sign * float(defined.sum()) + 0.0 if defined.size else math.nan  # never -0
        return total if measure.metric.aggregate == "sum" else total / max(defined.size, 1)
    means = [sign * value.mean for value in perfect if not math.isnan(value.mean)]
    return sign * max(means, default=math.nan)


def _measured(
    measure: Measure,
    means: Mapping[str, float | None],
    chance: Chance,
    alike: Chance,
    ties: str,
    known: bool,
) -> Iterator[Remark]:
    """Remarks on a measure, from the values of the probes."""
    if measure.metric.view is Returned or measure.metric.aggregate == "sum":
        return
    name, up = measure.id, measure.metric.better == "higher"
    grave: Severity = "error" if measure.primary else "warning"
    perfect = means["perfect"]
    assert perfect is not None
    if math.isnan(perfect):
        floor = "under a logarithm or a divisor write a least value: log(max(mae, 0.000000001))"
        why = f"; it would rank last; {floor}" if measure.parts else ""
        yield Remark(grave, f"{name} has no value even for a perfect submission{why}")
        return
    defined = [mean for mean in means.values() if mean is not None and not math.isnan(mean)]
    spread = [*defined, *(() if math.isnan(chance.mean) else (chance.low, chance.high))]
    if len(spread) > 1 and max(spread) - min(spread) <= 4 * SAME:
        message = f"{name} is {perfect:.6g} for every submission, so it distinguishes none"
        if not measure.metric.own and measure.metric.view is Texts:
            message += "; those tried have the truth's texts: where answers are written otherwise, "
            grave = "warning"
            message += "`examples:` of such a submission show what it gives"
        elif not known:
            message += "; those tried have the items that the truth names, and `items` would say "
            grave = "warning"
            message += "which others there are"
        yield Remark(grave, message)
        return
    for other, mean in [*means.items(), ("random", chance.mean)]:
        if mean is not None and (mean - perfect if up else perfect - mean) > SAME:
            better, best = format_distinct(mean, perfect)
            message = f"{name}: {other} ({better}) is better than perfect ({best})"
            yield Remark(grave, f"{message}; is the truth, or the metric's direction, inverted?")
    tied, empty = means.get("tied"), means.get("empty")
    if tied is not None and (tied < alike.low or tied > alike.high):
        message = f"{name}: a submission of equal scores has {tied:.4g}, and {alike.low:.4g} to "
        message += f"{alike.high:.4g} in 99 % of cases where the items' ids are shuffled"
        yield Remark("warning", f"{message}: the rule for ties ({ties}) decides the board")
    if empty is not None and (empty > chance.high if up else empty < chance.low):
        of_empty, of_chance = format_distinct(empty, chance.mean, digits=4)
        message = f"{name}: an empty submission has {of_empty}, better than random ones"
        yield Remark("warning", f"{message} ({of_chance})")


def _ceilings(
    measures: Sequence[Measure], means: Mapping[str, Mapping[str, float | None]]
) -> Iterator[Remark]:
    """The measures whose range no known submission uses up."""
    lines = []
    for m in measures:
        bound, perfect = m.range[m.metric.better == "higher"], means[m.id]["perfect"]
        about = m.metric.view is not Returned and m.metric.aggregate != "sum"
        if about and bound is not None and perfect is not None and abs(perfect - bound) > SAME:
            lines.append(f"{m.id} {' instead of '.join(format_distinct(perfect, bound))}")
    if lines:
        yield Remark("note", f"the best that is possible here: {', '.join(lines)}")


def _truth(ready: OpenChallenge) -> Iterator[Remark]:
    """Remarks on a truth of grades."""
    if not isinstance(ready.truth, Grades):
        return
    truth = ready.truth.truth
    lists, word = len(truth.lists), unit(ready.public.called)
    rels = {m.params["rel"] for m in ready.measures if m.params.get("rel") is not None}
    for rel in sorted(rels or {np.nextafter(0, 1)}):
        has = np.bincount(truth.in_list[truth.grade >= rel], minlength=lists) > 0
        if none := [truth.lists[n] for n in np.flatnonzero(~has).tolist()]:
            grade = f"grade {rel:g} or more" if rels else "a grade above 0"
            rule = ready.bound.challenge.undefined or "zero"
            message = (
                f"{len(none):,} of {lists:,} {word} have no relevant item ({grade}): "
                f"{join_first(none)}; measures undefined for them: {rule}"
            )
            yield Remark("warning", message)
    ideal = truth.ideal
    for k in sorted({k for m in ready.measures for k in cutoffs(m)}):
        last, after = ((ideal.rank == at) & (ideal.grade > 0) for at in (k, k + 1))
        grades = np.full((2, lists), np.nan)
        grades[0, ideal.in_list[last]] = ideal.grade[last]
        grades[1, ideal.in_list[after]] = ideal.grade[after]
        if tied := int((grades[0] == grades[1]).sum()):
            message = f"{tied:,} of {lists:,} {word} have equal grades on both sides of rank {k:,}"
            yield Remark("note", f"{message}: which of these items is returned does not matter")


def _published(challenge: Challenge) -> Iterator[Remark]:
    """Public files with a column that the truth calls its answers."""
    for key in ("lists", "items"):
        source = getattr(challenge, key)
        if source is None:
            continue
        words = header_words(source.file, source.format, layout_of(source))
        answers = {challenge.truth.columns.get(role, role) for role in ("grade", "rating")}
        for name in sorted(words & answers - {*source.columns.values()}):
            message = f"{key}: the public file has a column {quoted(name)}, as the truth has"
            yield Remark("warning", f"{message}; are these answers? (the kit leaves it out)")


def _revealing(ready: OpenChallenge) -> Iterator[Remark]:
    """Public items that say by their mere presence what is relevant, or judged."""
    public, answers = ready.public, ready.truth
    if not isinstance(answers, Grades):
        return
    truth = answers.truth
    if public.candidates is not None:
        relevant: dict[str, set[str]] = {name: set() for name in truth.lists}
        good = truth.grade > 0
        for n, item in zip(truth.in_list[good].tolist(), truth.items.filter(good), strict=True):
            relevant[truth.lists[n]].add(item)
        candidates = public.candidates
        bare = [name for name, of in relevant.items() if of and of == set(candidates.get(name, ()))]
        if 2 * len(bare) > len(truth.lists):
            many = f"{len(bare):,} of {len(truth.lists):,} {unit(public.called)}"
            message = f"items: {many} have no other candidates than their relevant items"
            yield Remark("warning", f"{message}, which are the answers")
    elif public.items is not None and public.items.keys() == set(truth.named):
        message = "items: the catalogue holds just the items that the truth names"
        yield Remark("warning", f"{message}, which reveals which are judged")


def _gaining(ready: OpenChallenge) -> Iterator[Remark]:
    """Attacks that rank above the submission they are made from; one of each measure."""
    primary = next(m.id for m in ready.measures if m.primary)
    told = set[str]()
    for gain in sorted(gains(ready), key=lambda gain: -abs(gain.attacked - gain.honest)):
        if gain.measure in told:
            continue
        told.add(gain.measure)
        yield Remark("warning" if gain.measure == primary else "note", gain.message)


def _classes_by_alphabet(ready: OpenChallenge) -> Iterator[Remark]:
    """Measures for which classes have an order, where nobody says it and they are no numbers."""
    submission = ready.bound.challenge.submission
    if submission.classes or submission.probability:
        return
    for measure in ready.measures:
        for part in measure.all_parts:
            is_weighted = part.metric.name == "Kappa" and part.params["weights"] != "none"
            if is_weighted and not all(not parse_number(name).code for name in part.classes):
                order = join_first(part.classes, 8)
                message = f"{printable(part.name)} takes the classes in the order of the alphabet: "
                message += f"{order}; write submission: {{classes: [..]}} in their own order"
                yield Remark("warning", message)


def _rules(ready: OpenChallenge) -> Iterator[Remark]:
    challenge = ready.bound.challenge
    ids = not (challenge.truth.texts or challenge.submission.texts)
    if challenge.items is None and isinstance(ready.truth, Grades) and ids:
        message = "no public `items`: checks cannot detect unknown item ids (2.0 instead of 2)"
        yield Remark("note", message)
    if challenge.submission.missing_list == "skip":
        word = unit(ready.public.called)
        message = f"missing_list: skip lets a submission choose the {word} it is scored on"
        yield Remark("warning", message)
    orders = [m.id for m in ready.measures if any(p.metric.truth_order for p in m.all_parts)]
    if orders and not ready.public.complete and isinstance(ready.truth, Grades):
        message = f"{join_first(orders)} compares the items that a list ranks, so that leaving out"
        message += (
            " those it is unsure of can gain: items with a column list says which it has to rank"
        )
        yield Remark("warning", message)
    yield from _classes_by_alphabet(ready)
    for metric, origin in ready.bound.metrics.replaced:
        message = f"{metric.name} is the one of {printable(origin)}, in place of scorer's own"
        yield Remark("note", f"{message}; another name would tell them apart")
    for point in ignored_entry_points():
        name = f"{printable(point.name)} ({printable(point.value)})"
        message = f"the installed plugin {name} of {printable(point.group)} is ignored"
        yield Remark("note", f"{message}: installed projects add metrics alone")
    if not challenge.examples:
        message = (
            "no examples: a case with known values in `examples:` would detect changed numbers"
        )
        yield Remark("note", message)
    if not (challenge.truthless or has_key(challenge)):
        message = f"no {KEY} beside the challenge: the fingerprint lets a guess of the truth be"
        yield Remark("note", f"{message} verified, if slowly (make one: openssl rand -hex 32)")
