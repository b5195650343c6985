"""Compare submissions list by list."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple, Unpack

import numpy as np

from scorer.api.evaluate import Columns, Measures, RunRules, bind_data
from scorer.api.report import Report
from scorer.api.splits import restrict_to_split, split_masks
from scorer.api.submissions import (
    Progress,
    SubmissionFile,
    Submissions,
    list_submissions,
    score_files,
    terms_of,
    to_scored,
    with_lists_of,
)
from scorer.api.text import Renderable, as_renderable
from scorer.challenge.model import Challenge
from scorer.core.errors import UnknownName, UsageError
from scorer.core.text import join_first, printable, quoted
from scorer.leaderboard.board import ranked
from scorer.leaderboard.certainty import cluster_codes
from scorer.leaderboard.pairs import compare_pairs
from scorer.leaderboard.repeats import with_repeats
from scorer.leaderboard.samples import Samples, samples_of
from scorer.metrics.notation import Measure, find_measure
from scorer.preferences.base import compute_preferences
from scorer.preferences.comparisons import comparisons
from scorer.results import comparison
from scorer.results.comparison import Differing
from scorer.results.json import ABSENT, Internal
from scorer.scoring.bind import BoundChallenge
from scorer.scoring.open import open_challenge
from scorer.stats.paired import Test
from scorer.views.preferences import Positions

MOST_COMPARED = 200  # submissions: 19,900 pairs, each with its test and its lists
# Forms of a comparison that a person reads from end to end.
READ = ("text", "table", "markdown", "latex")


@dataclass(frozen=True, repr=False, eq=False)
class Comparison(Renderable, comparison.Comparison):
    """Submissions held against each other: a report and the pairs."""

    report: Internal[Report]
    subject = "comparison"

    def render(self, form: str | None = None, **options: Any) -> str:
        """The text of one form; a table and Markdown have only the preferences that were asked for.

        Args and raises as of every text.
        """
        if not self.asked and (form or self.plain) in READ:
            return as_renderable(Comparison, self.without_preferences).render(form, **options)
        return super().render(form, **options)

    def p(self, a: str, b: str, measure: str | None = None) -> float:
        """The corrected p-value of the difference of two submissions.

        `measure` is in any notation; default: the primary one. Raises as `Report.p`.
        """
        return float(self._pair(a, b, measure)[0].p)

    def interval(self, a: str, b: str, measure: str | None = None) -> tuple[float, float]:
        """The interval of the value of `a` less that of `b`; the rest as of `p`."""
        found, turned = self._pair(a, b, measure)
        if found.interval is None:
            raise UsageError(f"{quoted(a)} and {quoted(b)} have no interval here")
        low, high = map(float, found.interval)
        return (-high, -low) if turned else (low, high)

    def _pair(self, a: str, b: str, measure: str | None) -> tuple[Differing, bool]:
        """What a measure says of a pair, and whether that is of `b` less `a`."""
        for name in (a, b):
            if name not in self.names:
                raise UnknownName("submission here", name, list(self.names))
        chosen = (
            self.report.primary if measure is None else find_measure(self.report.measures, measure)
        )
        if chosen is None:
            raise UnknownName("measure here", str(measure), [m.id for m in self.report.measures])
        pair = next((pair for pair in self.pairs if {pair.a, pair.b} == {a, b}), None)
        if pair is None or chosen.id not in pair.measures:
            raise UsageError(f"{quoted(a)} and {quoted(b)} are not compared by {chosen.id}")
        return pair.measures[chosen.id], pair.a == b

    def __repr__(self) -> str:
        return f"<Comparison of {', '.join(printable(n, 40) for n in self.names[:10])}>"


def compare(
    challenge: Challenge | Path | str | object,
    submissions: Submissions,
    preferences: Sequence[str] | None = None,
    *,
    margin: float | None = None,
    test: Test = "permutation",
    only: Sequence[str] | None = None,
    split: str | None = None,
    measures: Measures | None = None,
    columns: Columns | None = None,
    allow_plugins: bool = False,
    progress: Progress | None = None,
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
        test: the paired test of means over lists. Wilcoxon's is of ranks: it finds medians of
            differences, which can point the other way than means. Figures of the whole, folds and
            runs have one test.
        only: ids of the measures by which pairs are compared; by default all.
        split: the split of the challenge's whose lists are compared; default: all lists.
        measures: as of `evaluate`; with `columns` and `rules` they stand for a challenge.yaml.
        columns: as of `evaluate`.
        allow_plugins: whether the challenge's own metrics may be run.
        progress: called before each submission is read.
        rules: as of `evaluate`.

    Returns:
        The pairs, with the report; none where fewer than two submissions can be scored.

    Raises as `score` and `evaluate` do, and `UsageError` for more than 200 submissions.
    """
    bound, runs = bind_data(challenge, submissions, measures, columns, allow_plugins, **rules)
    files = list_submissions(runs, bound)
    if len(files) > MOST_COMPARED:
        raise UsageError(
            f"{len(files):,} submissions have {len(files) * (len(files) - 1) // 2:,} pairs; "
            f"compare at most {MOST_COMPARED}, or rank all of them with score"
        )
    asked = _Asked(only, split, test)
    compared = _compared(bound, files, preferences, margin, progress, asked)
    return as_renderable(Comparison, replace(compared, asked=preferences is not None))


class _Asked(NamedTuple):
    """Which measures are compared, and how."""

    only: Sequence[str] | None
    split: str | None
    test: Test


def _compared(
    prepared: BoundChallenge,
    files: Sequence[SubmissionFile],
    preferences: Sequence[str] | None,
    margin: float | None,
    progress: Progress | None,
    asked: _Asked,
) -> comparison.Comparison:
    of_grades = prepared.kind.name == "grades"
    if preferences and not of_grades:
        raise UsageError(
            f"preferences compare ranked lists; this challenge has {prepared.kind.name}"
        )
    bound_preferences = tuple(comparisons.bind(notation) for notation in preferences or ())
    if preferences is None and of_grades:
        bound_preferences = comparisons.bind_all()
    if asked.only is not None:
        asked = asked._replace(only=[_id_of(prepared.measures, word) for word in asked.only])
    prepared = with_lists_of(prepared, files)
    ready = open_challenge(prepared, views=frozenset({Positions} if bound_preferences else ()))
    terms, wanted = terms_of(ready), [] if asked.split is None else [asked.split]
    masks_of_splits = split_masks(prepared.challenge, terms.lists, terms.groups, wanted)
    outcomes = score_files(ready, files, progress)
    terms, outcomes, scope = restrict_to_split(terms, outcomes, masks_of_splits, asked.split)
    scored = with_repeats(to_scored(terms, files, outcomes))
    if any(each.runs for each in scored) and preferences:
        raise UsageError("preferences compare single rankings, and there are several runs of one")
    report = Report.of(replace(ranked(terms, scored), scope=scope or ABSENT))
    cards = {
        submission.name: submission.card for submission in scored if submission.card is not None
    }
    if len(cards) < 2:
        return compare_pairs(prepared.challenge, report, list(cards), report.lists, {})
    valid = [submission for submission in scored if submission.valid]
    if any(each.runs for each in valid):
        bound_preferences = ()  # of single rankings
    positions = [card.positions for card in cards.values() if card.positions is not None]
    cubes = {
        preference.name: compute_preferences(preference, positions)
        for preference in bound_preferences
    }
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
    known = [measure.id for measure in prepared.measures]
    chosen = set(known if asked.only is None else asked.only)
    samples = {key: sample for key, sample in samples.items() if key in chosen}
    measures = [measure for measure in ready.measures if measure.id in samples]
    if margin is not None and not any(measure.primary for measure in measures):
        why = next((untested[m.id] for m in ready.measures if m.primary), "it is not compared")
        raise UsageError(f"nothing can be said of equivalence by {report.primary.id}: {why}")
    return compare_pairs(
        prepared.challenge, report, list(cards), report.lists, cubes, samples, values, measures,
        untested=untested, margin=margin, test=asked.test,
    )  # fmt: skip


def _id_of(measures: Sequence[Measure], word: str) -> str:
    """The id of the measure that a word names; `UsageError` where that is none, or several."""
    if (named := find_measure(measures, word)) is None:
        known = join_first([measure.id for measure in measures], 12)
        raise UsageError(f"no measure {quoted(word)}; there are {known}")
    return named.id
