"""The README of a kit, with the form of a submission in words, which the Rules page shows, too."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from scorer.api.kit_sample import Sample
from scorer.challenge.public import Public
from scorer.challenge.submission import Submission
from scorer.core.codes import codes
from scorer.core.text import printable, unit
from scorer.kinds.base import PROBABILITY
from scorer.metrics.catalogue import metrics
from scorer.metrics.notation import Measure
from scorer.reading.layout import NO_SEPARATOR, WHITESPACE, separator_of
from scorer.reading.limits import format_limit
from scorer.reading.schema import ORDERED
from scorer.reports.commonmark import titled
from scorer.scoring.bind import BoundChallenge

FORM = "## The form of a submission"
FIRST_ROWS = 3  # rows of the sample that the README shows
MOST_COLUMNS = 12  # of the table of columns; of further ones only their number is said
TABULAR = (None, "csv", "parquet", "jsonl")  # formats whose files have named columns
# The example of a column that the sample lacks, as it orders items by ranks or by scores.
EXAMPLES = {"rank": "1", "score": "0.75"}
MARKS = {"\t": "a tab", " ": "a blank", WHITESPACE: "blanks", NO_SEPARATOR: "nothing"}


class FormColumn(NamedTuple):
    """A column of a submission.

    Attributes:
        name: Its name in the file.
        needed: Whether a file must have it, in words.
        role: Its role, without a part in brackets; `whole` for the divisor of a value.
        subject: The class or the value that it belongs to; empty for most columns.
        example: Its first cell in the sample; a usual rank or score if the sample lacks it.
    """

    name: str
    needed: str
    role: str
    subject: str
    example: str


def write_readme(
    bound: BoundChallenge,
    public: Public,
    sample: Sample | None,
    files: Collection[str],
    omitted: Collection[str],
) -> str:
    """Return the README of a kit: how to check a file, its form, measures, the kit's files.

    Args:
        bound: The challenge.
        public: Its public part.
        sample: The sample submission, if there is one.
        files: The names of the kit's files.
        omitted: The ids of the measures that the kit cannot compute.
    """
    pages = bound.challenge.pages.items()
    return _render(
        "readme.md",
        challenge=bound.challenge,
        computed=len(omitted) < len(bound.measures),
        heading=FORM,
        form=_describe_form(bound, public, sample),
        measures=[
            (_measure_name(m), m.metric.better, m.primary, m.id not in omitted)
            for m in bound.measures
        ],
        files=files,
        sample=sample.name if sample else None,
        pages=[(key, printable(titled(key, page)[0], 100)) for key, page in pages],
    )


def _describe_form(bound: BoundChallenge, public: Public, sample: Sample | None) -> str:
    """Return the form of a submission in Markdown: columns, an example, rules, limits."""
    rules = bound.challenge.submission
    truth_columns = bound.challenge.truth.columns
    columns = list(_columns(bound, public, sample))
    text = _render(
        "form.md",
        public=public,
        rules=rules,
        limits=bound.limits,
        list=printable(rules.columns.get("list", truth_columns.get("list", "list")), 60),
        item=printable(rules.columns.get("item", "item"), 60),
        rank=rules.columns.get("rank", "rank"),
        units=unit(public.called, len(public.lists)),
        columns=columns[:MOST_COLUMNS],
        more=len(columns[MOST_COLUMNS:]),
        alternatives=list(_alternatives(bound)),
        order=_ordering_columns(bound),
        sample=sample.name if sample else None,
        beginning=[printable(line, 100) for line in _first_lines(sample)] if sample else [],
    )
    # Parts that the challenge does not need leave their blank lines.
    return re.sub(r"\n{3,}", "\n\n", text).strip()


def _render(name: str, **values: Any) -> str:
    """Return a template of this package with its values; a missing one is an error."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent / "templates", encoding="utf-8"),
        trim_blocks=True,
        keep_trailing_newline=True,
        undefined=StrictUndefined,
        autoescape=False,  # Markdown
    )
    environment.filters |= {
        "code": _as_code,
        "mark": _describe_mark,
        "printable": lambda text: printable(text, 80),
        "size": format_limit,
        "thousands": "{:,}".format,
    }
    return environment.get_template(name).render(**values)


def read_form(kit: Path) -> str:
    """Return the form of a submission in Markdown, from the README of a kit."""
    with zipfile.ZipFile(kit) as archive:
        readme = archive.read("README.md").decode()
    return readme.rpartition(f"\n{FORM}\n")[2].partition("\n## ")[0].strip()


def write_codes() -> str:
    """Return the problem codes of checks, as Markdown."""
    lines = ["# What `score check` can say of a submission\n"]
    for page in codes().values():
        if page.code.startswith("S"):
            example = "\n".join(f"    {line}" for line in page.example.rstrip().splitlines())
            lines.append(
                f"## {page.code} ({page.severity}): {page.title}\n\n{page.meaning.strip()}\n\n"
                f"{example}\n\n{page.fix.strip()}\n"
            )
    return "\n".join(lines)


def _columns(bound: BoundChallenge, public: Public, sample: Sample | None) -> Iterator[FormColumn]:
    """Yield the columns of a file; none of a file that is no table with named columns."""
    rules = bound.challenge.submission
    schema = bound.shapes[0]
    if rules.document or rules.format not in TABULAR:
        return
    roles = _roles_in_file(bound)
    required = schema.missing_roles([])
    for role in roles:
        needed = "yes" if role in required else "no"
        others = ORDERED.intersection(roles).difference({role})
        if role in ORDERED and role in required and others:
            needed += f", or {_as_code(schema.column_name(*others))}"
        yield FormColumn(
            name=schema.column_name(role),
            needed=needed,
            role="whole" if role.endswith("/whole]") else role.partition("[")[0],
            subject=_find_subject(role, bound, public),
            example=printable(_find_example(role, rules, sample), 40),
        )


def _roles_in_file(bound: BoundChallenge) -> list[str]:
    """Return the roles of a submission that have a column, or a place, of their own in a file."""
    rules = bound.challenge.submission
    schema = bound.shapes[0]
    roles = [role for role in schema.roles if role != "tag"]
    if rules.document:
        return [role for role in roles if role in rules.document]
    if rules.header:
        roles = [role for role in roles if schema.column_name(role) in rules.header]
    elif rules.cells:  # The order in a cell ranks.
        roles = [role for role in roles if role in rules.columns or role not in ORDERED]
    if rules.lines:  # The lines have no ids.
        roles = [role for role in roles if role not in ("list", "item")]
    return ["list"] if rules.wide else roles  # Several columns hold the other roles.


def _find_subject(role: str, bound: BoundChallenge, public: Public) -> str:
    """Return the class whose probability or score a column has, or the value that it has.

    It is empty for columns of other roles.
    """
    rules = bound.challenge.submission
    if role.startswith("value"):
        names = [name for name, roles in rules.value_columns.items() if role in roles]
        return "" if "measure" in rules.columns else names[0]
    if not role.startswith(PROBABILITY) and not (role == "score" and public.kind == "labels"):
        return ""
    names = list(rules.probability) or [""]
    number = role.partition("[")[2].rstrip("]") or "0"
    default = public.classes[1] if len(public.classes) == 2 else "the positive class"
    return names[int(number)] or default


def _find_example(role: str, rules: Submission, sample: Sample | None) -> str:
    """Return the first cell of a role in the sample, else a usual cell, else an empty text."""
    if sample is None or not sample.rows:
        return ""
    first = sample.rows[0]
    if role in rules.cells:
        mark = separator_of(rules.cells[role])
        cells = [str(row[role]) for row in sample.rows if row["list"] == first["list"]]
        return (" " if mark == WHITESPACE else mark).join(cells)
    return str(first.get(role, EXAMPLES.get(role, "")))


def _alternatives(bound: BoundChallenge) -> Iterator[tuple[list[str], list[str]]]:
    """Yield for each further schema the columns that it lacks, and those in their place."""
    if bound.kind.name == "labels" and not bound.challenge.submission.probability:
        return  # It is not known whose probability a column would have.
    first, *others = bound.shapes
    for other in others:
        lacks = [first.column_name(role) for role in first.required if role not in other.required]
        new = [role for role in other.roles if role not in first.roles and role != "tag"]
        has = [other.column_name(role) for role in new]
        if lacks and has:
            yield lacks, has


def _ordering_columns(bound: BoundChallenge) -> list[str]:
    """Return the columns that can order the items of a list; the first that a file has does.

    If a file may lack them all, so that its rows are in order, the last one is "". Without such
    columns the result is empty.
    """
    rules = bound.challenge.submission
    schema = bound.shapes[0]
    if "rank" not in schema.roles or rules.cells or rules.wide or rules.format == "lists":
        return []
    if rules.format == "trec":
        return ["score"]
    roles = [role for role in ("score", "rank") if role in _roles_in_file(bound)]
    names = [schema.column_name(role) for role in roles]
    is_one_required = not {*roles}.isdisjoint(schema.missing_roles([]))
    return names if not roles or is_one_required else [*names, ""]


def _measure_name(measure: Measure) -> str:
    """Return a measure's name and title; of a metric of the organizer's own no title."""
    if measure.parts:
        return f"{printable(measure.id)}: {printable(measure.params['score'], 1000)}"
    if measure.metric.own or metrics().origin(measure.metric):
        return f"{printable(measure.id)}: {measure.metric.title}"
    return "a metric of the organizer's own"


def _first_lines(sample: Sample) -> list[str]:
    """Return the header of a sample, where it has one, and its first rows."""
    data = sample.data
    rows = FIRST_ROWS
    if sample.name.endswith(".zip"):
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            return [f"{file.filename} ({file.file_size:,} bytes)" for file in archive.infolist()]
    if sample.name.endswith(".parquet"):
        import polars as pl

        data = pl.read_parquet(data).head(FIRST_ROWS).write_csv().encode()
    if sample.name.endswith((".csv", ".parquet")):
        rows += 1
    return data.decode().splitlines()[:rows]


def _describe_mark(separator: str) -> str:
    """Return a separator in words."""
    mark = separator_of(separator)
    return MARKS.get(mark, repr(mark))


def _as_code(text: str) -> str:
    """Return a text as code in a table of Markdown; empty if it is empty."""
    shown = printable(text, 60).replace("|", "\\|").replace("`", "'")
    return f"`{shown}`" if shown.strip() else shown
