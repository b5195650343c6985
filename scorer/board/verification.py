"""Verification of what was published: single receipts, chains of them, revealed folders."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

from scorer.board.files import digest_of
from scorer.board.receipts import RECEIPTS, commit_to_files, sha256_of
from scorer.board.seal import REVEALED, SEAL, describe_late_seal, version_folder
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

    def named(self, name: str) -> Verified:
        """Return the outcome with the name of the verified object before each sentence."""
        problems, notes = ([f"{name}: {words}" for words in part] for part in self[1:])
        return Verified(self.checked, problems, notes)


def _join(outcomes: Sequence[Verified]) -> Verified:
    """Return several outcomes as one."""
    problems = [problem for outcome in outcomes for problem in outcome.problems]
    notes = [note for outcome in outcomes for note in outcome.notes]
    return Verified(sum(outcome.checked for outcome in outcomes), problems, notes)


# files of receipts


class ReceiptLine(NamedTuple):
    """A receipt as a line of a file has it."""

    number: int  # of the line
    fields: Mapping[str, Any]  # without its digest
    digest: str  # as it says

    @property
    def kind(self) -> str:
        """The kind of its act."""
        return str(self.fields["kind"])

    @property
    def name(self) -> str:
        """The name of its act in a message."""
        which = self.fields.get("entry", self.fields.get("number"))
        return f"an {self.kind}" if which is None else f"{self.kind} {printable(which)}"

    def time(self, *names: str) -> datetime | None:
        """Return the time of the first of these fields that holds one."""
        for name in names:
            try:
                time = datetime.fromisoformat(self.fields[name])
            except (KeyError, TypeError, ValueError):
                continue
            return time if time.tzinfo else None
        return None


class ReceiptFile(NamedTuple):
    """A file of receipts: a chain, or one receipt alone."""

    name: str
    lines: list[ReceiptLine]
    problems: list[str]  # of lines that hold no receipt


def _parse_receipts(name: str, text: str) -> ReceiptFile:
    lines, problems = list[ReceiptLine](), list[str]()
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        try:
            fields = dict(parse_json(line))
            digest = str(fields.pop("digest"))
            if fields["kind"] == "entry":
                int(fields["entry"])
        except (ValueError, KeyError, TypeError) as error:
            problems.append(f"line {number}: no receipt ({describe_exception(error)})")
        else:
            lines.append(ReceiptLine(number, fields, digest))
    return ReceiptFile(name, lines, problems)


def _verify_chain(file: ReceiptFile) -> Verified:
    """Check receipts; one alone is checked by itself, whatever came before it."""
    problems, lines = [*file.problems], file.lines
    previous: str | None = None
    last = 0
    for line in lines:
        where = f"line {line.number}: "
        if sha256_of(line.fields) != line.digest:
            problems.append(f"{where}the receipt of {line.name} was altered")
        if len(lines) > 1 and line.fields.get("previous") != previous:
            problems.append(
                f"{where}the receipt of {line.name} does not follow the one before it; one was "
                "removed, added or moved"
            )
        if line.kind == "entry":
            entry = int(line.fields["entry"])
            if entry <= last:
                problems.append(f"{where}entry {entry} comes after entry {last}")
            last = entry
        previous = line.digest
    notes = [*_first(_find_backward(lines)), *_first(_find_clock_steps(lines))]
    if given := [line.name for line in lines if line.fields.get("given") is True]:
        count = f"{len(given):,}"
        notes.append(f"with a time that the organizer gave (--at), {count}: {_name_first(given)}")
    return Verified(len(lines), problems, notes)


def _first(notes: Iterable[str]) -> list[str]:
    """Return the first of many sentences, and how many more there are."""
    every = list(notes)
    more = [f"and {len(every) - MOST:,} more like this"] if len(every) > MOST else []
    return [*every[:MOST], *more]


def _name_first(names: Sequence[str]) -> str:
    more = f" and {len(names) - MOST:,} more" if len(names) > MOST else ""
    return ", ".join(names[:MOST]) + more


def _find_backward(lines: Sequence[ReceiptLine]) -> Iterator[str]:
    """Yield the acts that happened, by their time, before an earlier one of their kind."""
    latest: dict[str, tuple[datetime, ReceiptLine]] = {}
    for line in lines:
        time = line.time("received", "time")
        if time is None:
            continue
        before = latest.get(line.kind)
        if before is None or time >= before[0]:
            latest[line.kind] = time, line
            continue
        recorded = line.time("recorded")
        yield (
            f"line {line.number}: {line.name} has the time {_format(time)}, before that of "
            f"{before[1].name} ({_format(before[0])}), which was recorded earlier"
            + (f", and recorded {_format(recorded)}" if recorded else "")
        )


def _find_clock_steps(lines: Sequence[ReceiptLine]) -> Iterator[str]:
    """Yield the acts that were recorded, by the store's clock, before an earlier one."""
    latest: datetime | None = None
    for line in lines:
        recorded = line.time("recorded")
        if recorded is not None and latest is not None and recorded < latest:
            yield (
                f"line {line.number}: {line.name} was recorded {_format(recorded)}, after an act "
                f"that was recorded {_format(latest)}: the clock went back"
            )
        latest = max(filter(None, (recorded, latest)), default=None)


def _format(time: datetime) -> str:
    return time.isoformat(timespec="seconds")


# several files


def verify(paths: Sequence[Path]) -> Verified:
    """Check receipts and revealed folders, and look all up in the longest chain.

    A receipt alone in its file, or an earlier copy of the chain, must be in it.

    Raises:
        UsageError: A path is neither a file of receipts nor a revealed folder.
    """
    outcomes, files = list[Verified](), list[ReceiptFile]()
    for path in paths:
        receipts = path / RECEIPTS if path.is_dir() else path
        file = None
        if receipts.is_file() or receipts is path:
            file = _parse_receipts(printable(path), _read_text(receipts))
            files.append(file)
        if path.is_dir():
            outcome = _verify_folder(path, file)
        else:
            assert file is not None
            outcome = _verify_chain(file)
            if not file.lines and not file.problems:
                outcome.problems.append("there is no receipt in it")
        outcomes.append(outcome.named(printable(path)))
    found = _join(outcomes)
    chains = [file for file in files if len(file.lines) > 1]
    chain = max(chains, key=lambda file: len(file.lines), default=None)
    for file in files:
        if chain is not None and file is not chain and file.lines:
            missing, note = _look_up(file, chain)
            found.problems.extend(missing)
            if note and not found.problems:
                found.notes.append(note)
    return found


def _look_up(file: ReceiptFile, chain: ReceiptFile) -> tuple[list[str], str]:
    """Return the receipts of a file that a chain lacks, and where it has them if it lacks none."""
    places = {line.digest: line.number for line in chain.lines}
    if lost := [line.name for line in file.lines if line.digest not in places]:
        ends = next((each.name for each in reversed(chain.lines) if each.kind == "entry"), "")
        ends = ends and f", whose last entry is {ends.removeprefix('entry ')}"
        return [
            f"{file.name}: the receipt of {_name_first(lost)} is not in the chain {chain.name}"
            f"{ends}: removed or altered, or the chain is older"
        ], ""
    if len(file.lines) > 1:
        return [], f"{file.name}: all of it is in {chain.name}, unaltered"
    (line,) = file.lines
    return [], (
        f"{file.name}: {line.name} is in {chain.name} (line {places[line.digest]:,}), unaltered, "
        "and nothing is missing before it"
    )


# revealed folders


def _verify_folder(folder: Path, file: ReceiptFile | None) -> Verified:
    """Return the outcome for a revealed folder: its seal, its files, its chain."""
    try:
        fields = parse_json((folder / REVEALED).read_text(encoding="utf-8"))
        salt, files, commitment = fields["salt"], dict(fields["files"]), fields["commitment"]
        in_force = fields.get("in_force")
        if in_force is not None:
            in_force = int(in_force["version"]), dict(in_force["files"]), in_force["salt"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise UsageError(
            f"{printable(folder)} is not what score reveal made: {describe_exception(error)}"
        ) from None
    problems = [f"{REVEALED}: {fault}" for fault in fields.get("altered", ())]
    if commit_to_files(salt, files) != commitment:
        problems.append(f"{REVEALED}: salt and digests do not make the commitment")
    found = [Verified(1, problems, []), _verify_seal(folder, commitment, file)]
    found.append(_verify_files(folder, "", files, "not the file that was sealed"))
    if in_force is not None and (place := version_folder(in_force[0], in_force[1], files)):
        fault = "not the file of the version in force"
        found.append(_verify_files(folder, place, in_force[1], fault))
    if file is not None:
        found.append(_verify_chain(file).named(RECEIPTS))
        if in_force is not None:
            found.append(_verify_version(file.lines, *in_force))
    return _join(found)


def _verify_seal(folder: Path, commitment: str, file: ReceiptFile | None) -> Verified:
    """Return the outcome for challenge.seal; a note where entries were received before it."""
    try:
        fields = parse_json((folder / SEAL).read_text(encoding="utf-8"))
        sealed = fields["commitment"]
    except (OSError, ValueError, KeyError, TypeError):
        fault = f"{SEAL} is missing or damaged; compare the one that was published before"
        return Verified(0, [fault], [])
    other = [f"{SEAL}: another commitment than the revealed one"] if sealed != commitment else []
    entries = [line for line in (file.lines if file else ()) if line.kind == "entry"]
    times = [line.time("received", "time") for line in entries]
    try:
        made = datetime.fromisoformat(fields["made"])
        late = sum(time is not None and time < made for time in times)
    except (KeyError, TypeError, ValueError):
        late = 0
    return Verified(1, other, [f"{SEAL}: {describe_late_seal(late)}"] if late else [])


def _verify_files(folder: Path, below: str, files: Mapping[str, str], fault: str) -> Verified:
    """Return the outcome for files below a folder, by their digests."""
    checked, problems, root = 0, list[str](), folder / below
    for name, sha256 in sorted(files.items()):
        path, shown = root / name, printable(Path(below, name))
        if not path.resolve().is_relative_to(root.resolve()):
            problems.append(f"{shown}: leads out of the folder")
            continue
        checked += 1
        if not path.is_file():
            problems.append(f"{shown}: missing")
        elif digest_of(path)[0] != sha256:
            problems.append(f"{shown}: {fault}")
    return Verified(checked, problems, [])


def _verify_version(
    lines: Sequence[ReceiptLine], number: int, files: Mapping[str, str], salt: str | None
) -> Verified:
    """Return the outcome for the version in force at the end: it has the last version's receipt."""
    last = next((line for line in reversed(lines) if line.kind == "version"), None)
    if last is None or last.fields.get("number") != number:
        which = "no version" if last is None else last.name
        return Verified(0, [f"version {number} is revealed, and the chain ends with {which}"], [])
    if commit_to_files(str(salt), files) != last.fields.get("files"):
        return Verified(0, [f"the files of version {number} are not what its receipt says"], [])
    return Verified(1, [], [])


def _read_text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{printable(path)} cannot be read: {describe_exception(error)}") from None
