"""Bundles of Codabench, and of CodaLab (v1.5)."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping
from typing import Any

from scorer.bridges.found import (
    ANY,
    TEXT,
    BoardColumn,
    Files,
    FoundChallenge,
    below,
    phase,
    read_yaml,
    source,
)

NAMES = ("competition.yaml", "competition.yml")
FORM = {
    "title": TEXT,
    "description": TEXT,
}
PROGRAM = {"reference_data": TEXT, "scoring_program": TEXT}
FORM_ONE = FORM | {
    "phases": {ANY: {"label": TEXT, **PROGRAM}},
    "leaderboard": {"columns": {ANY: {"rank": int}}},
    "html": {ANY: TEXT},
}
FORM_TWO = FORM | {
    "phases": [{"name": TEXT}],
    "tasks": [{"index": TEXT, **PROGRAM}],
    "leaderboards": [{"columns": [{"index": TEXT, "key": TEXT}]}],
    "fact_sheet": {ANY: {"type": TEXT}},
    "pages": [{"file": TEXT}],
}
TYPES = {"checkbox": "flag", "text": "text"}


@source("codabench", "codalab")
def codabench_bundle(files: Files) -> FoundChallenge:
    """What competition.yaml says, in either of its versions."""
    said, folder = read_yaml(files, NAMES, {"2": FORM_TWO, ANY: FORM_ONE})
    inside = below(files, folder) if folder else dict(files)
    return (
        _version_two(said, inside)
        if str(said.get("version")) == "2"
        else _version_one(said, inside)
    )


def _version_two(said: Mapping[str, Any], files: Files) -> FoundChallenge:
    tasks = {task.get("index", n): task for n, task in enumerate(said.get("tasks") or [])}
    phases = said.get("phases") or []
    notes = []
    later = [each.get("name") for each in phases if each.get("auto_migrate_to_this_phase")]
    if later:
        notes.append(f"phases that get the entries of the one before: {', '.join(map(str, later))}")
    if len(tasks) > 1:
        notes.append(f"{len(tasks):,} tasks; the first is read, of the others the files are kept")
    first: Mapping[str, Any] = next(iter(tasks.values()), {})
    boards = said.get("leaderboards") or [{}]
    columns = sorted(boards[0].get("columns") or [], key=lambda each: each.get("index", 0))
    sheet = said.get("fact_sheet") or {}
    return FoundChallenge(
        title=str(said.get("title") or "challenge"),
        description=str(said.get("description") or ""),
        phases=[
            phase(
                each.get("name") or each.get("index"), each.get("start"), each.get("end"),
                each.get("max_submissions_per_day"), each.get("max_submissions"),
            )
            for each in phases
            if not each.get("auto_migrate_to_this_phase")
        ],
        columns=[
            BoardColumn(str(c.get("key")), "lower" if c.get("sorting") == "asc" else "higher")
            for c in columns
            if not c.get("hidden") and not c.get("computation")
        ],
        questions={
            str(key): {"type": TYPES.get(fact.get("type"), "text")}
            | ({"required": True} if _true(fact.get("is_required")) else {})
            | ({"board": True} if _true(fact.get("is_on_leaderboard")) else {})
            for key, fact in sheet.items()
        },
        reference=below(files, str(first.get("reference_data") or "reference_data")),
        program=below(files, str(first.get("scoring_program") or "scoring_program")),
        pages=dict(_kept_pages(files, (each.get("file") for each in said.get("pages") or []))),
        notes=notes,
    )  # fmt: skip


def _version_one(said: Mapping[str, Any], files: Files) -> FoundChallenge:
    """Version 1.5: phases by number, each from its start to the next one's."""
    phases = sorted((said.get("phases") or {}).items(), key=lambda pair: str(pair[0]))
    entries = [entry for _, entry in phases if isinstance(entry, dict)]
    ends = [*(entry.get("start_date") for entry in entries[1:]), said.get("end_date")]
    board = said.get("leaderboard") or {}
    columns = sorted(
        ((key, c) for key, c in (board.get("columns") or {}).items() if not c.get("computed")),
        key=lambda pair: (pair[1].get("rank") or 99, str(pair[0])),
    )
    last: Mapping[str, Any] = entries[-1] if entries else {}
    return FoundChallenge(
        title=str(said.get("title") or "challenge"),
        description=str(said.get("description") or ""),
        phases=[
            phase(
                entry.get("label") or entry.get("phasenumber"), entry.get("start_date"), end,
                entry.get("max_submissions_per_day"), entry.get("max_submissions"),
            )
            for entry, end in zip(entries, ends, strict=False)  # none, of no phase
        ],
        columns=[
            BoardColumn(str(key), "lower" if c.get("sort") == "asc" else "higher")
            for key, c in columns
        ],
        reference=below(files, str(last.get("reference_data") or "reference_data")),
        program=below(files, str(last.get("scoring_program") or "scoring_program")),
        pages=dict(_kept_pages(files, (said.get("html") or {}).values())),
        notes=["a phase of CodaLab ends when the next one begins"] if len(entries) > 1 else [],
    )  # fmt: skip


def _kept_pages(files: Files, names: Any) -> Iterator[tuple[str, bytes]]:
    for name in names:
        path = posixpath.normpath(str(name))
        if path in files:
            yield path, files[path]


def _true(value: Any) -> bool:
    return str(value).lower() == "true"
