"""GitHub workflow commands, written safely."""

from __future__ import annotations

import re

from scorer.core.text import isolate_rtl, printable


def annotation(severity: str, message: str, **properties: object) -> str:
    r"""Return a workflow command: GitHub's runners mark a line of a file with its message.

    >>> annotation("error", "50 % are\nmissing", file="a,b.csv", line=4)
    '::error file=a%2Cb.csv,line=4::50 %25 are%0Amissing'

    Args:
        severity: error, warning or notice.
        message: The text of the mark.
        **properties: The place of the mark, and its title; None is left out.
    """

    def encode(value: object) -> str:
        text = str(value).replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
        return printable(text, len(text))

    fields = ",".join(
        f"{key}={encode(value).replace(':', '%3A').replace(',', '%2C')}"
        for key, value in properties.items()
        if value is not None
    )
    return f"::{severity}{' ' * bool(fields)}{fields}::{isolate_rtl(encode(message))}"


def escape_commands(line: str) -> str:
    r"""Return a line with escapes, so that GitHub's runners do not take it for a command.

    They look for `::` behind leading blanks, and for `##[` anywhere.

    >>> print(escape_commands(" ::error::x ##[endgroup]"))
     \x3a:error::x #\x23[endgroup]
    """
    return re.sub(r"^(\s*):(?=:)", r"\1\\x3a", line).replace("##[", r"#\x23[")
