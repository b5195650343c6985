"""Seal and reveal: commit to rules, truth and plugins before the start, and prove it after."""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from scorer.board.database import Database
from scorer.board.files import Files
from scorer.board.phases import state_at
from scorer.board.receipts import RECEIPTS, as_lines, commit_to_files
from scorer.board.versions import Versions
from scorer.challenge.model import FOLDER, Challenge
from scorer.core.errors import UsageError
from scorer.reading.write import write_file

SEAL, SALT, REVEALED = "challenge.seal", "seal.salt", "revealed.json"
SALT_BYTES = 32
SEAL_WORDS = "SHA-256 of salt and of the digests of all files, as canonical JSON"


def seal(challenge: Challenge, manifest: dict[str, str], now: datetime) -> str:
    """Write challenge.seal and return the commitment; `UsageError` if it is sealed already."""
    target = challenge.folder / SEAL
    salt_file = challenge.folder / FOLDER / SALT
    if target.exists() or salt_file.exists():
        raise UsageError(f"{SEAL} exists already; a challenge is sealed once")
    salt = secrets.token_hex(SALT_BYTES)
    commitment = commit_to_files(salt, manifest)
    salt_file.parent.mkdir(mode=0o700, exist_ok=True)
    write_file(salt_file, f"{salt}\n".encode())
    salt_file.chmod(0o600)
    fields = {
        "challenge": challenge.id,
        "commitment": commitment,
        "made": now.isoformat(timespec="seconds"),
        "of": SEAL_WORDS,
    }
    _write_json(target, fields)
    return commitment


def count_entries_before_seal(challenge: Challenge, database: Database) -> int:
    """Return how many entries were received before the challenge was sealed; 0 if it is not."""
    path = challenge.folder / SEAL
    if not path.exists():
        return 0
    sealed = datetime.fromisoformat(json.loads(path.read_text(encoding="utf-8"))["made"])
    return sum(entry.received < sealed for entry in database.entries())


def refuse_early(challenge: Challenge, now: datetime) -> None:
    """Refuse to publish the truth while entries are taken, or will be.

    Raises:
        UsageError: A phase that takes entries is open, or opens later.
    """
    state = state_at(challenge, now)
    if state.words == "closed":
        return
    times = ""
    if state.until is not None:
        verb = "closes" if state.words == "open" else "opens"
        times = f", and {verb} at {state.until.isoformat(timespec='seconds')}"
    raise UsageError(
        f"nothing is revealed: the challenge is {state.words}{times}; whoever has the truth can "
        "send perfect entries. --now reveals it all the same"
    )


def reveal(
    versions: Versions,
    database: Database,
    files: Files,
    folder: Path,
    altered: Sequence[str] = (),
) -> None:
    """Publish salt, truth, rules and receipts in a new folder, for `score verify`.

    The files are those that were sealed, and those of the version in force where they differ, as
    the store keeps them.

    Args:
        altered: what was altered in the store.

    Raises:
        UsageError: the challenge was never sealed, or the folder exists.
    """
    challenge = versions.challenge
    salt_file = challenge.folder / FOLDER / SALT
    if not salt_file.exists():
        raise UsageError("the challenge was not sealed: score seal comes before the start")
    if os.path.lexists(folder):
        raise UsageError(f"{folder} exists already")
    salt = salt_file.read_text(encoding="utf-8").strip()
    sealed = json.loads((challenge.folder / SEAL).read_text(encoding="utf-8"))
    made, manifest = database.versions(), versions.manifest
    manifests = [manifest, *(dict(version.files) for version in made)]
    fits = [m for m in manifests if commit_to_files(salt, m) == sealed["commitment"]]
    if not fits:
        raise UsageError(
            "neither the files as they are now nor any version that was in force is what was "
            "sealed; nothing is revealed"
        )
    new_folder = folder.with_name(f".{folder.name}.new-{os.getpid()}")
    new_folder.mkdir(parents=True)
    sealed_files, last = dict(fits[0]), made[-1]
    _copy(challenge.folder, manifest, files, sealed_files, new_folder)
    if below := folder_of(last.number, last.files, sealed_files):
        _copy(challenge.folder, manifest, files, last.files, new_folder / below)
    in_force = {"version": last.number, "files": dict(last.files)}
    in_force["salt"] = database.receipt("version", last.number).salt
    fields = {
        "challenge": challenge.id,
        "salt": salt,
        "files": sealed_files,
        "commitment": sealed["commitment"],
        "in_force": in_force,  # number, files and salt of the version in force at the end
        "altered": list(altered),
    }
    _write_json(new_folder / REVEALED, fields)
    write_file(new_folder / SEAL, (challenge.folder / SEAL).read_bytes())
    write_file(new_folder / RECEIPTS, as_lines(database.receipts()).encode())
    os.replace(new_folder, folder)


def _copy(
    folder: Path, now: Mapping[str, str], files: Files, names: Mapping[str, str], target: Path
) -> None:
    """Write files (path -> SHA-256) below `target`: from the folder, or as the store keeps them."""
    for name, sha256 in names.items():
        path = target / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if now.get(name) == sha256:
            write_file(path, (folder / name).read_bytes())
        else:
            with files.open(sha256) as stored:
                write_file(path, stored.read())


def _write_json(path: Path, fields: Mapping[str, Any]) -> None:
    write_file(path, (json.dumps(fields, indent=2) + "\n").encode())


def sealed_late(entries: int) -> str:
    """What a seal after the first entries does not show, for messages."""
    count = "1 entry" if entries == 1 else f"{entries:,} entries"
    return f"sealed after {count}: the seal does not show that rules and truth were the same before"


def folder_of(version: int, files: Mapping[str, str], sealed: Mapping[str, str]) -> str:
    """The folder of a version's files, below the revealed one, which holds the sealed ones."""
    return "" if dict(files) == dict(sealed) else f"version-{version}"
