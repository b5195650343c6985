"""Whether a challenge is sound, by its examples and by submissions made from its truth."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import numpy as np

from scorer.api.lint_remarks import ProbeValues, remarks_on_challenge, remarks_on_probes
from scorer.api.notebook import TableResult
from scorer.api.outcomes import scored_files, terms_of
from scorer.api.power import find_detectable
from scorer.api.probes import Probes, evaluate_probe, find_unanswerable_lists, make_probes
from scorer.api.submissions import (
    SubmissionFile,
    find_submitted_lists,
    list_baselines,
    to_challenge,
)
from scorer.challenge.model import Challenge, Example
from scorer.core.errors import ChallengeError, PluginError
from scorer.core.problems import Problem
from scorer.core.text import printable
from scorer.metrics.notation import Measure, find_measure
from scorer.reading.table import make_table
from scorer.results import lint as results
from scorer.results.grading import grading_scale
from scorer.results.json import ChallengeIdentity
from scorer.results.lint import Chance, Detectable, ProbedMeasure, RandomSubmissions, Remark
from scorer.results.report import Scored, Value
from scorer.scoring.bind import bind
from scorer.scoring.open import OpenChallenge, open_challenge
from scorer.scoring.splits import assign_splits
from scorer.views.values import CSV

MIN_DRAWS = 10  # random submissions, for their mean and deviation to mean something
MAX_DRAWS = 100
MAX_DIGITS = 17  # with which any two floats look different
MAX_DRAWN_ROWS = 2_000_000  # in all random submissions, unless MIN_DRAWS of them have more
SHOWN_PROBLEMS = 3  # of each example


class Lint(TableResult[results.Lint]):
    """Whether a challenge is sound, and what was found; for organizers.

    Attributes:
        sound: Whether nothing that was found is an error.
        remarks: What was found in the challenge.
        examples: What was found in its examples.
        problems: The warnings about its files.
        measures: The values of the submissions made from the truth, by each measure.
        random: How random submissions were drawn.
        detectable: The smallest differences that the lists could show.
    """

    _subject = "soundness"
    _default_form = "text"

    def __init__(self, result: results.Lint) -> None:
        super().__init__(result)
        self.sound: bool = result.sound
        self.remarks: Sequence[Remark] = result.remarks
        self.examples: Sequence[Remark] = result.examples
        self.problems: Sequence[Problem] = result.problems
        self.measures: Sequence[ProbedMeasure] = result.measures
        self.random: RandomSubmissions = result.random
        self.detectable: Detectable = result.detectable

    def __repr__(self) -> str:
        state = "sound" if self.sound else "not sound"
        return f"<Lint of {printable(self._result.challenge.id, 40)}: {state}>"


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
    bound = bind(challenge, allow_plugins)
    # Examples have no names, as none is shown. Those with a truth of their own have other lists.
    files = [
        SubmissionFile(name="", path=example.submission)
        for example in challenge.examples
        if example.truth is None
    ]
    submitted = find_submitted_lists(bound, [*files, *list_baselines(bound)])
    ready = open_challenge(bound, submitted=submitted)
    # Even without a file of answers, the truth says which lists there are.
    assert ready.truth is not None
    probes = make_probes(ready)
    refuse_unanswerable(ready, probes)
    if challenge.splits is not None:  # only for its errors: lint does not need the splits
        assign_splits(challenge, ready.truth.lists, ready.public.groups)
    examples = _score_examples(ready)
    baselines = _score_baselines(ready)
    remarks = [*baselines.remarks, *_remarks_on_grading(ready, baselines.comparable)]
    if probes is None:
        values, truth_remarks = _evaluate_truth(ready, ready.truth.lists)
        remarks += truth_remarks
    else:
        values = _evaluate_probes(ready, probes)
        remarks += remarks_on_probes(ready, probes, values)
    remarks += remarks_on_challenge(ready)
    source = probes.source if probes else "nothing: none are made of this kind of challenge"
    comparable = [*examples.comparable, *baselines.comparable]
    return Lint(
        results.Lint(
            challenge=ChallengeIdentity.of(challenge, terms_of(ready).fingerprint),
            sound=all(remark.severity != "error" for remark in (*examples.remarks, *remarks)),
            kind=ready.bound.kind.name,
            lists=len(ready.truth.lists),
            judged=len(ready.truth.lists) if probes is None else probes.judged,
            random=RandomSubmissions(values.draws, challenge.leaderboard.seed, source),
            measures=[
                ProbedMeasure.of(measure, values.means[measure.id], values.chance[measure.id])
                for measure in ready.measures
            ],
            detectable=find_detectable(ready, comparable, probes),
            examples=examples.remarks,
            tested=len(challenge.examples),
            problems=ready.warnings,
            remarks=remarks,
            called=ready.public.called,
        )
    )


def refuse_unanswerable(ready: OpenChallenge, probes: Probes | None) -> None:
    """Refuse a challenge that requires a value of every list, if some list never has one.

    Raises:
        ChallengeError: The list has no value for any submission.
    """
    if problems := tuple(find_unanswerable_lists(ready, probes)):
        raise ChallengeError(problems=problems)


class ScoredFiles(NamedTuple):
    """The remarks on an organizer's own submissions, and those whose values can be compared.

    Attributes:
        comparable: Those that were not rejected, and scored against the challenge's own truth.
    """

    remarks: list[Remark]
    comparable: list[Scored]


def _score_examples(ready: OpenChallenge) -> ScoredFiles:
    """Score the examples.

    Those with a truth of their own are not `comparable`: their values are of other lists.
    """
    remarks = list[Remark]()
    comparable = list[Scored]()
    challenge = ready.bound.challenge
    for n, example in enumerate(challenge.examples):
        name = f"examples[{n}]"
        against = ready
        if example.truth is not None:
            other = challenge.with_truth(example.truth)
            against = open_challenge(ready.bound._replace(challenge=other))
            refuse_unanswerable(against, make_probes(against))
        file = SubmissionFile(name="", path=example.submission)
        (scored,) = scored_files(against, [file], progress=None)
        for problem in islice(scored.findings, SHOWN_PROBLEMS):
            message = f"{name}: {replace(problem, path=example.submission.name)}"
            remarks.append(Remark(problem.severity, message))
        where = f"{name} ({printable(example.submission.name)})"
        remarks += _compare_expected(where, example, against.measures, scored)
        if example.truth is None and scored.valid:
            comparable.append(scored)
    return ScoredFiles(remarks, comparable)


def _compare_expected(
    where: str, example: Example, measures: Sequence[Measure], scored: Scored
) -> Iterator[Remark]:
    """Yield a note on each value that is as the example expects, and an error on each other."""
    for name, expected in example.expect.items():
        measure = find_measure(measures, name)
        if not scored.valid:
            yield Remark("error", f"{where}: {name}: the example was rejected, so it has no values")
            continue
        if measure is None or measure.id not in scored.values:
            there = ", ".join(scored.values)
            yield Remark("error", f"{where}: {name}: no such value (measures: {there})")
            continue
        value = scored.values[measure.id].mean
        if math.isclose(value, expected, rel_tol=0, abs_tol=example.tolerance):
            yield Remark("note", f"{where}: {name} = {value:.6g} holds")
        else:
            digits = _distinguishing_digits(value, expected)
            message = f"{name} = {value:.{digits}g} FAILS: expected {expected:.{digits}g}"
            yield Remark("error", f"{where}: {message}")


def _distinguishing_digits(value: float, other: float) -> int:
    """Return the fewest digits, six at least, with which two numbers look different."""
    digits = range(6, MAX_DIGITS)
    return next((n for n in digits if f"{value:.{n}g}" != f"{other:.{n}g}"), MAX_DIGITS)


def _score_baselines(ready: OpenChallenge) -> ScoredFiles:
    """Score the baselines; those that are rejected have a remark."""
    remarks = list[Remark]()
    comparable = list[Scored]()
    for scored in scored_files(ready, list_baselines(ready.bound), progress=None):
        if scored.valid:
            comparable.append(scored)
            continue
        first = next(problem for problem in scored.findings if problem.severity == "error")
        why = replace(first, path=Path(scored.path).name)
        remarks.append(Remark("error", f"baseline {printable(scored.name)} is rejected: {why}"))
    return ScoredFiles(remarks, comparable)


def _remarks_on_grading(ready: OpenChallenge, baselines: Sequence[Scored]) -> Iterator[Remark]:
    """Yield an error if no points can be given by the challenge's grading."""
    challenge = ready.bound.challenge
    if challenge.grading is None:
        return
    try:
        grading_scale(challenge, ready.measures, baselines)
    except ChallengeError as error:
        yield Remark("error", str(error))


def _evaluate_probes(ready: OpenChallenge, probes: Probes) -> ProbeValues:
    """Return the values of all probes, with as many random submissions as there is room for."""
    challenge = ready.bound.challenge
    rng = np.random.default_rng(challenge.leaderboard.seed)
    draws = min(MAX_DRAWS, max(MIN_DRAWS, MAX_DRAWN_ROWS // max(probes.rows, 1)))
    perfect = [evaluate_probe(ready, table) for table in probes.perfect]
    others = {name: evaluate_probe(ready, table) for name, table in probes.others.items()}
    random_values = [evaluate_probe(ready, probes.random(rng)) for _ in range(draws)]
    tied_values = random_values  # names decide nothing
    if probes.tied is not None:
        tied_values = [evaluate_probe(ready, probes.tied(rng)) for _ in range(draws)]
    refuses_empty = challenge.submission.missing_list in (None, "error")
    means = dict[str, Mapping[str, float | None]]()
    chance = dict[str, Chance]()
    chance_of_ties = dict[str, Chance]()
    for measure in ready.measures:
        key = measure.id
        means_of_probes: dict[str, float | None] = {
            "perfect": _best_possible(measure, [values[key] for values in perfect]),
            **{name: values[key].mean for name, values in others.items()},
        }
        if refuses_empty:  # the checks reject it, so that its value, if it has one, says nothing
            means_of_probes["empty"] = None
        means[key] = means_of_probes
        chance[key] = Chance.of([values[key].mean for values in random_values])
        chance_of_ties[key] = Chance.of([values[key].mean for values in tied_values])
    return ProbeValues(draws=draws, means=means, chance=chance, chance_of_ties=chance_of_ties)


def _best_possible(measure: Measure, perfect: Sequence[Value]) -> float:
    """Return the best possible value of several perfect submissions; NaN if none has a value.

    The best value of each list may come from another perfect submission; where the whole is a mean
    or sum of lists, combine those, else take the best whole.
    """
    is_up = measure.metric.better == "higher"
    tables = [value.per_list for value in perfect if value.plain and value.per_list is not None]
    if len(tables) < len(perfect) or perfect[0].folds is not None:
        choose = max if is_up else min
        return choose(
            (value.mean for value in perfect if not math.isnan(value.mean)), default=math.nan
        )
    best_of_lists = (np.fmax if is_up else np.fmin).reduce(tables)
    defined = best_of_lists[~np.isnan(best_of_lists)]
    if not defined.size:
        return math.nan
    total = float(defined.sum()) + 0.0  # 0 and not -0
    return total if measure.metric.aggregate == "sum" else total / defined.size


class TruthValues(NamedTuple):
    """The values of the truth as a submission, and remarks on them."""

    values: ProbeValues
    remarks: list[Remark]


def _evaluate_truth(ready: OpenChallenge, lists: Sequence[str]) -> TruthValues:
    """Return the value of the truth as a submission, where nothing else can be made from it."""
    no_chance = dict.fromkeys((measure.id for measure in ready.measures), Chance.of([]))
    means: dict[str, Mapping[str, float | None]] = {key: {} for key in no_chance}
    remarks = list[Remark]()
    if not ready.bound.challenge.truthless:
        means = {key: {"perfect": math.nan} for key in no_chance}
        # Kaggle's metrics, which alone are of this kind, read the text of the whole file. All else
        # takes from the table only which lists are answered.
        table = make_table({"list": list(lists)}, ready.plan.shapes[0])
        try:
            values = evaluate_probe(ready, replace(table, facts={CSV: ready.plan.solution}))
            means = {key: {"perfect": value.mean} for key, value in values.items()}
        except PluginError as error:
            message = f"the truth, taken for a submission, has no value: {error}"
            remarks.append(Remark("note", message))
    return TruthValues(
        ProbeValues(draws=0, means=means, chance=no_chance, chance_of_ties=no_chance), remarks
    )
