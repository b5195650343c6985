"""Explain how one list of a submission comes by its values."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np

from scorer.api.notebook import TableResult
from scorer.api.outcomes import rejected_outcome
from scorer.api.splits import split_masks
from scorer.api.submissions import (
    SubmissionFile,
    find_submitted_lists,
    holds_systems,
    list_baselines,
    split_systems,
    to_challenge,
    to_submission_file,
)
from scorer.challenge.load import own_file_problem
from scorer.challenge.model import Challenge
from scorer.challenge.phases import EVERYTHING
from scorer.core.arrays import Mask
from scorer.core.errors import UnknownName, UsageError
from scorer.core.problems import Findings
from scorer.core.text import join_first, quoted
from scorer.leaderboard.repeats import RUN_NAME
from scorer.metrics.notation import Measure
from scorer.metrics.steps import Grid, Sentence, Step, Working, grid
from scorer.reading.parts import locate_by_part
from scorer.reading.table import Table
from scorer.results import explanation as results
from scorer.results.explanation import ExplainedMeasure
from scorer.results.json import ABSENT
from scorer.results.report import Scope
from scorer.results.scorecard import Scorecard
from scorer.scoring.bind import bind
from scorer.scoring.explain import explain_list, explain_worst_lists
from scorer.scoring.open import OpenChallenge, open_challenge
from scorer.scoring.splits import restrict_card, scope_of
from scorer.scoring.submission import score_table
from scorer.stats.units import exact_mean
from scorer.views.rows import Labelled

DIGIT = re.compile(r"[0-9]")
MOST_CLASSES = 30  # of a confusion matrix
TRUE_CLASS = "true, down; predicted, across"


class Explanation(TableResult[results.Explanation]):
    """How one list of a submission comes by its values; for organizers.

    Attributes:
        submission: The name of the submission.
        list: The list; None: the worst lists of the submission.
        measures: Each measure's value, step by step; none if the submission cannot be scored.
        findings: The problems of the submission.
    """

    _subject = "explanation"
    _default_form = "text"
    _precision = 4

    def __init__(self, result: results.Explanation) -> None:
        super().__init__(result)
        self.submission: str = result.submission
        self.list: str | None = result.list
        self.measures: tuple[ExplainedMeasure, ...] = result.measures
        self.findings: Findings = result.findings

    def __repr__(self) -> str:
        what = "the worst" if self.list is None else quoted(self.list)
        return f"<Explanation of {what} of {quoted(self.submission)}>"


class _Scope(NamedTuple):
    """The list that is explained, or None for the worst, and the split that it is looked at in."""

    list: str | None
    split: Scope | None = None
    keep: Mask | None = None  # which lists are in the split; None: all


def explain(
    challenge: Challenge | Path | str,
    submission: SubmissionFile | Path | str,
    name: str | None = None,
    *,
    split: str | None = None,
    allow_plugins: bool = False,
) -> Explanation:
    """Explain how one list of a submission comes by its values, or which lists it is worst in.

    The truth is taken as a whole, whatever folds the challenge has. Of a system of several runs
    each run is worked out, and their mean.

    Args:
        challenge: A loaded challenge, or the path of its challenge.yaml or folder.
        submission: The path of its file, or a named one; of a table of several systems the name
            says which, or which run of it (`unet#2`).
        name: Of the list; None: the worst lists by each measure, and what they cost.
        split: The split of the challenge's whose worst lists are shown; default: all lists.
        allow_plugins: Whether the challenge's own metrics may be run.

    Raises:
        ChallengeError: The challenge itself is wrong.
        PluginError: A metric, or its explanation, failed.
        UnknownName: The truth has no such list, or the challenge no such split.
        UsageError: The list is not in the split, or a table has several systems and none is named.
    """
    bound = bind(to_challenge(challenge), allow_plugins)
    file = to_submission_file(submission)
    files = [file]
    if holds_systems(bound) and own_file_problem(bound.challenge, file.path) is None:
        files = split_systems(bound, file)
    system, runs = _find_runs(file, files)
    submitted = find_submitted_lists(bound, [*files, *list_baselines(bound)])
    ready = open_challenge(bound, submitted=submitted)
    scope = _find_scope(ready, name, split)
    explained = [_explain_file(ready, run, scope) for run in runs]
    return Explanation(explained[0] if len(runs) == 1 else _join_runs(system, explained))


def _find_runs(
    file: SubmissionFile, parts: Sequence[SubmissionFile]
) -> tuple[str, list[SubmissionFile]]:
    """Return the system, or run, that is named in a file, or its only one, and its runs.

    `UsageError` if a file has several systems, and none is named so.
    """
    system_of = {part.name: part.name for part in parts}
    for part in parts:
        if match := RUN_NAME.fullmatch(part.name):
            system_of[part.name] = match[1]
    systems = list(dict.fromkeys(system_of.values()))
    runs = [part for part in parts if file.name in (part.name, system_of[part.name])]
    if not runs and len(systems) > 1:
        several = f"{file.display} holds {len(systems):,} submissions ({join_first(systems)})"
        raise UsageError(f"{several}; name the one to explain: {systems[0]}={file.display}")
    runs = runs or list(parts)
    return runs[0].name if len(runs) == 1 else system_of[runs[0].name], runs


def _find_scope(ready: OpenChallenge, name: str | None, split: str | None) -> _Scope:
    """Return the list to explain and its split; without a list, the split that was asked for.

    `UnknownName` if there is no such list or split, `UsageError` if the list is in another split.
    """
    assert ready.truth is not None
    challenge = ready.bound.challenge
    lists = ready.truth.lists
    if name is not None and name not in lists:
        # An id that differs in its digits alone, such as q147 of q007, is another list, no typo.
        form = DIGIT.sub("0", name)
        similar = [other for other in lists if DIGIT.sub("0", other) != form]
        raise UnknownName(ready.public.word("list"), name, similar)
    wanted = [] if split is None else [split]
    masks: Mapping[str, Mask] = split_masks(challenge, lists, ready.public.groups, wanted)
    if not masks:
        return _Scope(name)
    shown = split
    if name is not None:
        at = lists.index(name)
        shown = next(part for part, mask in masks.items() if part != EVERYTHING and mask[at])
        if split not in (None, EVERYTHING, shown):
            word = ready.public.word("list")
            raise UsageError(f"{word} {quoted(name)} is in the split {quoted(shown)}")
    return _Scope(name, scope_of(challenge, masks, shown), masks[shown or EVERYTHING])


def _explain_file(ready: OpenChallenge, file: SubmissionFile, scope: _Scope) -> results.Explanation:
    """Return the explanation of one file, which has no measures if the file cannot be scored."""
    findings = Findings(str(file.path))
    if (problem := own_file_problem(ready.bound.challenge, file.path)) is not None:
        findings.add(problem)
    table = None
    card = None
    if file.problems:
        findings = rejected_outcome(file).findings
    elif not findings:
        findings = Findings(str(file.path))
        table = ready.plan.read(file.source, findings).table
        if table is not None:
            card = score_table(ready.plan, table, findings).card
        locate_by_part(findings, ready.plan.layout.parts)
        file.label_problems(findings)
    measures: tuple[ExplainedMeasure, ...] = ()
    confusion = None
    if table is not None and card is not None and scope.list is None:
        measures = _explain_worst(ready, card, scope.keep)
        confusion = _count_confusions(ready, table, scope.keep)
    elif table is not None and card is not None:
        measures = tuple(
            _explain_measure(ready, measure, card, table, scope) for measure in ready.measures
        )
    return results.Explanation(
        called=ready.public.called,
        findings=findings,
        submission=file.name,
        list=scope.list,
        confusion=confusion or ABSENT,
        measures=measures,
        scope=scope.split or ABSENT,
    )


def _count_confusions(ready: OpenChallenge, table: Table, keep: Mask | None) -> Grid | None:
    """Return a confusion matrix: rows by true and by predicted class; None without classes."""
    if Labelled not in ready.plan.views or ready.truth is None:
        return None
    ties = ready.bound.challenge.submission.ties
    view = ready.truth.explain_views(table, ties, ready.plan.views, 0)[Labelled]
    if view.multilabel or len(view.classes) > MOST_CLASSES:
        return None
    kept = slice(None) if keep is None else keep
    counts = np.zeros((len(view.classes), len(view.classes) + 1), dtype=int)
    np.add.at(counts, (view.truth[kept], view.predicted_classes()[kept]), 1)  # -1: none
    heads = [*view.classes, "no prediction"] if counts[:, -1].any() else [*view.classes]
    rows = tuple(
        (name, *row[: len(heads)].tolist()) for name, row in zip(view.classes, counts, strict=True)
    )
    return Grid("Confusion matrix", (TRUE_CLASS, *heads), rows)


def _explain_worst(
    ready: OpenChallenge, card: Scorecard, keep: Mask | None
) -> tuple[ExplainedMeasure, ...]:
    """Return the worst lists by each measure, of those that are kept."""
    kept = card if keep is None else restrict_card(card, keep)
    rules = ready.bound.undefined_rules
    word = ready.public.word("list")
    plural = ready.public.lists_called
    return tuple(
        explain_worst_lists(measure, kept, rules, word, plural) for measure in ready.measures
    )


def _explain_measure(
    ready: OpenChallenge, measure: Measure, card: Scorecard, table: Table, scope: _Scope
) -> ExplainedMeasure:
    """Return how a list comes by its value of a measure."""
    assert ready.truth is not None
    assert scope.list is not None
    at = ready.truth.lists.index(scope.list)
    ties = ready.bound.challenge.submission.ties
    condition = measure.combination.where
    picked = ready.plan.filtered_truths.get(None, {}).get(condition) if condition else None
    truth, sent = (picked.truth, picked.filter(table)) if picked else (ready.truth, table)
    item_names = partial(truth.item_names, sent, ties, at=at)
    views = truth.explain_views(sent, ties, ready.plan.views, at)
    return explain_list(measure, card, views, item_names, at, ready.bound.undefined_rules)


def _join_runs(system: str, runs: Sequence[results.Explanation]) -> results.Explanation:
    """Return the explanation of a system: each run's, then their mean.

    It has no measures if a run could not be scored.
    """
    findings = Findings(runs[0].findings.path)
    for run in runs:
        findings.extend(run.findings)
    names = [run.submission.rpartition("#")[2] for run in runs]
    measures: tuple[ExplainedMeasure, ...] = ()
    if all(run.measures for run in runs):
        by_measure = zip(*(run.measures for run in runs), strict=True)
        measures = tuple(_mean_of_runs(names, explained) for explained in by_measure)
    return replace(runs[0], submission=system, findings=findings, measures=measures)


def _mean_of_runs(names: Sequence[str], runs: Sequence[ExplainedMeasure]) -> ExplainedMeasure:
    """Return a measure's values of several runs, and their mean."""
    first = runs[0]
    steps = list[Step]()
    for name, run in zip(names, runs, strict=True):
        steps += [Sentence(f"Run {name}"), *run.steps]
    values = [run.value for run in runs]
    steps.append(grid(f"The {len(runs)} runs", {"run": names, "value": values}))
    working = Working(first.title, tuple(steps), exact_mean(np.array(values)))
    counts_as = exact_mean(np.array([run.counts_as for run in runs]))
    notes = tuple(dict.fromkeys(note for run in runs for note in run.notes))
    return ExplainedMeasure.of(first.measure, working, counts_as, notes)
