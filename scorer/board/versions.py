"""The versions of a board's challenge: the files, truth and rules of each."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import Any

from scorer.api.outcomes import TruthFacts, facts_of, make_terms, terms_of
from scorer.api.submissions import submission_name
from scorer.board.database import Database
from scorer.board.files import FileStore, digest_of
from scorer.board.models import Entry, Version
from scorer.challenge.load import load
from scorer.challenge.model import FOLDER, KEY, Challenge
from scorer.core.errors import UsageError
from scorer.core.problems import Problem
from scorer.core.text import printable
from scorer.kinds.base import Constants
from scorer.leaderboard.board import Terms
from scorer.reading.write import write_file
from scorer.scoring.bind import BoundChallenge, bind
from scorer.scoring.open import OpenChallenge, open_challenge
from scorer.scoring.splits import assign_splits

EVER = datetime.min.replace(tzinfo=UTC)  # since when baselines are there


class Versions:
    """A challenge's past and present states: a version is put in force by a re-scoring only."""

    def __init__(
        self, challenge: Challenge, database: Database, files: FileStore, allow_plugins: bool
    ) -> None:
        self.challenge, self.allow_plugins = challenge, allow_plugins
        self._database, self._files = database, files
        self._ready: dict[int, OpenChallenge] = {}
        self._terms: dict[int, Terms] = {}
        self._all: list[Version] = []
        # challenge.yaml as it was read; it may change while this process lives
        self._loaded = digest_of(challenge.path)[0]

    @cached_property
    def manifest(self) -> dict[str, str]:
        """Path below the challenge's folder -> SHA-256, of its files as they are now."""
        return self._digests()

    def _digests(self) -> dict[str, str]:
        digests = {}
        for path in dict.fromkeys(self.challenge.files):
            with suppress(FileNotFoundError):
                digests[self._relative(path)] = digest_of(path)[0]
        return digests

    def _relative(self, path: Path) -> str:
        return os.path.relpath(os.path.realpath(path), self.challenge.folder)

    def in_force(self, now: datetime | None = None) -> Version:
        """Return the version in force now or at a time; the first counts from the beginning.

        `ChallengeError` if the first version is still to be made and the challenge is wrong.
        """
        self.make_first()
        versions = self._known()
        return [v for v in versions if now is None or v.number == 1 or v.since <= now][-1]

    def make_first(self) -> None:
        """Put the challenge's files in force as they are now, if no version is yet.

        Files are hashed, and a first truth is opened, before a transaction that needs the version.
        """
        self.manifest  # noqa: B018
        if self._all or self._known():
            return
        first, ready = self.of_files(1, datetime.now(UTC))
        self.keep_files()
        if self._database.add_version(first):
            self._ready[1] = ready

    def _known(self) -> list[Version]:
        """All versions, which are read again when there are more."""
        with self._database.read():
            if self._database.counts(Version) == (len(self._all),):
                return self._all
            versions = self._database.versions()
        if not self._database.is_writing:  # else they may be undone
            self._all = versions
        return versions

    def of_files(self, number: int, since: datetime) -> tuple[Version, OpenChallenge]:
        """The version that the files make as they are now; `ChallengeError` if they are wrong."""
        ready = open_challenge(bind(self.challenge, self.allow_plugins))
        return _version(number, since, ready, self.manifest), ready

    def remade(self, version: Version) -> Version:
        """A version as its own files make it now."""
        return _version(version.number, version.since, self.opened(version), version.files)

    def keep_files(self) -> None:
        """Keep the challenge's files as they are now in the store."""
        for name, sha256 in self.manifest.items():
            with (self.challenge.folder / name).open("rb") as stream:
                self._files.keep(stream, sha256)

    @property
    def changed(self) -> tuple[str, ...]:
        """The challenge's files that are not, at this moment, as the version in force has them."""
        versions = self._known()
        if not versions:
            return ()
        files, now = versions[-1].files, self._digests()
        return tuple(sorted(n for n in files.keys() | now.keys() if files.get(n) != now.get(n)))

    def opened(self, version: Version) -> OpenChallenge:
        """A version's truth, read from the version's own files, whatever is in the folder now."""
        if version.number not in self._ready:
            self._ready[version.number] = open_challenge(self.bound(version))
        return self._ready[version.number]

    def bound(self, version: Version) -> BoundChallenge:
        """A version's challenge with its measures, from the version's own files."""
        if self._is_loaded(version) and self.manifest == self._digests():
            return bind(self.challenge, self.allow_plugins)
        challenge = load(self.path_of(version))
        return bind(challenge.model_copy(update={"id": self.challenge.id}), self.allow_plugins)

    def path_of(self, version: Version) -> Path:
        """The challenge.yaml of a version, with the version's own files around it."""
        path = self.challenge.path.resolve()
        if dict(version.files) == self._digests():  # not the manifest: this process may live long
            return path
        folder = self.challenge.folder / FOLDER / "versions" / str(version.number)
        for name, sha256 in version.files.items():
            target = folder / name
            if not target.exists() or digest_of(target)[0] != sha256:
                target.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
                write_file(target, self._read_kept(version, name))
        with suppress(FileNotFoundError):
            write_file(folder / KEY, (self.challenge.folder / KEY).read_bytes())
        return folder / self._relative(path)

    def _read_kept(self, version: Version, name: str) -> bytes:
        try:
            with self._files.open(version.files[name]) as stored:
                return stored.read()
        except FileNotFoundError:
            raise UsageError(
                f"{printable(name)} of version {version.number} is not kept any more, and the one "
                "in the challenge's folder is another"
            ) from None

    def worker_inputs(self, version: Version) -> dict[str, Any]:
        """What a process needs to read a version without the store, and the version's files."""
        path = self.path_of(version)
        root = path.parents[self._relative(self.challenge.path).count("/")]
        return {
            "challenge": str(path),
            "id": self.challenge.id,
            "allow_plugins": self.allow_plugins,
            "read": [str(root / name) for name in (*version.files, KEY)],
        }

    def terms(self, version: Version | None = None) -> Terms:
        """The board's terms under a version, without the truth; default: the version in force."""
        chosen = version or self.in_force()
        if chosen.number not in self._terms:
            ready = self._ready.get(chosen.number)
            self._terms[chosen.number] = (
                make_terms(self.bound(chosen), _read_facts(chosen.facts), chosen.fingerprint)
                if ready is None
                else terms_of(ready)
            )
        return self._terms[chosen.number]

    def rules(self, version: Version | None = None) -> Challenge:
        """The challenge's rules under a version; default: under that in force."""
        chosen = version or self.in_force()
        return self.challenge if self._is_loaded(chosen) else self.terms(chosen).challenge

    def _is_loaded(self, version: Version) -> bool:
        """Return whether a version is the challenge that this process has read."""
        files, own = version.files, self._relative(self.challenge.path)
        return files.get(own) == self._loaded and dict(files) == self.manifest

    def splits(self) -> dict[str, tuple[str, ...]]:
        """The lists of each split under the version in force; for the organizer only."""
        lists_of: dict[str, list[str]] = {}
        for name, split in self.in_force().splits.items():
            lists_of.setdefault(split, []).append(name)
        return {split: tuple(sorted(names)) for split, names in lists_of.items()}

    def baselines(self, version: Version) -> list[Entry]:
        """The challenge's own baselines, as entries received before all others."""
        challenge = self.rules(version)
        entries = []
        for path in challenge.leaderboard.baselines:
            sha256 = version.files.get(os.path.relpath(path, challenge.folder))
            if sha256 is not None:
                name = submission_name(path)
                entries.append(Entry(0, None, EVER, sha256, path.name, 0, None, name))
        return entries

    @contextmanager
    def preview(self, version: Version, ready: OpenChallenge) -> Iterator[None]:
        """Know a version that is not in force, as long as the context."""
        self._ready[version.number] = ready
        try:
            yield
        finally:
            del self._ready[version.number]
            self._terms.pop(version.number, None)

    def add(self, version: Version, ready: OpenChallenge, given: bool) -> None:
        """Put a version in force; `UsageError` if another process has just put one in force."""
        if not self._database.add_version(version, given):
            raise UsageError("another process has re-scored this board just now; try again")
        self._ready[version.number] = ready


def _version(
    number: int, since: datetime, ready: OpenChallenge, files: Mapping[str, str]
) -> Version:
    """The version that a challenge and its truth make."""
    terms = terms_of(ready)
    values = hashlib.sha256(json.dumps(ready.digests, sort_keys=True).encode()).hexdigest()
    splits = assign_splits(ready.bound.challenge, terms.lists, terms.groups)
    facts = _write_facts(facts_of(ready))
    return Version(number, since, values, terms.fingerprint, files, facts, splits)


def _write_facts(facts: TruthFacts) -> str:
    """Return the facts of a truth as JSON."""
    notes = [{k: v for k, v in asdict(note).items() if v is not None} for note in facts.notes]
    fields = facts._asdict() | {"constants": facts.constants._asdict(), "notes": notes}
    return json.dumps(fields, sort_keys=True)


def _read_facts(text: str) -> TruthFacts:
    """Return the facts that `_write_facts` wrote."""
    fields = json.loads(text)
    constants = fields["constants"] | {"classes": tuple(fields["constants"]["classes"])}
    notes = tuple(Problem(**note) for note in fields["notes"])
    read = {"constants": Constants(**constants), "lists": tuple(fields["lists"]), "notes": notes}
    return TruthFacts(**fields | read)
