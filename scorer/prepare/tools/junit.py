"""JUnit's XML, as pytest and others write it: a test is a case."""

from __future__ import annotations

import re
from collections.abc import Iterator
from xml.etree.ElementTree import Element, ParseError, XMLParser

from scorer.core.text import quoted
from scorer.prepare.tools.base import Case, ToolFile, tool

SUITE = re.compile(rb"\s*(<\?xml[^>]*>)?\s*(<!--.*?-->\s*)*<testsuites?[\s>/]", re.DOTALL)
NOT_RUN = ("notrun", "disabled")  # as GoogleTest and CTest say it
PIECE = 1 << 16  # characters that are parsed at once


@tool(
    "JUnit XML",
    lambda head: SUITE.match(head.lstrip(b"\xef\xbb\xbf")) is not None or _has_doctype(head),
    groups=("class",),
    missing="skip",
    lower=frozenset({"seconds"}),
)
def junit(file: ToolFile) -> Iterator[Case]:
    """A case a test: whether it passed, and its seconds; one that was skipped has no value."""
    if re.search(r"<!\s*(DOCTYPE|ENTITY)", file.text, re.IGNORECASE):
        file.wrong("this XML declares entities or a document type, which is refused")
    found: dict[str, Case] = {}
    for test in _root(file).iter("testcase"):
        name, of = test.get("name"), test.get("classname") or ""
        if name is None:
            file.wrong("a testcase has no 'name'")
        if test.find("skipped") is not None or test.get("status") in NOT_RUN:
            continue
        called = f"{of}::{name}" if of else name
        failed = any(test.find(word) is not None for word in ("failure", "error"))
        values = {"passed": float(not failed), **_seconds(file, test)}
        if (first := found.get(called)) is not None:  # as of a test whose end fails, too
            passed = min(values["passed"], first.values["passed"])
            values = {name: values[name] + first.values.get(name, 0) for name in values}
            values["passed"] = passed
        found[called] = Case(file.stem, called, values, (of,))
    yield from found.values()


def _has_doctype(head: bytes) -> bool:
    """Whether a document type is declared before the suites."""
    return b"<!DOCTYPE" in head[:4096].upper() and b"<testsuite" in head


def _seconds(file: ToolFile, test: Element) -> dict[str, float]:
    time = test.get("time")
    if time is None:
        return {}
    try:
        return {"seconds": float(time.replace(",", ""))}
    except ValueError:
        file.wrong(f"the time of {quoted(test.get('name') or '')} is {quoted(time)}")


def _root(file: ToolFile) -> Element:
    parser = XMLParser()
    try:
        for start in range(0, len(file.text), PIECE):
            parser.feed(file.text[start : start + PIECE])
        root: Element = parser.close()
    except ParseError as error:
        file.wrong(f"this is not XML: {error}", error.position[0])
    return root
