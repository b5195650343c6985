"""Results with several forms of text, and the ones that are nothing else."""

from __future__ import annotations

from dataclasses import dataclass, fields
from os import PathLike
from pathlib import Path
from typing import Any, TypeVar

from scorer.core.errors import UsageError
from scorer.core.text import printable, quoted
from scorer.reading.write import write_file
from scorer.reports.base import Options, form_at, form_names, form_of
from scorer.results import explanation, soundness
from scorer.results import study as studies


class Text:
    """A result with several forms of text: printed, shown in a notebook, written to a file."""

    __slots__ = ()
    subject = ""  # of its forms
    plain = "table"  # the form that is printed

    def content(self) -> Any:
        """The data that the form writes."""
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
        return form_of(self.subject, form or self.plain).write(self.content(), chosen)

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


@dataclass(frozen=True, repr=False, eq=False)
class Explanation(Text, explanation.Explanation):
    """How one list of a submission comes by its values; for organizers."""

    subject, plain = "explanation", "text"

    def __repr__(self) -> str:
        what = "the worst" if self.list is None else quoted(self.list)
        return f"<Explanation of {what} of {quoted(self.submission)}>"


@dataclass(frozen=True, repr=False, eq=False)
class Lint(Text, soundness.Lint):
    """All that is known of a challenge; for organizers."""

    subject, plain = "soundness", "text"

    def __repr__(self) -> str:
        state = "sound" if self.sound else "not sound"
        return f"<Lint of {printable(self.challenge.id, 40)}: {state}>"


@dataclass(frozen=True, repr=False, eq=False)
class Power(Text, soundness.Power):
    """How many lists it takes to detect a difference; for organizers."""

    subject, plain = "power", "text"

    def __repr__(self) -> str:
        return f"<Power of {printable(self.challenge.id, 40)}: {self.difference:g}>"


@dataclass(frozen=True, repr=False, eq=False)
class Study(Text, studies.Study):
    """How far a board depends on what was decided; for organizers."""

    subject, plain = "study", "text"

    def __repr__(self) -> str:
        return f"<Study of {printable(self.challenge.id, 40)}: {len(self.variations)} variations>"


T = TypeVar("T")


def shown(kind: type[T], result: Any) -> T:
    """A result as one of these, with its text."""
    return kind(**{f.name: getattr(result, f.name) for f in fields(type(result))})
