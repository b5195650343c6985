"""The participants' kit: a challenge without its answers, as one zip file.

A kit holds what a check may know and nothing else, so that it finds in a
submission what the organizer's own check finds.
"""

from __future__ import annotations

import csv
import io
import random
import zipfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import pairwise
from typing import Any, NamedTuple

import yaml

from scorer.bytes.limits import ReadLimits
from scorer.challenge.archive import ABSENT, refuse_kit
from scorer.challenge.forms import cut_of
from scorer.challenge.load import COMBINING
from scorer.challenge.model import (
    FILE,
    Challenge,
    MeasureSpec,
    Source,
    Submission,
    extra_roles,
)
from scorer.challenge.public import Public
from scorer.core.errors import UsageError
from scorer.core.text import printable
from scorer.formats.base import formats
from scorer.formats.form import NO_SEPARATOR, WHITESPACE, separator_of
from scorer.formats.read import format_of, header, key_table
from scorer.formats.written import in_form
from scorer.metrics.base import Measure, measure, metrics
from scorer.metrics.notation import NotationError
from scorer.prepare.bind import BoundChallenge
from scorer.prepare.open import public_table
from scorer.tables.table import Schema

OLDEST = (1980, 1, 1, 0, 0, 0)  # fixed timestamp, for reproducible archives
DEPTH = 10  # items of a sample's list where any number is allowed
SHOWN = 3  # rows of the sample that the README shows
INSTALL = "pip install challenge-scorer"
# groups of these names say which part of the lists is scored when
SPLITS = {"public", "private", "hidden", "secret", "held-out", "heldout", "final"}
SPLITS |= {"train", "dev", "val", "valid", "validation", "test"}


Rows = list[dict[str, Any]]


class Kit(NamedTuple):
    """A kit's bytes, the same for the same challenge, and notes for the organizer."""

    data: bytes
    dropped: tuple[str, ...]  # ids of the measures that it cannot compute
    left: tuple[str, ...]  # what else it leaves out
    packed: tuple[str, ...]  # the columns that it holds of each public file


class _Dumper(yaml.SafeDumper):
    """YAML as people write it: a text of several lines as a block."""


def _block(dumper: yaml.SafeDumper, text: str) -> yaml.Node:
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, "|" if "\n" in text else None)


_Dumper.add_representer(str, _block)


def kit(prepared: BoundChallenge, public: Public) -> Kit:
    """Pack what participants may know.

    Args:
        prepared: the challenge.
        public: its public part; nothing else of a truth is ever asked for.

    Raises:
        ChallengeError: it is a kit already, or a public file cannot be read.
    """
    challenge = prepared.challenge
    refuse_kit(challenge)
    specs, dropped = _measures(prepared, public)
    files: dict[str, bytes] = {}
    packed: list[str] = []
    lists = _lists(challenge, public, files, packed)
    items = _items(prepared, public, files, packed)
    sample = _sample(prepared, public)
    files |= dict([sample] if sample else [])
    keys = _keys(challenge, files, packed)
    fields = _public(prepared, specs, dropped, public, lists, items, keys)
    text = yaml.dump(fields, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=88)
    files[FILE] = text.encode()
    files["codes.md"] = _pages().encode()
    files["README.md"] = _readme(prepared, dropped, sample).encode()
    left = [] if challenge.folds is None else ["folds, so that values are over all lists at once"]
    if _groups_reveal_splits(challenge, public):
        left.append("the groups of the lists, since they say which split a list is in")
    return Kit(_zipped(files), tuple(dropped), tuple(left), tuple(packed))


def _measures(prepared: BoundChallenge, public: Public) -> tuple[list[MeasureSpec], list[str]]:
    """The measures of the kit's challenge.yaml, and the ids of those that it cannot compute.

    Metrics of plugins, those that need further files or columns of the lists, and formulas of
    such measures are left out; where none remains another of the same kind stands in, since some
    must.
    """
    built_in, specs, dropped = metrics(), list[MeasureSpec](), list[str]()
    columns = () if _groups_reveal_splits(prepared.challenge, public) else ("group",)

    def computable(bound: Measure) -> bool:
        combination = bound.combination
        if combination.numbers or not set(combination.names) <= set(columns):
            return False
        if bound.parts:
            return all(computable(part) for part in bound.parts)
        origin = built_in.origin(bound.metric) or ""
        return origin.startswith("scorer.") and not bound.needs

    for spec, bound in zip(prepared.challenge.metrics, prepared.measures, strict=True):
        if computable(bound):
            specs.append(spec)
        else:
            dropped.append(bound.id)
    return specs or [MeasureSpec(notation=_stand_in(prepared))], dropped


def _measure_fields(spec: MeasureSpec) -> dict[str, Any]:
    """A measure as challenge.yaml writes it."""
    fields: dict[str, Any] = {} if spec.score is not None else {"metric": spec.notation}
    written = spec.model_dump(mode="json", exclude_defaults=True)
    fields |= spec.params | {key: written[key] for key in (*COMBINING, "better") if key in written}
    return fields | {key: written[key] for key in ("id", "primary") if key in written}


def _stand_in(prepared: BoundChallenge) -> str:
    """The plainest metric that any challenge with these rules may have."""
    rules, fit = prepared.challenge.submission, []
    for metric in metrics():
        with suppress(NotationError):  # a parameter that must be given
            if (
                prepared.kind.name in metric.kinds
                and not measure(metric, metric.name, {}).needs
                and (metric.expected or rules.ties != "expected")
                and (metric.mean_rank or rules.ties != "mean-rank")
                and (metric.better == "higher" or rules.missing_list != "zero")
            ):
                fit.append(metric)
    if not fit:
        message = f"no installed metric is of kind {prepared.kind.name}: a kit needs one, since it "
        raise UsageError(f"{message}lacks the challenge's own")
    return min(fit, key=lambda metric: (len(metric.kinds), metric.name)).name


def _public(
    prepared: BoundChallenge,
    specs: Sequence[MeasureSpec],
    dropped: Sequence[str],
    public: Public,
    lists: dict[str, Any],
    items: dict[str, Any] | None,
    keys: dict[str, Any],
) -> dict[str, Any]:
    """challenge.yaml without what is secret: truth, examples, baselines, plugins."""
    challenge = prepared.challenge
    answer_roles = {"preferences": ("better", "worse"), "labels": (_answer(prepared),)}
    roles = answer_roles.get(prepared.kind.name, ("item",))
    # all roles, since a participant may score against a truth of his own: --truth
    columns = {role: role for role in ("list", *roles)} | challenge.truth.columns
    truth = {"file": f"{ABSENT}{challenge.truth.file.suffix}", "format": challenge.truth.format}
    fields: dict[str, Any] = {"scorer": challenge.scorer, "id": challenge.id}
    fields |= {"title": challenge.title, "description": challenge.description}
    fields["truth"] = {key: value for key, value in truth.items() if value} | {"columns": columns}
    fields["lists"] = lists
    if items is not None:
        fields["items"] = items
    fields["submission"] = _submission_rules(challenge, public) | keys
    fields["metrics"] = [_measure_fields(spec) for spec in specs]
    fields["undefined"] = challenge.undefined
    board = challenge.leaderboard.model_dump(mode="json", exclude_defaults=True)
    board.pop("baselines", None)
    left_out = {name.casefold() for name in dropped}
    if ties := [name for name in board.pop("tie_break", ()) if name.casefold() not in left_out]:
        board["tie_break"] = ties
    if ranking := board.get("rank_by"):
        lost = left_out & {name.casefold() for name in ranking.get("measures", ())}
        if lost:
            del board["rank_by"]  # the kit cannot compute all that it is made of
    fields["leaderboard"] = board
    empty: tuple[object, ...] = (None, {}, "")
    return {key: value for key, value in fields.items() if value not in empty}


def _answer(prepared: BoundChallenge) -> str:
    """The role of the answers in a table's truth: target or label."""
    return "target" if "prediction" in prepared.shapes[0].required else "label"


def _submission_rules(challenge: Challenge, public: Public) -> dict[str, Any]:
    """The kit's `submission:`; for a table with the classes, since the kit has no truth."""
    rules = challenge.submission.model_dump(mode="json", by_alias=True, exclude_defaults=True)
    if probability := rules.pop("probability", None):
        single = probability.get("") if len(probability) == 1 else None
        rules["columns"] = {**rules.get("columns", {}), "probability": single or probability}
    if extra := rules.pop("extra", None):
        rules["columns"] = {**rules.get("columns", {}), "extra": extra}
    if public.classes:
        rules["classes"] = list(public.classes)
    if public.separator is not None:
        rules["multilabel"] = public.separator
    return rules


def _lists(
    challenge: Challenge, public: Public, files: dict[str, bytes], packed: list[str]
) -> dict[str, Any]:
    """The public file of lists, its columns that have a role; else one made of their ids."""
    if challenge.lists is not None:
        optional = () if _groups_reveal_splits(challenge, public) else ("group",)
        shape = Schema(("list",), optional)
        return _packed(challenge, "lists", challenge.lists, shape, files, packed)
    if challenge.parted:  # whose parts are groups, which measures may name
        rows = [{"list": name, "group": public.groups.get(name, "")} for name in public.lists]
        files["lists.csv"] = _csv(rows, ("list", "group"))
    else:
        files["lists.csv"] = _csv([{"list": name} for name in public.lists], ("list",))
    return {"file": "lists.csv"}


def _keys(challenge: Challenge, files: dict[str, bytes], packed: list[str]) -> dict[str, Any]:
    """The kit's `lines:`, the file that gives the ids of lines without ids."""
    source = challenge.key_files.get("submission.lines")
    if source is None:
        return {}
    optional = ("item",) if "item" in source.columns else ()
    lines_source = Source.model_construct(**dict(source))
    return {
        "lines": _packed(
            challenge, "lines", lines_source, Schema(("list", *optional)), files, packed
        )
    }


def _groups_reveal_splits(challenge: Challenge, public: Public) -> bool:
    """Whether the groups of the lists say which split a list is in."""
    names = {name.casefold() for name in public.groups.values()}
    splits, split_names = challenge.splits, SPLITS
    if splits is not None:
        split_names = split_names.union(map(str.casefold, splits.shares))
    drawn = splits is not None and splits.by == "group"
    return bool(names) and (drawn or not names.isdisjoint(split_names))


def _items(
    prepared: BoundChallenge, public: Public, files: dict[str, bytes], packed: list[str]
) -> dict[str, Any] | None:
    """The public file of items, its columns that have a role; else the public pairs."""
    source, kind = prepared.challenge.items, prepared.kind.name
    if source is not None and (kind == "grades" or _has_list_column(source)):
        features = {f"features[{n}]": name for n, name in enumerate(source.features)}
        users = {} if source.users is None else {"users": source.users}
        columns_of_roles = source.columns | features | users
        widened = source.model_copy(update={"columns": columns_of_roles})
        schema = Schema(("item",), ("list", *features, *users))
        fields = _packed(prepared.challenge, "items", widened, schema, files, packed)
        columns = {key: name for key, name in fields["columns"].items() if key not in features}
        listed = {"features": list(features.values())} if features else {}
        return fields | {"columns": columns | listed}
    if kind in ("grades", "labels"):
        return None
    # sorted: the order in which a truth names them is nobody's business
    pairs = sorted(
        public.asked
        or ((name, item) for name, items in (public.candidates or {}).items() for item in items)
    )
    rows = [{"list": name, "item": item} for name, item in pairs]
    files["items.csv"] = _csv(rows, ("list", "item"))
    return {"file": "items.csv"}


def _has_list_column(source: Source) -> bool:
    format = format_of(source.file, source.format, form=cut_of(source))
    header_names = header(source.file, format, ReadLimits())
    return source.columns.get("list", "list") in header_names


def _packed(
    challenge: Challenge,
    name: str,
    source: Source,
    schema: Schema,
    files: dict[str, bytes],
    packed: list[str],
) -> dict[str, Any]:
    """Write the columns of a public file that have a role, never the file itself.

    Args:
        challenge: whose file it is.
        name: what the kit's file is called, less its suffix.
        source: the organizer's file.
        schema: the roles that are public.
        files: where the kit's file goes.
        packed: where it is said which columns went, and which did not.

    Returns:
        What challenge.yaml says of it.
    """
    table = public_table(challenge, source, schema)
    columns = {
        role: table.called(role)
        for role in schema.roles
        if role in table.ids or role in table.numbers
    }
    cells = [
        list(map(table.ids[role].text, range(len(table))))
        if role in table.ids
        else [repr(value).removesuffix(".0") for value in table.numbers[role].tolist()]
        for role in columns
    ]
    heads = list(columns.values())
    files[f"{name}.csv"] = _csv(
        (dict(zip(heads, row, strict=True)) for row in zip(*cells, strict=True)), heads
    )
    format = format_of(source.file, source.format, form=cut_of(source))
    others = sorted(header(source.file, format, ReadLimits()) - {*heads})
    note = f"{name}.csv holds of {source.file.name}: {', '.join(heads)}"
    if others and format.name in ("csv", "parquet"):
        note += f"; not {', '.join(others)}"
    packed.append(note)
    return {"file": f"{name}.csv", "columns": columns}


def _sample(prepared: BoundChallenge, public: Public) -> tuple[str, bytes] | None:
    """A valid submission that knows nothing of the truth: drawn at random from what is public.

    None in a format of which no file can be made.
    """
    rules, kind = prepared.challenge.submission, prepared.kind.name
    form = rules.format or ("json" if rules.document else "csv")
    chance = random.Random(prepared.challenge.leaderboard.seed)
    rows: Rows = []
    called: Mapping[str, str] = rules.columns
    if kind == "labels":
        rows, called = _guesses(prepared, public, chance), prepared.shapes[0].columns
    elif kind == "ratings":
        low, high = rules.range or (0.0, 1.0)
        for name, item in sorted(public.asked or ()):
            guess = min(max(round(chance.uniform(low, high), 3), low), high)
            rows.append({"list": name, "item": item, "prediction": guess})
    elif kind == "preferences" and form not in ("lists", "trec") and not _ranks(rules.columns):
        rows = [
            {"list": name, "better": better, "worse": worse}
            for name, items in _choice(prepared, public, chance)
            for better, worse in pairwise(items)
        ]
    else:
        named = {*rules.columns, *rules.cells, *rules.document, *rules.header}
        key = "score" if {"score"} == {"score", "rank"} & named else "rank"
        rows = [
            {"list": name, "item": item, key: n if key == "rank" else len(items) - n + 1}
            for name, items in _choice(prepared, public, chance)
            for n, item in enumerate(items, start=1)
        ]
    if rules.extra:
        further = extra_roles(rules.extra)
        rows = [row | dict.fromkeys(further, 1) for row in rows]
        called = {**called, **further}
    format = formats().get(form)
    if format.write is None:
        return None
    suffix = (format.suffixes or (f".{form}",))[0]
    suffix = ".zip" if rules.parts else ".tsv" if rules.separator == "tab" else suffix
    written = prepared.challenge.form(rules)
    keyed = {"lines": written.lines, "candidates": written.candidates}
    tables = {name: key_table(keys) for name, keys in keyed.items() if keys is not None}
    return f"sample_submission{suffix}", in_form(rows, called, written, format.write, tables)


def _guesses(prepared: BoundChallenge, public: Public, chance: random.Random) -> Rows:
    """A class, its probabilities or a number for each row, by lot."""
    further = {"list", *extra_roles(prepared.challenge.submission.extra)}
    roles = [role for role in prepared.shapes[0].required if role not in further]
    low, high = prepared.challenge.submission.range or (0.0, 1.0)
    rows: Rows = []
    for name in public.lists:
        row: dict[str, Any] = {"list": name}
        if roles == ["label"]:
            row["label"] = chance.choice(public.classes)
            if public.groups.get(name) in public.numbers:
                row["label"] = min(max(round(chance.uniform(low, high), 3), low), high)
        elif roles in (["prediction"], ["score"]):
            row[roles[0]] = min(max(round(chance.uniform(low, high), 3), low), high)
        else:
            # thousandths that sum to a thousand
            cuts = sorted(chance.randint(0, 1000) for _ in roles[1:])
            ends = [0, *cuts, 1000 if len(roles) > 1 else chance.randint(0, 1000)]
            row |= {r: (b - a) / 1000 for r, a, b in zip(roles, ends, ends[1:], strict=False)}
        rows.append(row)
    return rows


def _ranks(columns: Mapping[str, str]) -> bool:
    return "item" in columns and "better" not in columns


def _choice(
    prepared: BoundChallenge, public: Public, chance: random.Random
) -> Iterator[tuple[str, list[str]]]:
    """For each list as many items as it may have, in an order by lot."""
    length = prepared.challenge.submission.length
    depth = (length.max or max(length.min or 0, DEPTH)) if length else DEPTH
    everything = list(public.items or (f"item-{n + 1}" for n in range(depth)))
    for name in public.lists:
        items = everything
        if public.candidates is not None:
            items = sorted(public.candidates.get(name, ()))
        if items:
            # of preferences all items, since each must be placed
            vector = prepared.challenge.form(prepared.challenge.submission).vector
            every = vector or public.complete or (public.kind == "preferences" and not length)
            most = len(items) if every else depth
            yield name, chance.sample(items, min(most, len(items)))


def _csv(rows: Iterable[Mapping[str, Any]], columns: Sequence[str]) -> bytes:
    rows, text = list(rows), io.StringIO()
    # blanks round a cell without quotes count for nothing
    bare = all(str(cell) == str(cell).strip() for row in rows for cell in row.values())
    writer = csv.DictWriter(
        text, columns, lineterminator="\n", quoting=csv.QUOTE_MINIMAL if bare else csv.QUOTE_ALL
    )
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue().encode()


def _pages() -> str:
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


def _readme(
    prepared: BoundChallenge, dropped: Sequence[str], sample: tuple[str, bytes] | None
) -> str:
    """How to use the kit: installing, checking, the form of a file, limits and measures.

    Args:
        prepared: the challenge.
        dropped: ids of the measures that the kit cannot compute.
        sample: the name of the sample submission and its bytes, where there is one.
    """
    challenge, limits = prepared.challenge, prepared.limits
    form = printable(challenge.submission.format or "csv", 60)
    described = challenge.description.strip()
    lines = [f"# {challenge.title}", "", *([described, ""] if described else [])]
    lines += [
        "## Check a submission",
        "",
        "Install scorer (once published; until then from a clone of its repository):",
        "",
        f"    {INSTALL}",
        "",
        "and check a file before you send it, with the same findings as the organizer's:",
        "",
        "    score check kit.zip SUBMISSION",
        "",
        "A kit has no truth. To try a method out on answers of your own:",
        "",
        "    score kit.zip SUBMISSION --truth FILE",
        "",
        "## The form of a submission",
        "",
        *(_sample_lines(*sample) if sample else (f"A file in the format {form}.", "")),
        *(f"- {rule}" for rule in (*_form(challenge.submission), *_rules(challenge))),
        f"- A file has at most {limits.size:,} bytes, {limits.unpacked:,} once decompressed, "
        f"{limits.rows:,} rows, and {limits.line:,} bytes in a line.",
        "",
        "## Measures",
        "",
    ]
    for bound in prepared.measures:
        about = [f"{bound.metric.better} is better"]
        about += ["this ranks"] if bound.primary else []
        about += ["the kit cannot compute it"] if bound.id in dropped else []
        name = f"{printable(bound.id)}: {bound.metric.title}"
        if bound.parts:
            name = f"{printable(bound.id)}: {printable(bound.params['score'], 1000)}"
        elif metrics().things.get(bound.metric.name) is not bound.metric:  # a kit tells nothing
            name = "a metric of the organizer's own"
        lines.append(f"- {name} ({', '.join(about)})")
    lines += [
        "",
        "## Files",
        "",
        f"- {FILE}: the rules",
        "- lists.csv, items.csv: the lists to answer and, where they are public, the items",
        *([f"- {sample[0]}: a valid submission"] if sample else []),
        "- codes.md: the problems that checks report, and what to do",
        "",
    ]
    return "\n".join(lines)


def _sample_lines(sample: str, data: bytes) -> Iterator[str]:
    yield f"{sample} is a valid file with made-up answers. It begins:"
    yield ""
    yield from (f"    {printable(line, 100)}" for line in _beginning(sample, data))
    yield ""


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
    if rules.rank_gaps == "keep":
        yield "Ranks that a list leaves out are slots without an item."


def _rules(challenge: Challenge) -> Iterator[str]:
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
    if rules.range is not None:
        yield f"Predictions lie between {rules.range[0]:g} and {rules.range[1]:g}."
    missing = {"zero": "counts as empty", "skip": "is left out of the means"}
    yield f"A missing {word} {missing.get(rules.missing_list or '', 'is an error')}."
    if rules.unknown_list == "ignore":
        yield f"A {word} that the challenge does not have is ignored."


def _zipped(files: Mapping[str, bytes]) -> bytes:
    """A zip archive of the files; the same files give the same bytes."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name in sorted(files):
            member = zipfile.ZipInfo(name, OLDEST)
            member.compress_type = zipfile.ZIP_DEFLATED
            member.create_system, member.external_attr = 3, 0o644 << 16
            archive.writestr(member, files[name], compresslevel=9)
    return out.getvalue()
