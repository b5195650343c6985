"""The parts of a paper: figures, tables, methods, references, and numbers as macros."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from typing import Any

from scorer.api.figures import Drawing, drawings, has_converter, refuse_unknown_kind
from scorer.api.report import FigureName, Report, board_of
from scorer.reading.write import make_folder, write_file
from scorer.reports.base import Options
from scorer.reports.document import Block, Document, Notes
from scorer.reports.leaderboard.cells import board_precision, number
from scorer.reports.leaderboard.figures import KINDS
from scorer.reports.leaderboard.table import standings
from scorer.reports.leaderboard.verdict import verdict
from scorer.reports.methods import as_bibtex, as_latex, as_text
from scorer.reports.write.latex import escaped, latex
from scorer.results.report import Report as BoardReport

# The kinds of figures that are drawn where none are asked for.
DEFAULT_FIGURES: tuple[FigureName, ...] = ("forest", "pairs", "pareto")
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


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Paper:
    """The files of a paper on a leaderboard.

    Attributes:
        files: The content of each file, by its name; main.tex brings them together and compiles.
        missing: Each kind of figure that was asked for and is not there, with what it takes.
    """

    files: Mapping[str, bytes]
    missing: Mapping[FigureName, str]

    def write(self, folder: str | PathLike[str]) -> None:
        """Write the files into a folder, which is made if it is not there. Raises `UsageError`."""
        make_folder(Path(folder))
        for name, data in self.files.items():
            write_file(Path(folder, name), data)

    def __repr__(self) -> str:
        return f"<Paper of {len(self.files):,} files: {', '.join(self.files)}>"


def paper(
    report: Report | BoardReport,
    figures: Sequence[FigureName] = DEFAULT_FIGURES,
    *,
    width: str = "120mm",
    precision: int | None = None,
) -> Paper:
    """Write the parts of a paper on a leaderboard: tables, figures, methods, references, numbers.

    Args:
        report: What `score` or `evaluate` returned; only what may be published of it is written.
        figures: Kinds of figures: forest, pairs, pareto, values, lists, differences, curves.
        width: How wide figures are: 84mm, 17cm, 3.3in.
        precision: The decimals of values; by default the board's.

    Raises:
        UnknownName: There is no such kind of figure.
        UsageError: The width cannot be read.
    """
    public = board_of(report).published()
    decimals = board_precision(public, precision)
    by_kind = {
        kind: [
            replace(drawing, titled=False) for drawing in drawings(public, kind, width, decimals)
        ]
        for kind in figures
    }
    drawn = [drawing for of_kind in by_kind.values() for drawing in of_kind]
    texts = {
        "main.tex": MAIN,
        "numbers.tex": "".join(_macros(public, decimals)),
        "methods.tex": as_latex(public),
        "methods.txt": as_text(public),
        "board.tex": _board(public, Options(decimals, distinct=precision is None)),
        "figures.tex": "".join(_floats(drawn)),
        "refs.bib": as_bibtex(public),
    }
    files = {name: text.encode() for name, text in texts.items()}
    for drawing in drawn:
        files[f"{drawing.key}.svg"] = drawing.svg().encode()
        if has_converter():
            files[f"{drawing.key}.pdf"] = drawing.pdf()
    missing = {kind: KINDS[kind].needs for kind, of_kind in by_kind.items() if not of_kind}
    return Paper(files, missing)


def parse_figures(text: str | None) -> Sequence[FigureName]:
    """Return the kinds of figures in a text such as `forest, pareto`; without one the default.

    Raises:
        UnknownName: There is no such kind of figure.
    """
    if not text:
        return DEFAULT_FIGURES
    kinds: list[Any] = [word.strip() for word in text.split(",")]
    for kind in kinds:
        refuse_unknown_kind(kind)
    return kinds


def _board(report: BoardReport, options: Options) -> str:
    """Return the board as one table, with who leads below it."""
    if not report.leaderboard:
        return "% no submission is ranked\n"
    of_one_split = replace(report, splits=())  # a column has no room for more
    table = standings(of_one_split, options)
    blocks: list[Block] = [table, Notes([verdict(report, options.precision)])]
    return latex(Document(report.challenge.title, blocks), options)


def _macros(report: BoardReport, precision: int) -> Iterator[str]:
    r"""Yield the numbers of the board and of its first two as macros such as `\bestscore`."""
    primary = report.primary
    ranked = [row for row in report.leaderboard if row.rank is not None]
    values = {
        "primarymeasure": primary.id,
        "submissioncount": f"{len(ranked) + (report.omitted or 0):,}",
        "listcount": f"{len(report.lists):,}",
        "fingerprint": report.challenge.fingerprint or "",
    }
    for word, row in zip(("best", "second"), ranked, strict=False):
        values[f"{word}name"] = row.name
        values[f"{word}score"] = number(row.values[primary.id], primary, precision)
        if row.interval is not None:
            low, high = (number(end, primary, precision) for end in row.interval)
            values |= {f"{word}low": low, f"{word}high": high}
    if not ranked:
        values |= {"bestname": "none", "bestscore": "no value"}
    for name, value in values.items():
        yield rf"\newcommand{{\{name}}}{{{escaped(value)}}}" + "\n"


def _floats(drawn: Sequence[Drawing]) -> Iterator[str]:
    """Yield a LaTeX float for each figure, or a comment where there is no PDF of it."""
    if not has_converter():
        yield "% challenge-scorer[figures] makes PDF of the figures, which LaTeX takes\n"
        return
    for drawing in drawn:
        picture = rf"\includegraphics[width=\linewidth]{{{drawing.key}}}"
        label = rf"\label{{fig:{drawing.key}}}"
        yield rf"\begin{{figure}}[htbp]\centering{picture}" + "\n"
        yield rf"\caption{{{escaped(drawing.caption)}}}{label}\end{{figure}}" + "\n"
