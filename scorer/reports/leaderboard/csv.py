"""The leaderboard as CSV, safe to open in a spreadsheet."""

from __future__ import annotations

import csv as library
import io
import math

from scorer.reports.base import Options, form
from scorer.reports.leaderboard.cells import sliced
from scorer.reports.syntax.csv import cell, exact
from scorer.results.report import Report, Scored


@form("leaderboard", "csv")
def csv(report: Report, options: Options) -> str:
    """One row a standing with full doubles; with `--per-list` one row a submission and list."""
    buffer = io.StringIO()
    write = library.writer(buffer, lineterminator="\n").writerow
    ids = [measure.id for measure in report.measures]
    if options.per_list:
        write(["name", *map(cell, [report.called.get("list", "list"), *ids])])
        for scored in report.submissions:
            columns = [scored.values[key].per_list for key in ids] if scored.valid else []
            for n, name in enumerate(report.lists if columns else ()):
                values = [math.nan if c is None else float(c[n]) for c in columns]
                write([cell(scored.name), cell(name), *map(exact, values)])
        return buffer.getvalue()
    parts = [f"{key} {group}" for key in ids for group in (*report.groups, "gap") if report.groups]
    folded = [key for key in ids if any(key in row.deviations for row in report.standings)]
    write(["rank", "name", *map(cell, ids), "lists", "baseline", "valid",
           "best_rank", "worst_rank", "tier", "low", "high", "missing", "undefined",
           "of_lists", "best",
           *map(cell, parts), *(cell(f"{key} sd") for key in folded),
           *(["private_path", "private_sha256"] if options.private else [])])  # fmt: skip
    submissions = {scored.name: scored for scored in report.submissions}
    for standing in report.standings:
        scored = submissions[standing.name]
        value = scored.values[report.primary.id]
        means = [exact(standing.values[key]) for key in ids]
        slices = [exact(mean) for m in report.measures for mean in sliced(scored, m, report)]
        write([
            _or_empty(standing.rank), cell(standing.name), *means, value.lists,
            "yes" if standing.baseline else "no", "yes",
            *map(_or_empty, standing.ranks or (None, None)), _or_empty(standing.tier),
            *map(exact, standing.interval or (math.nan, math.nan)),
            value.missing, value.undefined,
            standing.fewer[1] if standing.fewer else value.lists,
            exact(math.nan if standing.best is None else standing.best), *slices,
            *(exact(standing.deviations[key]) for key in folded), *_file(scored, options),
        ])  # fmt: skip
    for scored in report.submissions:
        if not scored.valid:
            baseline = "yes" if scored.baseline else "no"
            empty = [""] * (9 + len(parts) + len(folded))
            write(["", cell(scored.name), *([""] * len(ids)), "", baseline, "no", *empty,
                   *_file(scored, options)])  # fmt: skip
    return buffer.getvalue()


def _file(scored: Scored, options: Options) -> list[str]:
    return [cell(scored.path), scored.sha256 or ""] if options.private else []


def _or_empty(value: int | None) -> int | str:
    return "" if value is None else value
