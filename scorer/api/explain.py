"""Explain how one list of a submission comes by its values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np

from scorer.api.splits import split_masks
from scorer.api.submissions import (
    SubmissionFile,
    find_own_file,
    holds_systems,
    list_baselines,
    rejected_outcome,
    split_systems,
    to_challenge,
    to_submission_file,
    with_lists_of,
)
from scorer.api.text import Renderable
from scorer.challenge.leaderboard import EVERYTHING
from scorer.challenge.load import own_file_problem
from scorer.challenge.model import Challenge
from scorer.core.arrays import Mask
from scorer.core.errors import UnknownName, UsageError
from scorer.core.problems import Findings
from scorer.core.text import join_first, quoted
from scorer.leaderboard.repeats import REPEATED
from scorer.metrics.steps import Sentence, Step, Working, grid
from scorer.reading.parts import locate_by_part
from scorer.results import explanation
from scorer.results.explanation import ExplainedMeasure
from scorer.results.json import ABSENT
from scorer.results.report import Scope
from scorer.scoring.bind import bind
from scorer.scoring.open import OpenChallenge, open_challenge
from scorer.scoring.splits import cut, scope_of
from scorer.scoring.submission import score_table
from scorer.stats.exact import exact_mean


@dataclass(frozen=True, repr=False, eq=False)
class Explanation(Renderable, explanation.Explanation):
    """How one list of a submission comes by its values; for organizers."""

    subject, plain = "explanation", "text"

    def __repr__(self) -> str:
        what = "the worst" if self.list is None else quoted(self.list)
        return f"<Explanation of {what} of {quoted(self.submission)}>"


def explain(
    challenge: Challenge | Path | str,
    submission: SubmissionFile | Path | str,
    name: str | None = None,
    *,
    split: str | None = None,
    allow_plugins: bool = False,
) -> Explanation:
    """How one list of a submission comes by its values, or which lists it is worst in.

    The truth is taken as a whole, whatever folds the challenge has. Of a system of several runs
    each run is worked out, and their mean.

    Args:
        challenge: a loaded challenge, or the path of its challenge.yaml or folder.
        submission: the path of its file, or a named one; of a table of several systems the name
            says which, or which run of it (`unet#2`).
        name: of the list; None: the worst lists by each measure, and what they cost.
        split: the split of the challenge's whose worst lists are told; default: all lists.
        allow_plugins: whether the challenge's own metrics may be run.

    Raises:
        ChallengeError: the challenge itself is wrong.
        PluginError: a metric, or its explanation, failed.
        UnknownName: the truth has no such list, or the challenge no such split.
        UsageError: the list is not in the split, or a table has several systems and none is named.
    """
    prepared, given = bind(to_challenge(challenge), allow_plugins), to_submission_file(submission)
    every = [given]
    if holds_systems(prepared) and own_file_problem(prepared.challenge, given.path) is None:
        every = split_systems(prepared, given)
    system, runs = _runs_of(given, every)
    ready = open_challenge(with_lists_of(prepared, [*every, *list_baselines(prepared)]))
    return _explained_runs(system, [_of_run(ready, run, name, split) for run in runs])


def _runs_of(
    given: SubmissionFile, every: Sequence[SubmissionFile]
) -> tuple[str, list[SubmissionFile]]:
    """A system and its runs in a file: the system, or run, that is named, or the only system.

    `UsageError` if there are several, and none is named so.
    """
    of = {each.name: repeated[1] if (repeated := REPEATED.fullmatch(each.name)) else each.name
          for each in every}  # fmt: skip
    own = [each for each in every if given.name in (each.name, of[each.name])]
    systems = list(dict.fromkeys(of.values()))
    if not own and len(systems) > 1:
        several = f"{given.display} holds {len(systems):,} submissions ({join_first(systems)})"
        raise UsageError(f"{several}; name the one to explain: {systems[0]}={given.display}")
    runs = own or list(every)
    return of[runs[0].name] if len(runs) > 1 else runs[0].name, runs


def _explained_runs(system: str, runs: Sequence[Explanation]) -> Explanation:
    """What several runs come to, each worked out; the one explanation of a single run."""
    if len(runs) == 1:
        return runs[0]
    findings = Findings(runs[0].findings.path)
    for run in runs:
        findings.extend(run.findings)
    whole = replace(runs[0], submission=system, findings=findings, measures=())
    if not all(run.measures for run in runs):
        return whole
    names = [run.submission.rpartition("#")[2] for run in runs]
    of_measures = zip(*(run.measures for run in runs), strict=True)
    return replace(whole, measures=tuple(_mean_of(names, each) for each in of_measures))


def _mean_of(names: Sequence[str], runs: Sequence[ExplainedMeasure]) -> ExplainedMeasure:
    """A measure's values of several runs, and their mean."""
    first = runs[0]
    steps: list[Step] = []
    for name, run in zip(names, runs, strict=True):
        steps += [Sentence(f"Run {name}"), *run.steps]
    values = [run.value for run in runs]
    steps.append(grid(f"The {len(runs)} runs", {"run": names, "value": values}))
    mean, counts = (
        exact_mean(np.array(values)),
        exact_mean(np.array([run.counts_as for run in runs])),
    )
    notes = tuple(dict.fromkeys(note for run in runs for note in run.notes))
    working = Working(first.title, tuple(steps), mean)
    return ExplainedMeasure.of(first.measure, working, counts, notes)


def _of_run(
    ready: OpenChallenge, file: SubmissionFile, name: str | None, split: str | None
) -> Explanation:
    """The explanation of one run."""
    from scorer.scoring.explain import explain_list, explain_worst_lists

    assert ready.truth is not None
    lists, rules = ready.truth.lists, ready.bound.challenge.submission
    if name is not None and name not in lists:
        raise UnknownName(ready.public.word("list"), name, lists)
    masks = split_masks(
        ready.bound.challenge, lists, ready.public.groups, [] if split is None else [split]
    )
    scope, keep = _scope(ready, masks, name, split)
    findings = Findings()
    bare = Explanation(
        called=ready.public.called,
        findings=findings,
        submission=file.name,
        list=name,
        scope=scope or ABSENT,
    )
    if stray := find_own_file(ready, file.path):
        return replace(bare, findings=stray)
    if file.problems:
        return replace(bare, findings=rejected_outcome(file).findings)
    plan, findings = ready.plan, Findings(str(file.path))
    table = plan.read(file.source, findings).table
    card = None
    if table is not None:
        card = score_table(plan, table, findings).card
    locate_by_part(findings, plan.layout.parts)
    file.label_problems(findings)
    if table is None or card is None or ready.truth is None:
        return replace(bare, findings=findings)
    if name is None:
        word, plural = ready.public.word("list"), ready.public.lists_called
        worst = tuple(
            explain_worst_lists(
                measure, card if keep is None else cut(card, keep), ready.bound.rules, word,
                plural,
            )
            for measure in ready.measures
        )  # fmt: skip
        return replace(bare, findings=findings, measures=worst)
    at = lists.index(name)
    explanations = []
    for measure in ready.measures:
        where = measure.combination.where
        pick = plan.picked.get(None, {}).get(where) if where else None
        truth, sent = (pick.truth, pick.filter(table)) if pick else (ready.truth, table)
        names_of = partial(truth.item_names, sent, rules.ties, at=at)
        views = truth.explain_views(sent, rules.ties, plan.views, at)
        explanations.append(explain_list(measure, card, views, names_of, at, ready.bound.rules))
    return replace(bare, findings=findings, measures=tuple(explanations))


def _scope(
    ready: OpenChallenge, masks: Mapping[str, Mask], name: str | None, split: str | None
) -> tuple[Scope | None, Mask | None]:
    """What the explanation is of, and its lists; of a named list the split that it is in.

    `UsageError` if that is another than the wanted one.
    """
    if not masks or ready.truth is None:
        return None, None
    if name is not None:
        at, wanted = ready.truth.lists.index(name), split
        split = next(part for part, mask in masks.items() if part != EVERYTHING and mask[at])
        if wanted not in (None, EVERYTHING, split):
            word = ready.public.word("list")
            raise UsageError(f"{word} {quoted(name)} is in the split {quoted(split)}")
    return scope_of(ready.bound.challenge, masks, split), masks[split or EVERYTHING]
