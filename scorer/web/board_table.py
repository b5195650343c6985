"""The leaderboard as the web shows it: dense rows with teams, methods and changes of rank."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from scorer.board.standings import RankedEntry, Ranking
from scorer.core.text import printable
from scorer.metrics.notation import Measure
from scorer.reports.base import Options
from scorer.reports.document import Picture, join_names
from scorer.reports.leaderboard.cells import (
    has_ranges,
    interval,
    level,
    mean_of,
    possible_ranks,
    with_digits,
)
from scorer.reports.leaderboard.figures import pareto
from scorer.reports.leaderboard.front import scope_of_track
from scorer.reports.leaderboard.remarks import cautions, remarks, scope
from scorer.reports.leaderboard.table import distinct_precision
from scorer.reports.leaderboard.table import standings as standings_table
from scorer.reports.leaderboard.verdict import beaten_by, verdict
from scorer.reports.write.html import Head, HtmlCell, HtmlRow, Table, view
from scorer.results.report import Report, Standing

FILTERED = 8  # rows above which a board has a filter
PODIUM = 3  # the ranks that a final result names


class EarlierRanks(NamedTuple):
    """The ranks that a board is compared with."""

    ranks: Mapping[int | None, int]  # team -> rank
    heading: str
    title: str
    final: bool = False  # of the board before the final one, not of the same board a week ago


class TrackStandings(NamedTuple):
    """A track's table, and which submissions and lists it is of."""

    name: str
    words: str
    table: Table | None


class Standings(NamedTuple):
    """The table, whether it has so many rows that a filter helps, the verdict and the notes."""

    table: Table | None
    filter: bool
    verdict: str
    podium: Sequence[str]
    notes: Sequence[str]
    tracks: Sequence[TrackStandings] = ()
    fronts: Sequence[Picture] = ()


def standings(ranking: Ranking, teams_path: str, earlier: EarlierRanks | None) -> Standings:
    """Return the board's table with its verdict.

    `teams_path` is where the pages of teams are, each by its number.
    """
    report = ranking.report
    options = with_digits(report, Options(page=True))
    said = verdict(report, options.precision)
    notes = [scope(report.scope, report.called)] if report.scope else []
    notes += [*cautions(report, options.precision), *remarks(report, options.precision)]
    notes += map(str, report.notes)
    if not report.leaderboard:
        return Standings(None, False, said, (), notes)
    table = _team_table(report, ranking.rows, teams_path, earlier)
    fronts = [each._replace(numbers=None) for each in pareto(report, options.precision)]
    tracks = list(_track_standings(ranking, teams_path))
    filters = len(report.leaderboard) > FILTERED
    return Standings(table, filters, said, _podium(report), notes, tracks, fronts)


def _podium(report: Report) -> list[str]:
    """Return who has the first ranks, a text a rank."""
    by_rank = defaultdict[int, list[str]](list)
    for row in report.leaderboard:
        if row.rank is not None and row.rank <= PODIUM:
            by_rank[row.rank].append(row.name)
    return [
        f"{rank} {join_names(names)}{' (equal)' if len(names) > 1 else ''}"
        for rank, names in sorted(by_rank.items())
    ]


def _track_standings(ranking: Ranking, teams_path: str) -> Iterator[TrackStandings]:
    for board in ranking.report.tracks or ():
        assert board.track is not None
        name, table = printable(board.track.id, 100), None
        if board.leaderboard:
            table = _team_table(board, ranking.tracks[board.track.id], teams_path, None)
            rows = [row._replace(key="") for row in table.rows]
            table = table._replace(caption=f"Track {name}, best first", id="", rows=rows)
        yield TrackStandings(name, scope_of_track(board, ranking.report), table)


def _team_table(
    report: Report,
    rows: Mapping[str, RankedEntry],
    teams_path: str,
    earlier: EarlierRanks | None,
) -> Table:
    """Return the report's table with a row a team of two lines each.

    Below the name stands the answer to the first question in free text, such as the method; below
    the rank stand the ranks that are possible. The interval is a bar. A rule says where the tie
    with the leader ends.
    """
    table = view(standings_table(report, Options(page=True)))
    questions = report.definition.questions
    free = {printable(key, 60) for key, asked in questions.items() if not asked.choices}
    methods = (n for n, h in enumerate(table.head) if n > 1 and h.kind == "text" and h.text in free)
    method = next(methods, None)
    intervals = next((n for n, head in enumerate(table.head) if head.text == level(report)), None)
    left_out = {method, intervals if level(report) else None}
    kept = [n for n in range(2, len(table.head)) if n not in left_out]
    heads = [table.head[0], Head("team", "text"), *(table.head[n] for n in kept)]
    heads = [h._replace(text=level(report)) if h.axis else h for h in heads]
    if earlier is not None:
        heads.insert(1, Head(earlier.heading, "number", "descending", title=earlier.title))
    ranged, keys, body = has_ranges(report), set[str](), list[HtmlRow]()
    for row, standing in zip(table.rows, report.leaderboard, strict=True):
        team = rows[standing.name]
        rank = HtmlCell(
            "" if standing.rank is None else f"{standing.rank}",
            row.cells[0].sort,
            "rank",
            note=possible_ranks(standing) if ranged else "",
        )
        name = row.cells[1]._replace(
            link=f"{teams_path}/{team.id}" if team.id is not None else "",
            note=row.cells[method].text if method is not None and team.id else row.cells[1].note,
        )
        cells = [rank, name, *(row.cells[n] for n in kept)]
        cells = [c._replace(title=_interval_text(row, intervals)) if c.bar else c for c in cells]
        if earlier is not None:
            cells.insert(1, _change(standing, team.id, earlier))
        marks = [] if team.id is None else [f"team-{team.id}"]
        marks += ["aside"] if standing.rank is None else []
        key = marks[0] if team.id is not None and marks[0] not in keys else ""
        keys.add(key)
        body.append(HtmlRow(cells, " ".join(marks), 1 if earlier is None else 2, key))
    rule = _end_of_tie(report)
    if rule is not None:
        place, text = rule
        cells = [HtmlCell(sort=f"{place - 0.5}"), HtmlCell(text, wide=len(heads) - 1)]
        body.insert(place, HtmlRow(cells, "rule", -1))
    look = f"{table.look} live{' changed' if earlier is not None else ''}"
    return table._replace(head=heads, rows=body, look=look)


def _interval_text(row: HtmlRow, place: int | None) -> str:
    return "" if place is None else row.cells[place].text


def _change(standing: Standing, team: int | None, earlier: EarlierRanks) -> HtmlCell:
    """Return how many ranks a team has gone up or down."""
    if standing.rank is None or team is None:
        return HtmlCell(sort="")
    before = earlier.ranks.get(team)
    if before is None:
        return HtmlCell("–" if earlier.final else "new", "", "" if earlier.final else "new")
    up = before - standing.rank
    text = f"▲ {up}" if up > 0 else f"▼ {-up}" if up else "–"
    look = "up" if up > 0 else "down" if up else ""
    note = f"{before} → {standing.rank}" if earlier.final else ""
    return HtmlCell(text, f"{up}", look, title=f"rank {before} before", note=note)


def _end_of_tie(report: Report) -> tuple[int, str] | None:
    """Return before which row those begin who all are significantly behind the leader, in words.

    None where the tests find nobody behind, or no tests are made.
    """
    ranked = [(n, row) for n, row in enumerate(report.leaderboard) if row.rank is not None]
    certainty = report.certainty
    if not ranked or certainty is None or ranked[0][1].name not in certainty.names:
        return None
    behind = set(beaten_by(ranked[0][1].name, certainty, report)[0])
    tied = [n for n, row in ranked if row.name not in behind]
    below = [n for n, _ in ranked if n > tied[-1]]
    if not below or not has_ranges(report):
        return None
    between = sum(row.name in behind for n, row in ranked if n < tied[-1])
    if len(tied) > 1 and not between:
        text = "Everybody above this line is tied with the leader; everybody below is "
        return below[0], f"{text}significantly behind."
    text = "Everybody below this line is significantly behind the leader"
    more = f"; so {'is' if between == 1 else 'are'} {between:,} above it" if between else ""
    return below[0], f"{text}{more}."


def digits_of(report: Report) -> int:
    """Return the decimals of the primary values of a board."""
    options = with_digits(report, Options())
    return distinct_precision(report.leaderboard, report.primary, options)


def mean_text(report: Report, row: Standing, measure: Measure) -> str:
    """Return the mean of a measure of a row with the digits of its board."""
    return mean_of(row, measure, digits_of(report))


def interval_text(report: Report, row: Standing) -> str:
    """Return the interval of a row's primary value; empty without one."""
    return interval(row, report.primary, digits_of(report))
