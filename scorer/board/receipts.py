"""The chain of receipts: one for each act on a store, each with the digest of the one before.

A list of receipts shows an entry that was removed, altered, reordered or added later.

A receipt commits to the whole row of its act: `row` is the SHA-256 of the row and of a random
salt that stays in the store. So a published chain gives away no reason of a decision, no digest
of a truth and no choice of a team. Whoever holds the store can compute all receipts again and
sees which rows were changed.
"""

from __future__ import annotations

import hashlib
import json
import secrets
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple

from sqlalchemy import Integer, cast, func, select
from sqlalchemy.orm import InstrumentedAttribute, Session

from scorer import __version__
from scorer.board.models import Base, Decision, Entry, Evaluation, Kind, Receipt, Team, Version
from scorer.core.text import quoted

Record = Version | Team | Entry | Evaluation | Decision
SALT_BYTES = 16  # 128 bits: nobody finds a row by trying salts
TIMES = {"received", "time"}  # fields with the time of the act; these receipts get `recorded`, too
# fields of receipts that are in no row, so that they cannot be computed again
UNCOMMITTED_FIELDS = {"scorer", "recorded", "given"}
# of evaluations that get a receipt; a failure does not, since it can be tried again
RECORDED_STATUSES = ("scored", "rejected")
RECEIPTS = "receipts.jsonl"


def canonical_json(fields: Mapping[str, Any]) -> str:
    """Return JSON with sorted keys and no blanks, the form for digests."""
    return json.dumps(fields, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def sha256_of(fields: Mapping[str, Any]) -> str:
    """Return the SHA-256 of the canonical JSON of some fields."""
    return hashlib.sha256(canonical_json(fields).encode()).hexdigest()


def commit_to_files(salt: str, files: Mapping[str, str]) -> str:
    """Return the commitment of a seal or a version to its files (path -> SHA-256)."""
    return sha256_of({"salt": salt, "files": dict(files)})


def as_lines(receipts: Iterable[Receipt]) -> str:
    """Return receipts as JSON Lines, each with its own digest."""
    return "".join(
        canonical_json(json.loads(receipt.body) | {"digest": receipt.digest}) + "\n"
        for receipt in receipts
    )


def append_receipt(
    session: Session, record: Record, *, team: str = "", version: str = "", given: bool = False
) -> Receipt | None:
    """Append the receipt of an act to the chain; return None if the act has one already.

    An evaluation that is made a second time has one.

    Args:
        session: A transaction with the lock of the store.
        record: The act.
        team: For an entry, the name of its team at that time.
        version: For an entry, the fingerprint of the challenge in force.
        given: Whether the time of the act was given to the store, and is no clock's.
    """
    key = key_of(record)
    if session.scalar(select(Receipt.number).filter_by(kind=key.kind, about=key.name)) is not None:
        return None
    last = session.execute(
        select(Receipt.number, Receipt.digest).order_by(Receipt.number.desc()).limit(1)
    ).first()
    made = make_receipt(
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
    """Return the number of a new row; numbers of removed rows that have receipts are not reused.

    Args:
        session: A transaction with the lock of the store.
        column: The column with the numbers.
        kind: The kind of the row's receipts; None: such rows have none.
    """
    numbers = [session.scalar(select(func.max(column)))]
    if kind is not None:
        had = select(func.max(cast(Receipt.about, Integer))).where(Receipt.kind == kind)
        numbers.append(session.scalar(had))
    return max(int(number or 0) for number in numbers) + 1


class RecordKey(NamedTuple):
    """Which record a receipt is about."""

    kind: Kind
    name: str  # among the records of its kind: a number, or the digests of an evaluation


def key_of(record: Record) -> RecordKey:
    """Return the key of a record."""
    match record:
        case Version():
            return RecordKey("version", str(record.number))
        case Team():
            return RecordKey("team", str(record.id))
        case Entry():
            return RecordKey("entry", str(record.number))
        case Evaluation():
            return RecordKey("evaluation", f"{record.values}:{record.sha256}")
        case Decision():
            return RecordKey("decision", str(record.number))


def make_receipt(
    record: Record,
    previous: str | None,
    salt: str,
    *,
    team: str = "",
    version: str = "",
    recorded: datetime | None = None,
    given: bool = False,
) -> Receipt:
    """Return the receipt of a record, which has no number yet.

    Args:
        record: The record.
        previous: The digest of the receipt before it; None: it is the first one.
        salt: Of the commitment to the row.
        team: For an entry, the name of its team at that time.
        version: For an entry, the fingerprint of the challenge in force.
        recorded: When the store recorded it, by its clock.
        given: Whether the organizer gave the time of the act, so that it is no clock's.
    """
    key = key_of(record)
    fields = _public_fields(record, team, version)
    if isinstance(record, Version):
        fields["files"] = commit_to_files(salt, record.files)
    if recorded is not None and TIMES & fields.keys():
        fields |= {"recorded": _format_time(recorded), "given": given}
    body = {
        "kind": key.kind,
        **fields,
        "row": sha256_of({"salt": salt, "row": _row_fields(record)}),
        "previous": previous,
    }
    return Receipt(key.kind, key.name, previous, sha256_of(body), canonical_json(body), salt)


def _public_fields(record: Record, team: str, version: str) -> dict[str, Any]:
    """Return the fields of a receipt that everybody may read."""
    match record:
        case Entry():
            return {
                "entry": record.number,
                "team": team,
                "received": _format_time(record.received),
                "sha256": record.sha256,
                "size": record.size,
                "version": version,
            }
        case Version():
            return {
                "number": record.number,
                "time": _format_time(record.since),
                "scorer": __version__,
                "version": record.fingerprint,
            }
        case Decision():
            return {"number": record.number, "time": _format_time(record.time)}
        case Team():
            return {"number": record.id}
    return {}


# The fields of each record on which a board depends; a receipt commits to them.
COMMITTED_FIELDS: Mapping[type[Base], tuple[str, ...]] = {
    Version: ("number", "since", "values", "fingerprint", "facts", "files", "splits"),
    Team: ("id", "name", "made"),
    Entry: (
        "number",
        "team",
        "received",
        "sha256",
        "file",
        "size",
        "phase",
        "name",
        "answers",
    ),
    Evaluation: ("values", "sha256", "status", "findings", "card", "folds"),
    Decision: ("number", "time", "act", "team", "entry", "reason", "by", "name", "late"),
}


def _row_fields(record: Record) -> dict[str, Any]:
    """Return the committed fields of a record, as JSON has them."""
    return {name: _to_json(getattr(record, name)) for name in COMMITTED_FIELDS[type(record)]}


def _to_json(value: Any) -> Any:
    """Return a field as JSON has it: times as text, scorecards as the SHA-256 of their bytes."""
    match value:
        case datetime():
            return _format_time(value)
        case bytes():
            return hashlib.sha256(value).hexdigest()
        case Mapping():
            return {key: _to_json(each) for key, each in value.items()}
    return value


def _format_time(time: datetime) -> str:
    return time.astimezone(UTC).isoformat(timespec="microseconds")


def find_contradictions(receipts: Sequence[Receipt], records: Iterator[Record]) -> list[str]:
    """Return the contradictions between a chain of receipts and the rows of its store.

    Args:
        receipts: The chain, in order.
        records: All that have a receipt or should have one.
    """
    problems = list(_find_chain_faults(receipts))
    without_record = {RecordKey(each.kind, each.about): each for each in receipts}
    fingerprints, team_names = set[str](), dict[int, set[str]]()
    entries: list[tuple[Entry, Receipt]] = []
    for record in records:
        receipt = without_record.pop(key_of(record), None)
        match record:
            case Version():
                fingerprints.add(record.fingerprint)
            case Team():
                team_names.setdefault(record.id, set()).add(record.name)
            case Decision() if record.act == "rename" and record.team and record.name:
                team_names.setdefault(record.team, set()).add(record.name)
            case Entry() if receipt is not None:
                entries.append((record, receipt))
        if receipt is not None:
            problems += _find_differences(receipt, record)
        elif not isinstance(record, Evaluation) or record.status in RECORDED_STATUSES:
            problems.append(
                f"{describe(record)} has no receipt: it was added beside the chain, or its receipt "
                "was removed"
            )
    for entry, receipt in entries:
        problems += _find_impossible_names(entry, body_of(receipt), fingerprints, team_names)
    return problems + [
        f"{describe(receipt)} was removed; its receipt is there"
        for receipt in without_record.values()
    ]


def _find_chain_faults(receipts: Sequence[Receipt]) -> Iterator[str]:
    """Yield the receipts that are not as they were written, or not after the one before."""
    previous: str | None = None
    for receipt in receipts:
        body = body_of(receipt)
        if sha256_of(body) != receipt.digest or body.get("previous") != receipt.previous:
            yield f"the receipt of {describe(receipt)} was altered"
        if receipt.previous != previous:
            yield (
                f"the receipt of {describe(receipt)} does not follow the one before it; "
                "one was removed, added or moved"
            )
        previous = receipt.digest


def _find_differences(receipt: Receipt, record: Record) -> Iterator[str]:
    """Yield a sentence if a row differs from its receipt, with the fields that differ."""
    body = body_of(receipt)
    remade = json.loads(make_receipt(record, receipt.previous, receipt.salt or "").body)
    not_compared = {*UNCOMMITTED_FIELDS}
    if receipt.kind == "entry":  # the names that were in force then are looked at by themselves
        not_compared |= {"previous", "team", "version"}
    keys = (body.keys() & remade.keys()) - not_compared
    differing = sorted(key for key in keys if body[key] != remade[key])
    if differing:
        fields = [key for key in differing if key != "row"]
        names = f" ({', '.join(fields)})" if fields else ""
        yield f"{describe(record)} is not what its receipt says{names}"


def body_of(receipt: Receipt) -> dict[str, Any]:
    """Return the fields of a receipt; none if its body was altered and is no JSON any more."""
    try:
        return dict(json.loads(receipt.body))
    except (ValueError, TypeError):
        return {}


def _find_impossible_names(
    entry: Entry, body: Mapping[str, Any], versions: set[str], names: Mapping[int, set[str]]
) -> Iterator[str]:
    """Yield a sentence if an entry's receipt names a team or a version that it cannot have had.

    Args:
        entry: The entry.
        body: The fields of its receipt.
        versions: The fingerprints of all versions.
        names: Team -> all names that it had.
    """
    possible = {entry.name} if entry.team is None else names.get(entry.team, set())
    if body.get("team") not in possible:
        yield (
            f"entry {entry.number} is not what its receipt says: "
            f"it was sent by {quoted(str(body.get('team')))}"
        )
    if body.get("version") not in versions:
        yield f"entry {entry.number}: no version has the fingerprint that its receipt names"


def describe(act: Record | Receipt) -> str:
    """Return the name of an act in a message, from its record or its receipt."""
    key = RecordKey(act.kind, act.about) if isinstance(act, Receipt) else key_of(act)
    if key.kind == "evaluation":
        return f"the evaluation of file {key.name.partition(':')[2][:12]}"
    return f"{key.kind} {key.name}"
