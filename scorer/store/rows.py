"""Rows of a store's tables as records."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from scorer.store.records import Decision, Entry, Evaluation, Receipt, Team, Version


def version_of(row: Any) -> Version:
    """A version."""
    return Version(
        row.number,
        row.since,
        row.values_digest,
        row.fingerprint,
        json.loads(row.files),
        row.terms,
        json.loads(row.splits),
    )


def team_of(row: Any) -> Team:
    """A team."""
    return Team(row.id, row.name, row.made)


def decision_of(row: Any) -> Decision:
    """A decision."""
    return Decision(
        row.number,
        row.time,
        row.act,
        row.team,
        row.entry,
        row.reason,
        row.by,
        row.name,
        bool(row.late),
    )


def receipt_of(row: Any) -> Receipt:
    """A receipt."""
    return Receipt(row.kind, row.about, row.previous, row.digest, row.body, row.salt)


def entry_of(row: Any) -> Entry:
    """An entry."""
    return Entry(
        row.number,
        row.team,
        row.received,
        row.sha256,
        row.file,
        row.size,
        row.phase,
        row.name,
        json.loads(row.answers) if row.answers != "{}" else {},
    )


def evaluation_of(row: Any) -> Evaluation:
    """An evaluation, whole."""
    return Evaluation(
        row.values_digest,
        row.sha256,
        row.status,
        row.findings,
        row.card,
        _unpacked(row.folds),
        row.summary,
        row.reference,
        row.cause,
        row.made,
    )


def packed(folds: Mapping[str, bytes]) -> bytes | None:
    """Several scorecards in one value: a JSON head of names and sizes, then their bytes."""
    if not folds:
        return None
    head = json.dumps([[name, len(data)] for name, data in folds.items()]).encode()
    return len(head).to_bytes(4, "big") + head + b"".join(folds.values())


def _unpacked(data: bytes | None) -> dict[str, bytes]:
    if not data:
        return {}
    start = 4 + int.from_bytes(data[:4], "big")
    folds = {}
    for name, size in json.loads(data[4:start]):
        folds[name] = data[start : start + size]
        start += size
    return folds
