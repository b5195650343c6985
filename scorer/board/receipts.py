"""The texts of receipts, seals and revealed folders, by which nobody has to trust the organizer.

A receipt holds the digest of an entry's file, its time, the version of the challenge and the
digest of the receipt before, so that a list of receipts shows an entry that was removed,
altered, reordered or added later. A seal commits to rules, truth and plugins before the start;
the salt is published at the end.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from scorer.store.chain import canonical
from scorer.store.records import Receipt

SEAL, SALT, REVEALED, RECEIPTS = "challenge.seal", "seal.salt", "revealed.json", "receipts.jsonl"
SALT_BYTES = 32
SEAL_WORDS = "SHA-256 of salt and of the digests of all files, as canonical JSON"


def as_lines(receipts: Iterable[Receipt]) -> str:
    """Receipts as JSON Lines, each with its own digest."""
    return "".join(
        canonical(json.loads(link.body) | {"digest": link.digest}) + "\n" for link in receipts
    )


def sealed_late(entries: int) -> str:
    """What a seal after the first entries does not show, for messages."""
    count = "1 entry" if entries == 1 else f"{entries:,} entries"
    return f"sealed after {count}: the seal does not show that rules and truth were the same before"


def new_salt() -> str:
    """A salt that nobody can guess."""
    return secrets.token_hex(SALT_BYTES)


def seal_text(challenge: str, commitment: str, sealed_at: datetime) -> str:
    """The text of challenge.seal, the published file."""
    fields = {
        "challenge": challenge,
        "commitment": commitment,
        "made": sealed_at.isoformat(timespec="seconds"),
        "of": SEAL_WORDS,
    }
    return json.dumps(fields, indent=2) + "\n"


def revealed_text(
    challenge: str,
    salt: str,
    files: Mapping[str, str],
    commitment: str,
    in_force: Mapping[str, Any],
    altered: Sequence[str] = (),
) -> str:
    """The text of revealed.json, published at the end beside the files themselves.

    Args:
        in_force: number, files and salt of the version that was in force at the end.
    """
    fields: dict[str, Any] = {"challenge": challenge, "salt": salt, "files": dict(files)}
    fields |= {"commitment": commitment, "in_force": dict(in_force), "altered": list(altered)}
    return json.dumps(fields, indent=2) + "\n"


def folder_of(version: int, files: Mapping[str, str], sealed: Mapping[str, str]) -> str:
    """The folder of a version's files, below the revealed one, which holds the sealed ones."""
    return "" if dict(files) == dict(sealed) else f"version-{version}"
