"""Results with several forms of text."""

from __future__ import annotations

from dataclasses import fields
from os import PathLike
from pathlib import Path
from typing import Any, TypeVar

from scorer.core.errors import UsageError
from scorer.core.text import printable
from scorer.reading.write import write_file
from scorer.reports.base import Options, form_at, form_names, form_of


class Renderable:
    """A result with several forms of text: printed, shown in a notebook, written to a file."""

    __slots__ = ()
    subject = ""  # of its forms
    default_form = "table"  # the form that is printed

    def content(self) -> Any:
        """Return the result as data, from which its forms are written."""
        return self

    def render(self, form: str | None = None, **options: Any) -> str:
        """The text of one form: table, html, json, csv, markdown, latex, ...

        Args:
            form: its name; default: the one that is printed.
            options: how it looks: `precision`, `per_list`, `private`, ... as in
                `scorer.reports.base.Options`.

        Raises:
            UnknownName: there is no such form.
            TypeError: there is no such option.
        """
        chosen = Options(**options)
        return form_of(self.subject, form or self.default_form).write(self.content(), chosen)

    def write(self, path: str | PathLike[str], **options: Any) -> None:
        """Write a file in the form that its suffix names: board.html, .json, .csv, .md, .tex, .txt.

        Args:
            path: where it goes; a file that is there is replaced.
            options: as of `render`.

        Raises:
            UsageError: no form has that suffix, or the file cannot be written.
        """
        where = Path(path)
        if (form := form_at(self.subject, where)) is None:
            names = form_names(self.subject)
            message = f"{printable(where)} cannot be written: its suffix names no form ({names})"
            raise UsageError(message)
        write_file(where, self.render(form.name, **options).encode("utf-8", "backslashreplace"))

    def __str__(self) -> str:
        return self.render().rstrip("\n")

    def _repr_html_(self) -> str:
        """HTML for a notebook."""
        return f"<pre>{as_html(self.render())}</pre>"


def as_html(text: str) -> str:
    """Text with what HTML means by a sign escaped."""
    from html import escape  # its table of entities takes longer than all else that is loaded here

    return escape(text)


T = TypeVar("T")


def as_renderable(kind: type[T], result: Any) -> T:
    """A result as one of these, with its text."""
    return kind(**{f.name: getattr(result, f.name) for f in fields(type(result))})
