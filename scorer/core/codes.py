"""The codes of problems, and the page of each, as `score rule` prints them.

Codes are part of the API: none is removed, or used for another problem. S is about a submission,
T about the truth and the organizer's other files, C about challenge.yaml, V about votes. The pages
of codes that a check reports are in a YAML file beside its module; the others are in the folder
`pages`.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import NamedTuple

import yaml

from scorer.core.errors import UnknownName
from scorer.core.problems import Severity


class Code(NamedTuple):
    """A code and its page."""

    code: str
    title: str
    severity: Severity
    meaning: str
    example: str
    fix: str

    @property
    def text(self) -> str:
        """Its page: what it means, an example, and what to do."""
        example = "\n".join(f"    {line}" for line in self.example.rstrip().splitlines())
        return (
            f"{self.code} ({self.severity}): {self.title}\n\n{self.meaning.rstrip()}\n\n"
            f"Example:\n\n{example}\n\nWhat to do:\n\n{self.fix.rstrip()}\n"
        )


LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # the faster one, where it is built
PAGES = Path(__file__).with_name("pages")
CHECKS = Path(__file__).parents[1] / "checks"


@cache
def codes() -> dict[str, Code]:
    """Return all codes with their pages, in the order of the codes."""
    pages = dict[str, Code]()
    for path in (*PAGES.glob("*.yaml"), *CHECKS.glob("*.yaml")):
        for code, fields in yaml.load(path.read_bytes(), LOADER).items():
            pages[code] = Code(code, **fields)
    return dict(sorted(pages.items()))


def code(name: str) -> Code:
    """Return a code with its page, also by its name in small letters; else `UnknownName`."""
    try:
        return codes()[name.upper()]
    except KeyError:
        raise UnknownName("problem code", name, list(codes())) from None
