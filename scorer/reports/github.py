"""GitHub workflow commands, written safely."""

from __future__ import annotations

import re

from scorer.core.text import isolate_rtl, printable


def annotation(severity: str, message: str, **properties: object) -> str:
    r"""A line from which GitHub's runners make a mark in the file, or in the summary.

    >>> annotation("error", "50 % are\nmissing", file="a,b.csv", line=4)
    '::error file=a%2Cb.csv,line=4::50 %25 are%0Amissing'

    Args:
        severity: error, warning or notice.
        **properties: where it stands, and its title; None is left out.
    """

    def data(value: object) -> str:
        text = str(value).replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
        return printable(text, len(text))

    fields = ",".join(
        f"{key}={data(value).replace(':', '%3A').replace(',', '%2C')}"
        for key, value in properties.items()
        if value is not None
    )
    return f"::{severity}{' ' * bool(fields)}{fields}::{isolate_rtl(data(message))}"


def no_command(line: str) -> str:
    r"""A line of text that GitHub's runners do not take for a command, wherever it is printed.

    They look for `::` behind leading blanks, and for `##[` anywhere.

    >>> print(no_command(" ::error::x ##[endgroup]"))
     \x3a:error::x #\x23[endgroup]
    """
    return re.sub(r"^(\s*):(?=:)", r"\1\\x3a", line).replace("##[", r"#\x23[")
