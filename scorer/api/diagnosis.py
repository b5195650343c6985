"""What submissions tell of the measures, the lists and the truth by which they are scored."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations

import numpy as np

from scorer.api.submissions import Named, terms_of
from scorer.challenge.leaderboard import Tiers
from scorer.core.arrays import Floats, Ints, Mask
from scorer.core.problems import Findings
from scorer.kinds.base import Views
from scorer.kinds.rows import Labels
from scorer.leaderboard.board import Terms
from scorer.leaderboard.certainty import cluster_codes
from scorer.leaderboard.samples import samples_of
from scorer.metrics.notation import Measure
from scorer.prepare.open import OpenChallenge
from scorer.results.diagnosis import (
    AgainstOthers,
    Diagnosis,
    Low,
    Mislabelled,
    OrdersAgree,
    Reversed,
    Separation,
)
from scorer.results.report import Scored
from scorer.scoring.submission import join_truths
from scorer.stats.agreement import ap_correlation, separated
from scorer.stats.family import holm
from scorer.stats.items import (
    FAR,
    agreed,
    below_usual,
    better_half,
    item_total,
    unseparated,
)
from scorer.stats.orders import ranks_of, taus
from scorer.stats.ranks import rank_shares
from scorer.views.preferences import PositionTable
from scorer.views.rows import Labelled

AGREED = 2 / 3  # of the better half, against a label


def diagnosed(
    ready: OpenChallenge, scored: Sequence[Scored], ranks: Ints, files: Sequence[Sequence[Named]]
) -> Diagnosis:
    """What the ranked submissions tell of measures, lists and truth.

    From their scorecards; where there are classes, or ranked items, the files are read once more.

    Args:
        ready: the challenge, opened.
        scored: two or more ranked submissions, all valid.
        ranks: (submissions,), the official ones.
        files: of these submissions, in the same order: the one of each, or those of its runs.
    """
    terms, unknown = terms_of(ready), list[str]()
    challenge = terms.challenge
    by_measure = [m for m in terms.measures if m.metric.view is not PositionTable]
    separations, agreements, shares = _measures(terms, by_measure, scored, ranks, unknown)
    measure, values = _values_of_lists(terms, by_measure, scored)
    found: dict[str, object] = {}
    good = better_half(-ranks.astype(np.float64))
    if measure is None:
        unknown.append("lists: no measure has a value for each of them alone")
    else:
        found |= {"measure": measure.id, **_lists_found(terms, measure, values, unknown)}
    if not good.size:
        unknown.append("suspect truth: it takes three submissions")
    elif isinstance(ready.answers, Labels) and ready.answers.constants.classes:
        found["mislabelled"] = _mislabelled(ready, [files[n][0] for n in good.tolist()], unknown)
    elif measure is not None:
        found["low"] = _low(terms, values, good)
    return Diagnosis(
        _alpha(terms), separations, agreements, shares=shares,
        better_half=tuple(scored[n].name for n in good.tolist()),
        reversed=tuple(_reversed(terms, by_measure, scored)),
        truth="" if challenge.truthless else challenge.truth.file.name,
        unknown=tuple(unknown), **found,  # type: ignore[arg-type]
    )  # fmt: skip


def _read_again(ready: OpenChallenge, file: Named) -> Views | None:
    """The views of a submission that was scored before; None if it cannot be read now."""
    plan = (ready if file.format is None else ready.reading(file.format)).plan
    table = plan.read(file.path, Findings()).table if file.table is None else file.table
    if table is None:
        return None
    return join_truths(replace(plan, truths={None: plan.truths[None]}), table)[None]


def _alpha(terms: Terms) -> float:
    return (terms.challenge.leaderboard.tiers or Tiers()).alpha


def _measures(
    terms: Terms,
    measures: Sequence[Measure],
    scored: Sequence[Scored],
    official: Ints,
    unknown: list[str],
) -> tuple[tuple[Separation, ...], tuple[OrdersAgree, ...], Floats | None]:
    """How each measure separates and orders submissions; and shares of ranks by the primary one.

    The tests are the board's own: their correction is for all pairs.
    """
    rules, codes = terms.challenge.leaderboard, cluster_codes(terms.lists, terms.clusters)
    orders, tests, shares = dict[str, Ints](), dict[str, tuple[int, int]](), None
    for measure in measures:
        means = np.array([each.values[measure.id].mean for each in scored])
        orders[measure.id] = ranks_of(means, measure.metric.better)
        tests[measure.id] = (0, 0)
        if np.isnan(means).any():
            continue
        samples = samples_of(measure, scored, challenge=terms.challenge, clusters=codes)
        if isinstance(samples, str):
            unknown.append(f"pairs that {measure.id} separates: {samples}")
            continue
        tests[measure.id] = separated(samples.tests(rules).p, _alpha(terms))
        if measure.primary and (drawn := samples.drawn(rules)) is not None:
            shares = rank_shares(drawn, measure.metric.better)
    separations = tuple(
        Separation(id, *tests[id], _tau(official, ranks), ap_correlation(official, ranks))
        for id, ranks in orders.items()
    )
    agreements = tuple(
        OrdersAgree(one, other, _tau(first, second), ap_correlation(first, second))
        for (one, first), (other, second) in combinations(orders.items(), 2)
    )
    return separations, agreements, shares


def _tau(one: Ints, other: Ints) -> float:
    return float(taus(one.astype(np.float64), other[:, None].astype(np.float64))[0])


def _values_of_lists(
    terms: Terms, measures: Sequence[Measure], scored: Sequence[Scored]
) -> tuple[Measure | None, Floats]:
    """The first measure with a value a list, the primary before others, and its values.

    Values are (submissions, lists), higher the better.
    """
    for measure in sorted(measures, key=lambda m: not m.primary):
        per_list = [each.values[measure.id].per_list for each in scored]
        if terms.lists and all(each is not None for each in per_list):
            sign = 1.0 if measure.metric.better == "higher" else -1.0
            return measure, sign * np.array(per_list)
    return None, np.empty((len(scored), 0))


def _lists_found(
    terms: Terms, measure: Measure, values: Floats, unknown: list[str]
) -> dict[str, object]:
    """The lists that separate nobody, and those that go against the others."""
    low, high = measure.range
    if measure.metric.better == "lower":
        low, high = (None if end is None else -end for end in (high, low))
    flat = unseparated(values, low, high)
    correlation, p = item_total(values)
    known = np.flatnonzero(~np.isnan(p))
    if not known.size:
        unknown.append(
            "lists against the others: it takes three submissions and two lists that differ"
        )
    alpha, sure = _alpha(terms), np.zeros(p.size, dtype=bool)
    sure[known] = holm(p[known]) <= alpha
    lowest = [n for n in np.argsort(p, kind="stable").tolist() if p[n] <= alpha]
    against = tuple(
        AgainstOthers(terms.lists[n], float(correlation[n]), float(p[n]), bool(sure[n]))
        for n in lowest
    )
    named = {name: _names_at(terms.lists, mask) for name, mask in flat._asdict().items()}
    return {**named, "tested": int(known.size), "against": against}


def _names_at(lists: Sequence[str], mask: Mask) -> tuple[str, ...]:
    return tuple(lists[n] for n in np.flatnonzero(mask).tolist())


def _low(terms: Terms, values: Floats, good: Ints) -> tuple[Low, ...]:
    away = below_usual(values, good)
    lowest = [n for n in np.argsort(away, kind="stable").tolist() if away[n] <= -FAR]
    return tuple(Low(terms.lists[n], float(away[n])) for n in lowest)


def _mislabelled(
    ready: OpenChallenge, good: Sequence[Named], unknown: list[str]
) -> tuple[Mislabelled, ...]:
    """The rows to which most of some submissions give another class than the truth."""
    views = [
        found.views.get(Labelled)
        for file in good
        if (found := _read_again(ready, file)) is not None
    ]
    tables = [view for view in views if isinstance(view, Labelled) and view.class_shares is None]
    if not tables or any(view.label is None and view.probability is None for view in tables):
        unknown.append("suspect rows: submissions say no single class of them")
        return ()
    first, several = tables[0], tables[0].several
    codes = np.array([_codes(view) for view in tables])
    truth = first.truth.astype(np.int64).ravel()
    said, share = agreed(codes)
    doubted = np.flatnonzero((share >= AGREED - 1e-9) & (said != truth))
    doubted = doubted[np.argsort(-share[doubted], kind="stable")]

    def called(at: int, code: int) -> str:
        if not several:
            return first.classes[code] if code >= 0 else "none"
        name = first.classes[at % len(first.classes)]
        return name if code else f"not {name}"

    wide = len(first.classes) if several else 1
    return tuple(
        Mislabelled(
            first.names[at // wide], called(at, int(truth[at])), called(at, int(said[at])),
            float(share[at]),
        )
        for at in doubted.tolist()
    )  # fmt: skip


def _codes(view: Labelled) -> Ints:
    """The class that is said of each row, -1 for none; of several labels 0 or 1 of each."""
    decided = view.predicted_classes().astype(np.int64)
    if decided.ndim == 1:
        return decided
    return np.where(view.answered[:, None], decided, -1).ravel()


def _reversed(
    terms: Terms, measures: Sequence[Measure], scored: Sequence[Scored]
) -> Iterator[Reversed]:
    """The measures that would be better if labels were reversed; none unless all would be."""
    found = []
    for measure in measures:
        chance = measure.chance
        if chance is None:
            continue
        best = max(each.values[measure.id].mean for each in scored)
        if not best < chance:
            return
        found.append(Reversed(measure.id, best, chance))
    yield from found
