"""The orders of a board's submissions if something else were decided, from their scorecards."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import compress
from typing import NamedTuple

import numpy as np

from scorer.api.splits import restrict_outcome, restrict_to_lists, split_masks
from scorer.challenge.phases import EVERYTHING
from scorer.core.arrays import Floats, Ints, Mask
from scorer.core.errors import PluginError
from scorer.core.plugins import plugin_errors
from scorer.core.text import printable, unit
from scorer.leaderboard.board import Terms, apply_rules, rank
from scorer.leaderboard.certainty import cluster_codes
from scorer.leaderboard.repeats import with_repeats
from scorer.metrics.aggregate import SIZE, Combination
from scorer.metrics.notation import Measure
from scorer.preferences.aggregations import aggregations
from scorer.results.report import RANK_AGGREGATIONS, Scored, Value
from scorer.results.scorecard import UNDEFINED, Missing, Outcome, Scorecard, Undefined
from scorer.results.study import DecisionKind, Halves, Variation
from scorer.scoring.aggregate import RulesById, aggregate_folds, aggregate_values, values_of_lists
from scorer.stats.aggregate import MEAN, Aggregate
from scorer.stats.ranks import (
    agreement,
    kendall_tau,
    majorities,
    parts,
    ranks_of,
    win_rates,
)
from scorer.views.preferences import PositionTable

TENTH = 0.1
HALF = 0.5
DRAWS = 20  # of a tenth of the lists that is left out, and of two halves


class Order(NamedTuple):
    """The order by another decision."""

    about: DecisionKind
    name: str
    ranks: Ints | None  # of the submissions in the official order; None if none has a value


class RankedSubmissions(NamedTuple):
    """The valid submissions of a board, best first.

    Attributes:
        terms: What the board knows of its challenge.
        scored: The submissions.
        outcomes: What each run gave; most submissions are their own only run.
        ranks: The official ranks, (submissions,).
        further: The ids of measures that the challenge does not have.
    """

    terms: Terms
    scored: Sequence[Scored]
    outcomes: Sequence[Outcome]
    ranks: Ints
    further: frozenset[str]

    @property
    def runs(self) -> list[Scored]:
        """The runs, in the order of the submissions."""
        return [run for each in self.scored for run in each.runs or (each,)]

    @property
    def cards(self) -> list[Scorecard]:
        """The scorecard of each run."""
        return [outcome.card for outcome in self.outcomes if outcome.card is not None]

    @property
    def by_primary(self) -> bool:
        """Whether the primary measure ranks."""
        return self.terms.pairwise is None and self.terms.rank_aggregate is None

    def list_values(self, measure: Measure) -> Floats | None:
        """Return the value of every list, (submissions, lists); None of a pooled figure."""
        rows = [each.values[measure.id].per_list for each in self.scored]
        return np.array(rows) if all(row is not None for row in rows) else None

    def values_by(
        self, measure: Measure, rules: RulesById | None = None, keep: Mask | None = None
    ) -> Floats:
        """Return the value of each submission, NaN if it is undefined.

        Args:
            measure: What gives the values.
            rules: Other rules than the board's.
            keep: The lists that count, (lists,).
        """
        runs = self.runs
        known = [run.values[measure.id] for run in runs if measure.id in run.values]
        if rules is None and len(known) == len(runs) and all(map(_is_mean_of_lists, known)):
            how = Aggregate("sum") if measure.metric.aggregate == "sum" else MEAN
            tables = [each.per_list for each in known if each.per_list is not None]
            values = [how.of(row if keep is None else row[keep]) for row in tables]
        else:
            used = self.terms.rules if rules is None else rules
            values = [self._evaluate(outcome, measure, used, keep) for outcome in self.outcomes]
        ends = np.cumsum([len(each.runs or (each,)) for each in self.scored])[:-1]
        return np.array([float(part.mean()) for part in np.split(np.array(values), ends)])

    def _evaluate(
        self, outcome: Outcome, measure: Measure, rules: RulesById, keep: Mask | None
    ) -> float:
        """Return the value of a run; NaN if the metric fails."""
        assert outcome.card is not None
        try:
            with plugin_errors(f"metric {measure.metric.name} failed"):
                if not outcome.folds:
                    return aggregate_values(outcome.card, measure, rules, keep).mean
                if keep is not None:
                    lists = tuple(compress(self.terms.lists, keep))
                    outcome = restrict_outcome(outcome, keep, lists)
                assert outcome.card is not None
                return aggregate_folds(outcome.folds, outcome.card.lists, measure, rules).mean
        except PluginError:
            return math.nan

    def ranks_by(self, measure: Measure, rules: RulesById | None = None) -> Ints | None:
        """Return the ranks by a measure; None if no submission has a value."""
        return _rank(_sign(measure) * self.values_by(measure, rules))

    def combined_ranks(self, combination: Combination) -> Ints | None:
        """Return the ranks by the primary measure, if it combined lists otherwise."""
        changed = replace(self.terms.primary, combination=combination)
        return self.ranks_by(changed, self.terms.rules)

    def official_ranks(
        self, rules: RulesById | None = None, keep: Mask | None = None
    ) -> Ints | None:
        """Return the ranks by what ranks officially, by other rules or on some of the lists.

        None if no submission has a value.
        """
        terms = self.terms
        by = self.terms.rank_aggregate
        has_positions = any(each.metric.view is PositionTable for each in terms.tie_breakers)
        if terms.pairwise or has_positions or (by is not None and by.each is not None):
            return self._settled_ranks(rules, keep)
        ids = {terms.primary.id, *(each.id for each in terms.tie_breakers)}
        ids |= set(by.measures if by is not None else ())
        values = {
            each.id: self.values_by(each, rules, keep) for each in terms.measures if each.id in ids
        }
        if self.by_primary and np.isnan(values[terms.primary.id]).all():
            return None
        scored = []
        for n, each in enumerate(self.scored):
            own = {key: Value(float(column[n]), 0, 0, 0, None) for key, column in values.items()}
            scored.append(replace(each, values=own, runs=()))
        return self.ranks_by_terms(terms._replace(groups={}), scored)

    def _settled_ranks(self, rules: RulesById | None, keep: Mask | None) -> Ints:
        """Return the ranks of submissions that are settled by other rules, or on some lists."""
        terms = self.terms
        outcomes = self.outcomes
        if rules is not None:
            terms = terms._replace(rules=rules)
        if keep is not None:
            terms, outcomes = restrict_to_lists(terms, outcomes, keep)
        pairs = zip(self.runs, outcomes, strict=True)
        runs = [apply_rules(terms, run.name, run.path, outcome) for run, outcome in pairs]
        return self.ranks_by_terms(terms, with_repeats(runs))

    def ranks_by_terms(self, terms: Terms, scored: Sequence[Scored] | None = None) -> Ints:
        """Return the ranks by other terms; one that a rule rejects is last."""
        rows = rank(terms, self.scored if scored is None else scored).leaderboard
        rank_of = {row.name: row.rank for row in rows}
        return np.array([rank_of.get(each.name) or len(rank_of) + 1 for each in self.scored])

    def draw_parts(self, share: float, seed: int) -> Mask:
        """Draw such a share of the lists, whole clusters of them: (draws, lists)."""
        lists = self.terms.lists
        return parts(len(lists), cluster_codes(lists, self.terms.clusters), share, DRAWS, seed)


def find_variations(board: RankedSubmissions, seed: int) -> tuple[list[Variation], list[str]]:
    """Return the board by other decisions, and the decisions by which no submission has a value."""
    families: tuple[Callable[[RankedSubmissions], Iterator[Order]], ...] = (
        _by_measures,
        _by_aggregates,
        _by_rules,
        _by_weights,
        _by_parts,
        partial(_by_draws, seed=seed),
    )
    names = [each.name for each in board.scored]
    official = board.ranks.tolist()
    variations = list[Variation]()
    valueless = list[str]()
    for order in (order for family in families for order in family(board)):
        if order.ranks is None:
            valueless.append(order.name)
            continue
        tau = kendall_tau(board.ranks, order.ranks)
        ranks = order.ranks.tolist()
        variations.append(Variation.of(order.about, order.name, tau, names, official, ranks))
    return variations, valueless


def compare_halves(
    board: RankedSubmissions, variations: Sequence[Variation], seed: int
) -> Halves | None:
    """Return how far random halves of the lists agree; None without halves.

    The orders by the two halves of a draw follow each other in `variations`.
    """
    orders = [np.array(each.ranks) for each in variations if each.about == "half"]
    if not orders:
        return None
    pairs = zip(orders[::2], orders[1::2], strict=True)
    tau = float(np.mean([kendall_tau(one, other) for one, other in pairs]))
    correlation = reliability = math.nan
    if board.by_primary:
        masks = board.draw_parts(HALF, seed)
        first, second = (
            np.array([board.values_by(board.terms.primary, keep=mask) for mask in side]).T
            for side in (masks, ~masks)
        )
        correlation, reliability = agreement(first, second)
    return Halves(len(orders) // 2, tau, correlation, reliability)


def _is_mean_of_lists(value: Value) -> bool:
    """Return whether the value on some of the lists is their mean, or their sum."""
    return value.plain and value.folds is None and math.isfinite(value.mean)


def _sign(measure: Measure) -> float:
    return 1.0 if measure.metric.better == "higher" else -1.0


def _rank(values: Floats) -> Ints | None:
    """Return the ranks of values, the highest first; None if no value is defined."""
    return None if np.isnan(values).all() else ranks_of(values)


def _mean_win_rates(values: Floats) -> Floats:
    """Return the mean win rate of each submission, rounded so that equal ones stay equal.

    `values` is (submissions, units), higher is better.
    """
    rates = win_rates(values, np.ones(len(values), dtype=bool))
    has_values = ~np.isnan(rates).all(axis=0)
    if not has_values.any():
        return np.full(len(values), np.nan)
    return np.asarray(np.round(rates[:, has_values].mean(axis=1), 12))


def _by_measures(board: RankedSubmissions) -> Iterator[Order]:
    """Yield the orders by other measures, and by the official one with other cut-offs."""
    for measure in board.terms.measures:
        if measure.primary and board.by_primary:
            continue
        is_further = measure.id in board.further
        if not (is_further and measure.combination.list_weights):
            about: DecisionKind = "cut-off" if is_further else "measure"
            yield Order(about, measure.id, board.ranks_by(measure))


def _by_aggregates(board: RankedSubmissions) -> Iterator[Order]:
    """Yield the orders by other ways in which lists, groups or comparisons make an order."""
    primary = board.terms.primary
    if not board.by_primary:
        yield from _by_aggregations(board)
        return
    how = primary.combination
    many = unit(board.terms.called)
    table = board.list_values(primary)
    if primary.of_lists:
        is_mean = how.lists == MEAN or primary.metric.aggregate == "sum"
        names = [] if is_mean and how.grouped_by is None else ["mean"]
        is_binary = table is not None and np.isin(table[~np.isnan(table)], (0, 1)).all()
        if how.lists.name != "median" and not is_binary:
            names.append("median")
        for name in names:
            changed = replace(_without_weights(how), lists=Aggregate(name))
            yield Order("aggregate", f"{name} of the {many}", board.combined_ranks(changed))
    if table is not None:
        values = _sign(primary) * table
        rates = _mean_win_rates(values)
        beaten = majorities(values)
        yield Order("aggregate", f"Borda: win rate over the {many}", _rank(rates))
        yield Order("aggregate", f"Copeland: opponents beaten in most {many}", _rank(beaten))
    # Win rates over scenarios, as HELM takes them.
    parts = [_sign(part) * board.values_by(part) for part in primary.parts]
    groups = [[*each.groups.get(primary.id, {}).values()] for each in board.scored]
    for units, values in {
        "the measures of the formula": np.array(parts).T,
        "the groups": _sign(primary) * np.array(groups, dtype=float),
    }.items():
        if values.ndim == 2 and values.shape[1] > 1 and not np.isnan(values).all():
            yield Order("aggregate", f"win rate over {units}", _rank(_mean_win_rates(values)))


def _by_aggregations(board: RankedSubmissions) -> Iterator[Order]:
    """Yield the orders by other aggregations of preferences, or of ranks by several measures."""
    terms = board.terms
    preferred = board.terms.pairwise
    by = board.terms.rank_aggregate
    if by is not None and by.each is not None:
        other = "group" if by.each == "list" else "list"
        if terms.groups if other == "group" else terms.primary.of_lists:
            changed = terms._replace(rank_aggregate=by._replace(each=other))
            name = f"{by.aggregate.name} in each {other}"
            yield Order("aggregate", name, board.ranks_by_terms(changed))
        return
    official = preferred[1] if preferred else by.aggregate if by else None
    is_official_mean = official is not None and official.metric.name in RANK_AGGREGATIONS
    for aggregate in aggregations.bind_all():
        name = aggregate.metric.name
        # Win rates and mean ranks give the order of Borda's count.
        if aggregate == official or (
            name in RANK_AGGREGATIONS and (is_official_mean or name != "Borda")
        ):
            continue
        if preferred is not None:
            changed = terms._replace(pairwise=(preferred[0], aggregate))
        elif by is not None:
            changed = terms._replace(rank_aggregate=by._replace(aggregate=aggregate))
        yield Order("aggregate", aggregate.name, board.ranks_by_terms(changed))


def _by_rules(board: RankedSubmissions) -> Iterator[Order]:
    """Yield the orders by other rules for lists that are left out, or have no value."""
    terms = board.terms
    many = unit(board.terms.called)
    primary = terms.primary
    official = terms.rules[terms.primary.id]
    answered = np.array([card.answered for card in board.cards])
    if not answered.all():
        words: dict[Missing, str] = {"zero": "count as empty", "skip": "are left out"}
        for missing, what in words.items():
            if missing != official.missing:
                rules = {key: each._replace(missing=missing) for key, each in terms.rules.items()}
                name = f"{many} that a submission lacks {what}"
                yield Order("rule", name, board.official_ranks(rules))
        common: Mask = np.all(answered, axis=0)
        if common.any():
            yield Order("rule", f"only {many} that all have", board.official_ranks(keep=common))
    if not primary.of_lists or primary.id not in board.cards[0].values:
        return
    states = (values_of_lists(card, primary, terms.rules)[1] for card in board.cards)
    if not any(bool((each >= UNDEFINED).any()) for each in states):
        return
    is_zero_bad = all(part.metric.zero_is_bad for part in primary.all_parts)
    others: tuple[Undefined, ...] = ("zero", "skip") if is_zero_bad else ("skip", "worst")
    for undefined in others:
        if undefined != official.undefined:
            rules = {key: each._replace(undefined=undefined) for key, each in terms.rules.items()}
            yield Order("rule", f"undefined: {undefined}", board.official_ranks(rules))


def _without_weights(how: Combination) -> Combination:
    """Return the combination in which all lists count alike."""
    return replace(how, list_weights=None, grouped_by=None, groups=MEAN, group_weights=None)


def _by_weights(board: RankedSubmissions) -> Iterator[Order]:
    """Yield the orders by lists with weights or without; by groups alike, by size, or by none."""
    terms = board.terms
    primary = board.terms.primary
    if not board.by_primary:
        return
    how = primary.combination
    many = unit(terms.called)
    changes: dict[str, Combination] = {}
    if how.list_weights is not None:
        changes[f"{many} without weights"] = replace(how, list_weights=None)
    if how.grouped_by is not None and primary.of_lists:
        alike = replace(_without_weights(how), lists=how.lists)
        changes[f"all {many} alike, without groups"] = alike
    if how.grouped_by is not None and how.group_weights != SIZE:
        changes[f"groups by their {many}"] = replace(how, group_weights=SIZE)
    if how.group_weights is not None:
        changes["groups alike"] = replace(how, group_weights=None)
    for name, combination in changes.items():
        yield Order("weights", name, board.combined_ranks(combination))
    for measure in terms.measures:
        if measure.id in board.further and measure.combination.list_weights:
            column = printable(measure.combination.list_weights)
            yield Order("weights", f"{many} weighted by {column}", board.ranks_by(measure))
    if how.grouped_by is None:
        groups = [[*each.groups.get(primary.id, {}).values()] for each in board.scored]
        means = np.array([np.mean(values or [np.nan]) for values in groups])
        if (ranks := _rank(_sign(primary) * means)) is not None:
            yield Order("weights", "groups alike", ranks)


def _by_parts(board: RankedSubmissions) -> Iterator[Order]:
    """Yield the orders by each split alone, and without each group of lists."""
    terms = board.terms
    for name, keep in split_masks(terms.challenge, terms.lists, terms.groups).items():
        if name != EVERYTHING and keep.any():
            ranks = board.official_ranks(keep=keep)
            yield Order("split", f"only the split {printable(name)}", ranks)
    grouped_by = terms.primary.combination.grouped_by
    columns = board.cards[0].columns.groups
    if not terms.groups and grouped_by is not None and grouped_by in columns:
        names = columns[grouped_by].names
        codes = columns[grouped_by].codes
    else:
        names = tuple(sorted(set(terms.groups.values())))
        places = {name: n for n, name in enumerate(names)}
        codes = np.array([places.get(terms.groups.get(each, ""), -1) for each in terms.lists])
    for code, name in enumerate(names):
        keep = codes != code
        if keep.any() and not keep.all():
            yield Order("group", f"without {printable(name)}", board.official_ranks(keep=keep))


def _by_draws(board: RankedSubmissions, seed: int) -> Iterator[Order]:
    """Yield the orders without a tenth of the lists, and by half of them, drawn several times."""
    many = unit(board.terms.called)
    for n, lost in enumerate(board.draw_parts(TENTH, seed), start=1):
        name = f"without a tenth of the {many}, draw {n}"
        yield Order("tenth", name, board.official_ranks(keep=~lost))
    for n, half in enumerate(board.draw_parts(HALF, seed), start=1):
        sides = [board.official_ranks(keep=keep) for keep in (half, ~half)]
        has_both = all(ranks is not None for ranks in sides)
        for side, ranks in zip("ab", sides, strict=True):
            name = f"half of the {many}, draw {n}{side}"
            yield Order("half", name, ranks if has_both else None)
