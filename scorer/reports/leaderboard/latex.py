"""The leaderboard as a table for a paper; needs the package booktabs."""

from __future__ import annotations

from collections.abc import Sequence

from scorer.core.text import join_first, printable
from scorer.reports.base import PRIVATE, Options, Sheet, form
from scorer.reports.leaderboard.cells import (
    by_group,
    by_list,
    head_of,
    interval,
    level,
    marked,
    mean_of,
    place,
    remarks,
    worse,
)
from scorer.results.report import Report, Standing

# in braces what would be a ligature, or an argument of the \\ that ends the row above
SPECIAL = str.maketrans(
    {
        "\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
        "<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}", '"': r"{\char34}",
        "`": r"\textasciigrave{}", "'": r"{\char39}", "-": "{-}", "[": "{[}", "]": "{]}",
        "*": "{*}", "?": "{?}", "!": "{!}", "…": r"\ldots{}",
        **{sign: f"\\{sign}" for sign in "&%$#_{}"},
    }
)  # fmt: skip


@form("leaderboard", "latex")
def latex(report: Report, options: Options) -> str:
    """A booktabs table: a rule between tiers, a dagger on what is significantly worse."""
    others = [m for m in report.measures if m.id != report.primary.id]
    behind, ends = worse(report), level(report)
    heads = [head_of(each, report) for each in (report.primary, *others)]
    head = ["rank", "name", heads[0], *([ends] if ends else []), *heads[1:]]

    def row(standing: Standing) -> str:
        primary, *rest = (
            mean_of(standing, m, options.precision).replace("-", "$-$").replace("±", r"$\pm$")
            for m in (report.primary, *others)
        )
        mark = r"\textsuperscript{\dag}" if standing.name in behind else ""
        span = interval(standing, report.primary, options.precision)
        cells = [
            escaped(place(standing)), escaped(standing.name),
            primary + mark + escaped(marked(standing, report)),
            *([escaped(span)] if ends else []), *rest,
        ]  # fmt: skip
        return " & ".join(cells) + r" \\"

    rows: list[str] = []
    tier = 1
    for standing in report.standings:
        if standing.tier is not None and standing.tier > tier:
            tier = standing.tier
            rows.append(r"\midrule")
        rows.append(row(standing))
    notes = [escaped(note) for note in remarks(report, options.precision)]
    if behind:
        notes.insert(0, r"\textsuperscript{\dag} significantly worse than the first.")
    if left_out := [scored.name for scored in report.submissions if not scored.valid]:
        notes.append(f"Not scored: {escaped(join_first(left_out))}.")
    shape = "ll" + "r" * (len(head) - 2)
    lines = [
        *([f"% {PRIVATE}"] if options.private else []),
        r"% \usepackage{booktabs}",
        r"\begin{table}",
        r"\centering",
        rf"\caption{{{escaped(report.challenge.title)}}}",
        *_tabular(shape, head, rows),
        *(["", r"\smallskip", rf"\parbox{{\linewidth}}{{\footnotesize {' '.join(notes)}}}"]
          if notes else []),
        r"\end{table}",
    ]  # fmt: skip
    for sheet in by_group(report, options.precision):
        lines += _sheet(sheet)
    for scored in report.submissions if options.per_list else ():
        if scored.valid:
            lines += _sheet(by_list(report, scored, options.precision), long=True)
    return "\n".join(lines) + "\n"


def escaped(text: str) -> str:
    """Text that stays text in LaTeX."""
    # no line may begin with ::, which GitHub's runners obey
    return printable(text, 1000).translate(SPECIAL).replace("::", ":{:}")


def _sheet(sheet: Sheet, long: bool = False) -> list[str]:
    """A further table; one that may be longer than a page does not float."""
    rows = [" & ".join([escaped(row[0]), *map(_number, row[1:])]) + r" \\" for row in sheet.rows]
    tabular = _tabular("l" + "r" * (len(sheet.head) - 1), sheet.head, rows)
    if long:
        return ["", f"% {printable(sheet.title)}", *tabular]
    caption = rf"\caption{{{escaped(sheet.title)}}}"
    return ["", r"\begin{table}", r"\centering", caption, *tabular, r"\end{table}"]


def _number(message: str) -> str:
    return message.replace("-", "$-$")


def _tabular(shape: str, head: Sequence[str], rows: Sequence[str]) -> list[str]:
    heads = " & ".join(escaped(each) for each in head) + r" \\"
    return [rf"\begin{{tabular}}{{{shape}}}", r"\toprule", heads, r"\midrule", *rows,
            r"\bottomrule", r"\end{tabular}"]  # fmt: skip
