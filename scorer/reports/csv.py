"""The leaderboard as CSV, safe to open in a spreadsheet."""

from __future__ import annotations

import csv as library
import io
import math

from scorer.errors import shown
from scorer.reporting import Options, form
from scorer.results import Report


@form("csv")
def csv(report: Report, options: Options) -> str:
    """One row a standing with full doubles; with `--per-list` one row a submission and list."""
    buffer = io.StringIO()
    write = library.writer(buffer, lineterminator="\n").writerow
    ids = [measure.id for measure in report.measures]
    if options.per_list:
        write(["name", report.called.get("list", "list"), *map(_cell, ids)])
        for scored in report.submissions:
            columns = [scored.values[key].per_list for key in ids] if scored.valid else []
            for n, name in enumerate(report.lists if columns else ()):
                values = [math.nan if c is None else float(c[n]) for c in columns]
                write([_cell(scored.name), _cell(name), *map(_number, values)])
        return buffer.getvalue()
    write(["rank", "name", *map(_cell, ids), "lists", "baseline", "valid"])
    lists = {s.name: s.values[report.primary.id].lists for s in report.submissions if s.valid}
    for standing in report.standings:
        means = [_number(standing.values[key]) for key in ids]
        rank = "" if standing.rank is None else standing.rank
        baseline = "yes" if standing.baseline else "no"
        write([rank, _cell(standing.name), *means, lists[standing.name], baseline, "yes"])
    for scored in report.submissions:
        if not scored.valid:
            baseline = "yes" if scored.baseline else "no"
            write(["", _cell(scored.name), *([""] * len(ids)), "", baseline, "no"])
    return buffer.getvalue()


def _cell(text: str) -> str:
    """A cell that no spreadsheet takes for a formula."""
    said = shown(text, 1000)
    return f"'{said}" if said.startswith(("=", "+", "-", "@")) else said


def _number(value: float) -> str:
    return "" if math.isnan(value) else repr(value)
