"""TREC's runs (`list Q0 item rank score tag`) and qrels (`list subtopic item grade`).

Their fields stand between blanks or tabs; quotes mean nothing, and a line that begins with # is a
comment. What follows the tag of a run is not read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

import polars as pl

from scorer.core.problems import Problem
from scorer.core.text import join_first, printable
from scorer.reading.clean import scan_clean
from scorer.reading.formats import Rows, format
from scorer.reading.limits import UnreadableError
from scorer.reading.numbers import parse_number
from scorer.reading.schema import Schema
from scorer.reading.table import CellPlace, Cells, LineTexts, ReadRequest

RUN_COLUMNS = "list Q0 item rank score tag"
QRELS_COLUMNS = "list subtopic item grade"
RUN_POSITIONS = {"list": 0, "item": 2, "rank": 3, "score": 4, "prediction": 4}
QRELS_POSITIONS = {"list": 0, "subtopic": 1, "item": 2, "grade": 3, "rating": 3}
TAG_POSITION = 5
RUN_WIDTH = 6
QRELS_WIDTH = 4
RUN_ROLES = {"score", "rank", "prediction"}  # a schema that has one of them is that of a run

FIELD = re.compile(r"[^ \t]+")
INTEGER = "^[+-]?[0-9]+$"


def read_clean_trec(data: bytes, request: ReadRequest) -> Cells | None:
    """Return the cells of a TREC file, or None if the file is not clean.

    A clean file has all fields on each line, and one blank or one tab between two fields.

    Args:
        data: The unpacked file, without a byte-order mark.
        request: What is asked of the file.
    """
    if request.layout.reshapes:
        return None
    # Blanks and tabs separate fields, but polars knows one separator.
    separator = "\t" if b"\t" in data else " "
    if separator == "\t" and b" " in data:
        return None
    schema, is_run = match_trec_schema(request.schemas)
    positions = trec_positions(schema, is_run)
    read = {**positions, "tag": TAG_POSITION} if is_run else positions
    width = RUN_WIDTH if is_run else QRELS_WIDTH
    # Two blanks in turn are an empty field to polars.
    frame = scan_clean(data, separator, width, read, request.limits, first_line=1, all_filled=True)
    if frame is None or frame["list"].str.starts_with("#").any():  # a comment of as many words
        return None
    if is_run:
        request.findings.extend(_check_tags(frame.select("line", "tag")))
        frame = frame.drop("tag")
    return _as_cells(frame, schema, positions)


def write_run(rows: Rows, columns: Mapping[str, str]) -> bytes:
    """Return rows of list and item, best first, as a run."""
    lines = (
        f"{row['list']} Q0 {row['item']} {row.get('rank', n)} {len(rows) - n} sample\n"
        for n, row in enumerate(rows)
    )
    return "".join(lines).encode()


@format("trec", ".run", ".trec", ".res", ".qrels", read_clean=read_clean_trec, write=write_run)
def read_trec(lines: pl.DataFrame, request: ReadRequest) -> Cells:
    """Return the cells of a run if scores or ranks are asked for, else those of qrels.

    Args:
        lines: `line` and `text` of each physical line that the layout does not leave out.
        request: What is asked of the file.

    Raises:
        UnreadableError: The file is qrels in place of a run, or no schema fits.
    """
    schema, is_run = match_trec_schema(request.schemas)
    positions = trec_positions(schema, is_run)
    fields = _cut_fields(lines, RUN_WIDTH if is_run else QRELS_WIDTH)
    if is_run:
        _refuse_qrels(fields)
        has_all = pl.col(str(TAG_POSITION - 1)).is_not_null()
        if shifted := _shifted_lines(fields):
            has_all &= ~pl.col("line").is_in(shifted)
        tags = fields.filter(has_all).select("line", tag=str(TAG_POSITION))
        request.findings.extend(_check_tags(tags))
    else:
        has_all = pl.col(str(QRELS_WIDTH - 1)).is_not_null() & pl.col("rest").is_null()
    _report_misfits(fields.filter(~has_all), is_run, request)
    cells = [pl.col(str(position)).alias(role) for role, position in positions.items()]
    return _as_cells(fields.filter(has_all).select("line", *cells), schema, positions)


def _as_cells(frame: pl.DataFrame, schema: Schema, positions: Mapping[str, int]) -> Cells:
    def find_cells(texts: LineTexts, line: int, role: str) -> list[CellPlace]:
        if role not in positions:
            return []
        match = list(FIELD.finditer(texts[line - 1]))[positions[role]]
        return [CellPlace(match[0], line, match.start() + 1)]

    # Scores order a run, so that anything may stand for a rank that is not asked for.
    free_roles = {"rank"} - set(schema.required)
    return Cells(frame, schema, find_cells=find_cells, free_roles=free_roles)


def match_trec_schema(schemas: Sequence[Schema]) -> tuple[Schema, bool]:
    """Return the schema of a TREC file, and whether it is that of a run.

    Raises:
        UnreadableError: Such a file cannot hold the columns of any schema.
    """
    is_run = any(not RUN_ROLES.isdisjoint(schema.roles) for schema in schemas)
    positions = RUN_POSITIONS if is_run else QRELS_POSITIONS
    for schema in schemas:
        if positions.keys() >= set(schema.required):
            return schema, is_run
    names = printable(", ".join(map(schemas[0].column_name, schemas[0].required)))
    what = "run" if is_run else "qrels file"
    message = f"a TREC {what} cannot hold the columns that are needed here ({names})"
    raise UnreadableError("S201", message)


def trec_positions(schema: Schema, is_run: bool) -> Mapping[str, int]:
    """Return role -> the field that holds it, from 0, for the roles that a TREC file has."""
    positions = RUN_POSITIONS if is_run else QRELS_POSITIONS
    return {role: positions[role] for role in schema.roles if role in positions}


def _cut_fields(lines: pl.DataFrame, width: int) -> pl.DataFrame:
    """Return the fields of the lines that are neither blank nor comments.

    The columns are `line`, one for each of the first `width` fields, named from "0", and `rest`
    for what follows them; what a line does not have is null.
    """
    text = lines["text"]
    if text.str.contains("\t", literal=True).any():
        text = text.str.replace_all("\t", " ", literal=True)
    while text.str.contains("  ", literal=True).any():  # halves each run of blanks
        text = text.str.replace_all("  ", " ", literal=True)
    if (text.str.starts_with(" ") | text.str.ends_with(" ")).any():
        text = text.str.strip_chars(" ")
    parts = text.str.splitn(" ", width + 1).struct.unnest()
    parts.columns = [*(str(n) for n in range(width)), "rest"]
    is_content = (text != "") & ~text.str.starts_with("#")
    return parts.insert_column(0, lines["line"]).filter(is_content)


def _shifted_lines(fields: pl.DataFrame) -> list[int]:
    """Return the lines of five fields that lack another one than the tag.

    The tag stands for the score there, and the score for the rank.
    """
    rank, score = (
        pl.col(str(RUN_POSITIONS[role])).cast(pl.Float64, strict=False)
        for role in ("rank", "score")
    )
    suspicious = fields.filter(
        pl.col(str(TAG_POSITION)).is_null(), score.is_null(), rank.is_not_null(), rank.is_finite()
    ).drop_nulls(str(TAG_POSITION - 1))
    scores = suspicious[str(RUN_POSITIONS["score"])]
    return [
        line
        for line, cell in zip(suspicious["line"], scores, strict=True)
        if parse_number(cell).code == "S501"
    ]


def _refuse_qrels(fields: pl.DataFrame) -> None:
    """Raise UnreadableError if the first line is one of qrels."""
    first = fields.head(1).filter(
        pl.col(str(QRELS_WIDTH)).is_null(), pl.col(str(QRELS_WIDTH - 1)).str.contains(INTEGER)
    )
    if not first.is_empty():
        message = "this is a qrels file (4 columns, whole-number grades), not a run"
        hint = f"a run has 6 columns: {RUN_COLUMNS}"
        raise UnreadableError("S603", message, line=first["line"][0], help=hint)


def _check_tags(tags: pl.DataFrame) -> Iterator[Problem]:
    """Yield a warning if lines of a run have no tag, and one if there are several tags.

    Args:
        tags: `line` and `tag` of each line, null if it has none.
    """
    first = None if tags.is_empty() else tags["tag"][0]
    if first is not None and (tags["tag"] == first).all(ignore_nulls=False):
        return
    untagged = tags.filter(pl.col("tag").is_null())
    if not untagged.is_empty():
        message = f"5 columns, expected {RUN_WIDTH} ({RUN_COLUMNS}): the tag is missing"
        yield Problem("S601", message, "warning", line=untagged["line"][0], times=untagged.height)
    distinct = tags.drop_nulls("tag").unique("tag", keep="first", maintain_order=True)
    if distinct.height > 1:
        count = "two" if distinct.height == 2 else f"{distinct.height:,}"
        message = f"{count} run tags: {join_first(distinct['tag'].to_list())}"
        yield Problem("S602", message, "warning", line=distinct["line"][1])


def _report_misfits(misfits: pl.DataFrame, is_run: bool, request: ReadRequest) -> None:
    """Report the lines with too many or too few fields."""
    texts = request.texts()
    for line in misfits["line"]:
        if not request.findings.count_if_full("S601"):
            fields = FIELD.findall(texts[line - 1])
            request.findings.add(_width_problem(line, fields, is_run))


def _width_problem(line: int, fields: Sequence[str], is_run: bool) -> Problem:
    width, columns = (RUN_WIDTH, RUN_COLUMNS) if is_run else (QRELS_WIDTH, QRELS_COLUMNS)
    word = "column" if len(fields) == 1 else "columns"
    message = f"{len(fields):,} {word}, expected {width} ({columns})"
    hint = None
    if not is_run and len(fields) > QRELS_WIDTH and fields[1].upper() == "Q0":
        hint = "this looks like a run, not a qrels file"
    elif len(fields) == 1 and "," in fields[0]:
        hint = "is this a CSV file? TREC's columns are separated by blanks"
    return Problem("S601", message, line=line, help=hint)
