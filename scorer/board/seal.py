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
from scorer.board.files import FileStore
from scorer.board.phases import challenge_state
from scorer.board.receipts import RECEIPTS, as_lines, commit_to_files
from scorer.board.versions import Versions
from scorer.challenge.model import FOLDER, Challenge
from scorer.core.errors import UsageError
from scorer.reading.write import write_file

SEAL = "challenge.seal"
SALT = "seal.salt"
REVEALED = "revealed.json"
SALT_BYTES = 32  # 256 bits: nobody finds the content of a small file by trying all contents
COMMITMENT_RULE = "SHA-256 of salt and of the digests of all files, as canonical JSON"


def seal(challenge: Challenge, manifest: dict[str, str], now: datetime) -> str:
    """Write challenge.seal, and return its commitment to the files (path -> SHA-256).

    `UsageError` if the challenge is sealed already.
    """
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
        "of": COMMITMENT_RULE,
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


def require_closed(challenge: Challenge, now: datetime) -> None:
    """Refuse to reveal the truth before the last phase that takes entries has closed.

    Raises:
        UsageError: A phase that takes entries is open, or opens later.
    """
    state = challenge_state(challenge, now)
    if state.name == "closed":
        return
    times = ""
    if state.until is not None:
        verb = "closes" if state.name == "open" else "opens"
        times = f", and {verb} at {state.until.isoformat(timespec='seconds')}"
    raise UsageError(
        f"nothing is revealed: the challenge is {state.name}{times}; whoever has the truth can "
        "send perfect entries. --now reveals it all the same"
    )


def reveal(
    versions: Versions,
    database: Database,
    files: FileStore,
    folder: Path,
    altered: Sequence[str] = (),
) -> None:
    """Publish salt, truth, rules and receipts in a new folder, for `score verify`.

    The folder gets the files that were sealed. If the version in force at the end has other files,
    they follow in a folder below.

    Args:
        altered: The alterations that were found in the store, which are published, too.

    Raises:
        UsageError: The challenge was never sealed, its sealed files are lost, or the folder exists.
    """
    challenge = versions.challenge
    salt_file = challenge.folder / FOLDER / SALT
    if not salt_file.exists():
        raise UsageError("the challenge was not sealed: score seal comes before the start")
    if os.path.lexists(folder):
        raise UsageError(f"{folder} exists already")
    salt = salt_file.read_text(encoding="utf-8").strip()
    sealed = json.loads((challenge.folder / SEAL).read_text(encoding="utf-8"))
    recorded = database.versions()
    manifests = [versions.manifest, *(dict(version.files) for version in recorded)]
    commitment = sealed["commitment"]
    sealed_files = next((m for m in manifests if commit_to_files(salt, m) == commitment), None)
    if sealed_files is None:
        raise UsageError(
            "neither the files as they are now nor any version that was in force is what was "
            "sealed; nothing is revealed"
        )

    def copy(manifest: Mapping[str, str], target: Path) -> None:
        """Copy files (path -> SHA-256) from the challenge's folder, or else from the store."""
        for name, sha256 in manifest.items():
            path = target / name
            path.parent.mkdir(parents=True, exist_ok=True)
            if versions.manifest.get(name) == sha256:
                write_file(path, (challenge.folder / name).read_bytes())
            else:
                with files.open(sha256) as stored:
                    write_file(path, stored.read())

    new_folder = folder.with_name(f".{folder.name}.new-{os.getpid()}")
    new_folder.mkdir(parents=True)
    last = recorded[-1]
    copy(sealed_files, new_folder)
    if subfolder := version_folder(last.number, last.files, sealed_files):
        copy(last.files, new_folder / subfolder)
    version_salt = database.receipt("version", last.number).salt
    in_force = {"version": last.number, "files": dict(last.files), "salt": version_salt}
    fields = {
        "challenge": challenge.id,
        "salt": salt,
        "files": dict(sealed_files),
        "commitment": commitment,
        "in_force": in_force,
        "altered": list(altered),
    }
    _write_json(new_folder / REVEALED, fields)
    write_file(new_folder / SEAL, (challenge.folder / SEAL).read_bytes())
    write_file(new_folder / RECEIPTS, as_lines(database.receipts()).encode())
    os.replace(new_folder, folder)


def _write_json(path: Path, fields: Mapping[str, Any]) -> None:
    write_file(path, (json.dumps(fields, indent=2) + "\n").encode())


def late_seal_notes(challenge: Challenge, database: Database) -> tuple[str, ...]:
    """Return a note if entries were received before the challenge was sealed; else none."""
    late = count_entries_before_seal(challenge, database)
    return (describe_late_seal(late),) if late else ()


def describe_late_seal(entries: int) -> str:
    """Return the message on a seal that was made after some entries."""
    count = "1 entry" if entries == 1 else f"{entries:,} entries"
    return f"sealed after {count}: the seal does not show that rules and truth were the same before"


def version_folder(version: int, files: Mapping[str, str], sealed: Mapping[str, str]) -> str:
    """Return the subfolder for a version's files; empty if they are the sealed ones."""
    return "" if dict(files) == dict(sealed) else f"version-{version}"
