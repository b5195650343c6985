r"""The parts of a paper: figures, tables, methods, references, and numbers as macros."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from scorer.api.figures import KINDS, Drawing, converts, drawings
from scorer.reports.base import Options, form_of
from scorer.reports.leaderboard.cells import number
from scorer.reports.methods import as_bibtex, as_latex, as_text
from scorer.reports.write.latex import escaped
from scorer.results.report import Report

# The kinds of figures that are drawn where none are asked for.
FIGURES = ("forest", "pairs", "pareto", "values", "lists")
MAIN = r"""\documentclass{article}
\usepackage[T1]{fontenc}\IfFileExists{lmodern.sty}{\usepackage{lmodern}}{}
\usepackage{amsmath,amssymb,booktabs,graphicx,longtable}
\input{numbers}
\begin{document}
\section{Methods}\input{methods}
\section{Results}
The best of \submissioncount{} submissions, \bestname, has \bestscore{} in \primarymeasure.
\input{board}\input{figures}
\bibliographystyle{plain}\bibliography{refs}
\end{document}
"""


class PaperFiles(NamedTuple):
    """The files of a paper.

    Attributes:
        files: The content of each file, by its name; main.tex brings them together and compiles.
        missing: Each kind of figure that was asked for and is not there, with what it takes.
    """

    files: Mapping[str, bytes]
    missing: Mapping[str, str]


def paper_of(report: Report, kinds: Sequence[str], width: str, precision: int = 4) -> PaperFiles:
    """Return the parts of a paper on a board.

    Args:
        report: A report for organizers; only what may be published of it is written.
        kinds: The kinds of figures.
        width: The width of the figures, such as 84mm.
        precision: The decimals of values.

    Raises:
        UnknownName: There is no such kind of figure.
        UsageError: The width is none.
    """
    public = report.published()
    found = {kind: list(drawings(public, kind, width, precision)) for kind in kinds}
    drawn = [drawing for each in found.values() for drawing in each]
    texts = {
        "main.tex": MAIN,
        "numbers.tex": "".join(_macros(public, precision)),
        "methods.tex": as_latex(public),
        "methods.txt": as_text(public),
        "board.tex": form_of("leaderboard", "latex").write(public, Options(precision)),
        "figures.tex": "".join(_floats(drawn)),
        "refs.bib": as_bibtex(public),
    }
    files = {name: text.encode() for name, text in texts.items()}
    for drawing in drawn:
        for form in ("svg", "pdf") if converts() else ("svg",):
            files[f"{drawing.key}.{form}"] = drawing.content(form)
    return PaperFiles(files, {kind: KINDS[kind].needs for kind, each in found.items() if not each})


def _macros(report: Report, precision: int) -> Iterator[str]:
    r"""Each number of the board's first, and of the board, as a macro such as `\bestscore`."""
    primary = report.primary
    ranked = [row for row in report.leaderboard if row.rank is not None]
    values = {
        "primarymeasure": primary.id,
        "submissioncount": f"{len(ranked) + (report.omitted or 0):,}",
        "listcount": f"{len(report.lists):,}",
        "fingerprint": report.challenge.fingerprint or "",
    }
    for word, row in zip(("best", "second"), ranked, strict=False):
        values |= {
            f"{word}name": row.name,
            f"{word}score": number(row.values[primary.id], primary, precision),
        }
        if row.interval is not None:
            low, high = (number(end, primary, precision) for end in row.interval)
            values |= {f"{word}low": low, f"{word}high": high}
    values |= {} if ranked else {"bestname": "none", "bestscore": "no value"}
    for name, value in values.items():
        yield rf"\newcommand{{\{name}}}{{{escaped(value)}}}" + "\n"


def _floats(drawn: Sequence[Drawing]) -> Iterator[str]:
    """A float for each figure, where there is a PDF of it."""
    if not converts():
        yield "% challenge-scorer[figures] makes PDF of the figures, which LaTeX takes\n"
        return
    for each in drawn:
        shown = rf"\includegraphics[width=\linewidth]{{{each.key}}}"
        yield rf"\begin{{figure}}[htbp]\centering{shown}" + "\n"
        yield rf"\caption{{{escaped(each.caption)}}}\label{{fig:{each.key}}}\end{{figure}}" + "\n"
