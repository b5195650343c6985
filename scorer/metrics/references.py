"""BibTeX of the sources of metrics, tests and intervals."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from importlib.resources import files

from scorer.core.text import printable
from scorer.core.version import __version__
from scorer.metrics.base import Metric

FIELD = re.compile(r"(\w+) = \{((?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*)\}")
IDENTITY = ("doi", "eprint", "url", "cited")  # by which a metric's `source` names an entry
SPECIAL = str.maketrans({sign: rf"\{sign}" for sign in "&%$#_{}"} | {"\\": "/"})


@cache
def entries() -> dict[str, str]:
    """The entries by their keys, a field a line."""
    text = files("scorer.metrics").joinpath("references.bib").read_text(encoding="utf-8")
    found = re.findall(r"^(@\w+)\{(\w+), (.*)\}$", text, re.MULTILINE)
    return {key: _written(kind, key, FIELD.findall(rest)) for kind, key, rest in found} | {
        "scorer": _written("@misc", "scorer", [
            ("key", "scorer"), ("title", "scorer: the leaderboard scorer for challenges"),
            ("note", f"Version {__version__}"),
        ])
    }  # fmt: skip


@cache
def _identities() -> dict[str, tuple[str, ...]]:
    """Of each entry the words that stand in the `source` of what it is about."""
    text = files("scorer.metrics").joinpath("references.bib").read_text(encoding="utf-8")
    found = re.findall(r"^@\w+\{(\w+), (.*)\}$", text, re.MULTILINE)
    return {
        key: tuple(value for name, value in FIELD.findall(rest) if name in IDENTITY)
        for key, rest in found
    }


def sources(metric: Metric) -> dict[str, str]:
    """The entries of a metric by their keys; of one that has none its `source` as it is."""
    named = {
        key: entries()[key]
        for key, words in _identities().items()
        if any(word in metric.source for word in words)
    }
    if named:
        return named
    key = "metric" + re.sub(r"\W", "", metric.name)
    # by its key BibTeX sorts what has no author
    fields = [("key", metric.name), ("title", metric.title), ("note", metric.source)]
    plain = [(name, printable(text, 1000).translate(SPECIAL)) for name, text in fields]
    return {key: _written("@misc", key, plain)}


def bibtex(found: Iterable[str]) -> str:
    """A file of entries."""
    return "\n\n".join(found) + "\n"


def _written(kind: str, key: str, fields: Iterable[tuple[str, str]]) -> str:
    shown = [f"  {name} = {{{value}}}," for name, value in fields if name != "cited"]
    return "\n".join([f"{kind}{{{key},", *shown, "}"])
