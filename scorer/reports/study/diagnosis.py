"""What submissions tell of measures, lists and truth, as blocks: the worst first, a few each."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from scorer.core.text import printable, unit
from scorer.reports.document import Block, Cell, Column, Heading, Notes, Row, Table, cut
from scorer.results.diagnosis import Diagnosis, Mislabelled, OrdersAgree
from scorer.results.study import Study

SHOWN, ROWS = 5, 10  # in a sentence, and in a table


def diagnosis_blocks(study: Study, found: Diagnosis) -> Iterator[Block]:
    """Measures, lists and suspect truth."""
    yield Heading("Measures", key="measures")
    yield _separations(found)
    yield Notes([*_measures_told(found)], "prose")
    parts = {
        "Lists": _lists_told(study, found),
        f"Suspect {'truth' if found.truth else unit(study.called)}": _truth_told(study, found),
    }
    for title, sentences in parts.items():
        if told := list(sentences):
            yield Heading(title, key=title.split()[0].lower())
            yield Notes(told, "prose")
    if found.unknown:
        yield Notes([f"Not known: {printable(why, 300)}." for why in found.unknown], "prose")


def _separations(found: Diagnosis) -> Table:
    columns = [Column("measure", "name", cut=60), Column("separates"), Column("pairs"),
               Column("tau"), Column("AP")]  # fmt: skip
    order = sorted(found.separations, key=lambda row: -row.separated)[:ROWS]
    rows = [
        Row([Cell(row.measure), *map(Cell, (
            f"{row.separated / row.pairs:.0%}" if row.pairs else "-",
            f"{row.separated:,}/{row.pairs:,}" if row.pairs else "-",
            _or_dash(row.tau, 3), _or_dash(row.ap, 3),
        ))])
        for row in order
    ]  # fmt: skip
    title = "How many pairs each measure separates, and how far its order is the official one"
    return Table(title, columns, rows)


def _measures_told(found: Diagnosis) -> Iterator[str]:
    more = len(found.separations) - ROWS
    yield (
        f"A measure separates a pair where the board's test finds a difference at alpha "
        f"{found.alpha:g}, corrected for all pairs; AP correlation weighs the top more than tau."
        + (f" {more:,} more measures separate no more pairs." if more > 0 else "")
    )
    if found.agreements and all(each.tau == 1 for each in found.agreements):
        yield "All measures give the same order."
    elif found.agreements:
        least = sorted(found.agreements, key=lambda pair: pair.tau)
        yield f"The orders that agree least: {_few_of([_pair_words(each) for each in least], 3)}."


def _pair_words(each: OrdersAgree) -> str:
    tau, ap = _or_dash(each.tau, 2), _or_dash(each.ap, 2)
    return f"{cut(each.first)} and {cut(each.second)} (tau {tau}, AP {ap})"


def _or_dash(value: float, decimals: int) -> str:
    return "-" if math.isnan(value) else f"{value:.{decimals}f}"


def _lists_told(study: Study, found: Diagnosis) -> Iterator[str]:
    word, by = unit(study.called), f" by {printable(found.measure)}"
    for names, which in ((found.failed, "worst"), (found.solved, "best"), (found.alike, "same")):
        if names:
            yield (
                f"In {len(names):,} of {study.lists:,} {word} all submissions have the {which} "
                f"value{by}, which separates nobody: {_few_of([*map(cut, names)])}."
            )
    if found.against:
        rows = [f"{cut(a.name)} ({a.correlation:.2f}{'*' * a.sure})" for a in found.against]
        by_chance = round(found.alpha * found.tested, 0 if found.tested > 200 else 1)
        chance = f"{by_chance:,.10g} of {found.tested:,} would by chance"
        star = "; * beyond chance" if any(a.sure for a in found.against) else ""
        yield (
            f"In {len(rows):,} {unit(study.called, len(rows))} submissions that are better "
            f"elsewhere do worse{by} (item-total correlation; {chance}{star}): {_few_of(rows)}."
        )


def _truth_told(study: Study, found: Diagnosis) -> Iterator[str]:
    if found.reversed:
        values = (
            f"{printable(each.measure)} at most {each.best:.3f}, chance {each.chance:g}"
            for each in found.reversed
        )
        yield f"All submissions would be better if labels were reversed: {'; '.join(values)}."
    better = f"the better half ({_few_of([*map(cut, found.better_half)], 3)})"
    if found.mislabelled:
        many, rows = len(found.mislabelled), [_row_words(each) for each in found.mislabelled]
        word = unit(study.called, many)
        yield (
            f"For {many:,} {word} most of {better} say another class than the truth: "
            f"{_few_of(rows)}."
        )
    if found.low:
        many = len(found.low)
        lists = [f"{cut(each.name)} ({each.deviations:.1f})" for each in found.low]
        yield (
            f"In {many:,} {unit(study.called, many)} all of {better} are far below their usual "
            f"{printable(found.measure)} (by so many of its deviations): {_few_of(lists)}."
        )
    single = found.mislabelled or found.low or any(each.sure for each in found.against)
    if single:
        one = unit(study.called, 1)
        yield f"A hard {one} looks like one with a wrong truth: score explain shows it."
    if found.truth and (single or found.reversed):
        id = printable(study.challenge.id)
        yield (
            f"After a correction of {printable(found.truth)}, score rescore {id} --dry-run says "
            f"whose rank changes, and score rescore {id} puts it into force."
        )


def _row_words(each: Mislabelled) -> str:
    return f"{cut(each.name)} ({cut(each.said)}, truth {cut(each.truth)}, {each.share:.0%})"


def _few_of(texts: Sequence[str], most: int = SHOWN) -> str:
    """The first few, and how many more there are."""
    more = f" and {len(texts) - most:,} more" if len(texts) > most else ""
    return f"{', '.join(texts[:most])}{more}"
