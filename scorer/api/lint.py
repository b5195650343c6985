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
from scorer.api.power import find_detectable
from scorer.api.probes import Probes, evaluate_probe, find_unanswerable_lists, make_probes
from scorer.api.submissions import (
    SubmissionFile,
    find_submitted_lists,
    list_baselines,
    scored_files,
    terms_of,
    to_challenge,
)
from scorer.challenge.model import Challenge, Example
from scorer.core.errors import ChallengeError, PluginError
from scorer.core.problems import SHOWN_PLACES, Problem
from scorer.core.text import printable
from scorer.metrics.notation import Measure, find_measure
from scorer.reading.table import make_table
from scorer.results import soundness
from scorer.results.grading import scale_of
from scorer.results.json import ChallengeIdentity
from scorer.results.report import Scored, Value
from scorer.results.soundness import Chance, Detectable, ProbedMeasure, RandomSubmissions, Remark
from scorer.scoring.bind import bind
from scorer.scoring.open import OpenChallenge, open_challenge
from scorer.scoring.splits import assign_splits
from scorer.views.values import CSV

# Random submissions: at least FEWEST, at most MOST, and not more than ROWS rows in all of them.
FEWEST, MOST, ROWS = 10, 100, 2_000_000


class Lint(TableResult):
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

    subject, plain = "soundness", "text"

    def __init__(self, result: soundness.Lint) -> None:
        self._result = result
        self.sound: bool = result.sound
        self.remarks: Sequence[Remark] = result.remarks
        self.examples: Sequence[Remark] = result.examples
        self.problems: Sequence[Problem] = result.problems
        self.measures: Sequence[ProbedMeasure] = result.measures
        self.random: RandomSubmissions = result.random
        self.detectable: Detectable = result.detectable

    def content(self) -> soundness.Lint:
        """The findings as data, of which the forms are made."""
        return self._result

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
    files = [SubmissionFile("", e.submission) for e in challenge.examples if e.truth is None]
    submitted = find_submitted_lists(bound, [*files, *list_baselines(bound)])
    ready = open_challenge(bound, submitted=submitted)
    assert ready.truth is not None
    probes = make_probes(ready)
    refuse_unanswerable(ready, probes)
    if challenge.splits is not None:  # a file of splits is read nowhere else here
        assign_splits(challenge, ready.truth.lists, ready.public.groups)
    examples = _score_examples(ready)
    baselines = _score_baselines(ready)
    remarks = [*baselines.remarks, *_grading_faults(ready, baselines.accepted)]
    if probes is None:
        values, why = _evaluate_truth(ready)
        remarks += why
    else:
        values = _evaluate_probes(ready, probes)
        remarks += remarks_on_probes(ready, probes, values)
    remarks += remarks_on_challenge(ready)
    seed = challenge.leaderboard.seed
    return Lint(
        soundness.Lint(
            challenge=ChallengeIdentity.of(challenge, terms_of(ready).fingerprint),
            sound=all(remark.severity != "error" for remark in (*examples.remarks, *remarks)),
            kind=ready.bound.kind.name,
            lists=len(ready.truth.lists),
            judged=len(ready.truth.lists) if probes is None else probes.judged,
            random=RandomSubmissions(
                values.draws, seed, probes.source if probes else "from what, nobody declares"
            ),
            measures=[
                ProbedMeasure.of(measure, values.means[measure.id], values.chance[measure.id])
                for measure in ready.measures
            ],
            detectable=find_detectable(ready, [*examples.accepted, *baselines.accepted], probes),
            examples=examples.remarks,
            tested=len(challenge.examples),
            problems=ready.warnings,
            remarks=remarks,
            called=ready.public.called,
        )
    )


def refuse_unanswerable(ready: OpenChallenge, probes: Probes | None) -> None:
    """Raise `ChallengeError` if a list has no value whatever is submitted, and none is allowed."""
    if problems := tuple(find_unanswerable_lists(ready, probes)):
        raise ChallengeError(problems=problems)


class ScoredFiles(NamedTuple):
    """The remarks on an organizer's own submissions, and those that were accepted."""

    remarks: list[Remark]
    accepted: list[Scored]


def _score_examples(ready: OpenChallenge) -> ScoredFiles:
    """Score the examples; those of a truth of their own are not among the accepted."""
    remarks, accepted = list[Remark](), list[Scored]()
    challenge = ready.bound.challenge
    for n, example in enumerate(challenge.examples):
        name = f"examples[{n}]"
        against = ready
        if example.truth is not None:
            other = challenge.with_truth(example.truth)
            against = open_challenge(ready.bound._replace(challenge=other))
            refuse_unanswerable(against, make_probes(against))
        (scored,) = scored_files(against, [SubmissionFile("", example.submission)], None)
        for problem in islice(scored.findings, SHOWN_PLACES):
            message = f"{name}: {replace(problem, path=example.submission.name)}"
            remarks.append(Remark(problem.severity, message))
        where = f"{name} ({printable(example.submission.name)})"
        remarks += _compare_expected(where, example, against.measures, scored.values)
        if example.truth is None and scored.valid:
            accepted.append(scored)
    return ScoredFiles(remarks, accepted)


def _compare_expected(
    where: str, example: Example, measures: Sequence[Measure], values: Mapping[str, Value]
) -> Iterator[Remark]:
    """Yield a remark on each value that an example should have."""
    for name, expected in example.expect.items():
        measure = find_measure(measures, name)
        if measure is None or measure.id not in values:
            hint = f" (measures: {', '.join(values)})" if values else ""
            yield Remark("error", f"{where}: {name}: no such value{hint}")
            continue
        value = values[measure.id].mean
        if math.isclose(value, expected, rel_tol=0, abs_tol=example.tolerance):
            yield Remark("note", f"{where}: {name} = {value!r} holds")
        else:
            yield Remark("error", f"{where}: {name} = {value!r} FAILS: expected {expected!r}")


def _score_baselines(ready: OpenChallenge) -> ScoredFiles:
    """Score the baselines."""
    remarks, accepted = list[Remark](), list[Scored]()
    for scored in scored_files(ready, list_baselines(ready.bound), None):
        if scored.valid:
            accepted.append(scored)
            continue
        first = next(problem for problem in scored.findings if problem.severity == "error")
        why = replace(first, path=Path(scored.path).name)
        remarks.append(Remark("error", f"baseline {printable(scored.name)} is rejected: {why}"))
    return ScoredFiles(remarks, accepted)


def _grading_faults(ready: OpenChallenge, baselines: Sequence[Scored]) -> Iterator[Remark]:
    """Yield why no points could be given."""
    challenge = ready.bound.challenge
    if challenge.grading is None:
        return
    try:
        scale_of(challenge, ready.measures, baselines)
    except ChallengeError as error:
        yield Remark("error", str(error))


def _evaluate_probes(ready: OpenChallenge, probes: Probes) -> ProbeValues:
    """Return the values of all probes, with as many random submissions as there is room for."""
    challenge = ready.bound.challenge
    rng = np.random.default_rng(challenge.leaderboard.seed)
    draws = min(MOST, max(FEWEST, ROWS // max(probes.rows, 1)))
    perfect = [evaluate_probe(ready, table) for table in probes.perfect]
    others = {name: evaluate_probe(ready, table) for name, table in probes.others.items()}
    random = [evaluate_probe(ready, probes.random(rng)) for _ in range(draws)]
    tied = random
    if probes.tied is not None:
        tied = [evaluate_probe(ready, probes.tied(rng)) for _ in range(draws)]
    refuses_empty = challenge.submission.missing_list in (None, "error")
    means = dict[str, Mapping[str, float | None]]()
    chance, chance_of_ties = {}, {}
    for measure in ready.measures:
        key = measure.id
        means[key] = {
            "perfect": _best_possible(measure, [values[key] for values in perfect]),
            **{name: values[key].mean for name, values in others.items()},
            **({"empty": None} if refuses_empty else {}),
        }
        chance[key] = Chance.of([values[key].mean for values in random])
        chance_of_ties[key] = Chance.of([values[key].mean for values in tied])
    return ProbeValues(draws, means, chance, chance_of_ties)


def _best_possible(measure: Measure, perfect: Sequence[Value]) -> float:
    """Return the best possible value, from the best of each list if it is a mean or a sum."""
    sign = 1.0 if measure.metric.better == "higher" else -1.0
    tables = [value.per_list for value in perfect if value.plain and value.per_list is not None]
    if len(tables) == len(perfect) and perfect[0].folds is None:
        best_of_lists = np.fmax.reduce([sign * table for table in tables])
        defined = best_of_lists[~np.isnan(best_of_lists)]
        total = sign * float(defined.sum()) + 0.0 if defined.size else math.nan  # never -0
        return total if measure.metric.aggregate == "sum" else total / max(defined.size, 1)
    means = [sign * value.mean for value in perfect if not math.isnan(value.mean)]
    return sign * max(means, default=math.nan)


def _evaluate_truth(ready: OpenChallenge) -> tuple[ProbeValues, list[Remark]]:
    """Return the value of the truth as a submission, where nothing else can be made from it."""
    no_chance = dict.fromkeys((measure.id for measure in ready.measures), Chance.of([]))
    means: dict[str, Mapping[str, float | None]] = {key: {} for key in no_chance}
    remarks = list[Remark]()
    if not ready.bound.challenge.truthless:
        assert ready.truth is not None
        means = {key: {"perfect": math.nan} for key in no_chance}
        table = make_table({"list": list(ready.truth.lists)}, ready.plan.shapes[0])
        try:
            values = evaluate_probe(ready, replace(table, facts={CSV: ready.plan.solution}))
            means = {key: {"perfect": value.mean} for key, value in values.items()}
        except PluginError as error:
            message = f"the truth, taken for a submission, has no value: {error}"
            remarks.append(Remark("note", message))
    return ProbeValues(0, means, no_chance, no_chance), remarks
