"""The orders of a board's submissions if something else were decided, from their scorecards."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain, compress
from typing import NamedTuple, cast

import numpy as np

from scorer.api.splits import restrict_outcome, split_masks
from scorer.challenge.leaderboard import EVERYTHING
from scorer.core.arrays import Floats, Ints, Mask
from scorer.core.errors import PluginError
from scorer.core.plugins import plugin_errors
from scorer.core.text import printable, unit
from scorer.leaderboard.board import Terms, ranked, settled
from scorer.leaderboard.certainty import cluster_codes
from scorer.leaderboard.repeats import with_repeats
from scorer.metrics.aggregate import SIZE, Combination
from scorer.metrics.notation import Measure
from scorer.preferences.aggregations import aggregations
from scorer.results.report import OF_EACH, Scored, Value
from scorer.results.scorecard import UNDEFINED, Missing, Outcome, Scorecard, Undefined
from scorer.results.study import Decided, Halves, Variation
from scorer.scoring.aggregate import (
    RulesById,
    aggregate_folds,
    aggregate_values,
    values_of_lists,
)
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

TENTH, HALF = 0.1, 0.5
SUM = Aggregate("sum")
DRAWS = 20  # of a tenth of the lists that is left out, and of two halves


class Entrants(NamedTuple):
    """The ranked submissions of a board, best first, with what they gave."""

    terms: Terms
    scored: tuple[Scored, ...]
    outcomes: tuple[tuple[Outcome, ...], ...]  # of each, one a run
    ranks: Ints  # (submissions,), official
    further: frozenset[str]  # measures that are no measures of the challenge, by id

    @property
    def runs(self) -> list[tuple[Scored, ...]]:
        """The runs of each; most are their own only one."""
        return [each.runs or (each,) for each in self.scored]

    @property
    def cards(self) -> list[Scorecard]:
        """The scorecard of each run."""
        return [cast(Scorecard, run.card) for run in chain.from_iterable(self.runs)]

    @property
    def by_primary(self) -> bool:
        """Whether the primary measure ranks."""
        return self.terms.rank_by is None and self.terms.ranked_by is None

    def values(
        self, measure: Measure, rules: RulesById | None = None, keep: Mask | None = None
    ) -> Floats:
        """The value of each by a measure, by other rules or on some of the lists; NaN for none."""
        runs = list(chain.from_iterable(self.runs))
        table = [run.values[measure.id] for run in runs if measure.id in run.values]
        if rules is None and len(table) == len(runs) and all(map(_has_list_values, table)):
            how = SUM if measure.metric.aggregate == "sum" else MEAN
            rows = [cast(Floats, each.per_list) for each in table]
            values = [how.of(row if keep is None else row[keep]) for row in rows]
        else:
            used = self.terms.rules if rules is None else rules
            outcomes = chain.from_iterable(self.outcomes)
            values = [
                self._value(cast(Scorecard, run.card), outcome, measure, used, keep)
                for run, outcome in zip(runs, outcomes, strict=True)
            ]
        ends = np.cumsum([len(each) for each in self.outcomes])[:-1]
        return np.array([float(each.mean()) for each in np.split(np.array(values), ends)])

    def table(self, measure: Measure) -> Floats | None:
        """The value of every list, (submissions, lists), NaN for none; None of a pooled figure."""
        rows = [each.values[measure.id].per_list for each in self.scored]
        return np.array(rows) if all(row is not None for row in rows) else None

    def _value(
        self,
        card: Scorecard,
        outcome: Outcome,
        measure: Measure,
        rules: RulesById,
        keep: Mask | None,
    ) -> float:
        """The value of a run."""
        try:
            with plugin_errors(f"metric {measure.metric.name} failed"):
                if not outcome.folds:
                    return aggregate_values(card, measure, rules, keep).mean
                if keep is not None:
                    outcome = restrict_outcome(
                        outcome, keep, tuple(compress(self.terms.lists, keep))
                    )
                lists = cast(Scorecard, outcome.card).lists
                return aggregate_folds(outcome.folds, lists, measure, rules).mean
        except PluginError:
            return math.nan

    def officially(self, rules: RulesById | None = None, keep: Mask | None = None) -> Ints | None:
        """The ranks by what ranks officially, by other rules or on some of the lists.

        None where no submission has a value.
        """
        terms, by = self.terms, self.terms.ranked_by
        preferred = terms.rank_by or any(b.metric.view is PositionTable for b in terms.breakers)
        if preferred or (by is not None and by.each is not None):
            return self._anew(rules, keep)
        ids = {terms.primary.id, *(each.id for each in terms.breakers)}
        ids |= set(by.measures if by is not None else ())
        used = [each for each in terms.measures if each.id in ids]
        table = {each.id: self.values(each, rules, keep) for each in used}
        if np.isnan(table[terms.primary.id]).all() and self.by_primary:
            return None
        scored = [
            replace(
                each,
                values={k: Value(float(v[n]), 0, 0, 0, None) for k, v in table.items()},
                runs=(),
            )
            for n, each in enumerate(self.scored)
        ]
        return self.board(terms._replace(groups={}), scored)

    def _anew(self, rules: RulesById | None, keep: Mask | None) -> Ints:
        """The ranks of submissions that are settled by other rules, or on some of the lists."""
        terms = self.terms._replace(rules=self.terms.rules if rules is None else rules)
        outcomes: Sequence[Outcome] = list(chain.from_iterable(self.outcomes))
        if keep is not None:
            terms = terms._replace(lists=tuple(compress(terms.lists, keep)))
            outcomes = [restrict_outcome(each, keep, terms.lists) for each in outcomes]
        pairs = zip(chain.from_iterable(self.runs), outcomes, strict=True)
        runs = [settled(terms, run.name, run.path, outcome) for run, outcome in pairs]
        return self.board(terms, with_repeats(runs))

    def board(self, terms: Terms, scored: list[Scored] | None = None) -> Ints:
        """The ranks by other terms."""
        rows = ranked(terms, self.scored if scored is None else scored).leaderboard
        place = {row.name: row.rank for row in rows}  # one that is rejected by a rule is last
        return np.array([place.get(each.name) or len(place) + 1 for each in self.scored])


def _has_list_values(value: Value) -> bool:
    """Whether the value on some of the lists is their mean, or their sum."""
    return value.plain and value.folds is None and math.isfinite(value.mean)


Found = Iterator[tuple[Decided, str, Ints | None]]


def variations(entrants: Entrants, seed: int) -> Iterator[Variation | str]:
    """The board by other decisions, and on parts of its lists; the name of one without a value."""
    families: tuple[Callable[[Entrants], Found], ...] = (
        _by_measures,
        _by_aggregates,
        _by_rules,
        _by_weights,
        _by_splits,
        _by_groups,
        partial(_by_draws, seed=seed),
    )
    names = [each.name for each in entrants.scored]
    official = entrants.ranks.tolist()
    for family in families:
        for about, name, ranks in family(entrants):
            if ranks is None:
                yield name
                continue
            tau = kendall_tau(entrants.ranks, ranks)
            yield Variation.of(about, name, tau, names, official, ranks.tolist())


def _by(measure: Measure, values: Floats) -> Ints | None:
    """The ranks of values of a measure; None where no submission has one."""
    return _ranked(_up(measure) * values)


def _ranked(values: Floats) -> Ints | None:
    """The ranks of values of which higher is better; None where no submission has one."""
    return None if np.isnan(values).all() else ranks_of(values)


def _up(measure: Measure) -> float:
    return 1.0 if measure.metric.better == "higher" else -1.0


def _by_measures(entrants: Entrants) -> Found:
    """Other measures, and the official one with other cut-offs."""
    for measure in entrants.terms.measures:
        if measure.primary and entrants.by_primary:
            continue
        further = measure.id in entrants.further
        if not (further and measure.combination.list_weights):
            ranks = _by(measure, entrants.values(measure))
            yield "cut-off" if further else "measure", measure.id, ranks


def _by_aggregates(entrants: Entrants) -> Found:
    """Other ways in which lists, groups or comparisons make an order."""
    terms, primary = entrants.terms, entrants.terms.primary
    if not entrants.by_primary:
        yield from _aggregations(entrants)
        return
    how = primary.combination
    many, table = unit(terms.called), entrants.table(primary)
    if primary.of_lists:
        alike = _without_weights(how)
        plain = how.lists == MEAN or primary.metric.aggregate == "sum"
        wanted = [] if plain and how.grouped_by is None else ["mean"]
        two = table is not None and bool(np.isin(table[~np.isnan(table)], (0, 1)).all())
        wanted += ["median"] if how.lists.name != "median" and not two else []  # which is 0 or 1
        for name in wanted:
            changed = replace(primary, combination=replace(alike, lists=Aggregate(name)))
            ranks = _by(primary, entrants.values(changed, terms.rules))
            yield "aggregate", f"{name} of the {many}", ranks
    if table is not None:
        values = _up(primary) * table
        yield "aggregate", f"Borda: win rate over the {many}", _ranked(_rates(values))
        yield "aggregate", f"Copeland: opponents beaten in most {many}", _ranked(majorities(values))
    yield from _win_rates(entrants)


def _win_rates(entrants: Entrants) -> Found:
    """Win rates over the measures of a formula, and over groups, as HELM's over scenarios."""
    primary = entrants.terms.primary
    parts = [_up(part) * entrants.values(part) for part in primary.parts]
    groups = [[*each.groups.get(primary.id, {}).values()] for each in entrants.scored]
    tables = {
        "the measures of the formula": np.array(parts).T,
        "the groups": _up(primary) * np.array(groups, dtype=float),
    }
    for over, table in tables.items():
        if table.ndim == 2 and table.shape[1] > 1 and not np.isnan(table).all():
            yield "aggregate", f"win rate over {over}", _ranked(_rates(table))


def _rates(values: Floats) -> Floats:
    """The mean win rate of each, without what float arithmetic leaves between equal ones.

    `values` is (submissions, units), higher is better.
    """
    rates = win_rates(values, np.ones(len(values), dtype=bool))
    compared = ~np.isnan(rates).all(axis=0)
    if not compared.any():
        return np.full(len(values), np.nan)
    return np.asarray(np.round(rates[:, compared].mean(axis=1), 12))


def _aggregations(entrants: Entrants) -> Found:
    """Other aggregations of preferences, or of ranks by several measures."""
    terms, preferred, by = entrants.terms, entrants.terms.rank_by, entrants.terms.ranked_by
    if by is not None and by.each is not None:
        other = "group" if by.each == "list" else "list"
        fits = terms.groups if other == "group" else terms.primary.of_lists
        if fits:
            changed = terms._replace(ranked_by=by._replace(each=other))
            yield "aggregate", f"{by.aggregate.name} in each {other}", entrants.board(changed)
        return
    official = preferred[1] if preferred else by.aggregate if by else None
    for aggregate in aggregations.bind_all():
        # win rates and mean ranks give Borda's order
        if aggregate == official or _of_ranks(aggregate, official):
            continue
        if preferred is not None:
            changed = terms._replace(rank_by=(preferred[0], aggregate))
        elif by is not None:
            changed = terms._replace(ranked_by=by._replace(aggregate=aggregate))
        yield "aggregate", aggregate.name, entrants.board(changed)


def _of_ranks(aggregate: Measure, official: Measure | None) -> bool:
    """Whether an aggregation is of mean ranks and is not to be tried: one of them is, or ranks."""
    of_each = official is not None and official.metric.name in OF_EACH
    return aggregate.metric.name in OF_EACH and (of_each or aggregate.metric.name != "Borda")


def _by_rules(entrants: Entrants) -> Found:
    """Other rules for lists that are left out, and for those without a value."""
    terms, many = entrants.terms, unit(entrants.terms.called)
    answered = np.array([card.answered for card in entrants.cards])
    official = terms.rules[terms.primary.id]
    if not answered.all():
        words: dict[Missing, str] = {"zero": "count as empty", "skip": "are left out"}
        for missing, said in words.items():
            if missing != official.missing:
                rules = {key: each._replace(missing=missing) for key, each in terms.rules.items()}
                yield "rule", f"{many} that a submission lacks {said}", entrants.officially(rules)
        common: Mask = np.all(answered, axis=0)
        if common.any():
            yield "rule", f"only {many} that all have", entrants.officially(None, common)
    if not _lacks_values(entrants):
        return
    low = all(part.metric.zero_is_bad for part in terms.primary.all_parts)
    others: tuple[Undefined, ...] = ("zero", "skip") if low else ("skip", "worst")
    for undefined in others:
        if undefined != official.undefined:
            rules = {key: each._replace(undefined=undefined) for key, each in terms.rules.items()}
            yield "rule", f"undefined: {undefined}", entrants.officially(rules)


def _lacks_values(entrants: Entrants) -> bool:
    """Whether a list has no value for some submission by the primary measure."""
    primary, rules = entrants.terms.primary, entrants.terms.rules
    if not primary.of_lists or primary.id not in {*entrants.cards[0].values}:
        return False
    states = (values_of_lists(card, primary, rules)[1] for card in entrants.cards)
    return any(bool((each >= UNDEFINED).any()) for each in states)


def _without_weights(how: Combination) -> Combination:
    """The combination in which all lists count alike."""
    return replace(how, list_weights=None, grouped_by=None, groups=MEAN, group_weights=None)


def _by_weights(entrants: Entrants) -> Found:
    """Weights of lists or not; groups alike, by their lists, or none."""
    terms, primary = entrants.terms, entrants.terms.primary
    if not entrants.by_primary:
        return
    how, many = primary.combination, unit(terms.called)
    changes: dict[str, Combination] = {}
    if how.list_weights is not None:
        changes[f"{many} without weights"] = replace(how, list_weights=None)
    if how.grouped_by is not None and primary.of_lists:
        changes[f"all {many} alike, without groups"] = replace(
            _without_weights(how), lists=how.lists
        )
    if how.grouped_by is not None and how.group_weights != SIZE:
        changes[f"groups by their {many}"] = replace(how, group_weights=SIZE)
    if how.group_weights is not None:
        changes["groups alike"] = replace(how, group_weights=None)
    for name, combination in changes.items():
        changed = replace(primary, combination=combination)
        yield "weights", name, _by(primary, entrants.values(changed, terms.rules))
    for measure in terms.measures:
        if measure.id in entrants.further and measure.combination.list_weights:
            column = printable(measure.combination.list_weights)
            ranks = _by(measure, entrants.values(measure))
            yield "weights", f"{many} weighted by {column}", ranks
    means = [np.mean([*each.groups.get(primary.id, {}).values()] or [np.nan])
             for each in entrants.scored]  # fmt: skip
    if how.grouped_by is None and (ranks := _by(primary, np.array(means))) is not None:
        yield "weights", "groups alike", ranks


def _by_splits(entrants: Entrants) -> Found:
    """Each split alone."""
    terms = entrants.terms
    for name, keep in split_masks(terms.challenge, terms.lists, terms.groups).items():
        if name != EVERYTHING and keep.any():
            yield "split", f"only the split {printable(name)}", entrants.officially(None, keep)


def _by_groups(entrants: Entrants) -> Found:
    """Each group of lists left out."""
    names, codes = labels(entrants)
    for code, name in enumerate(names):
        keep = codes != code
        if keep.any() and not keep.all():
            yield "group", f"without {printable(name)}", entrants.officially(None, keep)


def labels(entrants: Entrants) -> tuple[list[str], Ints]:
    """The groups of the lists, and the place of each list's among these, (lists,); -1: in none."""
    terms, columns = entrants.terms, entrants.cards[0].columns.groups
    grouped_by = terms.primary.combination.grouped_by
    if not terms.groups and grouped_by is not None and grouped_by in columns:
        return list(columns[grouped_by].names), columns[grouped_by].codes
    names = sorted(set(terms.groups.values()))
    place = {name: n for n, name in enumerate(names)}
    codes = [place.get(terms.groups.get(each, ""), -1) for each in terms.lists]
    return names, np.array(codes, dtype=np.int64)


def _by_draws(entrants: Entrants, seed: int) -> Found:
    """A tenth of the lists left out, and half of them, drawn several times."""
    many = unit(entrants.terms.called)
    for n, gone in enumerate(_lists_drawn(entrants, TENTH, seed), start=1):
        name = f"without a tenth of the {many}, draw {n}"
        yield "tenth", name, entrants.officially(None, ~gone)
    for n, kept in enumerate(_lists_drawn(entrants, HALF, seed), start=1):
        sides = [entrants.officially(None, keep) for keep in (kept, ~kept)]
        both = all(each is not None for each in sides)
        for side, ranks in zip("ab", sides, strict=True):
            yield "half", f"half of the {many}, draw {n}{side}", ranks if both else None


def _lists_drawn(entrants: Entrants, share: float, seed: int) -> Mask:
    """Draws of so many of the lists, whole clusters of them."""
    lists = entrants.terms.lists
    codes = cluster_codes(lists, entrants.terms.clusters)
    return parts(len(lists), codes, share, DRAWS, seed)


def halves(entrants: Entrants, drawn: list[Variation], seed: int) -> Halves | None:
    """How far two halves agree, of whose orders `drawn` has each pair; None of no pair."""
    if not drawn:
        return None
    orders = np.array([each.ranks for each in drawn])
    pairs = zip(orders[::2], orders[1::2], strict=True)
    tau = float(np.mean([kendall_tau(one, other) for one, other in pairs]))
    correlation = reliability = math.nan
    if entrants.by_primary:
        primary = entrants.terms.primary
        masks = _lists_drawn(entrants, HALF, seed)
        first, second = (
            np.array([entrants.values(primary, None, mask) for mask in side]).T
            for side in (masks, ~masks)
        )
        correlation, reliability = agreement(first, second)
    return Halves(len(drawn) // 2, tau, correlation, reliability)
