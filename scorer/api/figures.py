"""The pictures of a report as files: SVG, and PDF and PNG where vl-convert-python is installed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from os import PathLike
from pathlib import Path

from scorer.core.errors import UnknownName, UsageError
from scorer.core.text import printable, quoted
from scorer.reading.write import write_file
from scorer.reports.charts.svg import svg_file
from scorer.reports.document import Picture
from scorer.reports.leaderboard.cells import board_precision
from scorer.reports.leaderboard.figures import KINDS as KINDS
from scorer.results.report import Report

MILLIMETRES = {"mm": 1.0, "cm": 10.0, "in": 25.4, "pt": 25.4 / 72}  # in each unit of a width
PIXELS = 96 / 25.4  # of a drawing in a millimetre, as CSS has them
NARROWEST = 60.0  # millimetres
WIDEST = 1000.0  # millimetres
PNG_SCALE = 300 / 96  # for 300 dots an inch
FORMS = ("svg", "pdf", "png")
MISSING_CONVERTER = "PDF and PNG need vl-convert-python: pip install 'challenge-scorer[figures]'"


@dataclass(frozen=True, slots=True, repr=False)
class Drawing:
    """A picture of a report, so many millimetres wide; a notebook shows it."""

    figure: Picture
    millimetres: float
    titled: bool = True  # whether the title is drawn; the caption has it, too

    @property
    def key(self) -> str:
        """The name of its file, without a suffix."""
        return self.figure.key

    @property
    def title(self) -> str:
        """What it shows, in a line."""
        return self.figure.title

    @property
    def caption(self) -> str:
        """What it shows, how it is read, and what it leaves out."""
        return f"{self.figure.title.rstrip('.')}. {self.figure.caption}".strip()

    def svg(self) -> str:
        """Return the picture as SVG, dark where its reader wants it dark."""
        return self._file(self.millimetres)

    def _file(self, millimetres: float | None = None, *, points: bool = False) -> str:
        width = self.millimetres * PIXELS
        canvas = self.figure.drawn(width) if self.titled else self.figure.draw(width)
        return svg_file(canvas, width, millimetres, points=points)

    def pdf(self) -> bytes:
        """Return the picture as PDF, with its fonts. Raises `UsageError` without the converter."""
        _refuse_without_converter()
        import vl_convert

        # A page is measured in points, of which the drawing has as many as pixels. It has one
        # weight, as two fonts would be embedded in an order by chance.
        svg = self._file(points=True)
        pdf = vl_convert.svg_to_pdf(svg.replace("font-weight: 600", "font-weight: 400"))
        # Its dictionaries list their entries in an order by chance, too.
        entries = rb"(?:[ ]+/[a-z]+\d+ \d+ 0 R\n){2,}"
        return re.sub(entries, lambda run: b"".join(sorted(run[0].splitlines(keepends=True))), pdf)

    def png(self) -> bytes:
        """Return the picture as PNG. Raises `UsageError` without the converter."""
        _refuse_without_converter()
        import vl_convert

        svg = self._file()
        png: bytes = vl_convert.svg_to_png(svg, scale=PNG_SCALE)
        return png

    def write(self, path: str | PathLike[str]) -> None:
        """Write a file in the form of its suffix: .svg, .pdf, .png. Raises `UsageError`."""
        file = Path(path)
        form = file.suffix.lower().removeprefix(".")
        if form not in FORMS:
            raise UsageError(f"{printable(file)}: a figure is written as {', '.join(FORMS)}")
        write_file(file, self.svg().encode() if form == "svg" else getattr(self, form)())

    def __repr__(self) -> str:
        return f"<Drawing {self.key}: {printable(self.title, 100)}>"

    def _repr_svg_(self) -> str:
        """Return the picture for a notebook."""
        return self.svg()


def has_converter() -> bool:
    """Return whether PDF and PNG can be made."""
    return find_spec("vl_convert") is not None


def _refuse_without_converter() -> None:
    if not has_converter():
        raise UsageError(MISSING_CONVERTER)


def parse_width(width: str) -> float:
    """Return a width such as `84mm`, `8.4cm`, `3.3in` or `240pt` in millimetres.

    Raises `UsageError` if it cannot be read, or is narrower or wider than figures may be.

    >>> parse_width("84mm"), parse_width("10in")
    (84.0, 254.0)
    """
    match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*(mm|cm|in|pt)", width.strip())
    millimetres = float(match[1]) * MILLIMETRES[match[2]] if match else 0.0
    if not NARROWEST <= millimetres <= WIDEST:
        ends = f"{NARROWEST:g}mm to {WIDEST:g}mm"
        raise UsageError(f"a width of {quoted(width)}: write one such as 84mm, from {ends}")
    return millimetres


def refuse_unknown_kind(kind: str) -> None:
    """Raise `UnknownName` if no figures are of that kind."""
    if kind not in KINDS:
        raise UnknownName("kind of figure", kind, list(KINDS))


def drawings(
    report: Report, kind: str, width: str = "160mm", precision: int | None = None
) -> Iterator[Drawing]:
    """Return the pictures of one kind; none where the report has nothing for it.

    Raises as `refuse_unknown_kind` and `parse_width`.
    """
    refuse_unknown_kind(kind)
    millimetres = parse_width(width)
    decimals = board_precision(report, precision)
    return (Drawing(figure, millimetres) for figure in KINDS[kind].make(report, decimals))
