"""Explain how one list of a submission comes by its values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path

from scorer.api.splits import masks_for
from scorer.api.submissions import Named, baselines, loaded, named_file, trespasses
from scorer.api.systems import among
from scorer.api.text import Explanation
from scorer.challenge.model import Challenge
from scorer.challenge.phases import EVERYTHING
from scorer.core.arrays import Mask
from scorer.core.errors import UnknownName, UsageError
from scorer.core.problems import Findings
from scorer.core.text import quoted
from scorer.formats.parts import by_part
from scorer.formats.read import read
from scorer.prepare.bind import prepare
from scorer.prepare.open import OpenChallenge, opened
from scorer.prepare.splits import cut, scope_of
from scorer.results.report import Scope
from scorer.scoring.lists import outcome, score_whole, with_slots


def explain(
    challenge: Challenge | Path | str,
    submission: Named | Path | str,
    name: str | None = None,
    *,
    split: str | None = None,
    allow_plugins: bool = False,
) -> Explanation:
    """How one list of a submission comes by its values, or which lists it is worst in.

    The truth is taken as a whole, whatever folds the challenge has.

    Args:
        challenge: a loaded challenge, or the path of its challenge.yaml or folder.
        submission: the path of its file, or a named one.
        name: of the list; None: the worst lists by each measure, and what they cost.
        split: the split of the challenge's whose worst lists are told; default: all lists.
        allow_plugins: whether the challenge's own metrics may be run.

    Raises:
        ChallengeError: the challenge itself is wrong.
        PluginError: a metric, or its explanation, failed.
        UnknownName: the truth has no such list, or the challenge no such split.
        UsageError: the list is not in the split.
    """
    from scorer.scoring.explain import explained
    from scorer.scoring.worst import worst_lists

    prepared = prepare(loaded(challenge), allow_plugins)
    ready = opened(among(prepared, [named_file(submission), *baselines(prepared)]))
    assert ready.answers is not None
    lists, rules = ready.answers.lists, ready.prepared.challenge.submission
    if name is not None and name not in lists:
        raise UnknownName(ready.public.word("list"), name, lists)
    masks = masks_for(
        ready.prepared.challenge, lists, ready.public.groups, [] if split is None else [split]
    )
    scope, keep = _scope(ready, masks, name, split)
    file, findings = named_file(submission), Findings()
    bare = Explanation(file.name, name, ready.public.called, findings, (), scope)
    if stray := trespasses(ready, file.path):
        return replace(bare, findings=stray)
    plan, findings = ready.plan, Findings(str(file.path))
    format = plan.format(file.path)
    table = read(file.path, format, plan.shapes, findings, plan.limits)
    card = views = None
    if table is not None:
        table = with_slots(plan, table)
        part, views = score_whole(plan, table)
        card = outcome(plan, part, findings, None).card
    by_part(findings, format.form.parts)
    findings.show_as(file.display)
    if table is None or card is None or views is None:
        return replace(bare, findings=findings)
    if name is None:
        word, plural = ready.public.word("list"), ready.public.lists_called
        worst = tuple(
            worst_lists(
                measure, card if keep is None else cut(card, keep), ready.prepared.rules, word,
                plural,
            )
            for measure in ready.measures
        )  # fmt: skip
        return replace(bare, findings=findings, explained=worst)
    at = lists.index(name)
    explanations = []
    for measure in ready.measures:
        where = measure.combination.where
        pick = plan.picked.get(None, {}).get(where) if where else None
        truth, sent = (pick.truth, pick.kept(table)) if pick else (ready.answers, table)
        names_of = partial(truth.named, sent, rules.ties, at=at)
        seen = views.where(where)
        explanations.append(explained(measure, card, seen, names_of, at, ready.prepared.rules))
    return replace(bare, findings=findings, explained=tuple(explanations))


def _scope(
    ready: OpenChallenge, masks: Mapping[str, Mask], name: str | None, split: str | None
) -> tuple[Scope | None, Mask | None]:
    """What the explanation is of, and its lists; of a named list the split that it is in.

    `UsageError` if that is another than the wanted one.
    """
    if not masks or ready.answers is None:
        return None, None
    if name is not None:
        at, wanted = ready.answers.lists.index(name), split
        split = next(part for part, mask in masks.items() if part != EVERYTHING and mask[at])
        if wanted not in (None, EVERYTHING, split):
            word = ready.public.word("list")
            raise UsageError(f"{word} {quoted(name)} is in the split {quoted(split)}")
    return scope_of(ready.prepared.challenge, masks, split), masks[split or EVERYTHING]
