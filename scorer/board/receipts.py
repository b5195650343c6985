"""The chain of receipts: one for each act on a store, each with the digest of the one before.

A list of receipts shows an entry that was removed, altered, reordered or added later.

A receipt commits to the whole row of its act: `row` is the SHA-256 of the row and of a random
salt that stays in the store, so that a published chain tells no reason, digest of a truth or
choice of a team. Who holds the store makes all of it again, and sees what was changed.
"""

from __future__ import annotations

import hashlib
import json
import secrets
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Integer, cast, func, select
from sqlalchemy.orm import InstrumentedAttribute, Session

from scorer import __version__
from scorer.board.models import Decision, Entry, Evaluation, Kind, Receipt, Team, Version
from scorer.core.text import quoted

Record = Version | Team | Entry | Evaluation | Decision
SALT_BYTES = 16
TIMES = {"received", "time"}  # the fields of receipts that tell when something happened
UNCOMMITTED_FIELDS = {"scorer", "recorded", "given"}  # of receipts, which no row holds
# of evaluations that have a receipt; a failure can be tried again
RECORDED_STATUSES = ("scored", "rejected")
RECEIPTS = "receipts.jsonl"


def canonical(fields: Mapping[str, Any]) -> str:
    """Return JSON with sorted keys and no blanks, the form for digests."""
    return json.dumps(fields, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def sha256_of(fields: Mapping[str, Any]) -> str:
    """The SHA-256 of the canonical JSON."""
    return hashlib.sha256(canonical(fields).encode()).hexdigest()


def commit_to_files(salt: str, files: Mapping[str, str]) -> str:
    """The commitment to files, by a path below a folder -> SHA-256: of a seal, of a version."""
    return sha256_of({"salt": salt, "files": dict(files)})


def as_lines(receipts: Iterable[Receipt]) -> str:
    """Return receipts as JSON Lines, each with its own digest."""
    return "".join(
        canonical(json.loads(link.body) | {"digest": link.digest}) + "\n" for link in receipts
    )


def append_receipt(
    session: Session, record: Record, *, team: str = "", version: str = "", given: bool = False
) -> Receipt | None:
    """Append the receipt of an act to the chain; None if it has one, being made again.

    Args:
        session: A transaction with the lock of the store.
        record: The act.
        team: For an entry, the name of its team at that time.
        version: For an entry, the fingerprint of the challenge in force.
        given: Whether the time of the act was given to the store, and is no clock's.
    """
    kind, about = named(record)
    if session.scalar(select(Receipt.number).filter_by(kind=kind, about=about)) is not None:
        return None
    last = session.execute(
        select(Receipt.number, Receipt.digest).order_by(Receipt.number.desc()).limit(1)
    ).first()
    made = receipt(
        record,
        None if last is None else last.digest,
        secrets.token_hex(SALT_BYTES),
        team=team,
        version=version,
        recorded=datetime.now(UTC),
        given=given,
    )
    made.number = 1 if last is None else last.number + 1
    made.entry = record.number if isinstance(record, Entry) else None
    session.add(made)
    session.flush()
    return made


def next_number(
    session: Session, column: InstrumentedAttribute[int], kind: Kind | None = None
) -> int:
    """Return the next number of a column; of a kind with receipts one that no receipt had."""
    numbers = [session.scalar(select(func.max(column)))]
    if kind is not None:
        had = select(func.max(cast(Receipt.about, Integer))).where(Receipt.kind == kind)
        numbers.append(session.scalar(had))
    return max(int(number or 0) for number in numbers) + 1


def named(record: Record) -> tuple[Kind, str]:
    """The kind of a record, and its name among the records of its kind."""
    match record:
        case Version():
            return "version", str(record.number)
        case Team():
            return "team", str(record.id)
        case Entry():
            return "entry", str(record.number)
        case Evaluation():
            return "evaluation", f"{record.values}:{record.sha256}"
        case Decision():
            return "decision", str(record.number)


def receipt(
    record: Record,
    previous: str | None,
    salt: str,
    *,
    team: str = "",
    version: str = "",
    recorded: datetime | None = None,
    given: bool = False,
) -> Receipt:
    """The receipt of an act.

    Args:
        salt: of the commitment to the row.
        team: for an entry, the name of its team at that time.
        version: of an entry, the fingerprint of the challenge in force.
        recorded: when the store recorded it, by its clock.
        given: whether the time of the act was given to the store, and is no clock's.
    """
    kind, about = named(record)
    told = _public_fields(record, team, version)
    if isinstance(record, Version):
        told["files"] = commit_to_files(salt, record.files)
    if recorded is not None and TIMES & told.keys():
        told |= {"recorded": _time(recorded), "given": given}
    body = {
        "kind": kind,
        **told,
        "row": sha256_of({"salt": salt, "row": _record_fields(record)}),
        "previous": previous,
    }
    return Receipt(kind, about, previous, sha256_of(body), canonical(body), salt)


def _public_fields(record: Record, team: str, version: str) -> dict[str, Any]:
    """The part of a receipt that everybody may read."""
    match record:
        case Entry():
            return {
                "entry": record.number,
                "team": team,
                "received": _time(record.received),
                "sha256": record.sha256,
                "size": record.size,
                "version": version,
            }
        case Version():
            told = {"number": record.number, "time": _time(record.since), "scorer": __version__}
            return told | {"version": record.fingerprint}
        case Decision():
            return {"number": record.number, "time": _time(record.time)}
        case Team():
            return {"number": record.id}
    return {}


def _record_fields(record: Record) -> dict[str, Any]:
    """All fields of a record on which a board depends, as JSON has them."""
    match record:
        case Evaluation():
            folds = {name: _sha256(card) for name, card in record.folds.items()}
            return {
                "values": record.values,
                "sha256": record.sha256,
                "status": record.status,
                "findings": record.findings,
                "card": None if record.card is None else _sha256(record.card),
                "folds": folds,
            }
        case Entry():
            told = "number team received sha256 file size phase name"
            fields = _named_fields(record, told) | {"answers": dict(record.answers)}
        case Version():
            fields = _named_fields(record, "number since values fingerprint facts")
            fields |= {"files": dict(record.files), "splits": dict(record.splits)}
        case Team():
            fields = _named_fields(record, "id name made")
        case Decision():
            fields = _named_fields(record, "number time act team entry reason by name late")
    return {k: _time(v) if isinstance(v, datetime) else v for k, v in fields.items()}


def _named_fields(record: Record, names: str) -> dict[str, Any]:
    return {name: getattr(record, name) for name in names.split()}


def _time(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat(timespec="microseconds")


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def find_contradictions(receipts: Sequence[Receipt], records: Iterator[Record]) -> list[str]:
    """The contradictions between a chain and the rows of its store.

    The receipts are in order; the records are all that have one or should, evaluations last.
    """
    found = list(_breaks(receipts))
    by_name = {(link.kind, link.about): link for link in receipts}
    fingerprints, names = set[str](), dict[int, set[str]]()
    entries: list[Entry] = []
    for record in records:
        link = by_name.pop(named(record), None)
        match record:
            case Version():
                fingerprints.add(record.fingerprint)
            case Team():
                names.setdefault(record.id, set()).add(record.name)
            case Decision() if record.act == "rename" and record.team and record.name:
                names.setdefault(record.team, set()).add(record.name)
            case Entry():
                entries.append(record)
        if link is not None:
            found += _differences(link, record)
        elif not isinstance(record, Evaluation) or record.status in RECORDED_STATUSES:
            found.append(
                f"{describe(record)} has no receipt: it was added beside the chain, or its receipt "
                "was removed"
            )
    links = {link.about: link for link in receipts if link.kind == "entry"}
    for entry in entries:
        if (link := links.get(str(entry.number))) is not None:
            found += _find_strangers(entry, body_of(link), fingerprints, names)
    return found + [
        f"{describe(link)} was removed; its receipt is there" for link in by_name.values()
    ]


def _breaks(receipts: Sequence[Receipt]) -> Iterator[str]:
    """Receipts that are not as they were written, or not after the one before."""
    previous: str | None = None
    for link in receipts:
        body = body_of(link)
        if sha256_of(body) != link.digest or body.get("previous") != link.previous:
            yield f"the receipt of {describe(link)} was altered"
        if link.previous != previous:
            yield (
                f"the receipt of {describe(link)} does not follow the one before it; "
                "one was removed, added or moved"
            )
        previous = link.digest


def _differences(link: Receipt, record: Record) -> Iterator[str]:
    """The fields in which a row differs from its receipt."""
    body = body_of(link)
    again = json.loads(receipt(record, link.previous, link.salt or "").body)
    aside = (
        UNCOMMITTED_FIELDS | {"previous", "team", "version"}
        if link.kind == "entry"
        else UNCOMMITTED_FIELDS
    )
    keys = (body.keys() & again.keys()) - aside
    wrong = sorted(key for key in keys if body[key] != again[key])
    if wrong:
        fields = [key for key in wrong if key != "row"]
        which = f" ({', '.join(fields)})" if fields else ""
        yield f"{describe(record)} is not what its receipt says{which}"


def body_of(link: Receipt) -> dict[str, Any]:
    """The fields of a receipt; none where it is no JSON any more."""
    try:
        return dict(json.loads(link.body))
    except (ValueError, TypeError):
        return {}


def _find_strangers(
    entry: Entry, body: Mapping[str, Any], versions: set[str], names: Mapping[int, set[str]]
) -> Iterator[str]:
    """An entry whose receipt names a team or a version that it cannot have had."""
    called = {entry.name} if entry.team is None else names.get(entry.team, set())
    if body.get("team") not in called:
        yield (
            f"entry {entry.number} is not what its receipt says: "
            f"it was sent by {quoted(str(body.get('team')))}"
        )
    if body.get("version") not in versions:
        yield f"entry {entry.number}: no version has the fingerprint that its receipt names"


def describe(act: Record | Receipt) -> str:
    """Return the name of an act in a message, from its record or its receipt."""
    kind, about = (act.kind, act.about) if isinstance(act, Receipt) else named(act)
    if kind == "evaluation":
        return f"the evaluation of file {about.partition(':')[2][:12]}"
    return f"{kind} {about}"
