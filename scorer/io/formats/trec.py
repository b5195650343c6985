"""TREC's runs (`list Q0 item rank score tag`) and qrels (`list subtopic item grade`)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain

from scorer.core.problems import Problem
from scorer.core.text import join_first, printable
from scorer.io.formats.base import Request, format
from scorer.io.limits import Unreadable
from scorer.io.lines import count_only, lines
from scorer.io.table import Builder, Place, Schema, Table, number

RUN = {"list": 0, "item": 2, "rank": 3, "score": 4, "prediction": 4}
QRELS = {"list": 0, "subtopic": 1, "item": 2, "grade": 3, "rating": 3}
RUN_COLUMNS, QRELS_COLUMNS = "list Q0 item rank score tag", "list subtopic item grade"
FIELD = re.compile(r"[^ \t]+")
WHOLE = re.compile(r"[+-]?[0-9]++")
MOST_TAGS = 1000


@format("trec", ".trec", ".run", ".res", ".qrels")
def trec(request: Request) -> Table | None:
    """Read columns separated by blanks or tabs; a line that begins with # is a comment.

    A run where scores or ranks are asked for, else qrels. The order of a run
    is that of its scores; its ranks are not read, nor is text after the tag.
    """
    asked = {role for shape in request.wanted for role in shape.roles}
    is_run = not asked.isdisjoint(("score", "rank", "prediction"))
    columns = RUN if is_run else QRELS
    shape = next((w for w in request.wanted if columns.keys() >= set(w.required)), None)
    if shape is None:
        wants = ", ".join(map(request.wanted[0].called, request.wanted[0].required))
        what = "run" if is_run else "qrels file"
        message = f"a TREC {what} cannot hold the columns that are needed here ({printable(wants)})"
        raise Unreadable(Problem("S201", message))
    return _run(shape, request) if is_run else _qrels(shape, request)


def _run(shape: Schema, request: Request) -> Table:
    findings = request.findings
    roles = tuple(r for r in shape.roles if r in RUN and (r != "rank" or r in shape.required))
    places = [RUN[role] for role in roles]
    builder = Builder(shape, roles, findings, request.limits, _place(places))
    tags: dict[str, int] = {}
    untagged: list[int] = []
    rows = _rows(request)
    first = next(rows, None)
    if first and len(first[1]) == 4 and WHOLE.fullmatch(first[1][3]):
        message = "this is a qrels file (4 columns, whole-number grades), not a run"
        hint = f"a run has 6 columns: {RUN_COLUMNS}"
        raise Unreadable(Problem("S603", message, line=first[0], help=hint))
    for line, fields, raw in chain([first] if first else [], rows):
        if len(fields) > 5:
            if fields[5] not in tags and len(tags) < MOST_TAGS:
                tags[fields[5]] = line
        elif len(fields) == 5 and not _shifted(fields):
            untagged.append(line)
        else:
            _misfit(request, line, fields, 6, RUN_COLUMNS)
            continue
        builder.row(line, [fields[place] for place in places], raw)
    if untagged:
        message = f"5 columns, expected 6 ({RUN_COLUMNS}): the tag is missing"
        findings.add(Problem("S601", message, "warning", line=untagged[0], times=len(untagged)))
    if len(tags) > 1:
        most = "at least " if len(tags) == MOST_TAGS else ""
        count = "two" if len(tags) == 2 else f"{most}{len(tags):,}"
        message = f"{count} run tags: {join_first(list(tags))}"
        findings.add(Problem("S602", message, "warning", line=list(tags.values())[1]))
    builder.facts["tags"] = tuple(tags)
    return builder.table()


def _shifted(fields: list[str]) -> bool:
    """Whether five columns lack another one than the tag, which then stands for the score."""
    fault = number(fields[4])[1]
    return fault is not None and fault[0] == "S501" and number(fields[3])[1] is None


def _qrels(shape: Schema, request: Request) -> Table:
    roles = tuple(role for role in shape.roles if role in QRELS)
    places = [QRELS[role] for role in roles]
    builder = Builder(shape, roles, request.findings, request.limits, _place(places))
    for line, fields, raw in _rows(request):
        if len(fields) == 4:
            builder.row(line, [fields[place] for place in places], raw)
        else:
            _misfit(request, line, fields, 4, QRELS_COLUMNS)
    return builder.table()


def _rows(request: Request) -> Iterator[tuple[int, list[str], str]]:
    """Line, fields and text of each line that is neither blank nor a comment."""
    split = FIELD.findall
    for line, raw in lines(request.stream, request.limits, request.findings):
        fields = split(raw)
        if fields and fields[0][0] != "#":
            yield line, fields, raw


def _misfit(request: Request, line: int, fields: list[str], expected: int, columns: str) -> None:
    if count_only(request.findings, "S601"):
        return
    s = "" if len(fields) == 1 else "s"
    message = f"{len(fields):,} column{s}, expected {expected} ({columns})"
    hint = None
    if expected == 4 and len(fields) > 4 and fields[1].upper() == "Q0":
        hint = "this looks like a run, not a qrels file"
    elif len(fields) == 1 and "," in fields[0]:
        hint = "is this a CSV file? TREC's columns are separated by blanks"
    request.findings.add(Problem("S601", message, line=line, help=hint))


def _place(places: list[int]) -> Place:
    """Where in a line the n-th of the columns that are read begins."""

    def place(raw: str, n: int) -> tuple[int, int]:
        return 0, [match.start() for match in FIELD.finditer(raw)][places[n]] + 1

    return place
