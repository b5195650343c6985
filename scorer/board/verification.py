"""Verification of what was published: single receipts, chains of them, revealed folders."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

from scorer.board.files import digest_of
from scorer.board.receipts import RECEIPTS, commit_to_files, sha256_of
from scorer.board.seal import REVEALED, SEAL, folder_of, sealed_late
from scorer.core.errors import UsageError
from scorer.core.text import describe_exception, printable
from scorer.reading.json_faults import parse_json

MOST = 20  # sentences of one kind on the times of a chain


@dataclass(frozen=True, slots=True, kw_only=True)
class Verification:
    """Whether receipts, files and stores fit together."""

    schema: str = "verification/1"
    ok: bool
    checked: int
    problems: Sequence[str]
    notes: Sequence[str]  # receipts that were found, and times to be looked at


class Verified(NamedTuple):
    """The outcome of a verification."""

    checked: int
    problems: list[str]  # contradictions
    notes: list[str]  # which receipts are in the chain, and times to be looked at


class _Line(NamedTuple):
    """A receipt as a line of a file has it."""

    number: int  # of the line
    fields: Mapping[str, Any]  # without its digest
    claimed: str  # its digest, as it says

    @property
    def kind(self) -> str:
        """The kind of its act."""
        return str(self.fields["kind"])

    @property
    def called(self) -> str:
        """The name of its act in a message."""
        which = self.fields.get("entry", self.fields.get("number"))
        return f"an {self.kind}" if which is None else f"{self.kind} {printable(which)}"

    @property
    def whole(self) -> bool:
        """Whether it is as it was written."""
        return sha256_of(self.fields) == self.claimed

    def time(self, *names: str) -> datetime | None:
        """The first of these fields that holds a time."""
        for name in names:
            try:
                time = datetime.fromisoformat(self.fields[name])
            except (KeyError, TypeError, ValueError):
                continue
            return time if time.tzinfo else None
        return None


class _Text(NamedTuple):
    """A file of receipts: a chain, or one receipt alone."""

    name: str
    lines: list[_Line]
    problems: list[str]  # of lines that hold no receipt


def _receipts_of(name: str, text: str) -> _Text:
    lines, problems = list[_Line](), list[str]()
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        try:
            fields = dict(parse_json(line))
            claimed = str(fields.pop("digest"))
            if fields["kind"] == "entry":
                int(fields["entry"])
        except (ValueError, KeyError, TypeError) as error:
            problems.append(f"line {number}: no receipt ({describe_exception(error)})")
            continue
        lines.append(_Line(number, fields, claimed))
    return _Text(name, lines, problems)


def verify_lines(text: str) -> Verified:
    """Check receipts, one a line; one alone is checked by itself, whatever came before it."""
    return _verified(_receipts_of("", text))


def _verified(text: _Text) -> Verified:
    problems, lines = [*text.problems], text.lines
    previous: str | None = None
    last = 0
    for line in lines:
        if not line.whole:
            problems.append(f"line {line.number}: the receipt of {line.called} was altered")
        if len(lines) > 1 and line.fields.get("previous") != previous:
            problems.append(
                f"line {line.number}: the receipt of {line.called} does not follow the one before "
                "it; one was removed, added or moved"
            )
        if line.kind == "entry":
            entry = int(line.fields["entry"])
            if entry <= last:
                problems.append(f"line {line.number}: entry {entry} comes after entry {last}")
            last = entry
        previous = line.claimed
    notes = [*_shortened(_backward(lines)), *_shortened(_unrecorded(lines)), *_given(lines)]
    return Verified(len(lines), problems, notes)


def _shortened(notes: Iterable[str]) -> list[str]:
    """The first of many sentences, and how many more there are."""
    every = list(notes)
    more = [f"and {len(every) - MOST:,} more like this"] if len(every) > MOST else []
    return [*every[:MOST], *more]


def _backward(lines: Sequence[_Line]) -> Iterator[str]:
    """Acts that happened, by their time, before an earlier one of the same kind in the chain."""
    latest: dict[str, tuple[datetime, _Line]] = {}
    for line in lines:
        time = line.time("received", "time")
        if time is None:
            continue
        before = latest.get(line.kind)
        if before is not None and time < before[0]:
            recorded = line.time("recorded")
            when = f", and recorded {_at(recorded)}" if recorded else ""
            yield (
                f"line {line.number}: {line.called} has the time {_at(time)}, before that of "
                f"{before[1].called} ({_at(before[0])}), which was recorded earlier{when}"
            )
        else:
            latest[line.kind] = time, line


def _unrecorded(lines: Sequence[_Line]) -> Iterator[str]:
    """Acts that were recorded, by the store's clock, before an earlier one in the chain."""
    latest: datetime | None = None
    for line in lines:
        recorded = line.time("recorded")
        if recorded is not None and latest is not None and recorded < latest:
            yield (
                f"line {line.number}: {line.called} was recorded {_at(recorded)}, after an act "
                f"that was recorded {_at(latest)}: the clock went back"
            )
        latest = max(filter(None, (recorded, latest)), default=None)


def _given(lines: Sequence[_Line]) -> Iterator[str]:
    """The acts whose time somebody gave."""
    given = [line.called for line in lines if line.fields.get("given") is True]
    if given:
        yield f"with a time that the organizer gave (--at), {len(given):,}: {_several(given)}"


def _several(names: Sequence[str]) -> str:
    more = f" and {len(names) - MOST:,} more" if len(names) > MOST else ""
    return ", ".join(names[:MOST]) + more


def _at(time: datetime) -> str:
    return time.isoformat(timespec="seconds")


def verify(paths: Sequence[Path]) -> Verified:
    """Check receipts and revealed folders, and look all up in the longest chain.

    A receipt alone in its file, or an earlier copy of the chain, must be in it.
    `UsageError` if a path is neither a file of receipts nor a revealed folder.
    """
    outcomes, texts = list[Verified](), list[_Text]()
    for path in paths:
        if path.is_dir():
            text = _chain_of(path)
            outcome = _verified_folder(path, text)
        else:
            text = _receipts_of(printable(path), _read_text(path))
            outcome = _verified(text)
            if not text.lines and not text.problems:
                outcome.problems.append("there is no receipt in it")
        texts += [] if text is None else [text]
        name = printable(path)
        outcomes.append(Verified(outcome.checked, *(
            [f"{name}: {words}" for words in sentences] for sentences in outcome[1:]
        )))  # fmt: skip
    problems = [fault for outcome in outcomes for fault in outcome.problems]
    notes = [note for outcome in outcomes for note in outcome.notes]
    chains = [text for text in texts if len(text.lines) > 1]
    chain = max(chains, key=lambda text: len(text.lines), default=None)
    for text in texts:
        if chain is not None and text is not chain and text.lines:
            missing, found = _looked_up(text, chain, fits=not problems)
            problems += missing
            notes += found
    return Verified(sum(outcome.checked for outcome in outcomes), problems, notes)


def _looked_up(text: _Text, chain: _Text, fits: bool) -> tuple[list[str], list[str]]:
    """The receipts of a text that a chain lacks, or else where it has them.

    Args:
        fits: whether all that was checked by itself fits.
    """
    places = {line.claimed: line.number for line in chain.lines}
    lost = [line for line in text.lines if line.claimed not in places]
    if lost:
        ends = next((each.called for each in reversed(chain.lines) if each.kind == "entry"), "")
        ends = ends and f", whose last entry is {ends.removeprefix('entry ')}"
        which = _several([line.called for line in lost])
        return [
            f"{text.name}: the receipt of {which} is not in the chain {chain.name}{ends}: "
            "removed or altered, or the chain is older"
        ], []
    if not fits:
        return [], []
    if len(text.lines) > 1:
        return [], [f"{text.name}: all of it is in {chain.name}, unaltered"]
    (line,) = text.lines
    return [], [
        f"{text.name}: {line.called} is in {chain.name} (line {places[line.claimed]:,}), "
        "unaltered, and nothing is missing before it"
    ]


def _chain_of(folder: Path) -> _Text | None:
    """The chain of a revealed folder, called as the folder; None if there is none."""
    path = folder / RECEIPTS
    return _receipts_of(printable(folder), _read_text(path)) if path.is_file() else None


def _verified_folder(folder: Path, text: _Text | None) -> Verified:
    """A revealed folder against its seal, and its chain against the version in force."""
    try:
        fields = parse_json((folder / REVEALED).read_text(encoding="utf-8"))
        salt, files, claimed = fields["salt"], dict(fields["files"]), fields["commitment"]
        in_force = fields.get("in_force")
        if in_force is not None:
            in_force = int(in_force["version"]), dict(in_force["files"]), in_force["salt"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise UsageError(
            f"{printable(folder)} is not what score reveal made: {describe_exception(error)}"
        ) from None
    late = _entries_before_seal(folder, text)
    problems = [f"{REVEALED}: {fault}" for fault in fields.get("altered", ())]
    if commit_to_files(salt, files) != claimed:
        problems.append(f"{REVEALED}: salt and digests do not make the commitment")
    notes = [f"{SEAL}: {sealed_late(late)}"] if late else []
    found = [Verified(1, problems, notes), _sealed(folder, claimed)]
    found.append(_below(folder, "", files, "not the file that was sealed"))
    if in_force is not None and (place := folder_of(in_force[0], in_force[1], files)):
        found.append(_below(folder, place, in_force[1], "not the file of the version in force"))
    if text is not None:
        chain = _verified(text)
        found.append(Verified(chain.checked, *(
            [f"{RECEIPTS}: {words}" for words in sentences] for sentences in chain[1:]
        )))  # fmt: skip
        if in_force is not None:
            found.append(_in_force(text.lines, *in_force))
    return Verified(
        sum(each.checked for each in found),
        [fault for each in found for fault in each.problems],
        [note for each in found for note in each.notes],
    )


def _entries_before_seal(folder: Path, text: _Text | None) -> int:
    """How many entries of the chain were received before the seal was made; 0 if unknown."""
    try:
        sealed = datetime.fromisoformat(
            parse_json((folder / SEAL).read_text(encoding="utf-8"))["made"]
        )
    except (OSError, ValueError, KeyError, TypeError):
        return 0
    times = [line.time("received", "time") for line in (text.lines if text else ())
             if line.kind == "entry"]  # fmt: skip
    return sum(time is not None and time < sealed for time in times)


def _sealed(folder: Path, claimed: str) -> Verified:
    try:
        sealed = parse_json((folder / SEAL).read_text(encoding="utf-8"))["commitment"]
    except (OSError, ValueError, KeyError, TypeError):
        fault = f"{SEAL} is missing or damaged; compare the one that was published before"
        return Verified(0, [fault], [])
    other = [f"{SEAL}: another commitment than the revealed one"] if sealed != claimed else []
    return Verified(1, other, [])


def _below(folder: Path, below: str, files: Mapping[str, str], fault: str) -> Verified:
    """Files below a folder against their digests."""
    checked, problems, root = 0, list[str](), folder / below
    for name, sha256 in sorted(files.items()):
        path, called = root / name, printable(Path(below, name))
        if not path.resolve().is_relative_to(root.resolve()):
            problems.append(f"{called}: leads out of the folder")
            continue
        checked += 1
        if not path.is_file():
            problems.append(f"{called}: missing")
        elif digest_of(path)[0] != sha256:
            problems.append(f"{called}: {fault}")
    return Verified(checked, problems, [])


def _in_force(
    lines: Sequence[_Line], number: int, files: Mapping[str, str], salt: str | None
) -> Verified:
    """The version in force at the end against its receipt, which is the last of a version's."""
    last = next((line for line in reversed(lines) if line.kind == "version"), None)
    if last is None or last.fields.get("number") != number:
        which = "no version" if last is None else last.called
        return Verified(0, [f"version {number} is revealed, and the chain ends with {which}"], [])
    if commit_to_files(str(salt), files) != last.fields.get("files"):
        return Verified(0, [f"the files of version {number} are not what its receipt says"], [])
    return Verified(1, [], [])


def _read_text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{printable(path)} cannot be read: {describe_exception(error)}") from None
