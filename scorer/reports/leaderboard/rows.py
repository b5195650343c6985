"""The board for a spreadsheet: a row for each standing, or for each submission and list."""

from __future__ import annotations

import math

from scorer.reports.base import ExactRows, Options
from scorer.reports.leaderboard.cells import sliced
from scorer.results.report import BOARD_COLUMNS, Report, Scored, Standing


def rows(report: Report, options: Options) -> ExactRows:
    """Return a row for each standing; with `per_list` one for each submission and list."""
    if options.per_list:
        return _by_list(report)
    if not report.splits and (not report.scope or report.scope.split is None):
        return _board(report, options)
    columns = _board(report, options).head
    table: list[list[object]] = []
    for board in (report, *(report.splits or ())):
        head, cells = _board(board, options)
        split = (board.scope and board.scope.split) or "all"
        by_name = [dict(zip(head, row, strict=True)) for row in cells]
        table += [[split, *(row.get(name) for name in columns)] for row in by_name]
    return ExactRows(["split", *columns], table)


def _board(report: Report, options: Options) -> ExactRows:
    """Return a row for each standing, then for each rejected file, then for each absent team."""
    ids = [measure.id for measure in report.measures]
    by_group = [f"{key} {group}" for key in ids for group in (*report.groups, "gap")]
    over_folds = [key for key in ids if any(key in row.deviations for row in report.leaderboard)]
    file_columns = ["private_path", "private_sha256"] if options.private else []
    answered = {key for answers in report.answers.values() for key in answers}
    questions = [key for key in report.definition.questions if key in answered]
    tracks = {
        board.track.id: {row.name: row.rank for row in board.leaderboard}
        for board in report.tracks or ()
        if board.track is not None
    }
    head = [
        *("rank", "name", *ids, *BOARD_COLUMNS),
        *(by_group if report.groups else ()),
        *(f"{key} sd" for key in over_folds),
        *questions,
        *(["front"] if report.pareto else []),
        *(f"{key} rank" for key in tracks),
        *file_columns,
    ]
    submissions = {scored.name: scored for scored in report.submissions}
    table = [
        [
            row.rank,
            row.name,
            *(row.values[key] for key in ids),
            *_standing(row, submissions[row.name], report),
            *(v for m in report.measures for v in sliced(submissions[row.name], m, report)),
            *(row.deviations.get(key, math.nan) for key in over_folds),
            *(report.answers.get(row.name, {}).get(key) for key in questions),
            *([report.pareto.place(row.name) or None] if report.pareto else []),
            *(ranks.get(row.name) for ranks in tracks.values()),
            *_file(submissions[row.name], options),
        ]
        for row in report.leaderboard
    ]
    for scored in report.submissions:
        if not scored.valid:
            cells = {"name": scored.name, "baseline": scored.baseline, "valid": False}
            row = [cells.get(column) for column in head[: len(head) - len(file_columns)]]
            table.append([*row, *_file(scored, options)])
    if report.absent:  # teams of a course, of whom a list of grades needs all
        width = len(head) - 2
        table = [[*row, None] for row in table]
        table += [[None, team, *[None] * width, why] for team, why in report.absent.items()]
        head.append("reason")
    return ExactRows(head, table)


def _standing(row: Standing, scored: Scored, report: Report) -> list[object]:
    """Return the cells of the columns `BOARD_COLUMNS`."""
    value = scored.values[report.primary.id]
    return [
        value.lists,
        row.baseline,
        True,
        *(row.ranks or (None, None)),
        row.tier,
        *map(float, row.interval or (math.nan, math.nan)),
        value.missing,
        value.undefined,
        row.fewer_lists[1] if row.fewer_lists else value.lists,
        ", ".join(f"{measure.id} {measure.metric.better}" for measure in report.measures),
    ]


def _by_list(report: Report) -> ExactRows:
    """Return a row for each list of each valid submission."""
    ids = [measure.id for measure in report.measures]
    table = []
    for scored in report.submissions:
        columns = [scored.values[key].per_list for key in ids] if scored.valid else []
        for n, name in enumerate(report.lists if columns else ()):
            values = [math.nan if c is None else float(c[n]) for c in columns]
            table.append([scored.name, name, *values])
    return ExactRows(["name", report.called.get("list", "list"), *ids], table)


def _file(scored: Scored, options: Options) -> list[str | None]:
    return [scored.path, scored.sha256] if options.private else []
