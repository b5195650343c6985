"""TREC's runs (`list Q0 item rank score tag`) and qrels (`list subtopic item grade`).

Blanks or tabs separate their fields, and quotes mean nothing. What follows the tag of a run is not
read. A line that begins with # is a comment, unless it is a row of a topic that begins so.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import polars as pl

from scorer.core.problems import Problem
from scorer.core.text import join_first, printable
from scorer.reading.clean import scan_clean
from scorer.reading.formats import MOST_HEAD_LINES, Format, Rows
from scorer.reading.limits import UnreadableError
from scorer.reading.numbers import parse_number
from scorer.reading.schema import Schema
from scorer.reading.table import CellPlace, Cells, LineTexts, ReadRequest

TAG_POSITION = 5  # of a run
IS_COMMENT, HAS_OTHER_TAG = "is comment", "has other tag"  # columns; no role has a blank
RUN_ROLES = {"score", "rank", "prediction"}  # a schema that has one of them is that of a run
FIELD = re.compile(r"[^ \t]+")
INTEGER = "^[+-]?[0-9]+$"
SECOND_FIELDS = ("Q0", "q0", "0")  # of most files; no comment has one of them there


class TrecForm(NamedTuple):
    """One of the two forms of TREC's files. Fields count from 0."""

    name: str
    columns: str
    width: int
    positions: Mapping[str, int]  # role -> its field
    number: int  # the field of the score or the grade


RUN_POSITIONS = {"list": 0, "item": 2, "rank": 3, "score": 4, "prediction": 4}
QRELS_POSITIONS = {"list": 0, "subtopic": 1, "item": 2, "grade": 3, "rating": 3}
RUN = TrecForm("run", "list Q0 item rank score tag", 6, RUN_POSITIONS, 4)
QRELS = TrecForm("qrels file", "list subtopic item grade", 4, QRELS_POSITIONS, 3)


def read_clean_trec(data: bytes, request: ReadRequest) -> Cells | None:
    """Return the cells of a TREC file, or None if the file is not clean.

    A clean file has all fields on each line, and one blank or one tab between two fields.
    """
    if request.layout.reshapes:
        return None
    # Blanks and tabs separate fields, but polars knows one separator.
    separator = "\t" if b"\t" in data else " "
    if separator == "\t" and b" " in data:
        return None
    try:
        schema, form = match_trec_schema(request.schemas)
    except UnreadableError:  # `read_trec` raises it, after the encoding of its lines is reported
        return None
    positions = trec_positions(schema, form)
    # A comment may be cut as a row.
    marks = {IS_COMMENT: pl.col(str(positions["list"])).str.starts_with("#")}
    if form is RUN:
        first_line = io.BytesIO(data).readline().decode(errors="replace").rstrip("\r\n")
        marks[HAS_OTHER_TAG] = pl.col(str(TAG_POSITION)) != first_line.split(separator)[-1]

    def scan(
        positions: Mapping[str, int], marks: Mapping[str, pl.Expr] | None = None
    ) -> pl.DataFrame | None:
        # All fields must be filled: polars sees an empty one between two blanks.
        return scan_clean(
            data,
            separator,
            form.width,
            positions,
            request.limits,
            first_line=1,
            all_filled=True,
            marks=marks,
        )

    frame = scan(positions, marks)
    if frame is None or frame[IS_COMMENT].any():
        return None
    if form is RUN and frame[HAS_OTHER_TAG].any():
        tags = scan({"tag": TAG_POSITION})
        assert tags is not None  # its fields are as clean as they were
        request.findings.extend(_check_tags(tags))
    return _as_cells(frame.drop(marks), schema, positions)


def write_run(rows: Rows, columns: Mapping[str, str]) -> bytes:
    """Return rows of list and item, best first, as a run."""
    lines = (
        f"{row['list']} Q0 {row['item']} {row.get('rank', n)} {len(rows) - n} sample\n"
        for n, row in enumerate(rows)
    )
    return "".join(lines).encode()


def read_trec(lines: pl.DataFrame, request: ReadRequest) -> Cells:
    """Return the cells of a run if a schema has scores or ranks, else of qrels.

    Raises:
        UnreadableError: The file is qrels in place of a run, or no schema fits.
    """
    schema, form = match_trec_schema(request.schemas)
    fields = _cut_fields(lines, form)
    if form is RUN:
        _refuse_qrels(fields)
        has_all = pl.col(str(TAG_POSITION - 1)).is_not_null()  # the tag may be missing
        if shifted := _shifted_lines(fields):
            has_all &= ~pl.col("line").is_in(shifted)
        tags = fields.filter(has_all).select("line", tag=str(TAG_POSITION))
        request.findings.extend(_check_tags(tags))
    else:
        has_all = pl.col(str(form.width - 1)).is_not_null() & pl.col("rest").is_null()
    texts = request.texts()
    for line in fields.filter(~has_all)["line"]:
        if not request.findings.count_if_full("S601"):
            _report_width(line, FIELD.findall(texts[line - 1]), form, request)
    positions = trec_positions(schema, form)
    cells = [pl.col(str(position)).alias(role) for role, position in positions.items()]
    return _as_cells(fields.filter(has_all).select("line", *cells), schema, positions)


def _as_cells(frame: pl.DataFrame, schema: Schema, positions: Mapping[str, int]) -> Cells:
    def find_cells(texts: LineTexts, line: int, role: str) -> list[CellPlace]:
        if role not in positions:
            return []
        match = list(FIELD.finditer(texts[line - 1]))[positions[role]]
        return [CellPlace(match[0], line, match.start() + 1)]

    # Scores order a run: a rank that the schema does not require may be anything.
    free_roles = {"rank"} - set(schema.required)
    return Cells(frame, schema, find_cells=find_cells, free_roles=free_roles)


def match_trec_schema(schemas: Sequence[Schema]) -> tuple[Schema, TrecForm]:
    """Return the schema of a TREC file, and the form of the file.

    Raises:
        UnreadableError: Such a file cannot hold the columns of any schema.
    """
    is_run = any(not RUN_ROLES.isdisjoint(schema.roles) for schema in schemas)
    form = RUN if is_run else QRELS
    for schema in schemas:
        if form.positions.keys() >= set(schema.required):
            return schema, form
    names = printable(", ".join(map(schemas[0].column_name, schemas[0].required)))
    message = f"a TREC {form.name} cannot hold the columns that are needed here ({names})"
    raise UnreadableError("S201", message)


def trec_positions(schema: Schema, form: TrecForm) -> Mapping[str, int]:
    """Return role -> the field that holds it, from 0, for the roles that a TREC file has."""
    return {role: form.positions[role] for role in schema.roles if role in form.positions}


def _cut_fields(lines: pl.DataFrame, form: TrecForm) -> pl.DataFrame:
    """Return the fields of the lines that are neither blank nor comments.

    The columns are `line`, one for each field of the form, named from "0", and `rest` for what
    follows them; what a line does not have is null.
    """
    text = lines["text"]
    if text.str.contains("\t", literal=True).any():
        text = text.str.replace_all("\t", " ", literal=True)
    while text.str.contains("  ", literal=True).any():  # halves each run of blanks
        text = text.str.replace_all("  ", " ", literal=True)
    if (text.str.starts_with(" ") | text.str.ends_with(" ")).any():
        text = text.str.strip_chars(" ")
    parts = text.str.splitn(" ", form.width + 1).struct.unnest()
    parts.columns = [*(str(n) for n in range(form.width)), "rest"]
    fields = parts.insert_column(0, lines["line"]).filter(text != "")
    # trec_eval 10 ignores every line that begins with #; a topic that begins so would vanish.
    topic, second, number = (pl.col(str(at)) for at in (0, 1, form.number))
    is_row = second.is_in(SECOND_FIELDS) | number.cast(float, strict=False).is_not_null()
    is_comment = topic.str.starts_with("#") & ((topic == "#") | ~is_row.fill_null(False))
    return fields.filter(~is_comment)


def _shifted_lines(fields: pl.DataFrame) -> list[int]:
    """Return the lines of five fields that have a tag, but lack a field before the score.

    The score is in the rank's field there, and the tag, which is no number (S501), in the score's.
    """
    rank, score = (str(RUN_POSITIONS[role]) for role in ("rank", "score"))
    suspicious = fields.drop_nulls(score).filter(
        pl.col(str(TAG_POSITION)).is_null(),
        pl.col(score).cast(pl.Float64, strict=False).is_null(),
        pl.col(rank).cast(pl.Float64, strict=False).is_finite(),
    )
    # A cell such as 3,5 (S504) or n/a (S502) is a wrong score, not a tag.
    cells = suspicious.select("line", score).iter_rows()
    return [line for line, cell in cells if parse_number(cell).code == "S501"]


def _refuse_qrels(fields: pl.DataFrame) -> None:
    """Raise UnreadableError if most of the first lines look like qrels."""
    grade, sample = pl.col(str(QRELS.number)), fields.head(MOST_HEAD_LINES)
    is_qrels = pl.col(str(QRELS.width)).is_null() & grade.str.contains(INTEGER)
    found = sample.filter(is_qrels)
    if 2 * found.height > sample.height:
        message = "this is a qrels file (4 columns, whole-number grades), not a run"
        help = f"a run has 6 columns: {RUN.columns}"
        raise UnreadableError("S603", message, found["line"][0], help=help)


def _check_tags(tags: pl.DataFrame) -> Iterator[Problem]:
    """Yield a warning if lines of a run have no tag, and one if there are several tags.

    `tags` has `line` and `tag` of each line, null without a tag.
    """
    first = None if tags.is_empty() else tags["tag"][0]
    if first is not None and (tags["tag"] == first).all(ignore_nulls=False):
        return
    untagged = tags.filter(pl.col("tag").is_null())
    if not untagged.is_empty():
        message = f"5 columns, expected {RUN.width} ({RUN.columns}): the tag is missing"
        yield Problem("S601", message, "warning", line=untagged["line"][0], times=untagged.height)
    distinct = tags.drop_nulls("tag").unique("tag", keep="first", maintain_order=True)
    if distinct.height > 1:
        count = "two" if distinct.height == 2 else f"{distinct.height:,}"
        message = f"{count} run tags: {join_first(distinct['tag'].to_list())}"
        yield Problem("S602", message, "warning", line=distinct["line"][1])


def _report_width(line: int, fields: Sequence[str], form: TrecForm, request: ReadRequest) -> None:
    word = "column" if len(fields) == 1 else "columns"
    message = f"{len(fields):,} {word}, expected {form.width} ({form.columns})"
    hint = None
    if form is QRELS and len(fields) > form.width and fields[1].upper() == "Q0":
        hint = "this looks like a run, not a qrels file"
    elif len(fields) == 1 and "," in fields[0]:
        hint = "is this a CSV file? TREC's columns are separated by blanks"
    request.report("S601", message, line, help=hint)


FORMAT = Format("trec", write_run, read_trec, read_clean=read_clean_trec)
