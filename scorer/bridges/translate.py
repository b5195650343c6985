"""From what a bundle says to the folder of a challenge."""

from __future__ import annotations

import csv
import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import yaml

from scorer.bridges.found import BoardColumn, Files, FoundChallenge, bundle_files, sources
from scorer.challenge.load import load
from scorer.challenge.model import FILE
from scorer.challenge.schema import LINE, for_editors
from scorer.core.errors import ScorerError, UnknownName, UsageError
from scorer.core.text import join_first, printable, quoted
from scorer.metrics.base import metrics
from scorer.prepare.bind import prepare
from scorer.prepare.guess.challenge import challenge_data
from scorer.prepare.open import opened

USAGE = "Usage"  # Kaggle's column of splits
KEPT = "imported"  # the folder of what is not translated
TABLES = (".csv", ".tsv", ".txt", ".json", ".jsonl", ".parquet", ".solution", ".qrels", ".gz")
# what boards call measures of tables, without signs and in small letters
MEANT = {
    "acc": "Accuracy",
    "auc": "AUROC",
    "rocauc": "AUROC",
    "f1score": "F1",
    "f1macro": "F1(average=macro)",
    "macrof1": "F1(average=macro)",
    "map": "AP",
    "mrr": "RR",
    "bac": "BalancedAccuracy",
}
HEADING = "# made by `score import` from a bundle: read it, and change what is not meant\n"


class Translated(NamedTuple):
    """The files of a challenge's folder, and what is to be known of them."""

    files: Mapping[str, bytes]
    notes: Sequence[str]


def translated(name: str, path: Path) -> Translated:
    """The challenge of a bundle.

    Args:
        name: the platform.
        path: the bundle, a folder or a zip.

    Raises:
        UnknownName: there is no such platform.
        UsageError: the bundle cannot be read, or has not what the platform needs.
    """
    source, files = sources().get(name), bundle_files(path)
    try:
        found = source.function(files)
    except (AttributeError, TypeError, LookupError, ValueError) as error:
        message = f"the settings of {printable(path)} are not in the form of {source.name}"
        raise UsageError(f"{message}: {printable(error)}") from None
    made = _made(found)
    _refuse_unloadable(made)
    return made


def _refuse_unloadable(made: Translated) -> None:
    """`UsageError` where what a bundle says makes no challenge, such as a phase that ends first."""
    with TemporaryDirectory() as folder:
        for path, data in made.files.items():
            if path.endswith((".yaml", ".md")) and not path.startswith(KEPT):
                place = Path(folder, path)
                place.parent.mkdir(parents=True, exist_ok=True)
                place.write_bytes(data)
        try:
            load(Path(folder, FILE))
        except ScorerError as error:
            why = str(error).replace(f"{folder}/", "")
            raise UsageError(f"the bundle makes no challenge: {why}") from None


def _made(found: FoundChallenge) -> Translated:
    own = {path: data for path, data in found.program.items() if path != found.metric}
    kept = {f"{KEPT}/{path}": data for path, data in (*own.items(), *found.pages.items())}
    if FILE in found.reference:  # a bundle of `score export`
        return Translated(dict(found.reference), ["the challenge is as it was exported"])
    data, files, notes = _of_metric(found) or _of_answers(found) or _of_values(found)
    data = _settings(found) | data
    text = yaml.safe_dump(data, sort_keys=False, allow_unicode=True, default_flow_style=None)
    written = f"{LINE}{HEADING}scorer: 1\n{text}".encode()
    beside = [f"{len(kept):,} files are kept in {KEPT}/, none of which is run"] if kept else []
    return Translated(
        {FILE: written, **files, **kept, **for_editors()}, [*found.notes, *notes, *beside]
    )


def _settings(found: FoundChallenge) -> dict[str, Any]:
    """What stands beside truth and measures."""
    said: dict[str, Any] = {"title": found.title, "description": found.description}
    said["phases"] = [dict(each) for each in _in_order(found.phases)]
    said["questions"] = {key: dict(question) for key, question in found.questions.items()}
    return {key: value for key, value in said.items() if value}


def _in_order(phases: Sequence[Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
    """The phases that follow each other; each closes a second before the next one opens."""
    for phase, later in zip_longest(phases, phases[1:], fillvalue=dict[str, Any]()):
        if phase.get("closes") and phase.get("closes") == later.get("opens"):
            phase = {key: value for key, value in phase.items() if key != "closes"}
        yield phase


def _of_metric(found: FoundChallenge) -> tuple[dict[str, Any], dict[str, bytes], list[str]] | None:
    """The challenge of a Kaggle-like file, which is given both files as they are."""
    if found.metric is None:
        return None
    ((name, solution),) = found.reference.items()
    head = _column_names(solution)
    sample = _column_names(found.sample[1]) if found.sample else []
    row = next((column for column in sample if column in head), head[0] if head else "id")
    data: dict[str, Any] = {
        "truth": {"file": name, "columns": {"list": row}},
        "submission": {"columns": {"list": row}},
        "metrics": [{"kaggle": found.metric, "better": found.columns[0].better}],
    }
    if USAGE in head:
        data["splits"] = {"file": name}
    files = {name: solution, found.metric: found.program[found.metric]}
    run = f"{found.metric} is run as Kaggle does, with --allow-plugins"
    note = f"{run}; rows are told by {quoted(row)}"
    return data, files, [note]


def _column_names(table: bytes) -> list[str]:
    """The names of a CSV file's columns; none where its first line cannot be read."""
    try:
        line = table.decode("utf-8-sig").splitlines()[:1]
        return next(csv.reader(line, strict=True), [])
    except (UnicodeDecodeError, csv.Error):
        return []


def _of_answers(found: FoundChallenge) -> tuple[dict[str, Any], dict[str, bytes], list[str]] | None:
    """The challenge of a truth that can be read, with measures that are called as the columns."""
    for name in _answer_files(found.reference):
        with TemporaryDirectory() as folder:
            place = Path(folder, posixpath.basename(name))
            place.write_bytes(found.reference[name])
            sample = None
            if found.sample is not None:
                sample = Path(folder, found.sample[0])
                sample.write_bytes(found.sample[1])
            try:
                data, guess = challenge_data(place, sample)
                del data["id"]
                opened(prepare(load(data, place.parent)))
            except (ScorerError, ValueError, UnicodeError):
                continue
            notes = [f"the answers are those of {name}: taken for {guess.what}"]
            notes += _choose(data, found.columns, place.parent)
        files = {posixpath.basename(name): found.reference[name]}
        return data, files, notes
    return None


def _answer_files(files: Files) -> list[str]:
    """The files that may hold the answers, those called so first."""
    tables = [name for name in files if name.lower().endswith(TABLES)]
    words = re.compile(r"truth|label|gold|solution|answer|qrel|reference|test", re.IGNORECASE)
    return sorted(tables, key=lambda name: (not words.search(posixpath.basename(name)), name))


def _choose(data: dict[str, Any], columns: Sequence[BoardColumn], folder: Path) -> Iterator[str]:
    """Put the measures that columns name in place of the guessed ones; tell of the others."""
    taken: list[str] = []
    for column in columns:
        for notation in _notations(column.name):
            try:
                prepared = prepare(load(data | {"metrics": [*taken, notation]}, folder))
            except (ScorerError, ValueError):
                continue
            if prepared.measures[-1].metric.better == column.better:
                taken.append(notation)
                yield f"column {quoted(column.name)} is measured as {notation}"
                break
    if taken:
        data["metrics"] = taken
    named = {each for each in columns if any(n in taken for n in _notations(each.name))}
    rest = [column.name for column in columns if column not in named]
    if rest:
        what = "the scoring program computed it itself"
        yield f"no measure here is called {join_first(rest)}: {what}; it is kept in {KEPT}/"


def _notations(name: str) -> list[str]:
    """The measures that a column may mean: by a known word, else by the name of a metric."""
    plain = re.sub(r"[^a-z0-9]", "", name.lower())
    if plain in MEANT:
        return [MEANT[plain]]
    cut = re.fullmatch(r"([a-z]+)[^a-z0-9]*(\d+)", name.lower())
    for word, suffix in ((plain, ""), (cut[1], f"@{cut[2]}") if cut else ("", "")):
        try:
            return [f"{metrics().get(MEANT.get(word, word)).name}{suffix}"] if word else []
        except UnknownName:
            continue
    return []


def _of_values(found: FoundChallenge) -> tuple[dict[str, Any], dict[str, bytes], list[str]]:
    """A board of values that the scoring program computes: no answers are read here."""
    columns = found.columns or [BoardColumn("value")]
    values = {column.name: {"better": column.better} for column in columns}
    data = {"kind": "values", "submission": {"columns": {"list": "case"}, "values": values}}
    kept = {f"{KEPT}/{path}": content for path, content in found.reference.items()}
    note = (
        "no file of the reference data shows answers that are read here; challenge.yaml takes a "
        f"table with a row a case and the columns {join_first([c.name for c in columns])}, as the "
        "scoring program may write it"
    )
    return data, kept, [note]
