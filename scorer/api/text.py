"""Results with several forms of text."""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from typing import Any, Generic, Literal, TypedDict, TypeVar, Unpack

from scorer.core.errors import UsageError
from scorer.core.text import printable, quoted, suggest
from scorer.reading.write import write_file
from scorer.reports.base import DECIMALS, Options, format_names, format_of_path, report_format

FormName = Literal["csv", "html", "json", "latex", "markdown", "table", "text"]
T = TypeVar("T")  # the result as data


class RenderOptions(TypedDict, total=False):
    """How a text looks; nothing here changes a value.

    Attributes:
        precision: The decimals of values up to 1; default: 3, of a board up to 6 where neighbours
            of different rank would look alike.
        per_list: Whether the values of every list are in it.
        notes: Whether a board says what its intervals, tests and ranks mean, and with a width has
            the means by group of all measures, not of the primary one alone.
        all_rows: Whether a board of some width has all of its rows.
        every: Whether the text has every place of a problem, and every pair of a comparison; by
            default it has the first place, and of many pairs a sign each.
        quiet: Whether warnings are left out.
        private: Whether it has what only organizers may read.
        width: The columns that text may take; None: as many as it needs.
        colour: Whether text has the colours of a terminal.
    """

    precision: int
    per_list: bool
    notes: bool
    all_rows: bool
    every: bool
    quiet: bool
    private: bool
    width: int | None
    colour: bool


class Renderable(Generic[T]):
    """A result with several forms of text: printed, shown in a notebook, written to a file."""

    _subject = ""  # what the result is, such as a comparison: it has forms of its own
    _default_form: Any = "table"  # the form that is printed
    _precision = DECIMALS

    def __init__(self, result: T) -> None:
        self._result = result

    def _content(self) -> T:
        """Return the result as data, from which its forms are written."""
        return self._result

    def render(self, form: FormName | None = None, **options: Unpack[RenderOptions]) -> str:
        """Return the text of one form: table, html, json, csv, markdown, latex, ...

        Args:
            form: its name; default: the one that is printed.
            options: how it looks: `precision`, `per_list`, `notes`, `all_rows`, `every`, `quiet`,
                `private`, `width`, `colour`.

        Raises:
            UnknownName: there is no such form.
            TypeError: there is no such option.
        """
        return self._write_form(form, options)

    def _write_form(self, form: str | None, options: RenderOptions) -> str:
        """Return the text of one form; the base of each `render`."""
        known = list(RenderOptions.__annotations__)
        for name in options:
            if name not in known:
                hint = suggest(name, known)
                raise TypeError(f"no option {quoted(name)}{hint} (options: {', '.join(known)})")
        writer = report_format(self._subject, form or self._default_form)
        distinct = "precision" not in options
        chosen: Any = {"precision": self._precision, "distinct": distinct, **options}
        return writer.write(self._content(), Options(**chosen))

    def write(self, path: str | PathLike[str], **options: Unpack[RenderOptions]) -> None:
        """Write a file in the form that its suffix names: board.html, .json, .csv, .md, .tex, .txt.

        Args:
            path: where it goes; a file that is there is replaced.
            options: how it looks, as for `render`.

        Raises:
            UsageError: no form has that suffix, or the file cannot be written.
            TypeError: there is no such option.
        """
        target = Path(path)
        if (form := format_of_path(self._subject, target)) is None:
            names = format_names(self._subject)
            message = f"{printable(target)} cannot be written: its suffix names no form ({names})"
            raise UsageError(message)
        name: Any = form.name  # `render` of a result with forms of its own takes other names, too
        text = self.render(name, **options)
        write_file(target, text.encode("utf-8", "backslashreplace"))

    def __str__(self) -> str:
        return self.render().rstrip("\n")

    def _repr_html_(self) -> str:
        """HTML for a notebook."""
        return f"<pre>{as_html(self.render())}</pre>"


def content_of(result: Renderable[T]) -> T:
    """Return a result as data, from which its forms are written."""
    return result._content()


def as_html(text: str) -> str:
    """Return a text with the characters escaped that have a meaning in HTML."""
    from html import escape  # its table of entities takes longer than all else that is loaded here

    return escape(text)
