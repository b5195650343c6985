"""The pieces of text that several formats of a comparison share."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from scorer.core.text import join_first, printable
from scorer.metrics.notation import Measure
from scorer.reports.document import Cell, Column, Row, Table, cut, texts
from scorer.reports.leaderboard.cells import chance, signed
from scorer.reports.leaderboard.remarks import test_name
from scorer.results.comparison import ComparedPair, Comparison, ListPreferences, MeasureDifference
from scorer.stats.intervals import MIN_UNITS

MANY = 10  # pairs above which each is shown only when all are asked for

OF_ALL_PAIRS = "of all pairs"  # an interval that holds for all at once
EQUIVALENT = "p equal"
DIFFER_MOST = "differ most in"


def title(pair: ComparedPair) -> str:
    """The title of a pair: the first's mean minus the second's."""
    return f"{cut(pair.a)} minus {cut(pair.b)}"


def win_record(found: MeasureDifference | ListPreferences) -> str:
    """Return wins, ties and losses of the first; a dash where no list has a value of its own."""
    if not found.wins + found.ties + found.losses:
        return "-"
    return f"{found.wins:,}-{found.ties:,}-{found.losses:,}"


def span(ends: tuple[float, float] | None, precision: int) -> str:
    """Return an interval of the difference as text; equal differences have no spread to show."""
    if ends is None:
        return ""
    if ends[0] == ends[1]:
        return "all equal"
    return "[{}, {}]".format(*(signed(end, precision) for end in ends))


def has_intervals(compared: Comparison) -> bool:
    """Return whether intervals are wanted, and some pair has lists enough for one."""
    if compared.how.level is None:
        return False
    tests = compared.tests.values()
    return not tests or any(test.lists[1] >= MIN_UNITS for test in tests)


def has_wins(shown: Iterable[MeasureDifference]) -> bool:
    """Return whether a pair wins, ties or loses lists, as pairs of pooled values do not."""
    return any(each.wins + each.ties + each.losses for each in shown)


def headings(compared: Comparison, shown: Iterable[MeasureDifference]) -> list[str]:
    """Return the headings of the figures in a table; some only if there is something to say."""
    uneven = any(test.lists[0] < test.lists[1] for test in compared.tests.values())
    of_all = len(compared.pairs) > 1 and compared.tests
    return [
        "difference",
        *(["interval", *([OF_ALL_PAIRS] if of_all else [])] if has_intervals(compared) else []),
        *(["w-t-l"] if has_wins(shown) else []),
        *([compared.units] if uneven else []),
        "effect",
        "p",
        *([EQUIVALENT] if compared.how.margin is not None else []),
    ]


def figures(differing: MeasureDifference, compared: Comparison, precision: int) -> dict[str, str]:
    """Return the figures of a pair by their headings; differences to `precision` decimals."""
    return {
        "difference": signed(differing.difference, precision),
        "interval": span(differing.interval, precision),
        OF_ALL_PAIRS: span(differing.interval_of_all, precision),
        "w-t-l": win_record(differing),
        compared.units: f"{differing.lists:,}",
        "effect": signed(differing.effect_size, 2),
        "p": chance(differing.p),
        EQUIVALENT: "-" if differing.equivalence_p is None else chance(differing.equivalence_p),
    }


def differing_lists(differing: MeasureDifference, precision: int) -> str:
    """Return the lists that differ most, by falling difference."""
    lines = [
        f"{printable(each.list, 30)} {signed(each.difference, precision)}"
        for each in differing.most
    ]
    return ", ".join(lines) or "none"


def by_preference(compared: Comparison, key: str, precision: int) -> Table:
    """The pairs by one preference, a row each."""
    columns = [
        Column("a, b", "name", first="ascending", cut=130),
        Column("mean", first="descending"),
        Column("w-t-l", first="descending"),
    ]
    rows = [
        Row([Cell(f"{cut(p.a)}, {cut(p.b)}"), *preference_cells(p.preferences[key], precision)])
        for p in compared.pairs
    ]
    return Table(f"{key}; above 0, a is preferred", columns, rows)


def preference_cells(outcome: ListPreferences, precision: int) -> list[Cell]:
    """Return the cells of a preference: its mean, and wins, ties and losses."""
    balance = str(outcome.wins - outcome.losses)
    return [Cell(signed(outcome.mean, precision)), Cell(win_record(outcome), balance)]


def describe_cycles(compared: Comparison) -> Iterator[str]:
    """Yield a sentence for each group that a preference orders in a circle."""
    for key, groups in compared.cycles.items():
        for group in groups:
            names = join_first(group, 8)
            yield f"{printable(key)} contradicts itself among {names}: no order agrees with it."


def four_counts(compared: Comparison, pair: ComparedPair) -> Table | None:
    """Return how many lists have 0 and 1 in both, one or none; None where values are others."""
    if compared.report is None:
        return None
    measure = compared.measures[0]
    scored = {
        each.name: each.values[measure.id].per_list
        for each in compared.report.submissions
        if each.valid
    }
    a, b = scored.get(pair.a), scored.get(pair.b)
    if a is None or b is None:
        return None
    both = ~(np.isnan(a) | np.isnan(b))
    if not both.any() or not np.isin(np.concatenate([a[both], b[both]]), (0.0, 1.0)).all():
        return None
    rows = [
        [
            f"{cut(pair.a)}: {one}",
            *(f"{(both & (a == one) & (b == other)).sum():,}" for other in (1, 0)),
        ]
        for one in (1, 0)
    ]
    head = ["values", f"{cut(pair.b)}: 1", f"{cut(pair.b)}: 0"]
    return texts(f"{compared.units.capitalize()} by their {printable(measure.id)}", head, rows)


def legend(compared: Comparison, measures: Sequence[Measure]) -> str:
    """Return what the figures of a pair by those measures mean, in a paragraph."""
    message = "a minus b: the difference of the means"
    how = compared.how
    shown = [pair.measures[measure.id] for pair in compared.pairs for measure in measures]
    heads = headings(compared, shown)
    tests = [compared.tests[m.id] for m in measures if m.id in compared.tests]
    if has_intervals(compared):
        message += f", its {100 * (how.level or 0):g} % interval"
    if OF_ALL_PAIRS in heads and how.alpha is not None:
        share = f"{100 * (1 - how.alpha):g} %"
        message += (
            f"; {OF_ALL_PAIRS}: one that holds jointly for all {len(compared.pairs):,} at {share}"
        )
    if has_wins(shown):
        message += f"; w-t-l: the {compared.units} that a wins, ties and loses"
    message += "; effect: the mean difference divided by its standard deviation; p"
    if how.alpha is None:
        message += " is not given, since the challenge asks for no tests."
    else:
        message += f" of a {'; '.join(_test_names(compared))}."
    if compared.units in heads:
        message += f" Each pair is compared on the {compared.units} that both have."
    if how.margin is not None:
        message += (
            f" {EQUIVALENT}: of two one-sided t-tests, Holm adjusted, that the means differ by "
            f"less than {how.margin:g}."
        )
    few = [test.over for test in tests if test.lists[0] < MIN_UNITS]
    if how.level is not None and few:
        units = compared.units if few[0] == "lists" else few[0]
        message += f" With fewer than {MIN_UNITS} {units} there is no interval."
    for key, why in compared.untested.items():
        message += f" {printable(key)} is not compared: {why}."
    return message


def _test_names(compared: Comparison) -> Iterator[str]:
    """The tests that were used, each with the measures that it was used for if there are two."""
    by: dict[str, list[str]] = {}
    for key, tested in compared.tests.items():
        by.setdefault(test_name(tested.test, tested.adjust, tested.pairs), []).append(key)
    for name, keys in by.items():
        yield name if len(by) == 1 else f"{name} ({join_first(keys, 5)})"


def matrices(compared: Comparison) -> Iterator[tuple[str, Table]]:
    """Every submission against every other in one sign each, and what the signs mean.

    By the primary measure, or the first there is, and by the first preference.
    """
    alpha = compared.how.alpha
    for measure in compared.measures[:1]:
        lines = [pair.measures[measure.id] for pair in compared.pairs]
        up = 1 if measure.metric.better == "higher" else -1
        sure = [alpha is not None and differing.p <= alpha for differing in lines]
        lead = [up * differing.lead for differing in lines]
        most_p = f", p at most {alpha:g}" if alpha is not None else ""
        meaning = f"> the row is significantly better{most_p}; < worse; . neither"
        yield meaning, _matrix(measure.id, compared, lead, sure)
    for key in [*compared.orders][:1]:
        lead = [pair.preferences[key].mean for pair in compared.pairs]
        meaning = "> the row is preferred on average; < the column; . neither"
        yield meaning, _matrix(key, compared, lead, [abs(mean) > 1e-12 for mean in lead])


def _matrix(key: str, compared: Comparison, lead: Sequence[float], sure: Sequence[bool]) -> Table:
    count = len(compared.names)
    first, second = np.triu_indices(count, 1)
    leads, signs = np.zeros((count, count)), np.full((count, count), ".")
    leads[first, second] = np.nan_to_num(lead)
    leads -= leads.T
    certain = np.zeros((count, count), dtype=bool)
    certain[first, second] = certain[second, first] = sure
    signs[certain & (leads > 0)], signs[certain & (leads < 0)] = ">", "<"
    np.fill_diagonal(signs, " ")
    order = np.argsort(-leads.sum(axis=1), kind="stable")
    numbers = [Column(f"{n + 1}", "sign", n) for n in range(count)]
    rows = [
        Row([Cell(compared.names[n]), Cell(str(k)), *map(Cell, signs[n, order].tolist())])
        for k, n in enumerate(order, start=1)
    ]
    columns = [Column("", "name", cut=16), Column("", "sign"), *numbers]
    return Table(f"{key}, best first", columns, rows)
