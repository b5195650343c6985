"""The leaderboard as a table for a paper; needs the package booktabs."""

from __future__ import annotations

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
    worse,
)
from scorer.results import Report, Standing

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


@form("latex")
def latex(report: Report, options: Options) -> str:
    """A booktabs table: a rule between tiers, a dagger on what is significantly worse."""
    others = [m for m in report.measures if m.id != report.primary.id]
    behind, ends = worse(report), level(report)
    head = ["rank", "name", report.primary.id, *([ends] if ends else []), *(m.id for m in others)]

    def row(standing: Standing) -> str:
        primary, *rest = (
            mean_of(standing, m, options.precision).replace("-", "$-$").replace("±", r"$\pm$")
            for m in (report.primary, *others)
        )
        mark = r"\textsuperscript{\dag}" if standing.name in behind else ""
        span = interval(standing, report.primary, options.precision)
        cells = [
            escaped(place(standing)), escaped(standing.name), primary + mark,
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
    shape = "ll" + "r" * (len(head) - 2)
    said = [
        r"% \usepackage{booktabs}",
        r"\begin{table}",
        r"\centering",
        rf"\caption{{{escaped(report.challenge.title)}}}",
        *_tabular(shape, head, rows),
        *(["", r"\smallskip", rf"\parbox{{\linewidth}}{{\footnotesize {' '.join(notes)}}}"]
          if notes else []),
        r"\end{table}",
    ]  # fmt: skip
    if report.groups:
        said += _groups(report, options)
    if options.per_list:
        said += _lists(report, options)
    return "\n".join(said) + "\n"


def escaped(text: str) -> str:
    """Text that stays text in LaTeX."""
    return shown(text, 1000).translate(SPECIAL)


def _groups(report: Report, options: Options) -> list[str]:
    said = []
    for measure in report.measures:
        rows = []
        for scored in ordered(report):
            if scored.valid:
                means = [scored.groups[measure.id][group] for group in report.groups]
                cells = [number(v, measure, options.precision)
                         for v in (*means, gap(scored, measure))]  # fmt: skip
                rows.append(
                    " & ".join([escaped(scored.name), *(c.replace("-", "$-$") for c in cells)])
                    + r" \\"
                )
        caption = f"{escaped(measure.id)} by {escaped(grouped(report))}"
        head = ["name", *(group or "(none)" for group in report.groups), "gap"]
        said += ["", r"\begin{table}", r"\centering", rf"\caption{{{caption}}}",
                 *_tabular("l" + "r" * (len(head) - 1), head, rows), r"\end{table}"]  # fmt: skip
    return said


def _lists(report: Report, options: Options) -> list[str]:
    said = []
    for scored in report.submissions:
        if not scored.valid:
            continue
        head = [report.called.get("list", "list"), *(m.id for m in report.measures)]
        rows = []
        for n, name in enumerate(report.lists):
            columns = [(m, scored.values[m.id].per_list) for m in report.measures]
            cells = ["-" if c is None else number(float(c[n]), m, options.precision)
                     for m, c in columns]  # fmt: skip
            rows.append(
                " & ".join([escaped(name), *(c.replace("-", "$-$") for c in cells)]) + r" \\"
            )
        said += ["", rf"% {shown(scored.name)}",
                 *_tabular("l" + "r" * (len(head) - 1), head, rows)]  # fmt: skip
    return said


def _tabular(shape: str, head: list[str], rows: list[str]) -> list[str]:
    heads = " & ".join(escaped(each) for each in head) + r" \\"
    return [rf"\begin{{tabular}}{{{shape}}}", r"\toprule", heads, r"\midrule", *rows,
            r"\bottomrule", r"\end{tabular}"]  # fmt: skip
