r"""The parts of a paper: figures, tables, methods, references, and numbers as macros."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from scorer.api.figures import FORMS, Drawing, converts, drawings
from scorer.reports.base import Options, form_of
from scorer.reports.leaderboard.cells import number
from scorer.reports.methods import as_bibtex, as_latex
from scorer.reports.write.latex import escaped
from scorer.results.report import Report

KINDS = ("forest", "pairs", "ranks", "values", "lists", "groups", "power")
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


def paper(report: Report, width: str, precision: int = 4) -> Iterator[tuple[str, bytes]]:
    """Names and contents of files; a main.tex brings them together and compiles.

    Args:
        report: of organizers; only what may be published of it is told.
        width: of the figures.
        precision: decimals.
    """
    public = report.published()
    drawn = [each for kind in KINDS for each in drawings(public, kind, width, precision)]
    options = Options(precision)
    texts = {
        "main.tex": MAIN,
        "numbers.tex": "".join(_macros(public, precision)),
        "methods.tex": as_latex(public),
        "board.tex": form_of("leaderboard", "latex").write(public, options),
        "figures.tex": "".join(_floats(drawn)),
        "refs.bib": as_bibtex(public),
    }
    yield from ((name, text.encode()) for name, text in texts.items())
    for each in drawn:
        for form in FORMS[:2] if converts() else FORMS[:1]:
            yield f"{each.key}.{form}", each.content(form)


def _macros(report: Report, precision: int) -> Iterator[str]:
    r"""Each number of the board's first, and of the board, as a macro such as `\bestscore`."""
    primary = report.primary
    ranked = [row for row in report.standings if row.rank is not None]
    values = {
        "primarymeasure": primary.id,
        "submissioncount": f"{len(ranked) + report.omitted:,}",
        "listcount": f"{len(report.lists):,}",
        "fingerprint": report.fingerprint,
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
