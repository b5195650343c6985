"""How far a board depends on what was decided, as a document."""

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

SHOWN = 12  # of the groups that are left out in turn; of more, those that change the order most
NAMED = 3  # names in a cell
PARTS = {"tenth": "without a tenth of the {}", "half": "by half of the {}"}


def document(study: Study, options: Options) -> Document:
    """What stays whatever is decided, a row for each variation, and each submission's ranks."""
    return Document(
        printable(f"{study.challenge.title}: how robust is the board?", 1000),
        list(_sections(study, options.precision)),
        study.private or "",
        source=(study.challenge.id, study.challenge.fingerprint or ""),
        skip="Skip to the variations",
    )


def _sections(study: Study, precision: int) -> Iterator[Block]:
    first, *others = _staying(study)
    yield Paragraph(first, "strong")
    if others:
        yield Paragraph(" ".join(others))
    yield Heading("Variations", key="variations")
    yield _variations(study)
    yield Heading("Submissions", key="submissions")
    yield _spans(study)
    notes = [
        f"Officially {printable(study.ranked_by)} ranks, over {study.lists:,} "
        f"{unit(study.called, study.lists)}. tau is Kendall's: 1 where a variation gives the "
        "official order, 0 where it has nothing to do with it, -1 where it is the reverse; of "
        "several draws the mean, and the least.",
        *(f"Not tried: {each}." for each in study.left_out),
    ]
    if study.rejected:
        names = _first_names([each.name for each in study.rejected])
        notes.append(f"Not on the board, as they cannot be scored: {names}.")
    yield Notes(notes, "prose")


def _staying(study: Study) -> Iterator[str]:
    """In how many variations the winner stays, and the first three, in sentences."""
    first, decisions = first_names(study.names, study.ranks), study.decisions
    who = _first_names(first)
    stay = "stays" if len(first) == 1 else "stay"
    said = f"{who} {stay} first in {_count_winners(decisions)} variations"
    if not decisions:
        said = "Nothing else could be decided that this challenge has"
    elif _podium(study):
        said += f", and the first three are the same in {_count_podiums(decisions)}"
    yield f"{said}."
    for about in DRAWN:
        if drawn := [each for each in study.variations if each.about == about]:
            part = PARTS[about].capitalize().format(unit(study.called))
            yield f"{part}, {who} {stay} first in {_count_winners(drawn)} draws."
    if (halves := study.halves) is not None:
        known = not math.isnan(halves.reliability)
        ends = f": the reliability of the values is {halves.reliability:.2f}" if known else ""
        yield f"Two halves of the {unit(study.called)} agree with a tau of {halves.tau:.2f}{ends}."


def _podium(study: Study) -> bool:
    """Whether the first three are not all that there are."""
    return len(study.names) > PODIUM


def _count_winners(some: Sequence[Variation]) -> str:
    return f"{sum(each.winner_stays for each in some)} of {len(some)}"


def _count_podiums(some: Sequence[Variation]) -> str:
    return f"{sum(each.podium_stays for each in some)} of {len(some)}"


def _variations(study: Study) -> Table:
    """A row for each decision, and one for all draws of a part of the lists."""
    columns = [
        Column("variation", "name", cut=70),
        Column("varied", "text", 2),
        Column("tau"),
        Column("least", priority=3),
        Column("first", "text", 0, cut=40),
        *([Column("first three", "text", 1, cut=60)] if _podium(study) else []),
    ]
    rows = []
    families = groupby(study.variations, lambda each: each.about)
    for place, (about, family) in enumerate(families):
        made = _of_draws(study, list(family)) if about in DRAWN else _decided(study, list(family))
        rows += [
            Row([cells[0], Cell(about), *cells[1 : len(columns) - 1]], place) for cells in made
        ]
    return Table("The board if something else were decided", columns, rows)


def _decided(study: Study, family: Sequence[Variation]) -> Iterator[list[Cell]]:
    """A row for each; of very many groups for those that change the order most."""
    least = sorted(family, key=lambda each: each.tau)[:SHOWN]
    some = family if len(family) <= SHOWN or family[0].about != "group" else least
    for each in some:
        stays = each.winner_stays
        first = "stays" if stays else _first_names(each.winner)
        podium = first_names(study.names, each.ranks, PODIUM)
        yield [
            Cell(each.variation),
            _tau(each.tau),
            Cell(),
            Cell(first, marks=() if stays else ("significant",)),
            Cell("stay" if each.podium_stays else _first_names(podium)),
        ]
    if rest := [each for each in family if each not in some]:
        yield _together(f"without another of {len(rest)}", rest)


def _of_draws(study: Study, drawn: Sequence[Variation]) -> Iterator[list[Cell]]:
    part = PARTS[drawn[0].about].format(unit(study.called))
    yield _together(f"{part}, {len(drawn)} draws", drawn)


def _together(name: str, some: Sequence[Variation]) -> list[Cell]:
    """The cells of several variations."""
    mean = sum(each.tau for each in some) / len(some)
    least = min(each.tau for each in some)
    return [
        Cell(name),
        _tau(mean),
        _tau(least),
        Cell(f"stays in {_count_winners(some)}"),
        Cell(f"stay in {_count_podiums(some)}"),
    ]


def _tau(tau: float) -> Cell:
    return Cell(f"{tau:.3f}", repr(tau))


def _first_names(names: Sequence[str]) -> str:
    """Some names in a sentence or a cell."""
    more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
    return ", ".join(cut(name, 30) for name in names[:NAMED]) + more


def _spans(study: Study) -> Table:
    """The official rank of each submission, and between which ranks decisions put it."""
    rows = [
        [each.name, str(each.rank), str(each.best), str(each.worst)] for each in study.submissions
    ]
    caption = "The best and the worst rank of each submission by any decision"
    return texts(caption, ["name", "rank", "best", "worst"], rows)
