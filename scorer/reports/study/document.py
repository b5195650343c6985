"""How far a board depends on the organizer's decisions, as a document."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import groupby

from scorer.core.text import printable, unit
from scorer.reports.base import Options
from scorer.reports.document import (
    Block,
    Cell,
    Column,
    Document,
    Heading,
    Notes,
    Paragraph,
    Row,
    Table,
    cut,
    texts,
)
from scorer.results.study import DRAWN, PODIUM, Study, Variation, first_names

MAX_GROUPS = 12  # left out in turn, a row each; of more, those that change the order most
MAX_NAMES = 3  # in a cell
# Of variations that draw lists: what they draw, by the part.
PARTS = {"tenth": "without a tenth of the {}", "half": "by half of the {}"}


def document(study: Study, options: Options) -> Document:
    """Return how stable the first ranks are, a row for each variation, and the ranges of ranks."""
    return Document(
        printable(f"{study.challenge.title}: how robust is the board?", 1000),
        list(_sections(study, options.precision)),
        study.private or "",
        source=(study.challenge.id, study.challenge.fingerprint or ""),
        skip="Skip to the variations",
    )


def _sections(study: Study, precision: int) -> Iterator[Block]:
    first, *others = _describe_stability(study)
    yield Paragraph(first, "strong")
    if others:
        yield Paragraph(" ".join(others))
    yield Heading("Variations", key="variations")
    yield _variations(study)
    yield Heading("Submissions", key="submissions")
    yield _rank_table(study)
    notes = [
        f"Officially {printable(study.ranked_by)} ranks, over {study.lists:,} "
        f"{unit(study.called, study.lists)}. tau is Kendall's: 1 where a variation gives the "
        "official order, 0 where it has nothing to do with it, -1 where it is the reverse; of "
        "several draws the mean, and the least.",
        *(f"Not tried: {each}." for each in study.left_out),
    ]
    if study.rejected:
        names = _join_names([each.name for each in study.rejected])
        notes.append(f"Not on the board, as they cannot be scored: {names}.")
    yield Notes(notes, "prose")


def _describe_stability(study: Study) -> Iterator[str]:
    """Yield sentences on how often the first rank and the first three stay the same."""
    winners, decisions = first_names(study.names, study.ranks), study.decisions
    names = _join_names(winners)
    stay = "stays" if len(winners) == 1 else "stay"
    sentence = f"{names} {stay} first in {_count_winners(decisions)} variations"
    if not decisions:
        sentence = "Nothing else could be decided that this challenge has"
    elif _has_podium(study):
        sentence += f", and the first three are the same in {_count_podiums(decisions)}"
    yield f"{sentence}."
    for about in DRAWN:
        if drawn := [each for each in study.variations if each.about == about]:
            part = PARTS[about].capitalize().format(unit(study.called))
            yield f"{part}, {names} {stay} first in {_count_winners(drawn)} draws."
    if (halves := study.halves) is not None:
        sentence = f"Two halves of the {unit(study.called)} agree with a tau of {halves.tau:.2f}"
        if not math.isnan(halves.reliability):
            sentence += f": the reliability of the values is {halves.reliability:.2f}"
        yield f"{sentence}."


def _has_podium(study: Study) -> bool:
    """Return whether there are more submissions than the first three."""
    return len(study.names) > PODIUM


def _count_winners(variations: Sequence[Variation]) -> str:
    return f"{sum(each.winner_stays for each in variations)} of {len(variations)}"


def _count_podiums(variations: Sequence[Variation]) -> str:
    return f"{sum(each.podium_stays for each in variations)} of {len(variations)}"


def _variations(study: Study) -> Table:
    """Return a row for each decision, and one for all draws of a part of the lists."""
    columns = [
        Column("variation", "name", cut=70),
        Column("varied", "text", 2),
        Column("tau"),
        Column("least", priority=3),
        Column("first", "text", 0, cut=40),
        *([Column("first three", "text", 1, cut=60)] if _has_podium(study) else []),
    ]
    rows = []
    families = groupby(study.variations, lambda each: each.about)
    for group, (about, family) in enumerate(families):
        variations = list(family)
        if about in DRAWN:
            part = PARTS[about].format(unit(study.called))
            cells_of_rows = [_sum_up(f"{part}, {len(variations)} draws", variations)]
        else:
            cells_of_rows = list(_decision_cells(study, variations))
        rows += [
            Row([cells[0], Cell(about), *cells[1 : len(columns) - 1]], group)
            for cells in cells_of_rows
        ]
    return Table("The board if something else were decided", columns, rows)


def _decision_cells(study: Study, family: Sequence[Variation]) -> Iterator[list[Cell]]:
    """Yield the cells of each variation; of many groups, of those that change the order most."""
    shown = family
    if len(family) > MAX_GROUPS and family[0].about == "group":
        shown = sorted(family, key=lambda each: each.tau)[:MAX_GROUPS]
    for each in shown:
        stays = each.winner_stays
        first = "stays" if stays else _join_names(each.winner)
        podium = first_names(study.names, each.ranks, PODIUM)
        yield [
            Cell(each.variation),
            _tau(each.tau),
            Cell(),
            Cell(first, marks=() if stays else ("significant",)),
            Cell("stay" if each.podium_stays else _join_names(podium)),
        ]
    if rest := [each for each in family if each not in shown]:
        yield _sum_up(f"without another of {len(rest)}", rest)


def _sum_up(name: str, variations: Sequence[Variation]) -> list[Cell]:
    """Return the cells of one row for several variations."""
    taus = [each.tau for each in variations]
    return [
        Cell(name),
        _tau(sum(taus) / len(taus)),
        _tau(min(taus)),
        Cell(f"stays in {_count_winners(variations)}"),
        Cell(f"stay in {_count_podiums(variations)}"),
    ]


def _tau(tau: float) -> Cell:
    return Cell(f"{tau:.3f}", repr(tau))


def _join_names(names: Sequence[str]) -> str:
    """Return the first few names, for a sentence or a cell."""
    more = f" and {len(names) - MAX_NAMES} more" if len(names) > MAX_NAMES else ""
    return ", ".join(cut(name, 30) for name in names[:MAX_NAMES]) + more


def _rank_table(study: Study) -> Table:
    """Return the official rank of each submission, and its best and worst by any decision."""
    rows = [
        [each.name, str(each.rank), str(each.best), str(each.worst)] for each in study.submissions
    ]
    caption = "The best and the worst rank of each submission by any decision"
    return texts(caption, ["name", "rank", "best", "worst"], rows)
