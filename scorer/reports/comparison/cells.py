"""A comparison to be shown, and the pieces of text that several of its formats share."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from scorer.challenge.model import Challenge
from scorer.core.text import format_number, join_first, printable, unit
from scorer.metrics.notation import Measure
from scorer.reports.document import Cell, Column, Row, Table, cut
from scorer.reports.leaderboard.cells import chance
from scorer.reports.leaderboard.remarks import test_name
from scorer.results.comparison import (
    ComparedPair,
    Differing,
    ListPreferences,
    Pairing,
    WinTally,
)
from scorer.results.report import Report

MANY = 10  # pairs above which each is shown only when all are asked for

OF_ALL_PAIRS = "of all pairs"  # an interval that holds for all at once
EQUIVALENT = "p equal"
DIFFER_MOST = "differ most in"


@dataclass(frozen=True, slots=True)
class ComparedReport:
    """Submissions held against each other, and where they come from."""

    challenge: Challenge
    report: Report | None  # None: read back, without the submissions
    pairing: Pairing
    every_measure: bool = True  # shown as text, too; else only the primary one

    def published(self, paths: bool = False) -> ComparedReport:
        """The part that may be published, as `Report.published` says."""
        return self if self.report is None else replace(self, report=self.report.published(paths))

    @property
    def measures(self) -> tuple[Measure, ...]:
        """The measures that were compared, the primary first."""
        if self.report is None or not self.pairing.pairs:
            return ()
        compared_ids, primary = self.pairing.pairs[0].measures, self.report.primary
        compared = [measure for measure in self.report.measures if measure.id in compared_ids]
        return tuple(sorted(compared, key=lambda measure: measure.id != primary.id))

    @property
    def unit(self) -> str:
        """The challenge's word for a list."""
        return unit(self.report.called if self.report else {}, 1)

    @property
    def units(self) -> str:
        """The challenge's word for lists."""
        return unit(self.report.called if self.report else {})

    @property
    def shown_measures(self) -> tuple[Measure, ...]:
        """The measures that a text shows, the primary first."""
        return self.measures if self.every_measure else self.measures[:1]

    @property
    def others(self) -> str:
        """A sentence on the measures that a text does not show; empty where there are none."""
        names = [
            printable(measure.id) for measure in self.measures if measure not in self.shown_measures
        ]
        return f"Also compared: {', '.join(names)} (-m, or --format html, csv, json)." * bool(names)

    @property
    def preferences(self) -> tuple[str, ...]:
        """The names of the preferences that were asked for."""
        return tuple(self.pairing.orders)


def title(pair: ComparedPair) -> str:
    """The title of a pair: the first's mean minus the second's."""
    return f"{cut(pair.a)} minus {cut(pair.b)}"


def signed(value: float, precision: int) -> str:
    """A difference; what is rounded to 0 has no sign, no value is a dash.

    >>> signed(0.25, 2), signed(-1e-17, 2)
    ('+0.25', '0.00')
    """
    message = format_number(value, precision, "+")
    return "-" if math.isnan(value) else message if float(message) else message[1:]


def record(tally: WinTally) -> str:
    """Wins, ties and losses of the first; a dash where no list has a value of its own."""
    if not tally.wins + tally.ties + tally.losses:
        return "-"
    return f"{tally.wins:,}-{tally.ties:,}-{tally.losses:,}"


def span(ends: tuple[float, float] | None, precision: int) -> str:
    """An interval of the difference; one of equal differences is no certainty."""
    if ends is None:
        return "-"
    if ends[0] == ends[1]:
        return "all equal"
    return "[{}, {}]".format(*(signed(end, precision) for end in ends))


def headings(compared: ComparedReport) -> list[str]:
    """The headings of the figures of a pair; some only where there is something to say."""
    pairing = compared.pairing
    uneven = any(test.lists[0] < test.lists[1] for test in pairing.tests.values())
    return [
        "difference",
        "interval",
        *([OF_ALL_PAIRS] if len(pairing.pairs) > 1 and pairing.tests else []),
        "w-t-l",
        *([compared.units] if uneven else []),
        "effect",
        "p",
        *([EQUIVALENT] if pairing.margin is not None else []),
    ]


def figures(differing: Differing, compared: ComparedReport, precision: int) -> list[str]:
    """The figures of a pair, one below each of `headings`; differences to `precision` decimals."""
    cells = {
        "difference": signed(differing.difference, precision),
        "interval": span(differing.interval, precision),
        OF_ALL_PAIRS: span(differing.together, precision),
        "w-t-l": record(differing.tally),
        compared.units: f"{differing.lists:,}",
        "effect": signed(differing.effect, 2),
        "p": chance(differing.p),
        EQUIVALENT: "-" if differing.equivalent is None else chance(differing.equivalent),
    }
    return [cells[heading] for heading in headings(compared)]


def most(differing: Differing, lists: Sequence[str], precision: int) -> str:
    """The lists that differ most, by falling difference."""
    place = {name: n for n, name in enumerate(lists)} if differing.most else {}
    lines = [
        f"{printable(name, 30)} {signed(float(differing.per_list[place[name]]), precision)}"
        for name in differing.most
    ]
    return ", ".join(lines) or "none"


def by_preference(pairing: Pairing, key: str, precision: int) -> Table:
    """The pairs by one preference, a row each."""
    columns = [Column("a, b", "name", first="ascending", cut=130), *preference_columns()]
    rows = [
        Row([Cell(f"{cut(p.a)}, {cut(p.b)}"), *preferred(p.preferences[key], precision)])
        for p in pairing.pairs
    ]
    return Table(f"{key}; above 0, a is preferred", columns, rows)


def preference_columns() -> list[Column]:
    """The columns of the cells that `preferred` gives."""
    return [Column("mean", first="descending"), Column("w-t-l", first="descending")]


def preferred(outcome: ListPreferences, precision: int) -> list[Cell]:
    """The outcome of a preference: its mean, and wins, ties and losses."""
    balance = str(outcome.tally.wins - outcome.tally.losses)
    return [Cell(signed(outcome.mean, precision)), Cell(record(outcome.tally), balance)]


def orders(pairing: Pairing) -> Table:
    """An order a row, with the aggregations that make it."""
    rows = []
    for key, groups_by_name in pairing.orders.items():
        by: dict[str, list[str]] = {}
        for name, groups in groups_by_name.items():
            order = " > ".join(" = ".join(map(cut, group)) for group in groups)
            by.setdefault(order, []).append(name)
        rows += [Row(list(map(Cell, (key, ", ".join(names), o)))) for o, names in by.items()]
    columns = [Column("preference", "name"), Column("aggregation", "text"), Column("order", "long")]
    return Table("Orders, best first; = are tied", columns, rows)


def contradicted(pairing: Pairing) -> Iterator[str]:
    """Sentences on preferences that contradict themselves."""
    for key, groups in pairing.cycles.items():
        for group in groups:
            names = join_first(group, 8)
            yield f"{printable(key)} contradicts itself among {names}: no order agrees with it."


def legend(compared: ComparedReport) -> str:
    """What the figures of a pair mean, in a paragraph."""
    rules, pairing = compared.challenge.leaderboard, compared.pairing
    message = "a minus b: the difference of the means"
    if rules.intervals is not None:
        message += f", its {100 * rules.intervals:g} % interval"
    if OF_ALL_PAIRS in headings(compared) and rules.tiers is not None:
        share = f"{100 * (1 - rules.tiers.alpha):g} %"
        message += (
            f"; {OF_ALL_PAIRS}: one that holds jointly for all {len(pairing.pairs):,} at {share}"
        )
    message += (
        f"; w-t-l: the {compared.units} that a wins, ties and loses; effect: the mean difference "
        "divided by its standard deviation; p"
    )
    if rules.tiers is None:
        message += " is not given, since the challenge asks for no tests."
    else:
        message += f" of a {'; '.join(_tests(compared))}."
    if compared.units in headings(compared):
        message += f" Each pair is compared on the {compared.units} that both have."
    if pairing.margin is not None:
        message += (
            f" {EQUIVALENT}: of two one-sided t-tests, Holm adjusted, that the means differ by "
            f"less than {pairing.margin:g}."
        )
    for key, why in pairing.untested.items():
        message += f" {printable(key)} is not compared: {why}."
    return message


def _tests(compared: ComparedReport) -> Iterator[str]:
    """The tests that were used, each with the measures that it was used for if there are two."""
    by: dict[str, list[str]] = {}
    for key, tested in compared.pairing.tests.items():
        by.setdefault(test_name(tested.test, tested.adjust, tested.pairs), []).append(key)
    for name, keys in by.items():
        yield name if len(by) == 1 else f"{name} ({join_first(keys, 5)})"


def matrices(compared: ComparedReport) -> Iterator[tuple[str, Table]]:
    """Every submission against every other in one sign each, and what the signs mean.

    By the primary measure, or the first there is, and by the first preference.
    """
    pairing, rules = compared.pairing, compared.challenge.leaderboard.tiers
    for measure in compared.measures[:1]:
        lines = [pair.measures[measure.id] for pair in pairing.pairs]
        up = 1 if measure.metric.better == "higher" else -1
        sure = [rules is not None and differing.p <= rules.alpha for differing in lines]
        lead = [up * differing.lead for differing in lines]
        alpha = f", p at most {rules.alpha:g}" if rules else ""
        meaning = f"> the row is significantly better{alpha}; < worse; . neither"
        yield meaning, _matrix(measure.id, pairing, lead, sure)
    for key in compared.preferences[:1]:
        lead = [pair.preferences[key].mean for pair in pairing.pairs]
        meaning = "> the row is preferred on average; < the column; . neither"
        yield meaning, _matrix(key, pairing, lead, [abs(mean) > 1e-12 for mean in lead])


def _matrix(key: str, pairing: Pairing, lead: Sequence[float], sure: Sequence[bool]) -> Table:
    count = len(pairing.names)
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
        Row([Cell(pairing.names[n]), Cell(str(k)), *map(Cell, signs[n, order].tolist())])
        for k, n in enumerate(order, start=1)
    ]
    columns = [Column("", "name", cut=16), Column("", "sign"), *numbers]
    return Table(f"{key}, best first", columns, rows)
