"""New challenges: from a template, or as they fit a truth and a sample, or a tool's results."""

from __future__ import annotations

import os
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any, Literal

import yaml

from scorer.api.check import check
from scorer.challenge.leaderboard import PLACEHOLDER
from scorer.challenge.load import load
from scorer.challenge.model import CHALLENGE_FILE, Challenge
from scorer.challenge.schema import LINE, SCHEMA_FILE, for_editors
from scorer.core.errors import ChallengeError, UnknownName, UsageError
from scorer.core.ids import guess_pattern
from scorer.core.problems import Findings
from scorer.core.text import printable, quoted
from scorer.importers.results import CASES_FILE, SYSTEMS_FOLDER, find_files, read_results
from scorer.infer.challenge import LISTS, find_lists, infer
from scorer.reading.read import read_file
from scorer.reading.write import write_file, write_folder
from scorer.reports.findings.problems import format_findings
from scorer.scoring.bind import bind
from scorer.scoring.open import OpenChallenge, open_challenge

TEMPLATES = "scorer.challenge.templates"
Template = Literal[
    "classification",
    "preferences",
    "ranking",
    "ratings",
    "recommendation",
    "regression",
    "trec",
]
HEADING = "# made by `score init` from the files beside it: review and edit\n"
LARGEST_SEED = 10**12
# Written with "# " before each line. DATE and PLACEHOLDER are refused where they stand, with what
# is expected there.
TERM = """
# A term: to use these lines, take away the first "# " of each (the number sign and the blank),
# and write dates and numbers. A time is written as 2026-05-31T23:59+02:00.
{splits}
# Entries are accepted from `opens` to `closes`, and the board shows {public}. Then the two
# entries count that each team has selected, by {private}.
phases:
  - id: term
    opens: DATE
    closes: DATE
    show: {public}
    # How many entries a team may send.
    quota: {{per_day: 3, total: 50}}
  - {{id: final, after: term, show: {private}, select: 2}}

# Points of a course: none for the value `from`, all for `to`, in a straight line between them.
# `from` can be the name of a baseline, too.
grading: {{from: {placeholder}, to: {placeholder}, points: 10}}
"""
SPLITS = """
# The board shows one part of the lists while entries are accepted; the rest decides at last.
# Who knows the seed knows the parts: it is as secret as the truth.
splits: {{public: 0.4, private: rest, seed: {seed}}}
"""


@dataclass(frozen=True)
class NewChallenge:
    """A folder with a challenge that `init` wrote.

    Attributes:
        folder: The folder.
        files: The names of the files that were written; the last one is the schema for editors.
        description: What the given files were taken for, and which measure ranks; empty for a
            template.
        notes: What further rules the challenge has, and why.
        doubt: What may be otherwise; empty if nothing is known that may be.
        submission: A file or folder that can be scored; None without a sample.
        problems: What is wrong with the sample by this challenge, as the lines of `score check`.
    """

    folder: Path
    files: tuple[str, ...]
    description: str = ""
    notes: tuple[str, ...] = ()
    doubt: str = ""
    submission: Path | None = None
    problems: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"<NewChallenge {printable(self.folder)}: {', '.join(self.files)}>"

    def __str__(self) -> str:
        """Return what `score init` says of it."""
        folder = printable(self.folder)
        submission = "SUBMISSION" if self.submission is None else printable(self.submission)
        lines = [f"made {folder}: {', '.join(self.files)}"]
        lines += [f"taken for {self.description}"] if self.description else []
        lines += self.notes
        lines += [f"not sure: {self.doubt}"] if self.doubt else []
        return "\n".join([*lines, "", f"score it:  score {folder} {submission}"])


def init(
    folder: Path | str,
    truth: Path | str | None = None,
    sample: Path | str | None = None,
    *,
    kind: Template | None = None,
    results: Sequence[Path | str] = (),
    term: bool = False,
) -> NewChallenge:
    """Write a folder with a challenge that scores at once, to be changed into your own.

    Args:
        folder: Where it is written: a new or empty folder, or the one that has the truth.
        truth: The answers that the challenge has to fit.
        sample: A submission to it.
        kind: The template to write if neither a truth nor results are given; by default
            `ranking`.
        results: Files and folders that an evaluation tool wrote, whose values are ranked.
        term: Whether to write splits, phases, a quota and grading, too, as lines that begin
            with #.

    Raises:
        UsageError: A file is not there or shows no challenge, or the folder is not empty.
        ChallengeError: The truth, or a file of results, is wrong.
    """
    folder = Path(folder)
    if sum([truth is not None, bool(results), kind is not None]) > 1:
        raise UsageError("a challenge is made from a truth, from results, or from a kind")
    if term and truth is None:
        raise UsageError("the lines of a term are written from a truth")
    if truth is not None:
        return _init_from_truth(folder, Path(truth), None if sample is None else Path(sample), term)
    if sample is not None:
        raise UsageError("a sample needs the truth that it answers")
    if results:
        return _init_from_results(folder, [Path(path) for path in results])
    return _init_from_template(folder, kind or "ranking")


def describe_templates() -> dict[str, str]:
    """Return the name of each template -> what it is for, which is its first comment."""
    texts = {path.name: (path / CHALLENGE_FILE).read_text("utf-8") for path in _template_folders()}
    return {name: text.partition("\n")[0].removeprefix("#").strip() for name, text in texts.items()}


def _template_folders() -> list[Traversable]:
    folders = [path for path in files(TEMPLATES).iterdir() if not path.name.startswith("_")]
    return sorted(folders, key=lambda path: path.name)


def _init_from_template(folder: Path, kind: str) -> NewChallenge:
    """Write the files of a template."""
    template = next((path for path in _template_folders() if path.name == kind), None)
    if template is None:
        kinds = [path.name for path in _template_folders()]
        unknown = UnknownName("kind of challenge", kind, kinds)
        raise UsageError(f"{unknown} (kinds: {', '.join(kinds)})")
    sources = sorted(template.iterdir(), key=lambda source: source.name)
    contents = {source.name: source.read_bytes() for source in sources}
    contents[CHALLENGE_FILE] = LINE.encode() + contents[CHALLENGE_FILE]
    write_folder(folder, {**contents, **for_editors()})
    submission = next(name for name in contents if name.startswith("submission"))
    return NewChallenge(folder, (*contents, SCHEMA_FILE), submission=folder / submission)


def _init_from_results(folder: Path, paths: Sequence[Path]) -> NewChallenge:
    """Write a challenge of what an evaluation tool measured, and a file for each system."""
    if missing := [path for path in paths if not path.exists()]:
        raise UsageError(f"{printable(missing[0])} is no file or folder")
    found = find_files(paths)
    of_tool = {file.path for file in found}
    for path in paths:
        has_files = path.is_dir() and any(path in file.parents for file in of_tool)
        if path not in of_tool and not has_files:
            raise UsageError(f"{printable(path)}: no results of a tool that is known")
    read = read_results(found)
    if read.refused:
        raise ChallengeError(problems=[p for problems in read.refused.values() for p in problems])
    contents = read.files()
    contents[CHALLENGE_FILE] = LINE.encode() + contents[CHALLENGE_FILE]
    write_folder(folder, {**contents, **for_editors()})
    names = (
        CHALLENGE_FILE,
        CASES_FILE,
        f"{SYSTEMS_FOLDER}/ ({len(read.systems):,})",
        SCHEMA_FILE,
    )
    return NewChallenge(folder, names, read.describe(), submission=folder / SYSTEMS_FOLDER)


def _init_from_truth(folder: Path, truth: Path, sample: Path | None, term: bool) -> NewChallenge:
    """Write the challenge that fits a truth and a sample, with copies of both.

    In the folder that has the truth only challenge.yaml and its schema are written.
    """
    paths = [truth] if sample is None else [truth, sample]
    if missing := [path for path in paths if not path.is_file()]:
        raise UsageError(f"{printable(missing[0])} is no file")
    if len({path.name for path in paths}) < len(paths):
        raise UsageError(f"two of the files are called {quoted(truth.name)}")
    inferred = infer(truth, sample)
    data = inferred.data
    further = dict[str, bytes]()
    _add_rules_of_sample(data, truth, sample)
    if (lists := find_lists(data, truth)) is not None:
        further[LISTS] = lists.write_csv().encode()
        data["lists"] = {"file": LISTS, "columns": {"list": lists.columns[0]}}
        data["submission"].pop("unknown_list", None)
    text = yaml.safe_dump(data, sort_keys=False, allow_unicode=True, default_flow_style=None)
    text = f"{LINE}{HEADING}scorer: 1\n{text}{_term_lines(data) if term else ''}"
    contents = {CHALLENGE_FILE: text.encode(), **further}
    submission = sample
    if os.path.isdir(folder) and os.path.samefile(folder, truth.parent):
        if existing := [name for name in contents if os.path.lexists(folder / name)]:
            raise UsageError(f"{printable(folder / existing[0])} exists already")
        if not os.path.lexists(folder / SCHEMA_FILE):
            contents |= for_editors()
        for name, content in contents.items():
            write_file(folder / name, content)
    else:
        contents |= {path.name: path.read_bytes() for path in paths} | for_editors()
        write_folder(folder, contents)
        submission = None if sample is None else folder / sample.name
    return NewChallenge(
        folder,
        tuple(contents),
        f"{inferred.description}, ranked by {_first_measure(data)}",
        _describe_rules(data),
        inferred.doubt,
        submission,
        () if submission is None else _problems_of_sample(folder, submission),
    )


def _first_measure(data: Mapping[str, Any]) -> str:
    first = data["metrics"][0]
    return first if isinstance(first, str) else str(first["id"])


def _describe_rules(data: Mapping[str, Any]) -> tuple[str, ...]:
    """Return what the rules say that are written because of what the files hold."""
    notes = []
    if pattern := data["submission"].get("item_pattern"):
        notes.append(f"ids of items must match {pattern}; change item_pattern if others are valid")
    if "lists" in data:
        name = data["lists"]["columns"]["list"]
        notes.append(f"{LISTS} has each {printable(name)}, also those without an answer")
    if "splits" in data:
        notes.append("column Usage parts the rows into splits, each with a board")
    return tuple(notes)


def _add_rules_of_sample(data: dict[str, Any], truth: Path, sample: Path | None) -> None:
    """Add how ids of items look, and that further lists are ignored, if the sample shows it.

    Raises:
        ChallengeError: The truth is wrong.
    """
    opened = open_challenge(bind(load(data, truth.parent)))
    if sample is None:
        return
    if pattern := _find_item_pattern(opened, load(data, truth.parent), sample):
        data["submission"]["item_pattern"] = pattern
    (checked,) = check(load(data, truth.parent), [sample])
    if {p.code for p in checked.findings if p.severity == "error"} == {"S302"}:
        data["submission"]["unknown_list"] = "ignore"


def _find_item_pattern(opened: OpenChallenge, challenge: Challenge, sample: Path) -> str | None:
    """Return how the ids of items look in truth and sample, unless a file names them."""
    has_texts = challenge.truth.has_texts or challenge.submission.has_texts
    if opened.bound.kind.name != "grades" or opened.public.items is not None or has_texts:
        return None
    names = set[str]()
    for section, file, schemas in (
        (challenge.truth, challenge.truth.file, opened.bound.kind.truth),
        (challenge.submission, sample, opened.bound.shapes),
    ):
        renamed = [replace(each, columns={**section.columns, **each.columns}) for each in schemas]
        layout = challenge.layout(section)
        table = read_file(file, section.format, renamed, Findings(), layout=layout).table
        if table is not None and "item" in table:
            names.update(table.frame["item"])
    return guess_pattern(names)


def _term_lines(data: Mapping[str, Any]) -> str:
    """Return splits, phases, a quota and grading as comments of challenge.yaml."""
    has_splits = "splits" in data  # by the truth's own column
    text = TERM.format(
        splits="" if has_splits else SPLITS.format(seed=secrets.randbelow(LARGEST_SEED)),
        public="Public" if has_splits else "public",
        private="Private" if has_splits else "private",
        placeholder=PLACEHOLDER,
    )
    return "".join(f"# {line}".rstrip() + "\n" if line else "\n" for line in text.split("\n")[:-1])


def _problems_of_sample(folder: Path, sample: Path) -> tuple[str, ...]:
    """Return the problems of the sample by the challenge that was made for it; () if it is fine."""
    (checked,) = check(folder, [sample])
    if not checked.findings.fatal:
        return ()
    lines = format_findings(checked.findings, quiet=True)
    return (*lines, f"{printable(sample)} would be rejected by this challenge")
