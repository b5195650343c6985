"""The board for a spreadsheet: a row a standing, or a row a submission and list."""

from __future__ import annotations

import math

from scorer.reports.base import ExactRows, Options
from scorer.reports.leaderboard.cells import sliced
from scorer.results.report import BOARD_COLUMNS, Report, Scored, Standing


def rows(report: Report, options: Options) -> ExactRows:
    """One row a standing; with `per_list` one row a submission and list."""
    if options.per_list:
        return _by_list(report)
    if not report.splits and (not report.scope or report.scope.split is None):
        return _board(report, options)
    whole = _board(report, options)
    table: list[list[object]] = []
    for board in (report, *(report.splits or ())):
        head, cells = _board(board, options)
        split = (board.scope and board.scope.split) or "all"
        by_name = [dict(zip(head, row, strict=True)) for row in cells]
        table += [[split, *(row.get(name) for name in whole.head)] for row in by_name]
    return ExactRows(["split", *whole.head], table)


def _board(report: Report, options: Options) -> ExactRows:
    ids = [measure.id for measure in report.measures]
    parts = [f"{key} {group}" for key in ids for group in (*report.groups, "gap") if report.groups]
    folded = [key for key in ids if any(key in row.deviations for row in report.leaderboard)]
    files = ["private_path", "private_sha256"] if options.private else []
    asked = [key for key in report.definition.questions
             if any(key in own for own in report.answers.values())]  # fmt: skip
    tracks = [(board.track.id, {row.name: row.rank for row in board.leaderboard})
              for board in report.tracks or () if board.track is not None]  # fmt: skip
    more = [*asked, *["front"] * bool(report.pareto), *(f"{key} rank" for key, _ in tracks)]
    deviations = [f"{key} sd" for key in folded]
    head = ["rank", "name", *ids, *BOARD_COLUMNS, *parts, *deviations, *more, *files]
    submissions = {scored.name: scored for scored in report.submissions}
    table = [
        [
            row.rank, row.name, *(row.values[key] for key in ids),
            *_standing(row, submissions[row.name], report),
            *(v for m in report.measures for v in sliced(submissions[row.name], m, report)),
            *(row.deviations.get(key, math.nan) for key in folded),
            *(report.answers.get(row.name, {}).get(key) for key in asked),
            *([report.pareto.place(row.name) or None] if report.pareto else []),
            *(ranks.get(row.name) for _, ranks in tracks),
            *_file(submissions[row.name], options),
        ]
        for row in report.leaderboard
    ]  # fmt: skip
    for scored in report.submissions:
        if not scored.valid:
            empty = [None] * (len(BOARD_COLUMNS) - 3 + len(parts) + len(folded) + len(more))
            told = [None, scored.name, *([None] * len(ids)), None, scored.baseline, False, *empty,
                    *_file(scored, options)]  # fmt: skip
            table.append([*told, *[None] * (len(head) - len(told))])
    if report.absent:  # a list of grades has everybody
        width = len(head) - 2
        table = [[*row, None] for row in table]
        table += [[None, team, *[None] * width, why] for team, why in report.absent.items()]
        head.append("reason")
    return ExactRows(head, table)


def _standing(row: Standing, scored: Scored, report: Report) -> list[object]:
    """The cells below `BOARD_COLUMNS`."""
    value = scored.values[report.primary.id]
    return [
        value.lists, row.baseline, True, *(row.ranks or (None, None)), row.tier,
        *map(float, row.interval or (math.nan, math.nan)), value.missing, value.undefined,
        row.fewer_lists[1] if row.fewer_lists else value.lists,
        ", ".join(f"{measure.id} {measure.metric.better}" for measure in report.measures),
    ]  # fmt: skip


def _by_list(report: Report) -> ExactRows:
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
