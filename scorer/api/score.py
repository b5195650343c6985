"""The straight line, in the order in which it happens.

challenge.yaml -- Challenge -- measures --+
files -- Columns --(checks)-- Judged -----+-- Scorecard -- Standings -- Report
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from scorer.challenge.load import load
from scorer.challenge.model import Challenge
from scorer.compare.base import aggregations, bind, comparisons, every
from scorer.compare.base import preferences as preferred
from scorer.core.arrays import Mask
from scorer.core.errors import ChallengeError, UnknownName, UsageError
from scorer.core.problems import Problem
from scorer.core.text import near, quoted
from scorer.engines.local import checked, local
from scorer.io.formats.base import COMPRESSED, formats
from scorer.leaderboard.standings import (
    Entry,
    by_measure,
    by_preference,
    contradictions,
    standings,
    with_certainty,
)
from scorer.prepare.bind import Prepared, prepare
from scorer.prepare.fingerprint import fingerprint, signature
from scorer.prepare.open import Opened, opened
from scorer.results.report import Report, Scored
from scorer.results.scorecard import UNDEFINED, Outcome, Scorecard
from scorer.scoring import evaluate as scoring
from scorer.scoring.settle import over_folds, settle
from scorer.views.positions import Lineup, Positions

if TYPE_CHECKING:
    from scorer.results.comparison import Pairing
    from scorer.results.explanation import Explanation


class Named(NamedTuple):
    """A submission's file, and what it is called."""

    name: str
    path: Path
    baseline: bool = False


Progress = Callable[[float, int, str], None]  # how many are done, of how many, and which is next


def score(
    challenge: Challenge | Path | str,
    submissions: Iterable[Named | Path | str],
    *,
    allow_plugins: bool = False,
    progress: Progress | None = None,
) -> Report:
    """Check, score and rank submissions; nothing is written.

    Args:
        challenge: a loaded challenge, or the path of its challenge.yaml or folder.
        submissions: paths, each named after its file, or `Named` ones.
        allow_plugins: whether the challenge's own metrics may be run.
        progress: called before each submission is read.

    Raises:
        ChallengeError: the challenge itself is wrong.
        PluginError: a metric failed.
        UsageError: two submissions have one name.
    """
    ready = answerable(opened(prepare(_loaded(challenge), allow_plugins)))
    files = [*_named(submissions), *_baselines(ready.prepared)]
    _distinct(files)
    scored = [
        _scored(ready, file, outcome)
        for file, outcome in zip(files, _run(ready, files, progress), strict=True)
    ]
    return report(ready, scored)


def check(
    challenge: Challenge | Path | str,
    submissions: Iterable[Named | Path | str],
    *,
    allow_plugins: bool = False,
    progress: Progress | None = None,
) -> list[Scored]:
    """Only the checks; the answers stay closed. Raises as `score` does."""
    ready = opened(prepare(_loaded(challenge), allow_plugins), blind=True)
    files = _named(submissions)
    _distinct(files)
    outcomes = _run(ready, files, progress)
    return [_scored(ready, file, outcome) for file, outcome in zip(files, outcomes, strict=True)]


def compare(
    challenge: Challenge | Path | str,
    submissions: Iterable[Named | Path | str],
    preferences: Sequence[str] | None = None,
    *,
    allow_plugins: bool = False,
    progress: Progress | None = None,
) -> tuple[Report, Pairing]:
    """Score submissions and hold every pair against each other, list by list.

    `preferences` are notations such as `RPP(rel=2)`; by default all there are,
    where the challenge has ranked lists. How sure the board is, the report does not
    say: the pairs have intervals and tests of their own. Raises as `score` does, and
    `UsageError` with fewer than two submissions that can be scored.
    """
    from scorer.compare.pairs import pairing

    prepared = prepare(_loaded(challenge), allow_plugins)
    ranked = prepared.kind.name == "grades"
    if preferences is not None and not ranked:
        raise UsageError(
            f"preferences compare ranked lists; this challenge has {prepared.kind.name}"
        )
    asked = tuple(bind(comparisons(), notation) for notation in preferences or ())
    if preferences is None and ranked:
        asked = every(comparisons())
    ready = answerable(opened(prepared, views=frozenset({Positions} if asked else ())))
    files = _named(submissions)
    _distinct(files)
    outcomes = _run(ready, files, progress)
    scored = [_scored(ready, file, outcome) for file, outcome in zip(files, outcomes, strict=True)]
    told = report(ready, scored, certain=False)
    cards = {each.name: each.card for each in scored if each.card is not None}
    if len(cards) < 2:
        return told, pairing(tuple(cards), told.lists, {}, {})
    positions = [card.positions for card in cards.values() if card.positions is not None]
    cubes = {each.name: preferred(each, positions) for each in asked}
    values = {
        measure.id: np.array([each.values[measure.id].per_list for each in scored if each.valid])
        for measure in ready.measures
        if measure.metric.aggregate == "mean"
        and all(measure.id in card.values for card in cards.values())
    }
    measures = [measure for measure in ready.measures if measure.id in values]
    rules = prepared.challenge.leaderboard
    return told, pairing(tuple(cards), told.lists, cubes, values, measures, rules)


def explain(
    challenge: Challenge | Path | str,
    submission: Named | Path | str,
    name: str,
    *,
    allow_plugins: bool = False,
) -> Explanation:
    """How one list of a submission comes by its values. Raises as `score` does, and `UnknownName`.

    The truth is taken as a whole, whatever folds the challenge has.
    """
    from scorer.results.explanation import Explanation
    from scorer.scoring.explain import explained

    ready = opened(prepare(_loaded(challenge), allow_plugins))
    assert ready.answers is not None
    lists, rules = ready.answers.lists, ready.prepared.challenge.submission
    if name not in lists:
        raise UnknownName(ready.public.word("list"), name, lists)
    (file,), at = _named([submission]), lists.index(name)
    table, findings = checked(ready, file.path)
    if table is None or findings.fatal:
        return Explanation(file.name, name, ready.public.called, findings, ())
    meeting = ready.answers.meet(table, rules.ties, ready.views)
    card = scoring.score(meeting, lists, ready.measures)
    named = partial(ready.answers.named, table, rules.ties, at=at)
    found = tuple(
        explained(each, card, meeting.views, named, at, ready.prepared.rules[each.id])
        for each in ready.measures
    )
    return Explanation(file.name, name, ready.public.called, findings, found)


def report(ready: Opened, scored: Sequence[Scored], *, certain: bool = True) -> Report:
    """Standings of what was scored, and all that a report shows.

    Without `certain` nothing is said of how sure they are.
    """
    prepared = ready.prepared
    challenge, measures = prepared.challenge, ready.measures
    primary = next(m for m in measures if m.primary)
    valid = [each for each in scored if each.card is not None]
    positions = {
        each.name: each.card.positions
        for each in valid
        if each.card is not None and each.card.positions is not None
    }
    mean = bind(aggregations(), "Mean")
    by = [
        by_preference(each, mean, positions)
        if each.metric.view is Lineup
        else by_measure(each.id, each.metric.better)
        for each in (primary, *prepared.breakers)
    ]
    contradicting: tuple[tuple[str, ...], ...] = ()
    if prepared.rank_by is not None:
        by[0] = by_preference(*prepared.rank_by, positions)
        ranked = {e.name: positions[e.name] for e in valid if not e.baseline}
        contradicting = contradictions(prepared.rank_by[0], ranked)
    rows = standings(
        [
            Entry(each.name, {key: value.mean for key, value in each.values.items()}, each.baseline)
            for each in valid
        ],
        by,
    )
    per_list = {
        each.name: values
        for each in valid
        if (values := each.values[primary.id].per_list) is not None
    }
    certainty = None
    if certain:
        rows, certainty = with_certainty(rows, per_list, primary, challenge.leaderboard)
    apart = {
        each.name: {key: v.deviation for key, v in each.values.items() if v.deviation is not None}
        for each in valid
    }
    rows = tuple(replace(row, deviations=apart[row.name]) for row in rows)
    lists = ready.answers.lists if ready.answers else ()
    signatures = {
        m.id: signature(
            m, prepared.rules[m.id], challenge.submission.ties, len(lists), len(ready.folds)
        )
        for m in measures
    }
    groups = ready.public.groups
    counts = Counter(groups[name] for name in lists if name in groups) if groups else {}
    return Report(
        challenge,
        fingerprint(ready.digests),
        measures,
        signatures,
        tuple(scored),
        rows,
        lists,
        ready.public.called,
        ready.warnings,
        certainty,
        contradicting,
        dict(sorted(counts.items())),
        prepared.rank_by,
    )


def submission_name(path: Path) -> str:
    """A file's name less one format suffix and one compression suffix.

    >>> submission_name(Path("runs/bm25.b0.4.run.gz"))
    'bm25.b0.4'
    """
    name = path.name
    for suffix in COMPRESSED:
        if name.lower().endswith(suffix):
            name = name[: -len(suffix)]
            break
    for suffix in sorted({s for known in formats() for s in known.suffixes}, key=len, reverse=True):
        if name.lower().endswith(suffix) and len(name) > len(suffix):
            return name[: -len(suffix)]
    return name


def _loaded(challenge: Challenge | Path | str) -> Challenge:
    return challenge if isinstance(challenge, Challenge) else load(Path(challenge))


def answerable(ready: Opened) -> Opened:
    """The same, unless the truth has lists that no submission could answer: `ChallengeError`."""
    if all(rules.undefined != "error" for rules in ready.prepared.rules.values()):
        return ready
    from scorer.prepare.probes import unanswerable

    if problems := tuple(unanswerable(ready)):
        raise ChallengeError(problems=problems)
    return ready


def _named(submissions: Iterable[Named | Path | str]) -> list[Named]:
    return [
        each if isinstance(each, Named) else Named(submission_name(Path(each)), Path(each))
        for each in submissions
    ]


def _baselines(prepared: Prepared) -> list[Named]:
    return [
        Named(submission_name(path), Path(near(path)), baseline=True)
        for path in prepared.challenge.leaderboard.baselines
    ]


def _distinct(files: Sequence[Named]) -> None:
    seen: dict[str, Named] = {}
    for file in files:
        if (other := seen.setdefault(file.name, file)) is not file:
            raise UsageError(
                f"two submissions are called {quoted(file.name)}: {other.path} and {file.path}; "
                "name one of them: NAME=PATH"
            )


def _run(ready: Opened, files: Sequence[Named], progress: Progress | None) -> Iterable[Outcome]:
    def tick(done: float) -> None:
        if progress is not None:
            progress(done, len(files), files[min(int(done), len(files) - 1)].name)

    return local(ready, [file.path for file in files], tick)


def _scored(ready: Opened, file: Named, outcome: Outcome) -> Scored:
    """A submission after the challenge's rules; `undefined: error` can still reject it."""
    card, findings, values = outcome.card, outcome.findings, {}
    if card is not None:
        for measure in ready.measures:
            rules = ready.prepared.rules[measure.id]
            cards = list(outcome.folds.values()) or [card]
            values[measure.id] = (
                over_folds(outcome.folds, card.lists, measure, rules)
                if outcome.folds
                else settle(card, measure, rules)
            )
            if rules.undefined == "error" and measure.id in card.values:
                found = {
                    each.lists[n]: None
                    for each in cards
                    for n in np.flatnonzero(each.states(measure.id, rules) == UNDEFINED).tolist()
                }
                word = ready.public.word("list")
                findings.extend(_undefined(measure.id, word, name) for name in found)
        if findings.fatal:
            card, values = None, {}
    return Scored(
        file.name, str(file.path), outcome.sha256, file.baseline, findings, card, values,
        _by_group(ready, card) if card is not None else {},
    )  # fmt: skip


def _by_group(ready: Opened, card: Scorecard) -> dict[str, dict[str, float]]:
    """The mean of every measure over each group of lists, where the challenge has groups."""
    masks: dict[str, Mask] = {}
    for n, name in enumerate(card.lists if ready.public.groups else ()):
        if (group := ready.public.groups.get(name)) is not None:
            masks.setdefault(group, np.zeros(len(card.lists), dtype=bool))[n] = True
    return {
        measure.id: {
            group: settle(card, measure, ready.prepared.rules[measure.id], keep).mean
            for group, keep in sorted(masks.items())
        }
        for measure in ready.measures
    }


def _undefined(measure: str, word: str, name: str) -> Problem:
    said = f"{measure} is undefined for {word} {quoted(name)}, and this challenge allows none"
    return Problem("S511", said, list=name)
