"""Seal and reveal: commit to rules, truth and plugins before the start, and prove it after."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

from scorer.board import receipts
from scorer.bytes.write import write
from scorer.challenge.model import FOLDER, Challenge
from scorer.core.errors import UsageError
from scorer.store.files import Files


def seal(challenge: Challenge, manifest: dict[str, str], now: datetime) -> str:
    """Write challenge.seal and return the commitment; `UsageError` if it is sealed already."""
    target = challenge.folder / receipts.SEAL
    salt_file = challenge.folder / FOLDER / receipts.SALT
    if target.exists() or salt_file.exists():
        raise UsageError(f"{receipts.SEAL} exists already; a challenge is sealed once")
    salt = receipts.new_salt()
    commitment = receipts.commitment(salt, manifest)
    salt_file.parent.mkdir(mode=0o700, exist_ok=True)
    write(salt_file, f"{salt}\n".encode())
    salt_file.chmod(0o600)
    write(target, receipts.seal_text(challenge.id, commitment, now).encode())
    return commitment


def reveal(
    challenge: Challenge,
    manifests: Sequence[dict[str, str]],
    files: Files,
    lines: str,
    folder: Path,
    altered: Sequence[str] = (),
) -> None:
    """Publish salt, truth, rules and receipts in a new folder, for `score verify`.

    The files are those that were sealed, as the store keeps them.

    Args:
        manifests: path below its folder -> SHA-256, of its files as they are now, then of those of
            each version.

    Raises:
        UsageError: the challenge was never sealed, or the folder exists.
    """
    salt_file = challenge.folder / FOLDER / receipts.SALT
    if not salt_file.exists():
        raise UsageError("the challenge was not sealed: score seal comes before the start")
    if os.path.lexists(folder):
        raise UsageError(f"{folder} exists already")
    salt = salt_file.read_text(encoding="utf-8").strip()
    sealed = json.loads((challenge.folder / receipts.SEAL).read_text(encoding="utf-8"))
    fits = [m for m in manifests if receipts.commitment(salt, m) == sealed["commitment"]]
    if not fits:
        raise UsageError(
            "neither the files as they are now nor any version that was in force is what was "
            "sealed; nothing is revealed"
        )
    passing = folder.with_name(f".{folder.name}.new-{os.getpid()}")
    passing.mkdir(parents=True)
    for name, sha256 in fits[0].items():
        target = passing / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if manifests[0].get(name) == sha256:
            write(target, (challenge.folder / name).read_bytes())
        else:
            with files.open(sha256) as stored:
                write(target, stored.read())
    text = receipts.revealed_text(challenge.id, salt, fits[0], sealed["commitment"], altered)
    write(passing / receipts.REVEALED, text.encode())
    write(passing / receipts.SEAL, (challenge.folder / receipts.SEAL).read_bytes())
    write(passing / receipts.RECEIPTS, lines.encode())
    os.replace(passing, folder)
