"""A table that GitHub, a wiki or a mail shows as it is."""

from __future__ import annotations

import re

from scorer.errors import shown
from scorer.reporting import Options, form, number, told
from scorer.results import Report

SPECIAL = re.compile(r"([\\`*_{}\[\]<>()#+\-.!|~&$])")


@form("markdown")
def markdown(report: Report, options: Options) -> str:
    """The leaderboard, then what was rejected and why."""
    head = ["#", "name", *(m.id for m in report.measures), "lists"]
    rows = []
    lists = {s.name: s.values[report.primary.id].lists for s in report.submissions if s.valid}
    for standing in report.standings:
        values = [number(standing.values[m.id], m, options.precision) for m in report.measures]
        rank = "B" if standing.baseline else str(standing.rank)
        rows.append([rank, escaped(standing.name), *values, f"{lists[standing.name]:,}"])
    said = [f"# {escaped(report.challenge.title)}", "", *_table([escaped(h) for h in head], rows)]
    if options.per_list:
        for scored in report.submissions:
            columns = [scored.values[m.id].per_list for m in report.measures if scored.valid]
            if columns:
                word = escaped(report.called.get("list", "list"))
                said += ["", f"## {escaped(scored.name)}", ""]
                said += _table(
                    [word, *(escaped(m.id) for m in report.measures)],
                    [
                        [
                            escaped(name),
                            *(
                                "-" if c is None else number(float(c[n]), m, options.precision)
                                for m, c in zip(report.measures, columns, strict=True)
                            ),
                        ]
                        for n, name in enumerate(report.lists)
                    ],
                )
    for scored in report.submissions:
        if len(scored.findings):
            state = "has problems" if scored.valid else "was rejected"
            said += ["", f"## {escaped(scored.name)} {state}", ""]
            said += [f"- {escaped(line.strip())}" for line in told(scored.findings, options.every)]
    return "\n".join(said) + "\n"


def escaped(text: str) -> str:
    """Text that stays text in Markdown, and in a table's cell."""
    return SPECIAL.sub(r"\\\1", shown(text, 1000))


def _table(head: list[str], rows: list[list[str]]) -> list[str]:
    rule = ["---" if n < 2 else "---:" for n in range(len(head))]
    return ["| " + " | ".join(row) + " |" for row in (head, rule, *rows)]
