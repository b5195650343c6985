"""The participants' kit: a challenge without its answers, as one zip file.

A kit holds what a check may know and nothing else, so that it finds in a
submission what the organizer's own check finds.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import yaml

from scorer.api.kits.readme import pages, readme
from scorer.api.kits.sample import sample
from scorer.challenge.kit_archive import ABSENT, refuse_kit
from scorer.challenge.leaderboard import SHOWN_WORDS
from scorer.challenge.load import COMBINING
from scorer.challenge.model import FILE, Challenge, MeasureSpec, Source
from scorer.challenge.public import Public
from scorer.challenge.submission import layout_of
from scorer.core.problems import Findings
from scorer.kinds.base import LIKELY
from scorer.metrics.catalogue import metrics
from scorer.metrics.notation import Measure
from scorer.reading.formats import find_format
from scorer.reading.read import header_words
from scorer.reading.schema import Schema, holds_text
from scorer.reading.write import zip_files
from scorer.scoring.bind import BoundChallenge
from scorer.scoring.kind import own_metrics
from scorer.scoring.open import wide_labels
from scorer.scoring.tables import require_table

# groups of these names say which part of the lists is scored when
SPLITS = {"public", "private", "hidden", "secret", "held-out", "heldout", "final"}
SPLITS |= {"train", "dev", "val", "valid", "validation", "test"}


class Kit(NamedTuple):
    """A kit's bytes, the same for the same challenge, and notes for the organizer."""

    data: bytes
    dropped: tuple[str, ...]  # ids of the measures that it cannot compute
    left: tuple[str, ...]  # other parts that it leaves out
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
    drawn = sample(prepared, public)
    files |= dict([drawn] if drawn else [])
    keys = _keys(challenge, files, packed)
    if "submission.classes" in challenge.key_files:
        files["classes.csv"] = _csv([{"label": name} for name in public.classes], ("label",))
        keys["classes"] = {"file": "classes.csv"}
    fields = _public(prepared, specs, dropped, public, lists, items, keys)
    text = yaml.dump(fields, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=88)
    files[FILE] = text.encode()
    files |= {f"{key}.md": page.encode() for key, page in challenge.pages.items()}
    files["codes.md"] = pages().encode()
    files["README.md"] = readme(prepared, dropped, drawn, files, public).encode()
    left = [] if challenge.folds is None else ["folds, so that values are over all lists at once"]
    if _groups_reveal_splits(challenge, public):
        left.append("the groups of the lists, since they say which split a list is in")
    return Kit(zip_files(files), tuple(dropped), tuple(left), tuple(packed))


def _measures(prepared: BoundChallenge, public: Public) -> tuple[list[MeasureSpec], list[str]]:
    """The measures of the kit's challenge.yaml, and the ids of those that it cannot compute.

    Metrics of plugins and of Kaggle's files, those that need further files or columns of the lists,
    and formulas of such measures are left out, so that none may remain.
    """
    built_in, specs, dropped = metrics(), list[MeasureSpec](), list[str]()
    own = own_metrics(prepared.challenge)
    columns = () if _groups_reveal_splits(prepared.challenge, public) else ("group",)

    def computable(bound: Measure) -> bool:
        combination = bound.combination
        if combination.numbers or combination.where or not set(combination.names) <= set(columns):
            return False
        if bound.parts:
            return all(computable(part) for part in bound.parts)
        origin = built_in.origin(bound.metric) or ""
        known = origin.startswith("scorer.") or bound.metric.name in own
        return known and not bound.metric.needs(bound.params)

    for spec, bound in zip(prepared.challenge.metrics, prepared.measures, strict=True):
        if computable(bound):
            specs.append(spec)
        else:
            dropped.append(bound.id)
    return specs, dropped


def measure_fields(spec: MeasureSpec) -> dict[str, Any]:
    """A measure as challenge.yaml writes it."""
    fields: dict[str, Any] = {} if spec.score is not None else {"metric": spec.notation}
    written = spec.model_dump(mode="json", exclude_defaults=True)
    fields |= spec.params | {key: written[key] for key in (*COMBINING, "better") if key in written}
    return fields | {key: written[key] for key in ("id", "primary") if key in written}


def _public(
    prepared: BoundChallenge,
    specs: Sequence[MeasureSpec],
    dropped: Sequence[str],
    public: Public,
    lists: dict[str, Any],
    items: dict[str, Any] | None,
    keys: dict[str, Any],
) -> dict[str, Any]:
    """challenge.yaml without its secrets: truth, examples, baselines, plugins."""
    challenge = prepared.challenge
    answer_roles = {"preferences": ("better", "worse"), "labels": (_answer(prepared),)}
    answer_roles |= {"frames": (), "grades": ("text",) if challenge.truth.texts else ("item",)}
    roles = answer_roles.get(prepared.kind.name, ("item",))
    # all roles, since a participant may score against a truth of his own: --truth
    columns = {role: role for role in ("list", *roles)} | challenge.truth.columns
    truth = {"file": f"{ABSENT}{challenge.truth.file.suffix}", "format": challenge.truth.format}
    fields: dict[str, Any] = {"scorer": challenge.scorer, "id": challenge.id}
    fields |= {"title": challenge.title, "description": challenge.description}
    fields["pages"] = {key: f"{key}.md" for key in challenge.pages}
    fields["kind"] = challenge.kind if specs else prepared.kind.name  # else the measures say it
    if not challenge.truthless:
        truth_fields = {key: value for key, value in truth.items() if value}
        fields["truth"] = truth_fields | {"columns": columns}
    if items is not None and "item" in challenge.truth.wide:  # of which a file has all columns
        fields["truth"]["wide"] = {"item": list(challenge.truth.wide["item"])}
    fields["lists"] = lists
    if items is not None:
        fields["items"] = items
    fields["submission"] = _submission_rules(prepared, public, bool(specs)) | keys
    fields["metrics"] = [measure_fields(spec) for spec in specs]
    fields["undefined"] = challenge.undefined
    board = challenge.leaderboard.model_dump(mode="json", exclude_defaults=True)
    for key in ("baselines", "pareto", "tracks"):  # of the board, not of one submission
        board.pop(key, None)
    left_out = {name.casefold() for name in dropped}
    if ties := [name for name in board.pop("tie_break", ()) if name.casefold() not in left_out]:
        board["tie_break"] = ties
    if ranking := board.get("rank_by"):
        lost = left_out & {name.casefold() for name in ranking.get("measures", ())}
        private = ranking.get("each") == "group" and "group" in challenge.truth.columns
        if lost or private:
            del board["rank_by"]  # the kit cannot compute all that it is made of
    if specs:
        fields["leaderboard"] = board
    empty: tuple[object, ...] = (None, {}, [], "")
    return {key: value for key, value in fields.items() if value not in empty}


def _answer(prepared: BoundChallenge) -> str:
    """The role of the answers in a table's truth: target or label."""
    return "target" if "prediction" in prepared.shapes[0].required else "label"


def _submission_rules(
    prepared: BoundChallenge, public: Public, has_measures: bool
) -> dict[str, Any]:
    """The kit's `submission:`; for a table with the classes, since the kit has no truth.

    Without measures, which say which columns are needed, it names that of probabilities.
    """
    challenge, likely = prepared.challenge, f"{LIKELY}[0]"
    rules = challenge.submission.model_dump(mode="json", by_alias=True, exclude_defaults=True)
    if probability := rules.pop("probability", None):
        single = probability.get("") if len(probability) == 1 else None
        rules["columns"] = {**rules.get("columns", {}), "probability": single or probability}
    elif not has_measures and likely in prepared.shapes[0].required:
        named = prepared.shapes[0].column_name(likely)
        rules["columns"] = {**rules.get("columns", {}), "probability": named}
    for role in ("extra", "value"):
        if column := rules.pop(role, None):
            rules["columns"] = {**rules.get("columns", {}), role: column}
    if public.classes and "submission.classes" not in challenge.key_files:
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
        # where a file names the splits, phases do
        shown = {phase.show for phase in challenge.phases} - {*SHOWN_WORDS}
        split_names = split_names.union(map(str.casefold, (*splits.shares, *shown)))
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
    by_item = kind == "grades" and "item" in prepared.challenge.submission.wide
    if by_item and (labels := wide_labels(prepared, public)):
        files["items.csv"] = _csv([{"item": name} for name in sorted(labels)], ("item",))
        return {"file": "items.csv"}
    if kind in ("frames", "grades", "labels") or prepared.challenge.truthless:
        return None
    # sorted: the order in which a truth names them is nobody's business
    candidates = public.candidates or {}
    pairs = sorted((name, item) for name, items in candidates.items() for item in items)
    rows = [{"list": name, "item": item} for name, item in pairs]
    files["items.csv"] = _csv(rows, ("list", "item"))
    return {"file": "items.csv"}


def _has_list_column(source: Source) -> bool:
    words = header_words(source.file, source.format, layout_of(source))
    return source.columns.get("list", "list") in words


def _packed(
    challenge: Challenge,
    name: str,
    source: Source,
    schema: Schema,
    files: dict[str, bytes],
    packed: list[str],
) -> dict[str, Any]:
    """Write the columns of a public file that have a role, never the file itself.

    The file goes to `files`, a sentence on its columns to `packed`. Returns its fields for
    challenge.yaml.
    """
    table = require_table(challenge, source, [schema], Findings())
    columns = {role: table.column_name(role) for role in schema.roles if role in table}
    cells = [
        table.frame[role].to_list()
        if holds_text(role)
        else [repr(value).removesuffix(".0") for value in table.frame[role].to_list()]
        for role in columns
    ]
    heads = list(columns.values())
    files[f"{name}.csv"] = _csv(
        (dict(zip(heads, row, strict=True)) for row in zip(*cells, strict=True)), heads
    )
    layout = layout_of(source)
    format = find_format(source.file, source.format, layout)
    others = sorted(header_words(source.file, source.format, layout) - {*heads})
    note = f"{name}.csv holds of {source.file.name}: {', '.join(heads)}"
    if others and format.name in ("csv", "parquet"):
        note += f"; not {', '.join(others)}"
    packed.append(note)
    return {"file": f"{name}.csv", "columns": columns}


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
