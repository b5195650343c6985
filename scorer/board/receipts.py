"""Receipts, seals and their verification, by which nobody has to trust the organizer.

A receipt holds the digest of an entry's file, its time, the version of the challenge and the
digest of the receipt before, so that a list of receipts shows an entry that was removed,
altered, reordered or added later. A seal commits to rules, truth and plugins before the start;
the salt is published at the end.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

from scorer.core.errors import UsageError
from scorer.core.nested import parsed
from scorer.core.text import describe_exception, printable
from scorer.store.chain import canonical, sha256_of
from scorer.store.files import digest_of
from scorer.store.records import Receipt

SEAL, SALT, REVEALED, RECEIPTS = "challenge.seal", "seal.salt", "revealed.json", "receipts.jsonl"
SALT_BYTES = 32
SEAL_WORDS = "SHA-256 of salt and of the digests of all files, as canonical JSON"


def as_lines(receipts: Iterable[Receipt]) -> str:
    """Receipts as JSON Lines, each with its own digest."""
    return "".join(
        canonical(json.loads(link.body) | {"digest": link.digest}) + "\n" for link in receipts
    )


class _Line(NamedTuple):
    """A receipt as a line of a file has it."""

    number: int  # of the line
    fields: Mapping[str, Any]  # without its digest
    claimed: str  # its digest, as it says

    @property
    def called(self) -> str:
        """The name of its act in a message."""
        kind = str(self.fields.get("kind", "entry"))
        which = self.fields.get("entry", self.fields.get("number"))
        return f"an {kind}" if which is None else f"{kind} {which}"


def _receipts_in(text: str, problems: list[str]) -> Iterator[_Line]:
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        try:
            fields = dict(parsed(line))
            claimed = str(fields.pop("digest"))
            if fields.get("kind", "entry") == "entry":
                int(fields["entry"])
        except (ValueError, KeyError, TypeError) as error:
            problems.append(f"line {number}: no receipt ({describe_exception(error)})")
            continue
        yield _Line(number, fields, claimed)


def verify_lines(text: str) -> tuple[int, list[str]]:
    """The number of receipts that were checked, and their contradictions.

    A receipt alone in its file is checked by itself, whatever came before it.
    """
    problems: list[str] = []
    lines = list(_receipts_in(text, problems))
    previous: str | None = None
    last = 0
    for line in lines:
        if sha256_of(line.fields) != line.claimed:
            problems.append(f"line {line.number}: the receipt of {line.called} was altered")
        if len(lines) > 1 and line.fields.get("previous") != previous:
            problems.append(
                f"line {line.number}: the receipt of {line.called} does not follow the one before "
                "it; one was removed, added or moved"
            )
        if line.fields.get("kind", "entry") == "entry":
            entry = int(line.fields["entry"])
            if entry <= last:
                problems.append(f"line {line.number}: entry {entry} comes after entry {last}")
            last = entry
        previous = line.claimed
    return len(lines), problems


def _missing(chains: Sequence[str], lone: str) -> list[str]:
    """Receipts that are in none of the chains in which they should be."""
    digests = {line.claimed for text in chains for line in _receipts_in(text, [])}
    return [
        f"the receipt of {line.called} is not in the chain: its entry was removed or altered"
        for line in _receipts_in(lone, [])
        if line.claimed not in digests
    ]


def commitment(salt: str, files: Mapping[str, str]) -> str:
    """The commitment that a seal publishes."""
    return sha256_of({"salt": salt, "files": dict(files)})


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
    altered: Sequence[str] = (),
) -> str:
    """The text of revealed.json, published at the end beside the files themselves."""
    fields: dict[str, Any] = {"challenge": challenge, "salt": salt, "files": dict(files)}
    fields |= {"commitment": commitment, "altered": list(altered)}
    return json.dumps(fields, indent=2) + "\n"


def verify_folder(folder: Path) -> tuple[int, list[str]]:
    """The number of checked things of a revealed folder, and contradictions to its seal."""
    checked, problems = 0, list[str]()
    try:
        fields = parsed((folder / REVEALED).read_text(encoding="utf-8"))
        salt, files, claimed = fields["salt"], dict(fields["files"]), fields["commitment"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise UsageError(
            f"{printable(folder)} is not what score reveal made: {describe_exception(error)}"
        ) from None
    checked += 1
    problems += [f"{REVEALED}: {fault}" for fault in fields.get("altered", ())]
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
    """Check receipts and revealed folders; a receipt alone in its file is looked up in the chains.

    `UsageError` if a path is neither.
    """
    checked, problems = 0, list[str]()
    chains, alone = list[str](), dict[Path, str]()
    for path in paths:
        if path.is_dir():
            count, wrong = verify_folder(path)
            if (path / RECEIPTS).is_file():
                chains.append(_read_text(path / RECEIPTS))
        else:
            text = _read_text(path)
            count, wrong = verify_lines(text)
            if not count and not wrong:
                wrong = ["there is no receipt in it"]
            if count == 1:
                alone[path] = text
            else:
                chains.append(text)
        checked += count
        problems += [f"{printable(path)}: {fault}" for fault in wrong]
    for path, text in alone.items() if chains else ():
        problems += [f"{printable(path)}: {fault}" for fault in _missing(chains, text)]
    return checked, problems


def _read_text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{printable(path)} cannot be read: {describe_exception(error)}") from None
