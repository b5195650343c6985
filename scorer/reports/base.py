"""What a report format is, and the pieces of text that several of them share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, NamedTuple, TypeVar

from scorer.core.registry import Registry, discover, load_one, mark


class Options(NamedTuple):
    """How a report is to look; nothing here changes a value."""

    precision: int = 4
    per_list: bool = False
    width: int = 80
    colour: bool = False
    every: bool = False  # all places of a problem, not only the first


Write = Callable[[Any, Options], str]


F = TypeVar("F", bound=Write)


class Form(NamedTuple):
    """A way to show a report, or a comparison."""

    name: str
    write: Write
    aliases: tuple[str, ...] = ()


def form(name: str) -> Callable[[F], F]:
    """Make a function from what is shown to text the format of that name."""
    return lambda function: mark(function, Form(name, function))


@cache
def forms() -> Registry[Form]:
    """Every report format there is."""
    return discover("report format", "scorer.reports.leaderboard", Form, "scorer.reports")


def form_of(name: str) -> Form:
    """The report format of that name. Raises `UnknownName`."""
    return load_one("scorer.reports.leaderboard", Form, name) or forms().get(name)


class Sheet(NamedTuple):
    """A further table; each row begins with what it is about. Texts are not escaped yet."""

    title: str
    head: Sequence[str]
    rows: Sequence[Sequence[str]]
