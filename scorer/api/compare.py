"""Compare submissions list by list."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Literal, Unpack

import numpy as np

from scorer.api.evaluate import ChallengeOrTruth, Columns, Measures, RunRules, bind_data
from scorer.api.notebook import TableResult
from scorer.api.outcomes import score_files, terms_of, to_scored
from scorer.api.report import Report, choose_measure
from scorer.api.splits import restrict_to_split, split_masks
from scorer.api.submissions import (
    Progress,
    SubmissionFile,
    Submissions,
    find_submitted_lists,
    list_submissions,
)
from scorer.api.text import FormName, RenderOptions, content_of
from scorer.challenge.model import Challenge
from scorer.core.errors import UnknownName, UsageError
from scorer.core.text import format_distinct, join_first, printable, quoted
from scorer.leaderboard.board import rank
from scorer.leaderboard.certainty import cluster_codes
from scorer.leaderboard.from_jsonl import read as read_preferences
from scorer.leaderboard.pairs import compare_pairs
from scorer.leaderboard.repeats import with_repeats
from scorer.leaderboard.samples import Sample, sample_of
from scorer.metrics.notation import Measure, find_measure
from scorer.preferences.base import compute_preferences
from scorer.preferences.comparisons import comparisons
from scorer.results import comparison as results
from scorer.results.comparison import ComparedPair, MeasureDifference, PairTests
from scorer.results.json import ABSENT
from scorer.results.report import Report as BoardReport
from scorer.results.report import Scored
from scorer.scoring.bind import BoundChallenge
from scorer.scoring.open import OpenChallenge, open_challenge
from scorer.stats.paired import Test
from scorer.views.preferences import Positions

MOST_COMPARED = 200  # submissions: 19,900 pairs, each with its test and its lists
# Forms of a comparison that a person reads from end to end.
READ_FORMS = ("text", "table", "markdown", "latex", "html")
MOST_SHOWN = 10  # names in a repr


class Comparison(TableResult[results.Comparison]):
    """Submissions held against each other, pair by pair.

    Attributes:
        names: The submissions that could be scored.
        report: The leaderboard of all submissions, without intervals and tests.
        pairs: Every pair, with its differences by measure and the outcomes of its preferences.
        orders: Preference -> aggregation -> names in its order, equal ones in a group.
        tests: Measure -> how it was tested.
        untested: Measure -> why it was not tested.
    """

    _subject = "comparison"

    def __init__(self, result: results.Comparison, report: Report) -> None:
        super().__init__(result)
        self.names: Sequence[str] = result.names
        self.report = report
        self.pairs: Sequence[ComparedPair] = result.pairs
        self.orders: Mapping[str, Mapping[str, Sequence[Sequence[str]]]] = result.orders
        self.tests: Mapping[str, PairTests] = result.tests
        self.untested: Mapping[str, str] = result.untested

    def render(
        self, form: FormName | Literal["jsonl"] | None = None, **options: Unpack[RenderOptions]
    ) -> str:
        """Return the text of one form, as every result does.

        Forms for reading (text, Markdown, LaTeX, HTML) have only the preferences that were named.
        """
        is_read = (form or self._default_form) in READ_FORMS
        return (self._to_read() if is_read else self)._write_form(form, options)

    def _repr_html_(self) -> str:
        """Return the comparison as HTML for a notebook."""
        return TableResult._repr_html_(self._to_read())

    def _to_read(self) -> Comparison:
        """Return the comparison with only the preferences that were asked for."""
        if self._result.preferences_requested:
            return self
        return Comparison(self._result.without_preferences, self.report)

    def p(self, a: str, b: str, measure: str | None = None) -> float:
        """Return the corrected p-value of the difference of two submissions.

        `measure` is in any notation; default: the primary one. Raises as `Report.p`.
        """
        return float(self._find_difference(a, b, measure).p)

    def interval(self, a: str, b: str, measure: str | None = None) -> tuple[float, float]:
        """Return the interval of the difference of two submissions, `a` minus `b`.

        Args and raises as `p`.
        """
        ends = self._find_difference(a, b, measure).interval
        if ends is None:
            raise UsageError(f"{quoted(a)} and {quoted(b)} have no interval here")
        low, high = map(float, ends)
        is_turned = any((pair.a, pair.b) == (b, a) for pair in self.pairs)
        return (-high, -low) if is_turned else (low, high)

    def _find_difference(self, a: str, b: str, measure: str | None) -> MeasureDifference:
        """Return what a measure says of the pair that has these two names, in either order."""
        for name in (a, b):
            if name not in self.names:
                raise UnknownName("submission here", name, list(self.names))
        chosen = choose_measure(content_of(self.report), measure)
        pair = next((pair for pair in self.pairs if {pair.a, pair.b} == {a, b}), None)
        if pair is None or chosen.id not in pair.measures:
            raise UsageError(f"{quoted(a)} and {quoted(b)} are not compared by {chosen.id}")
        return pair.measures[chosen.id]

    def __repr__(self) -> str:
        shown = ", ".join(printable(name, 40) for name in self.names[:MOST_SHOWN])
        return f"<Comparison of {shown}{', ...' if len(self.names) > MOST_SHOWN else ''}>"


def compare(
    challenge: ChallengeOrTruth,
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
    """Score submissions, and compare every pair list by list.

    The report has neither intervals nor tests; the pairs have their own.

    Args:
        challenge: A challenge as `score` takes it; with `measures`, a truth as `evaluate` does.
        submissions: As `score` takes them.
        preferences: Notations such as `RPP(rel=2)`; by default all there are, where the
            challenge has ranked lists: JSON and CSV have these, forms for reading (text,
            Markdown, LaTeX, HTML) only the ones that are named here.
        margin: The difference in the primary measure that does not matter: pairs are tested for
            differing by less.
        test: The paired test of means over lists. Wilcoxon's is of ranks: it finds medians of
            differences, which can point the other way than means. Figures of the whole, folds and
            runs have one test.
        only: Ids of the measures by which pairs are compared; by default all.
        split: The split of the challenge's whose lists are compared; default: all lists.
        measures: As `evaluate` takes them; with `columns` and `rules` in place of a file.
        columns: As `evaluate` takes them.
        allow_plugins: Whether the challenge's own metrics may be run.
        progress: Called before each submission is read.
        rules: As `evaluate` takes them.

    Returns:
        The pairs, with the report; none where fewer than two submissions can be scored.

    Raises as `score` and `evaluate` do, and `UsageError` for more than 200 submissions.
    """
    bound, runs = bind_data(challenge, submissions, measures, columns, allow_plugins, **rules)
    files = list_submissions(bound, runs)
    if len(files) > MOST_COMPARED:
        raise UsageError(
            f"{len(files):,} submissions have {len(files) * (len(files) - 1) // 2:,} pairs; "
            f"compare at most {MOST_COMPARED}, or rank all of them with score"
        )
    wanted = _find_ids(bound.measures, only)
    bound_preferences = _bind_preferences(bound, preferences)
    views = frozenset({Positions} if bound_preferences else ())
    ready = open_challenge(bound, views=views, submitted=find_submitted_lists(bound, files))
    scored, report = _score(ready, files, split, progress)
    if preferences and any(submission.runs for submission in scored):
        raise UsageError("preferences compare single rankings, and there are several runs of one")
    names = [submission.name for submission in scored if submission.card is not None]
    if len(names) < 2:
        result = compare_pairs(bound.challenge, report, names, report.lists, {})
    else:
        result = _compare_scored(
            ready, scored, report, bound_preferences, wanted, margin=margin, test=test
        )
    return Comparison(
        replace(result, preferences_requested=preferences is not None), Report(report)
    )


def read_comparison(
    challenge: Challenge, path: Path | str, preferences: Sequence[str] | None = None
) -> results.Comparison | None:
    """Return the comparison in a file that `score compare --format jsonl` wrote.

    None if the file is another one. It has preferences alone, and no report.

    Args:
        challenge: The challenge that the preferences are of.
        path: The file.
        preferences: Which of its preferences are read; default: all.

    Raises:
        UsageError: A line is broken, or a pair or a preference is missing.
    """
    written = read_preferences(Path(path), preferences)
    if written is None:
        return None
    return compare_pairs(challenge, None, written.names, written.lists, written.cubes)


def default_preferences(challenge: Challenge, forms: Collection[str]) -> tuple[str, ...] | None:
    """Return the preferences of a comparison in these forms where none is named; None: all.

    Forms for reading have the one that ranks, if any.
    """
    if not set(forms) <= {*READ_FORMS}:
        return None
    rank_by = challenge.leaderboard.rank_by
    if isinstance(rank_by, str) or rank_by.preference is None:
        return ()
    return (rank_by.preference,)


def find_regression(comparison: results.Comparison, names: Sequence[str]) -> str | None:
    """Return why a new submission is taken for worse than an old one; None if it is not.

    It is worse if the primary measure's test says so at the board's level. With a margin, it is
    worse unless the whole interval of the difference lies above minus the margin.

    Args:
        comparison: The two submissions, compared.
        names: The names of the new one and of the old one.

    Raises:
        UsageError: There are not two submissions, or no test of the primary measure.
    """
    report = comparison.report
    if report is None or len(names) != 2:
        raise UsageError("two submissions are compared: the new one, then the old one")
    new, old = names
    primary = report.primary
    (pair,) = comparison.pairs
    found = pair.measures.get(primary.id)
    alpha = comparison.how.alpha
    if alpha is None:
        raise UsageError(f"there is no test of {primary.id}: leaderboard.tiers is off")
    if found is None or math.isnan(found.p):
        why = comparison.untested.get(primary.id, f"{primary.id} is not compared")
        why = why if found is None else "no p"
        raise UsageError(f"there is no test of {primary.id}: {why}")
    sign = 1 if (primary.metric.better == "higher") == (pair.a == new) else -1
    by = printable(primary.id)
    margin = comparison.how.margin
    if margin is None:
        if sign * found.lead >= 0 or found.p > alpha:
            return None
        verdict = f"difference {abs(found.difference):.4g}, p {found.p:.2g}"
        return f"{quoted(new)} is significantly worse than {quoted(old)} by {by}: {verdict}"
    if found.interval is None:
        raise UsageError(f"the margin needs an interval of the difference in {primary.id}")
    least = min(sign * end for end in found.interval)
    if least >= -margin:
        return None
    reached, allowed = format_distinct(-least, margin)
    verdict = f"the interval reaches {reached} worse, the margin is {allowed}"
    return f"{quoted(new)} is not shown to be within the margin of {quoted(old)} by {by}: {verdict}"


def _find_ids(measures: Sequence[Measure], notations: Sequence[str] | None) -> set[str]:
    """Return the ids of the measures that are named, or of all. Raises `UsageError`."""
    if notations is None:
        return {measure.id for measure in measures}
    ids = set()
    for notation in notations:
        measure = find_measure(measures, notation)
        if measure is None:
            known = join_first([measure.id for measure in measures], 12)
            raise UsageError(f"no measure {quoted(notation)}; there are {known}")
        ids.add(measure.id)
    return ids


def _bind_preferences(
    bound: BoundChallenge, notations: Sequence[str] | None
) -> tuple[Measure, ...]:
    """Return the preferences that are named, by default all; none but of ranked lists."""
    if bound.kind.name == "grades":
        if notations is None:
            return comparisons.bind_all()
        return tuple(comparisons.bind(notation) for notation in notations)
    if notations:
        raise UsageError(f"preferences compare ranked lists; this challenge has {bound.kind.name}")
    return ()


def _score(
    ready: OpenChallenge,
    files: Sequence[SubmissionFile],
    split: str | None,
    progress: Progress | None,
) -> tuple[Sequence[Scored], BoardReport]:
    """Return the outcome of each submission on the lists of a split, and their leaderboard."""
    terms = terms_of(ready)
    splits = [] if split is None else [split]
    masks = split_masks(terms.challenge, terms.lists, terms.groups, splits)
    outcomes = score_files(ready, files, progress)
    terms, outcomes, scope = restrict_to_split(terms, outcomes, masks, split)
    scored = with_repeats(to_scored(terms, files, outcomes))
    return scored, replace(rank(terms, scored), scope=scope or ABSENT)


def _compare_scored(
    ready: OpenChallenge,
    scored: Sequence[Scored],
    report: BoardReport,
    preferences: Sequence[Measure],
    wanted: set[str],
    *,
    margin: float | None,
    test: Test,
) -> results.Comparison:
    """Return the comparison of all submissions that are valid, by the measures with these ids."""
    valid = [submission for submission in scored if submission.valid]
    if any(submission.runs for submission in valid):
        preferences = ()  # They compare single rankings.
    cards = [submission.card for submission in scored if submission.card is not None]
    positions = [card.positions for card in cards if card.positions is not None]
    clusters = cluster_codes(report.lists, ready.public.clusters)
    samples: dict[str, Sample] = {}
    untested: dict[str, str] = {}
    for measure in ready.measures:
        sample = sample_of(measure, valid, challenge=ready.bound.challenge, clusters=clusters)
        if isinstance(sample, str):
            untested[measure.id] = sample
        elif measure.id in wanted:
            samples[measure.id] = sample
    if margin is not None and report.primary.id not in samples:
        why = untested.get(report.primary.id, "it is not compared")
        raise UsageError(f"nothing can be said of equivalence by {report.primary.id}: {why}")
    values = {
        key: np.array([submission.values[key].per_list for submission in valid])
        for key in samples
        if all(submission.values[key].per_list is not None for submission in valid)
    }
    return compare_pairs(
        ready.bound.challenge,
        report,
        [submission.name for submission in valid],
        report.lists,
        {preference.name: compute_preferences(preference, positions) for preference in preferences},
        samples,
        values,
        [measure for measure in ready.measures if measure.id in samples],
        untested=untested,
        margin=margin,
        test=test,
    )
