"""Compare submissions list by list."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Unpack

import numpy as np

from scorer.api.evaluate import Columns, Measures, RunRules, settled_challenge
from scorer.api.report import Comparison, Report
from scorer.api.submissions import (
    Named,
    Progress,
    Submissions,
    named_files,
    scored_files,
    terms_of,
)
from scorer.challenge.model import Challenge
from scorer.core.errors import UsageError
from scorer.leaderboard.board import ranked
from scorer.leaderboard.certainty import cluster_codes
from scorer.leaderboard.samples import Samples, samples_of
from scorer.preferences.base import bind, comparisons, every
from scorer.preferences.base import preferences as preferred
from scorer.prepare.answerable import answerable
from scorer.prepare.bind import BoundChallenge, prepare
from scorer.prepare.open import opened
from scorer.views.positions import Positions

if TYPE_CHECKING:
    from scorer.results.comparison import Pairing


def compare(
    challenge: Challenge | Path | str | object,
    submissions: Submissions,
    preferences: Sequence[str] | None = None,
    *,
    margin: float | None = None,
    measures: Measures | None = None,
    columns: Columns | None = None,
    allow_plugins: bool = False,
    progress: Progress | None = None,
    engine: str = "local",
    engine_options: Mapping[str, str] | None = None,
    **rules: Unpack[RunRules],
) -> Comparison:
    """Score submissions and compare every pair, list by list.

    The report has neither intervals nor tests; the pairs have their own.

    Args:
        challenge: a challenge as `score` takes it; with `measures`, a truth as `evaluate` does.
        submissions: as `score` takes them.
        preferences: notations such as `RPP(rel=2)`; by default all there are, where the
            challenge has ranked lists, and text for reading shows none of them.
        margin: the difference in the primary measure that does not matter: pairs are tested for
            differing by less.
        measures: as of `evaluate`; with `columns` and `rules` they stand for a challenge.yaml.
        columns: as of `evaluate`.
        allow_plugins: whether the challenge's own metrics may be run.
        progress: called before each submission is read.
        engine: what brings the submissions' lists to be scored, by its name.
        engine_options: what that engine is told, such as `{"spark.master": "local[2]"}`.
        rules: as of `evaluate`.

    Returns:
        The report and the pairs; none where fewer than two submissions can be scored.

    Raises as `score` and `evaluate` do.
    """
    with ExitStack() as stack:
        settled = stack.enter_context(settled_challenge(challenge, measures, columns, **rules))
        prepared = prepare(settled, allow_plugins)
        files = stack.enter_context(named_files(submissions, prepared))
        report, pairs = _compared(
            prepared, files, preferences, margin, progress, engine, engine_options
        )
        return Comparison(report, replace(pairs, asked=preferences is not None))


def _compared(
    prepared: BoundChallenge,
    files: Sequence[Named],
    preferences: Sequence[str] | None,
    margin: float | None,
    progress: Progress | None,
    engine: str,
    engine_options: Mapping[str, str] | None,
) -> tuple[Report, Pairing]:
    from scorer.leaderboard.pairs import pairing

    of_grades = prepared.kind.name == "grades"
    if preferences and not of_grades:
        raise UsageError(
            f"preferences compare ranked lists; this challenge has {prepared.kind.name}"
        )
    bound_preferences = tuple(bind(comparisons(), notation) for notation in preferences or ())
    if preferences is None and of_grades:
        bound_preferences = every(comparisons())
    ready = answerable(opened(prepared, views=frozenset({Positions} if bound_preferences else ())))
    scored = scored_files(ready, files, progress, engine, engine_options)
    report = Report.of(ranked(terms_of(ready), scored))
    cards = {
        submission.name: submission.card for submission in scored if submission.card is not None
    }
    if len(cards) < 2:
        return report, pairing(tuple(cards), report.lists, {}, {}, {})
    positions = [card.positions for card in cards.values() if card.positions is not None]
    cubes = {preference.name: preferred(preference, positions) for preference in bound_preferences}
    valid = [submission for submission in scored if submission.valid]
    clusters = cluster_codes(report.lists, ready.public.clusters)
    samples: dict[str, Samples] = {}
    untested: dict[str, str] = {}
    for measure in ready.measures:
        sampled = samples_of(measure, valid, challenge=prepared.challenge, clusters=clusters)
        if isinstance(sampled, str):
            untested[measure.id] = sampled
        else:
            samples[measure.id] = sampled
    values = {
        key: np.array([submission.values[key].per_list for submission in valid])
        for key in samples
        if all(submission.values[key].per_list is not None for submission in valid)
    }
    measures = [measure for measure in ready.measures if measure.id in samples]
    if margin is not None and not any(measure.primary for measure in measures):
        why = next((untested[m.id] for m in ready.measures if m.primary), "it is not compared")
        raise UsageError(f"nothing can be said of equivalence by {report.primary.id}: {why}")
    rules = prepared.challenge.leaderboard
    return report, pairing(
        tuple(cards), report.lists, cubes, samples, values, measures, rules, untested=untested,
        margin=margin,
    )  # fmt: skip
