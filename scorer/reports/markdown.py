"""A table that GitHub, a wiki or a mail shows as it is."""

from __future__ import annotations

import re

from scorer.errors import shown
from scorer.reporting import (
    Options,
    form,
    gap,
    grouped,
    interval,
    level,
    mean_of,
    number,
    ordered,
    place,
    remarks,
    told,
)
from scorer.results import Report, Standing

# :// too, since GitHub makes links of addresses that nobody marked as such
SPECIAL = re.compile(r"([\\`*_{}\[\]<>()#+\-.!|~&$]|:(?=//))")


@form("markdown")
def markdown(report: Report, options: Options) -> str:
    """The leaderboard, what to know beside it, then what was rejected and why."""
    said = [f"# {escaped(report.challenge.title)}", "", *_standings(report, options)]
    if notes := remarks(report, options.precision):
        said += ["", *(f"- {escaped(note)}" for note in notes)]
    if report.groups:
        said += _groups(report, options)
    if options.per_list:
        said += _lists(report, options)
    for scored in report.submissions:
        if len(scored.findings):
            state = "has problems" if scored.valid else "was rejected"
            said += ["", f"## {escaped(scored.name)} {state}", ""]
            said += [f"- {escaped(line.strip())}" for line in told(scored.findings, options.every)]
    return "\n".join(said) + "\n"


def escaped(text: str) -> str:
    """Text that stays text in Markdown, and in a table's cell."""
    return SPECIAL.sub(r"\\\1", shown(text, 1000))


def _standings(report: Report, options: Options) -> list[str]:
    others = [m for m in report.measures if m.id != report.primary.id]
    lists = {s.name: s.values[report.primary.id].lists for s in report.submissions if s.valid}
    tiers = any(standing.tier for standing in report.standings)

    def row(standing: Standing) -> list[str]:
        primary, *rest = (
            mean_of(standing, m, options.precision) for m in (report.primary, *others)
        )
        return [
            place(standing),
            escaped(standing.name),
            *([str(standing.tier or "")] if tiers else []),
            primary,
            *([interval(standing, report.primary, options.precision)] if level(report) else []),
            *rest,
            f"{lists[standing.name]:,}",
        ]

    head = [
        "#", "name", *(["tier"] if tiers else []), report.primary.id,
        *([level(report)] if level(report) else []), *(m.id for m in others), "lists",
    ]  # fmt: skip
    return _table([escaped(h) for h in head], [row(standing) for standing in report.standings])


def _groups(report: Report, options: Options) -> list[str]:
    said = []
    for measure in report.measures:
        said += ["", f"## {escaped(measure.id)} by {escaped(grouped(report))}", ""]
        rows = [
            [
                escaped(scored.name),
                *(
                    number(mean, measure, options.precision)
                    for mean in (
                        *(scored.groups[measure.id][group] for group in report.groups),
                        gap(scored, measure),
                    )
                ),
            ]
            for scored in ordered(report)
            if scored.valid
        ]
        heads = [escaped(group) or "(none)" for group in report.groups]
        said += _table(["name", *heads, "gap"], rows, 1)
    return said


def _lists(report: Report, options: Options) -> list[str]:
    said = []
    for scored in report.submissions:
        columns = [scored.values[m.id].per_list for m in report.measures if scored.valid]
        if not columns:
            continue
        rows = [
            [
                escaped(name),
                *(
                    "-" if c is None else number(float(c[n]), m, options.precision)
                    for m, c in zip(report.measures, columns, strict=True)
                ),
            ]
            for n, name in enumerate(report.lists)
        ]
        head = [report.called.get("list", "list"), *(m.id for m in report.measures)]
        said += ["", f"## {escaped(scored.name)}", "", *_table([escaped(h) for h in head], rows, 1)]
    return said


def _table(head: list[str], rows: list[list[str]], names: int = 2) -> list[str]:
    """A table; all but its first `names` columns are set to the right."""
    rule = ["---" if n < names else "---:" for n in range(len(head))]
    return ["| " + " | ".join(row) + " |" for row in (head, rule, *rows)]
