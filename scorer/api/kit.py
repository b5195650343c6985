"""The participants' kit: a challenge without its answers, as one zip file.

A kit holds what a check may know and nothing else, so that it finds in a submission what the
organizer's own check finds. What it may hold is named here, key by key and column by column: a key
of challenge.yaml that is not named stays out.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl
import yaml

from scorer.api.kit_form import write_codes, write_readme
from scorer.api.kit_sample import write_sample_submission
from scorer.api.submissions import bind_challenge
from scorer.challenge.kit_archive import ABSENT_TRUTH_PREFIX, refuse_without_truth
from scorer.challenge.measures import MeasureSpec
from scorer.challenge.model import CHALLENGE_FILE, Challenge, Source
from scorer.challenge.phases import RESERVED_SPLITS
from scorer.challenge.public import Public
from scorer.challenge.submission import layout_of
from scorer.core.problems import Findings
from scorer.kinds.base import PROBABILITY
from scorer.metrics.catalogue import metrics
from scorer.metrics.notation import Measure
from scorer.reading.formats import find_format
from scorer.reading.read import header_words
from scorer.reading.schema import Schema, holds_text
from scorer.reading.write import csv_text, write_file, zip_files
from scorer.scoring.bind import BoundChallenge
from scorer.scoring.kind import kind_metrics
from scorer.scoring.open import wide_labels
from scorer.scoring.public import read_public
from scorer.scoring.tables import require_table

# Groups of these names say which part of the lists is scored when.
SPLIT_NAMES = {"public", "private", "hidden", "secret", "held-out", "heldout", "final"}
SPLIT_NAMES |= {"train", "dev", "val", "valid", "validation", "test"}
# Keys of `leaderboard` that are of the board, not of one submission.
BOARD_KEYS = {"baselines", "pareto", "tracks"}
# Keys of `submission` that are written among its columns.
COLUMN_KEYS = ("extra", "value")
# The keys of a measure that a kit writes beside its metric and the parameters, in this order.
MEASURE_KEYS = (
    *("score", "average", "aggregate", "weights", "group", "where"),
    *("unit", "better", "id", "primary"),
)


class Kit(NamedTuple):
    """A kit's bytes, the same for the same challenge, and notes for the organizer.

    Attributes:
        data: The zip archive.
        omitted_measures: The ids of the measures that it cannot compute.
        omitted_parts: What else it leaves out, and why.
        columns: The columns that it holds of each public file, in words.
    """

    data: bytes
    omitted_measures: tuple[str, ...]
    omitted_parts: tuple[str, ...]
    columns: tuple[str, ...]

    def write(self, path: str | PathLike[str]) -> None:
        """Write the archive; raise `UsageError` if that is not possible."""
        write_file(Path(path), self.data)

    def __repr__(self) -> str:
        return f"<Kit of {len(self.data):,} bytes>"


def kit(challenge: Challenge | BoundChallenge | Path | str, *, allow_plugins: bool = False) -> Kit:
    """Pack what participants need to check their submissions, and none of the answers.

    Args:
        challenge: A loaded challenge, or the path of its challenge.yaml or folder.
        allow_plugins: Whether the challenge's own metrics may be run.

    Raises:
        ChallengeError: It is a kit already, or a public file cannot be read.
    """
    bound = bind_challenge(challenge, allow_plugins)
    refuse_without_truth(bound.challenge)
    public = read_public(bound)
    files = _KitFiles(bound, public)
    computable, omitted = _split_measures(bound, files.hides_groups)
    definition = _definition(bound, public, files, computable, omitted)
    text = yaml.dump(definition, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=88)
    files.contents[CHALLENGE_FILE] = text.encode()
    if sample := write_sample_submission(bound, public):
        files.contents[sample.name] = sample.data
    for key, page in bound.challenge.pages.items():
        files.contents[f"{key}.md"] = page.encode()
    files.contents["codes.md"] = write_codes().encode()
    readme = write_readme(bound, public, sample, files.contents.keys(), omitted)
    files.contents["README.md"] = readme.encode()
    omitted_parts = []
    if bound.challenge.folds is not None:
        omitted_parts.append("folds, so that values are over all lists at once")
    if files.hides_groups:
        omitted_parts.append("the groups of the lists, since they say which split a list is in")
    data = zip_files(files.contents)
    return Kit(data, tuple(omitted), tuple(omitted_parts), tuple(files.notes))


class _Dumper(yaml.SafeDumper):
    """YAML as people write it: a text of several lines as a block."""


def _represent_text(dumper: yaml.SafeDumper, text: str) -> yaml.Node:
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, "|" if "\n" in text else None)


_Dumper.add_representer(str, _represent_text)


@dataclass(slots=True, eq=False)
class _KitFiles:
    """The public files of a kit, written one by one, with notes on the columns that they hold.

    Each method writes a file and returns what challenge.yaml says of it.
    """

    bound: BoundChallenge
    public: Public
    contents: dict[str, bytes] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    @property
    def hides_groups(self) -> bool:
        """Whether groups stay out of the kit, since they say which split a list is in."""
        challenge = self.bound.challenge
        group_names = {name.casefold() for name in self.public.groups.values()}
        split_names = SPLIT_NAMES
        splits = challenge.splits
        if splits is not None:
            # If a file says which split a list is in, only the phases name the splits.
            shown = {phase.show for phase in challenge.phases} - {*RESERVED_SPLITS}
            split_names = split_names.union(map(str.casefold, (*splits.shares, *shown)))
        drawn_by_group = splits is not None and splits.by == "group"
        return bool(group_names) and (drawn_by_group or not group_names.isdisjoint(split_names))

    def write_lists(self) -> dict[str, Any]:
        """Write the lists: the columns of their public file that have a role, else their ids."""
        challenge = self.bound.challenge
        public = self.public
        if challenge.lists is not None:
            optional = () if self.hides_groups else ("group",)
            return self._copy("lists", challenge.lists, Schema(("list",), optional))
        if challenge.has_parts:  # The parts are groups, which measures may name.
            rows = [(name, public.groups.get(name, "")) for name in public.lists]
            return self._write("lists", ("list", "group"), rows)
        return self._write("lists", ("list",), zip(public.lists, strict=True))

    def write_items(self) -> dict[str, Any] | None:
        """Write the items of their public file, else the public pairs; return None without any."""
        source = self.bound.challenge.items
        kind = self.bound.kind.name
        # Grades may have a catalogue of items; other kinds need the items of each list.
        if source is not None and (kind == "grades" or _has_list_column(source)):
            features = {f"features[{n}]": name for n, name in enumerate(source.features)}
            users = {} if source.users is None else {"users": source.users}
            columns = source.columns | features | users
            schema = Schema(("item",), ("list", *features, *users))
            fields = self._copy("items", source.model_copy(update={"columns": columns}), schema)
            # challenge.yaml writes all features in one list.
            written = {
                role: name for role, name in fields["columns"].items() if role not in features
            }
            if features:
                written["features"] = list(features.values())
            return fields | {"columns": written}
        has_item_columns = kind == "grades" and "item" in self.bound.challenge.submission.wide
        if has_item_columns and (labels := wide_labels(self.bound, self.public)):
            return self._write("items", ("item",), zip(sorted(labels), strict=True))
        # The pairs of grades are answers; frames, labels and lists without a truth have none.
        if kind in ("frames", "grades", "labels") or self.bound.challenge.truthless:
            return None
        # Sorted, as the order in which a truth names them is not public.
        candidates = self.public.candidates or {}
        pairs = sorted((name, item) for name, items in candidates.items() for item in items)
        return self._write("items", ("list", "item"), pairs)

    def write_keys(self) -> dict[str, Any]:
        """Write the files that `submission.lines` and `.classes` name; return these keys."""
        key_files = self.bound.challenge.key_files
        keys = dict[str, Any]()
        if (lines := key_files.get("submission.lines")) is not None:
            optional = ("item",) if "item" in lines.columns else ()
            source = Source.model_construct(**dict(lines))  # It was validated as a `KeyFile`.
            keys["lines"] = self._copy("lines", source, Schema(("list", *optional)))
        if "submission.classes" in key_files:
            rows = zip(self.public.classes, strict=True)
            keys["classes"] = self._write("classes", ("label",), rows)
        return keys

    def _copy(self, name: str, source: Source, schema: Schema) -> dict[str, Any]:
        """Write the columns of a public file that have a role, never the file itself."""
        table = require_table(self.bound.challenge, source, [schema], Findings())
        columns = {role: table.column_name(role) for role in schema.roles if role in table}
        cells = [_write_cells(table.frame[role], role) for role in columns]
        names = list(columns.values())
        self._write(name, names, zip(*cells, strict=True))
        layout = layout_of(source)
        others = sorted(header_words(source.file, source.format, layout).difference(names))
        note = f"{name}.csv holds of {source.file.name}: {', '.join(names)}"
        if others and find_format(source.file, source.format, layout).name in ("csv", "parquet"):
            note += f"; not {', '.join(others)}"
        self.notes.append(note)
        return {"file": f"{name}.csv", "columns": columns}

    def _write(
        self, name: str, columns: Sequence[str], rows: Iterable[Sequence[str]]
    ) -> dict[str, Any]:
        """Write rows as CSV, with quotes if a cell begins or ends with blanks."""
        table = [columns, *rows]
        # A reader removes blanks around a cell without quotes.
        has_blanks = any(cell != cell.strip() for row in table[1:] for cell in row)
        self.contents[f"{name}.csv"] = csv_text(table, quotes_all=has_blanks).encode()
        return {"file": f"{name}.csv"}


def _write_cells(values: pl.Series, role: str) -> list[str]:
    """Return the cells of a column; floats that are whole numbers as such."""
    if holds_text(role):
        return values.to_list()
    return [repr(value).removesuffix(".0") for value in values.to_list()]


def _has_list_column(source: Source) -> bool:
    words = header_words(source.file, source.format, layout_of(source))
    return source.columns.get("list", "list") in words


def _split_measures(
    bound: BoundChallenge, hides_groups: bool
) -> tuple[list[MeasureSpec], list[str]]:
    """Return the measures that a kit can compute, and the ids of the others.

    It cannot compute metrics of plugins and of Kaggle's files, those that need further files or
    columns of the lists, and formulas of such measures.
    """
    metrics_of_kind = kind_metrics(bound.challenge)
    kit_columns = () if hides_groups else ("group",)  # of its file of lists

    def is_computable(measure: Measure) -> bool:
        combination = measure.combination
        other_columns = set(combination.names).difference(kit_columns)
        if other_columns or combination.numbers or combination.where:
            return False
        if measure.parts:
            return all(is_computable(part) for part in measure.parts)
        origin = metrics().origin(measure.metric) or ""
        is_built_in = origin.startswith("scorer.") or measure.metric.name in metrics_of_kind
        return is_built_in and not measure.metric.needs(measure.params)

    computable = []
    omitted = []
    for spec, measure in zip(bound.challenge.metrics, bound.measures, strict=True):
        if is_computable(measure):
            computable.append(spec)
        else:
            omitted.append(measure.id)
    return computable, omitted


def _definition(
    bound: BoundChallenge,
    public: Public,
    files: _KitFiles,
    computable: Sequence[MeasureSpec],
    omitted: Collection[str],
) -> dict[str, Any]:
    """Return challenge.yaml without its secrets, and write the public files that it names."""
    challenge = bound.challenge
    lists = files.write_lists()
    items = files.write_items()
    submission = _submission(bound, public, bool(computable)) | files.write_keys()
    definition: dict[str, Any] = {
        **challenge.model_dump(include={"scorer", "id", "title", "description"}),
        "pages": {key: f"{key}.md" for key in challenge.pages},
        # Measures say what the kind is; without them the kit has to.
        "kind": challenge.kind if computable else bound.kind.name,
        "truth": None if challenge.truthless else _truth(bound, has_items=items is not None),
        "lists": lists,
        "items": items,
        "submission": submission,
        "metrics": [_measure(spec) for spec in computable],
        "undefined": challenge.undefined,
        "leaderboard": _leaderboard(challenge, omitted) if computable else None,
    }
    return {key: value for key, value in definition.items() if value not in (None, {}, [], "")}


def _truth(bound: BoundChallenge, has_items: bool) -> dict[str, Any]:
    """Return the kit's `truth:`, which names a file that the kit does not have.

    It has the columns of all roles, since participants may score against a truth of their own.
    """
    truth = bound.challenge.truth
    kind = bound.kind.name
    roles: tuple[str, ...] = ("item",)
    if kind == "preferences":
        roles = ("better", "worse")
    elif kind == "labels":
        roles = ("target" if "prediction" in bound.shapes[0].required else "label",)
    elif kind == "frames":
        roles = ()
    elif kind == "grades" and truth.has_texts:
        roles = ("text",)
    fields: dict[str, Any] = {"file": f"{ABSENT_TRUTH_PREFIX}{truth.file.suffix}"}
    if truth.format:
        fields["format"] = truth.format
    fields["columns"] = {role: role for role in ("list", *roles)} | truth.columns
    if has_items and "item" in truth.wide:  # Every submission has all of these columns.
        fields["wide"] = {"item": list(truth.wide["item"])}
    return fields


def _submission(bound: BoundChallenge, public: Public, has_measures: bool) -> dict[str, Any]:
    """Return the kit's `submission:`, with the classes, which the kit cannot find in a truth.

    Measures say whether probabilities are needed. Without measures, their column is named here.
    """
    rules = bound.challenge.submission.model_dump(mode="json", by_alias=True, exclude_defaults=True)
    columns = dict(rules.get("columns", {}))
    probability_role = f"{PROBABILITY}[0]"
    if probability := rules.pop("probability", None):
        # The column of a single probability has the class "", and is written by its name alone.
        columns["probability"] = probability[""] if set(probability) == {""} else probability
    elif not has_measures and probability_role in bound.shapes[0].required:
        columns["probability"] = bound.shapes[0].column_name(probability_role)
    columns |= {key: rules.pop(key) for key in COLUMN_KEYS if key in rules}
    if columns:
        rules["columns"] = columns
    if public.classes and "submission.classes" not in bound.challenge.key_files:
        rules["classes"] = list(public.classes)
    if public.separator is not None:
        rules["multilabel"] = public.separator
    return rules


def _measure(spec: MeasureSpec) -> dict[str, Any]:
    """Return a measure as challenge.yaml writes it."""
    written = spec.model_dump(mode="json", exclude_defaults=True)
    fields: dict[str, Any] = {} if spec.score is not None else {"metric": spec.notation}
    fields |= spec.params
    return fields | {key: written[key] for key in MEASURE_KEYS if key in written}


def _leaderboard(challenge: Challenge, omitted: Collection[str]) -> dict[str, Any]:
    """Return the kit's `leaderboard:`, without the keys that name a measure it cannot compute."""
    board = challenge.leaderboard.model_dump(mode="json", exclude_defaults=True, exclude=BOARD_KEYS)
    omitted_ids = {name.casefold() for name in omitted}
    ties = [name for name in board.pop("tie_break", ()) if name.casefold() not in omitted_ids]
    if ties:
        board["tie_break"] = ties
    if ranking := board.get("rank_by"):
        measures = {name.casefold() for name in ranking.get("measures", ())}
        by_private_group = ranking.get("each") == "group" and "group" in challenge.truth.columns
        if not omitted_ids.isdisjoint(measures) or by_private_group:
            del board["rank_by"]
    return board
