"""`score init [KIND] DIR`: write a challenge to start from; --from TRUTH SAMPLE guesses it."""

from __future__ import annotations

import os
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from scorer.cli.options import Result
from scorer.core.errors import ChallengeError, UnknownName, UsageError
from scorer.core.text import nearest, printable, quoted

if TYPE_CHECKING:
    from scorer.challenge.model import Challenge
    from scorer.scoring.open import OpenChallenge

FORM = "score init [KIND] DIR, or score init --from TRUTH [SAMPLE] DIR"
TOOLS = "score init --from RESULTS... DIR"


def init(
    words: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[KIND] DIR",
            help="A kind of challenge (default: ranking; none and no folder: the list of them) "
            "and a folder. With --from: a sample submission and a folder; or further results of a "
            "tool.",
        ),
    ] = None,
    truth: Annotated[
        Path | None,
        typer.Option(
            "--from",
            metavar="TRUTH",
            help="Write the challenge that fits this truth, or results of an evaluation tool.",
        ),
    ] = None,
) -> Result:
    """Make a folder with a challenge that scores at once, to be changed into your own."""
    from scorer.challenge.model import FILE
    from scorer.challenge.schema import LINE, for_editors
    from scorer.reading.write import write_folder

    words = words or []
    if truth is not None:
        from scorer.importers.from_tools import tool_of

        of_tool = truth.is_dir() or tool_of(truth) is not None
        return _from_tools(truth, words) if of_tool else _from_truth(truth, words)
    templates = files("scorer.challenge.templates")
    kinds = sorted(k.name for k in templates.iterdir() if not k.name.startswith("_"))
    if not words:
        width = max(map(len, kinds))
        heads = {kind: (templates / kind / "challenge.yaml").read_text("utf-8") for kind in kinds}
        lines = [f"{kind:{width}}  {_about(head)}\n" for kind, head in heads.items()]
        return Result(f"{''.join(lines)}\nmake one:  score init KIND DIR\n")
    if len(words) > 2:
        raise UsageError(FORM)
    kind, folder = ("ranking", words[0]) if len(words) == 1 else (words[0], words[1])
    if kind not in kinds:
        unknown = UnknownName("kind of challenge", kind, kinds)
        raise UsageError(f"{unknown} (kinds: {', '.join(kinds)})")
    if len(words) == 1 and (suggestion := nearest(folder, kinds)):
        message = f"{quoted(folder)} is nearly a kind of challenge" * (folder != suggestion)
        message = message or f"{quoted(folder)} is a kind of challenge"
        raise UsageError(
            f"{message}; write score init {suggestion} DIR, or ./{folder} for that folder"
        )
    sources = sorted(templates.joinpath(kind).iterdir(), key=lambda source: source.name)
    contents = {source.name: source.read_bytes() for source in sources}
    made = {**contents, FILE: LINE.encode() + contents[FILE], **for_editors()}
    write_folder(Path(folder), made)
    submission = next(name for name in contents if name.startswith("submission"))
    target = printable(folder)
    return Result(
        f"made {target}: {', '.join(contents)}\n\nscore it:  score {target} {target}/{submission}\n"
    )


def _about(text: str) -> str:
    """The description of a template: its first line, a comment."""
    return text.split("\n", 1)[0].removeprefix("#").strip()


def _from_tools(first: Path, words: list[str]) -> Result:
    """Write a folder with a challenge of what an evaluation tool measured, and each system's file.

    Files and folders can be several; the last word is the folder that is made.
    """
    from scorer.challenge.model import FILE
    from scorer.challenge.schema import LINE, for_editors
    from scorer.importers.from_tools import (
        cases_of,
        challenge_files,
        file_names,
        tool_files,
        what_was_found,
    )
    from scorer.reading.write import write_folder

    if not words:
        raise UsageError(TOOLS)
    *more, target = map(Path, words)
    for path in (first, *more):
        if not path.exists():
            raise UsageError(f"{printable(path)} is no file or folder; {TOOLS}")
    files = tool_files([first, *more])
    known = {path for path, _ in files}
    for path in (first, *more):
        if path not in known and not (
            path.is_dir() and any(path in each.parents for each in known)
        ):
            raise UsageError(f"{printable(path)}: no results of a tool that is known; {TOOLS}")
    found = cases_of(files)
    if found.refused:
        problems = [problem for of_file in found.refused.values() for problem in of_file]
        raise ChallengeError(problems=problems)
    contents = challenge_files(found)
    contents[FILE] = f"{LINE}".encode() + contents[FILE]
    write_folder(target, contents | for_editors())
    folder = printable(target)
    many = len(file_names(list(found.systems)))
    return Result(
        f"made {folder}: {FILE}, cases.csv, systems/ ({many:,})\n{what_was_found(found)}\n"
        f"score it:  score {folder} {folder}/systems\n"
    )


def _from_truth(truth: Path, words: list[str]) -> Result:
    """Write a folder with a challenge.yaml that fits a truth and a sample submission.

    In a folder that holds them already, only challenge.yaml and its schema are written.
    """
    import yaml

    from scorer.challenge.load import load
    from scorer.challenge.model import FILE
    from scorer.challenge.schema import LINE, SCHEMA_FILE, for_editors
    from scorer.infer.challenge import infer
    from scorer.reading.write import write_file, write_folder
    from scorer.scoring.bind import bind
    from scorer.scoring.open import open_challenge

    if not 1 <= len(words) <= 2:
        raise UsageError(FORM)
    *samples, target = map(Path, words)
    sample = samples[0] if samples else None
    paths = [truth, *samples]
    for path in paths:
        if not path.is_file():
            raise UsageError(f"{printable(path)} is no file; {FORM}")
    if len({path.name for path in paths}) < len(paths):
        raise UsageError(f"two of the files are called {quoted(truth.name)}")
    data, description, doubt = infer(truth, sample)
    ready = open_challenge(bind(load(data, truth.parent)))  # the truth must be one
    if sample is not None and (pattern := _pattern_of(ready, load(data, truth.parent), sample)):
        data["submission"]["item_pattern"] = pattern
    if sample is not None and _has_extra_lists(load(data, truth.parent), sample):
        data["submission"]["unknown_list"] = "ignore"
    heading = (
        "# made by `score init` from the files beside it: read it, and change what is not meant"
    )
    text = yaml.safe_dump(data, sort_keys=False, allow_unicode=True, default_flow_style=None)
    written = f"{LINE}{heading}\nscorer: 1\n{text}".encode()
    if os.path.isdir(target) and os.path.samefile(target, truth.parent):
        if os.path.lexists(target / FILE):
            raise UsageError(f"{printable(target / FILE)} exists already")
        write_file(target / FILE, written)
        if not os.path.lexists(target / SCHEMA_FILE):
            write_file(target / SCHEMA_FILE, for_editors()[SCHEMA_FILE])
        names = [FILE]
    else:
        contents = {FILE: written} | {path.name: path.read_bytes() for path in paths}
        write_folder(target, contents | for_editors())
        names = list(contents)
    folder = printable(target)
    sample_path = target / sample.name if sample is not None and names[1:] else sample
    submission = "SUBMISSION" if sample_path is None else printable(sample_path)
    first = data["metrics"][0]
    ranked = first if isinstance(first, str) else first["id"]
    taken_for = f"taken for {description}, ranked by {ranked}\n"
    if pattern := data["submission"].get("item_pattern"):
        taken_for += f"ids of items look as {pattern} (item_pattern); others are refused\n"
    if "splits" in data:
        taken_for += "column Usage parts the rows into splits, each with a board\n"
    if doubt:
        taken_for += f"not sure: {doubt}\n"
    warnings = () if sample_path is None else _problems_of_sample(target, sample_path)
    text = (
        f"made {folder}: {', '.join(names)}\n{taken_for}\nscore it:  score {folder} {submission}\n"
    )
    return Result(text, warnings)


def _pattern_of(ready: OpenChallenge, challenge: Challenge, sample: Path) -> str | None:
    """The form of the items' ids, where no file names them and the sample's have it, too."""
    from scorer.core.ids import guess_pattern
    from scorer.core.problems import Findings
    from scorer.reading.read import read_file

    texts = challenge.truth.texts or challenge.submission.texts
    if ready.bound.kind.name != "grades" or ready.public.items is not None or texts:
        return None
    names = set[str]()
    for section, file, shapes in (
        (challenge.truth, challenge.truth.file, ready.bound.kind.truth),
        (challenge.submission, sample, ready.bound.shapes),
    ):
        called = [replace(shape, columns={**section.columns, **shape.columns}) for shape in shapes]
        layout = challenge.layout(section)
        table = read_file(file, section.format, called, Findings(), layout=layout).table
        names.update(table.frame["item"].to_list() if table is not None and "item" in table else ())
    return guess_pattern(names)


def _has_extra_lists(challenge: Challenge, sample: Path) -> bool:
    """Whether nothing is wrong with the sample but that it has more lists than the truth."""
    from scorer.api.check import check

    (checked,) = check(challenge, [sample])
    codes = {problem.code for problem in checked.findings if problem.severity == "error"}
    return codes == {"S302"}


def _problems_of_sample(folder: Path, sample: Path) -> tuple[str, ...]:
    """The problems of the sample by the challenge that was made for it."""
    from scorer.api.check import check
    from scorer.reports.findings.problems import format_findings

    (checked,) = check(folder, [sample])
    if not checked.findings.fatal:
        return ()
    lines = format_findings(checked.findings, quiet=True)
    return (*lines, f"{printable(sample)} would be rejected by this challenge")
