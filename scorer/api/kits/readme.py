"""The texts of a kit: its README, and the pages of the problem codes."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Collection, Iterator, Sequence
from importlib.resources import files
from pathlib import Path

from scorer.challenge.model import FILE, Challenge
from scorer.challenge.public import Public
from scorer.challenge.submission import Submission
from scorer.core.text import printable, unit
from scorer.metrics.catalogue import metrics
from scorer.metrics.notation import Measure
from scorer.reading.layout import NO_SEPARATOR, WHITESPACE, separator_of
from scorer.reading.limits import format_limit
from scorer.reports.commonmark import titled
from scorer.scoring.bind import BoundChallenge

FORM = "## The form of a submission"
SHOWN = 3  # rows of the sample that the README shows
INSTALL = "pip install challenge-scorer"
OTHERS = {
    "lists.csv": "the lists to answer",
    "items.csv": "the items that there are",
    "classes.csv": "the classes that there are",
}


def readme(
    prepared: BoundChallenge,
    dropped: Sequence[str],
    sample: tuple[str, bytes] | None,
    packed: Collection[str],
    public: Public,
) -> str:
    """How to use the kit: installing, checking, the form of a file, limits and measures.

    `dropped` are ids of the measures that the kit cannot compute; `sample` is the name of the
    sample submission and its bytes, if there is one; `packed` are the names of the kit's files.
    """
    from jinja2 import StrictUndefined, Template

    challenge, limits = prepared.challenge, prepared.limits
    text = files(__package__).joinpath("readme.md").read_text(encoding="utf-8")
    template = Template(
        text, trim_blocks=True, keep_trailing_newline=True, undefined=StrictUndefined
    )
    most = (
        f"A file may have up to {format_limit(limits.size)}, {format_limit(limits.unpacked)} once "
        f"decompressed, {limits.rows:,} rows, and {format_limit(limits.line)} in a line."
    )
    made: str = template.render(
        challenge=challenge,
        form=FORM,
        pages=[
            (key, printable(titled(key, page)[0], 100)) for key, page in challenge.pages.items()
        ],
        install=INSTALL,
        file=FILE,
        others=[f"{name}: {what}" for name, what in OTHERS.items() if name in packed],
        format=printable(challenge.submission.format or "csv", 60),
        sample=sample[0] if sample else None,
        beginning=[printable(line, 100) for line in _beginning(*sample)] if sample else [],
        wanted=_wanted(public),
        rules=[*submission_rules(challenge), most],
        computed=len(dropped) < len(prepared.measures),
        measures=[_about_measure(bound, bound.id in dropped) for bound in prepared.measures],
    )
    return made


def beginning_of_sample(kit: Path) -> str:
    """How much is to be answered, and how a sample begins: of a kit's README, in Markdown."""
    with zipfile.ZipFile(kit) as archive:
        text = archive.read("README.md").decode()
    return text.rpartition(f"\n{FORM}\n")[2].partition("\n- ")[0].strip()


def _wanted(public: Public) -> str:
    """How much is to be answered."""
    count = len(public.lists)
    lists = f"{count:,} {unit(public.called, count)}"
    if public.kind != "ratings" or public.candidates is None:
        return f"{lists} {'is' if count == 1 else 'are'} to be answered."
    pairs = sum(len(items) for items in public.candidates.values())
    return f"{pairs:,} pairs of {lists} and their items are to be predicted."


def _about_measure(bound: Measure, dropped: bool) -> str:
    about = [f"{bound.metric.better} is better"]
    about += ["this ranks"] if bound.primary else []
    about += ["the kit cannot compute it"] if dropped else []
    name = f"{printable(bound.id)}: {bound.metric.title}"
    if bound.parts:
        name = f"{printable(bound.id)}: {printable(bound.params['score'], 1000)}"
    elif not (bound.metric.own or metrics().origin(bound.metric)):
        name = "a metric of the organizer's own"  # of which a kit tells nothing
    return f"{name} ({', '.join(about)})"


def _beginning(sample: str, data: bytes) -> list[str]:
    """The header of a sample, where it has one, and its first rows."""
    if sample.endswith(".zip"):
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            return [
                f"{name} ({archive.getinfo(name).file_size:,} bytes)" for name in archive.namelist()
            ]
    if sample.endswith(".parquet"):
        import polars

        data = polars.read_parquet(data).head(SHOWN).write_csv().encode()
    most = SHOWN + sample.endswith((".csv", ".parquet"))
    return data.decode().splitlines()[:most]


def submission_rules(challenge: Challenge) -> list[str]:
    """How a submission is written and what it must be, in sentences."""
    return [*_form(challenge.submission), *_requirements(challenge)]


def _form(rules: Submission) -> Iterator[str]:
    """How a submission is written, in sentences, where it is not plain."""

    def called(role: str) -> str:
        return printable(rules.columns.get(role, role), 60)

    marks = {"\t": "a tab", " ": "a blank", WHITESPACE: "blanks", NO_SEPARATOR: "nothing"}
    if rules.parts:
        names = ", ".join(printable(name, 60) for name in rules.parts.values())
        yield f"A submission is a ZIP archive, or a folder, of several files: {names}."
    if rules.document:
        where = ", ".join(
            f"{role} at `{printable(path, 80)}`" for role, path in rules.document.items()
        )
        yield f"A file is a JSON document, with {where}."
    if rules.header:
        names = ", ".join(printable(name, 60) for name in rules.header)
        yield f"A file has no header; its columns are {names}."
    if rules.separator:
        mark = separator_of(rules.separator)
        yield f"Columns are separated by {marks.get(mark, repr(mark))}."
    if rules.skip:
        yield f"The first {rules.skip:,} line{'s are' if rules.skip > 1 else ' is'} left out."
    if rules.comment:
        begins = " or ".join(repr(printable(word, 40)) for word in rules.comment)
        yield f"Lines that begin with {begins} are comments."
    for role, mark in rules.cells.items():
        mark = separator_of(mark)
        if "item" in rules.cells:
            order = "; their order ranks them" if role == "item" else ""
            yield (
                f"A cell of {called(role)} holds several, with {marks.get(mark, repr(mark))} "
                f"between{order}."
            )
        else:
            yield (
                f"A cell of {called(role)} holds a value for each candidate of its list in "
                f"items.csv, in that order, with {marks.get(mark, repr(mark))} between."
            )
    for role, columns in rules.wide.items():
        names = ", ".join(printable(name, 60) for name in columns)
        what = {"item": "an item", "rank": "a rank", "list": "a part of the lists"}[role]
        yield f"Each of the columns {names} stands for {what}."
    if rules.lines:
        file = {"lists": "lists.csv", "items": "items.csv"}.get(str(rules.lines), "lines.csv")
        yield f"Lines have no ids: the n-th line is of the n-th row of {file}."


def _requirements(challenge: Challenge) -> Iterator[str]:
    """What a submission must be, in sentences."""
    rules = challenge.submission
    word = printable(rules.columns.get("list", challenge.truth.columns.get("list", "list")), 60)
    if rules.length is not None:
        least, most = rules.length.min, rules.length.max
        if least == most:
            yield f"Each {word} has exactly {most} items."
        else:
            low = "" if least is None else f"at least {least}"
            high = "" if most is None else f"at most {most}"
            yield f"Each {word} has {' and '.join(filter(None, (low, high)))} items."
    if rules.item_pattern is not None:
        yield f"Ids of items look as `{rules.item_pattern}`."
    if rules.text_pattern is not None:
        yield f"Each text is, as a whole, as the regular expression `{rules.text_pattern}` says."
    if rules.range is not None:
        yield f"Predictions lie between {rules.range[0]:g} and {rules.range[1]:g}."
    missing = {"zero": "counts as empty", "skip": "is left out of the means"}
    yield f"A missing {word} {missing.get(rules.missing_list or '', 'is an error')}."
    if rules.unknown_list == "ignore":
        yield f"A {word} that the challenge does not have is ignored."


def pages() -> str:
    """The problem codes of checks, as Markdown."""
    from scorer.core.codes import codes

    lines = ["# What `score check` can say of a submission\n"]
    for page in codes().values():
        if page.code.startswith("S"):
            example = "\n".join(f"    {line}" for line in page.example.rstrip().splitlines())
            lines.append(
                f"## {page.code} ({page.severity}): {page.title}\n\n{page.meaning.strip()}\n\n"
                f"{example}\n\n{page.fix.strip()}\n"
            )
    return "\n".join(lines)
