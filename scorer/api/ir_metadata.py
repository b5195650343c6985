"""ir_metadata: the comments at the head of a TREC run that say who made it, and how."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from scorer.api.systems import Named
from scorer.bytes.files import open_bytes
from scorer.bytes.limits import ReadLimits, Unreadable
from scorer.challenge.yaml import document
from scorer.core.problems import Findings, Problem
from scorer.core.text import printable
from scorer.prepare.bind import BoundChallenge

START, END = b"# ir_metadata.start", b"# ir_metadata.end"
MOST_BYTES = 1 << 16  # of a header
KEYS = ("tag", "actor", "method")  # what a board shows
PRIVATE = {"mail", "email", "orcid", "twitter", "github"}  # of an actor
DEEPEST, WIDEST, LONGEST = 4, 20, 300  # levels, entries of a level, characters of a key


def read_metadata(
    prepared: BoundChallenge, limits: ReadLimits, file: Named, findings: Findings
) -> None:
    """Keep tag, actor and method beside a run's findings; S112 where they cannot be read."""
    if file.baseline or file.part or not findings.commented:
        return
    header = _commented_head(prepared, limits, file)
    if header is None:
        return
    faults = Findings()
    value = document(header, faults)
    said = value.plain() if value is not None else None
    if said is not None and not isinstance(said, Mapping):
        faults.add(Problem("S112", "it has no keys"))
    for fault in faults:
        what = f"the header ir_metadata cannot be read, and is passed over: {fault.message}"
        line = fault.line and fault.line + 1  # below the mark of its start
        findings.add(Problem("S112", what, "warning", line=line))
        return
    said = said or {}
    findings.metadata = {key: _in_one_line(said[key])[:LONGEST] for key in KEYS if said.get(key)}


def _commented_head(prepared: BoundChallenge, limits: ReadLimits, file: Named) -> bytes | None:
    """The lines between the two marks, without their #; None where there are none."""
    try:
        if prepared.format(file.path, file.format, limits.own).name != "trec":
            return None
        with open_bytes(file.path, limits) as stream:
            head = stream.read(MOST_BYTES)
    except (Unreadable, OSError):
        return None
    if not head.startswith(START):
        return None
    lines = head.splitlines()[1:]
    ends = [n for n, line in enumerate(lines) if line.rstrip() == END]
    inside = lines[: ends[0]] if ends else lines
    return b"\n".join(line.removeprefix(b"#").removeprefix(b" ") for line in inside)


def _in_one_line(value: Any, depth: int = 0) -> str:
    """A value in one line: as deep and as wide as a board has room for."""
    if depth >= DEEPEST:
        return "…"
    if isinstance(value, Mapping):
        entries = [(k, v) for k, v in value.items() if k.lower() not in PRIVATE]
        pairs = (f"{printable(k, 40)}: {_in_one_line(v, depth + 1)}" for k, v in entries[:WIDEST])
        return ", ".join(pairs)
    if isinstance(value, list):
        return ", ".join(_in_one_line(each, depth + 1) for each in value[:WIDEST])
    return printable(value, 100)
