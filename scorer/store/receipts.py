"""Receipts, seals and their verification: what anybody can check without trusting the organizer.

A receipt holds the digest of an entry's file, its time, the version of the challenge and the
digest of the receipt before, so that a list of receipts shows an entry that was removed,
altered, reordered or added later. A seal commits to rules, truth and plugins before the start;
the salt is published at the end.
"""

from __future__ import annotations

import hashlib
import json
import secrets
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from scorer.core.errors import UsageError
from scorer.core.nested import parsed
from scorer.core.text import describe_exception, printable
from scorer.store.files import digest_of
from scorer.store.records import Entry, Receipt

SEAL, SALT, REVEALED, RECEIPTS = "challenge.seal", "seal.salt", "revealed.json", "receipts.jsonl"
SALT_BYTES = 32
SEAL_WORDS = "SHA-256 of salt and of the digests of all files, as canonical JSON"


def canonical(fields: Mapping[str, Any]) -> str:
    """JSON with sorted keys and no blanks, of which digests are made."""
    return json.dumps(fields, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def sha256_of(fields: Mapping[str, Any]) -> str:
    """The SHA-256 of the canonical JSON."""
    return hashlib.sha256(canonical(fields).encode()).hexdigest()


def receipt(entry: Entry, team: str, version: str, previous: str | None) -> Receipt:
    """The receipt of an entry.

    Args:
        entry: the entry, with its number.
        team: what the team was called then.
        version: the fingerprint of the challenge in force.
        previous: the digest of the receipt before; None for the first.
    """
    body = {
        "entry": entry.number,
        "team": team,
        "received": entry.received.isoformat(timespec="microseconds"),
        "sha256": entry.sha256,
        "size": entry.size,
        "version": version,
        "previous": previous,
    }
    return Receipt(entry.number, previous, sha256_of(body), canonical(body))


def as_lines(receipts: Iterable[Receipt]) -> str:
    """Receipts as JSON Lines, each with its own digest."""
    return "".join(
        canonical(json.loads(link.body) | {"digest": link.digest}) + "\n" for link in receipts
    )


def verify_lines(text: str) -> tuple[int, list[str]]:
    """How many receipts were checked, and what does not fit together."""
    problems: list[str] = []
    previous: str | None = None
    last, checked = 0, 0
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        try:
            fields = parsed(line)
            claimed, entry = fields.pop("digest"), int(fields["entry"])
            digest = sha256_of(fields)
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            problems.append(f"line {number}: no receipt ({describe_exception(error)})")
            continue
        checked += 1
        if digest != claimed:
            problems.append(f"line {number}: the receipt of entry {entry} was altered")
        if fields.get("previous") != previous:
            problems.append(
                f"line {number}: the receipt of entry {entry} does not follow the one before it; "
                "one was removed, added or moved"
            )
        if entry <= last:
            problems.append(f"line {number}: entry {entry} comes after entry {last}")
        previous, last = claimed, entry
    return checked, problems


def commitment(salt: str, files: Mapping[str, str]) -> str:
    """The commitment that a seal publishes.

    Args:
        salt: random text in hexadecimal.
        files: path below the challenge's folder -> SHA-256.
    """
    return sha256_of({"salt": salt, "files": dict(files)})


def new_salt() -> str:
    """A salt that nobody can guess."""
    return secrets.token_hex(SALT_BYTES)


def seal_text(challenge: str, commitment: str, sealed_at: datetime) -> str:
    """The text of challenge.seal, the published file.

    Args:
        challenge: the challenge's id.
        commitment: the digest that the seal commits to.
        sealed_at: when it was sealed.
    """
    fields = {
        "challenge": challenge,
        "commitment": commitment,
        "made": sealed_at.isoformat(timespec="seconds"),
        "of": SEAL_WORDS,
    }
    return json.dumps(fields, indent=2) + "\n"


def revealed_text(challenge: str, salt: str, files: Mapping[str, str], commitment: str) -> str:
    """The text of revealed.json, published at the end beside the files themselves.

    Args:
        challenge: the challenge's id.
        salt: the salt of the seal, in hexadecimal.
        files: path below the challenge's folder -> SHA-256.
        commitment: the digest that the seal commits to.
    """
    fields = {"challenge": challenge, "salt": salt, "files": dict(files), "commitment": commitment}
    return json.dumps(fields, indent=2) + "\n"


def verify_folder(folder: Path) -> tuple[int, list[str]]:
    """How many things of a revealed folder were checked, and what does not fit its seal."""
    checked, problems = 0, list[str]()
    try:
        fields = parsed((folder / REVEALED).read_text(encoding="utf-8"))
        salt, files, claimed = fields["salt"], dict(fields["files"]), fields["commitment"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise UsageError(
            f"{printable(folder)} is not what score reveal made: {describe_exception(error)}"
        ) from None
    checked += 1
    if commitment(salt, files) != claimed:
        problems.append(f"{REVEALED}: salt and digests do not make the commitment")
    try:
        sealed = parsed((folder / SEAL).read_text(encoding="utf-8"))["commitment"]
    except (OSError, ValueError, KeyError, TypeError):
        problems.append(f"{SEAL} is missing or damaged; compare the one that was published before")
    else:
        checked += 1
        if sealed != claimed:
            problems.append(f"{SEAL}: another commitment than the revealed one")
    for name, sha256 in sorted(files.items()):
        path = folder / name
        if not path.resolve().is_relative_to(folder.resolve()):
            problems.append(f"{printable(name)}: leads out of the folder")
            continue
        checked += 1
        if not path.is_file():
            problems.append(f"{printable(name)}: missing")
        elif digest_of(path)[0] != sha256:
            problems.append(f"{printable(name)}: not the file that was sealed")
    if (chain := folder / RECEIPTS).is_file():
        count, wrong = verify_lines(chain.read_text(encoding="utf-8"))
        checked += count
        problems += [f"{RECEIPTS}: {fault}" for fault in wrong]
    return checked, problems


def verify(paths: Sequence[Path]) -> tuple[int, list[str]]:
    """Check receipts and revealed folders.

    Raises:
        UsageError: a path is neither.
    """
    checked, problems = 0, list[str]()
    for path in paths:
        if path.is_dir():
            count, wrong = verify_folder(path)
        else:
            try:
                count, wrong = verify_lines(path.read_text(encoding="utf-8"))
            except (OSError, UnicodeDecodeError) as error:
                raise UsageError(
                    f"{printable(path)} cannot be read: {describe_exception(error)}"
                ) from None
            if not count and not wrong:
                wrong = ["there is no receipt in it"]
        checked += count
        problems += [f"{printable(path)}: {fault}" for fault in wrong]
    return checked, problems
