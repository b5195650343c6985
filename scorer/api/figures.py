"""Pictures of a report as files: SVG, and PDF and PNG where vl-convert-python is installed."""

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
from scorer.reports.pictures.draw import Figure
from scorer.reports.pictures.kinds import KINDS as KINDS
from scorer.reports.pictures.svg import standalone
from scorer.results.report import Report

MILLIMETRES = {"mm": 1.0, "cm": 10.0, "in": 25.4, "pt": 25.4 / 72}
UNITS = 96 / 25.4  # of a drawing, a millimetre
WIDTH, LEAST, MOST = "160mm", 60.0, 1000.0  # of a figure; millimetres
DOTS = 300  # of a PNG, an inch
FORMS = ("svg", "pdf", "png")
EXTRA = "PDF and PNG need vl-convert-python: pip install 'challenge-scorer[figures]'"


@dataclass(frozen=True, slots=True)
class Drawing:
    """A picture of a report at one width; a notebook shows it."""

    figure: Figure
    millimetres: float

    @property
    def key(self) -> str:
        """The name of its file."""
        return self.figure.key

    @property
    def title(self) -> str:
        """What it shows."""
        return self.figure.title

    @property
    def caption(self) -> str:
        """What it shows, how it is read, and what it leaves out."""
        return f"{self.figure.title.rstrip('.')}. {self.figure.caption}".strip()

    def svg(self) -> str:
        """The picture as SVG, dark where its reader wants it dark."""
        wide = self.millimetres * UNITS
        return standalone(self.figure, wide, self.millimetres)

    def pdf(self) -> bytes:
        """The picture as PDF, with its fonts. Raises `UsageError` without vl-convert-python."""
        _refuse_without()
        import vl_convert

        # a page has points where the drawing has its pixels
        drawn = standalone(self.figure, self.millimetres * UNITS, points=True)
        # two fonts would be embedded in an order by chance
        plain = drawn.replace("font-weight: 600", "font-weight: 400")
        return _in_order(vl_convert.svg_to_pdf(plain))

    def png(self) -> bytes:
        """The picture as PNG, 300 dots an inch. Raises `UsageError` without vl-convert-python."""
        _refuse_without()
        import vl_convert

        drawn = standalone(self.figure, self.millimetres * UNITS)
        data: bytes = vl_convert.svg_to_png(drawn, scale=DOTS / 96)
        return data

    def write(self, path: str | PathLike[str]) -> None:
        """Write a file in the form of its suffix: .svg, .pdf, .png. Raises `UsageError`."""
        where = Path(path)
        if (form := where.suffix.lower().removeprefix(".")) not in FORMS:
            raise UsageError(f"{printable(where)}: a figure is written as {', '.join(FORMS)}")
        write_file(where, self.content(form))

    def content(self, form: str) -> bytes:
        """The picture in one of the forms."""
        return self.svg().encode() if form == "svg" else self.pdf() if form == "pdf" else self.png()

    def _repr_svg_(self) -> str:
        """The picture in a notebook."""
        return self.svg()


def _in_order(pdf: bytes) -> bytes:
    """The PDF with the entries of its dictionaries in one order, in which no place changes."""
    entries = rb"(?:[ ]+/[a-z]+\d+ \d+ 0 R\n){2,}"
    return re.sub(entries, lambda run: b"".join(sorted(run[0].splitlines(keepends=True))), pdf)


def _refuse_without() -> None:
    if not converts():
        raise UsageError(EXTRA)


def converts() -> bool:
    """Whether PDF and PNG can be made."""
    return find_spec("vl_convert") is not None


def millimetres_of(width: str) -> float:
    """A width such as `84mm`, `8.4cm`, `3.3in` or `240pt`, in millimetres. Raises `UsageError`.

    >>> millimetres_of("84mm"), millimetres_of("10in")
    (84.0, 254.0)
    """
    found = re.fullmatch(r"(\d+(?:\.\d+)?)\s*(mm|cm|in|pt)", width.strip())
    wide = float(found[1]) * MILLIMETRES[found[2]] if found else 0.0
    if not LEAST <= wide <= MOST:
        ends = f"{LEAST:g}mm to {MOST:g}mm"
        raise UsageError(f"a width of {quoted(width)}: write one such as 84mm, from {ends}")
    return wide


def refuse_unknown(kind: str, width: str) -> None:
    """Refuse a kind that there is not, by `UnknownName`, or a width that is none: `UsageError`."""
    if kind not in KINDS:
        raise UnknownName("kind of figure", kind, list(KINDS))
    millimetres_of(width)


def drawings(
    report: Report, kind: str, width: str = WIDTH, precision: int = 4
) -> Iterator[Drawing]:
    """The pictures of one kind; none where the report has nothing for it.

    Raises as `refuse_unknown`.
    """
    refuse_unknown(kind, width)
    wide = millimetres_of(width)
    return (Drawing(figure, wide) for figure in KINDS[kind].make(report, precision))
