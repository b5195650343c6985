"""Explain how one list of a submission comes by its values."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from scorer.api.submissions import Named, loaded, named_file, trespasses
from scorer.api.text import Explanation
from scorer.challenge.model import Challenge
from scorer.core.errors import UnknownName
from scorer.core.problems import Findings
from scorer.formats.parts import by_part
from scorer.formats.read import read
from scorer.prepare.bind import prepare
from scorer.prepare.open import opened
from scorer.scoring.lists import outcome, score_whole, with_slots


def explain(
    challenge: Challenge | Path | str,
    submission: Named | Path | str,
    name: str | None = None,
    *,
    allow_plugins: bool = False,
) -> Explanation:
    """How one list of a submission comes by its values, or which lists it is worst in.

    The truth is taken as a whole, whatever folds the challenge has.

    Args:
        challenge: a loaded challenge, or the path of its challenge.yaml or folder.
        submission: the path of its file, or a named one.
        name: of the list; None: the worst lists by each measure, and what they cost.
        allow_plugins: whether the challenge's own metrics may be run.

    Raises:
        ChallengeError: the challenge itself is wrong.
        PluginError: a metric, or its explanation, failed.
        UnknownName: the truth has no such list.
    """
    from scorer.scoring.explain import explained
    from scorer.scoring.worst import worst_lists

    ready = opened(prepare(loaded(challenge), allow_plugins))
    assert ready.answers is not None
    lists, rules = ready.answers.lists, ready.prepared.challenge.submission
    if name is not None and name not in lists:
        raise UnknownName(ready.public.word("list"), name, lists)
    file = named_file(submission)
    if stray := trespasses(ready, file.path):
        return Explanation(file.name, name, ready.public.called, stray, ())
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
        return Explanation(file.name, name, ready.public.called, findings, ())
    if name is None:
        word, plural = ready.public.word("list"), ready.public.lists_called
        worst = tuple(
            worst_lists(measure, card, ready.prepared.rules, word, plural)
            for measure in ready.measures
        )
        return Explanation(file.name, name, ready.public.called, findings, worst)
    at = lists.index(name)
    names_of = partial(ready.answers.named, table, rules.ties, at=at)
    explanations = tuple(
        explained(measure, card, views.views, names_of, at, ready.prepared.rules)
        for measure in ready.measures
    )
    return Explanation(file.name, name, ready.public.called, findings, explanations)
