"""What an organizer's bundle of another platform says, whatever the platform calls it."""

from __future__ import annotations

import posixpath
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, date, datetime
from functools import cache
from io import BytesIO
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from scorer.challenge.fields import as_written
from scorer.challenge.yaml import YamlValue, document
from scorer.core.errors import UsageError
from scorer.core.problems import Findings
from scorer.core.registry import Registry, discover, mark
from scorer.core.text import printable, quoted

LARGEST = 2 << 30  # bytes of a bundle, unpacked
MOST = 1 << 31  # entries; more are no limit
DEEPEST = 2  # archives within archives
ALLOWED = ("C104", "C108")  # a key that is given twice, and tags, which platforms read
ANY = "*"  # of a form: each key; of forms: each version
TYPES: Mapping[type, str] = {dict: "mapping", list: "list"}
TEXT = str | int | float  # of a form, whose mappings and lists are written as such
Files = Mapping[str, bytes]
Form = Any
NONE: Files = {}


class BoardColumn(NamedTuple):
    """A column of the platform's board."""

    name: str
    better: str = "higher"


class FoundChallenge(NamedTuple):
    """A challenge as a platform had it."""

    title: str
    description: str = ""
    phases: Sequence[Mapping[str, Any]] = ()  # as challenge.yaml writes them
    columns: Sequence[BoardColumn] = ()  # the first ranks
    questions: Mapping[str, Mapping[str, Any]] = {}
    reference: Files = NONE  # what the scoring program was given
    sample: tuple[str, bytes] | None = None
    program: Files = NONE  # the scoring program
    metric: str | None = None  # a Kaggle-like file of the program
    pages: Files = NONE
    notes: Sequence[str] = ()


class BundleSource(NamedTuple):
    """A platform whose bundles are read."""

    name: str
    function: Callable[[Files], FoundChallenge]
    aliases: tuple[str, ...] = ()


def source(name: str, *aliases: str) -> Callable[[Any], Any]:
    """Make a function from a bundle's files to what they say the source of that name."""
    return lambda function: mark(function, BundleSource(name, function, aliases))


@cache
def sources() -> Registry[BundleSource]:
    """Every platform whose bundles are read."""
    return discover("platform", "scorer.bridges.sources", BundleSource)


def bundle_files(path: Path) -> dict[str, bytes]:
    """The files of a bundle, a folder or a zip, by their paths; archives in it are folders.

    `UsageError` if it is neither, leads out of itself, or is too large.
    """
    room = [LARGEST]
    if path.is_dir():
        files: dict[str, bytes] = {}
        for each in sorted(path.rglob("*")):
            if each.is_file() and not each.is_symlink():
                files |= _opened_within(
                    each.relative_to(path).as_posix(), _taken(each.read_bytes(), room), room, 1
                )
        return files
    try:
        return _members(path.read_bytes(), "", room, 1)
    except OSError as error:
        raise UsageError(f"{printable(path)} cannot be read: {error.strerror}") from None
    except zipfile.BadZipFile:
        raise UsageError(f"{printable(path)} is neither a folder nor a zip file") from None
    except (RuntimeError, NotImplementedError, EOFError, zlib.error) as error:  # encrypted, say
        raise UsageError(f"{printable(path)} cannot be unpacked: {printable(error)}") from None


def _members(data: bytes, folder: str, room: list[int], depth: int) -> dict[str, bytes]:
    files: dict[str, bytes] = {}
    with zipfile.ZipFile(BytesIO(data)) as archive:
        for member in archive.infolist():
            name = posixpath.normpath(member.filename.replace("\\", "/"))
            if name.startswith(("/", "../")) or name == ".." or ":" in name.split("/")[0]:
                raise UsageError(f"a file of the bundle leads out of it: {quoted(name)}")
            if member.is_dir() or "__MACOSX" in name or name.split("/")[-1].startswith("._"):
                continue
            if member.file_size > room[0]:
                raise UsageError(f"the bundle is larger than {LARGEST >> 30} GiB, unpacked")
            with archive.open(member) as stream:
                content = _taken(stream.read(room[0] + 1), room)
            files |= _opened_within(posixpath.join(folder, name), content, room, depth)
    return files


def _opened_within(name: str, data: bytes, room: list[int], depth: int) -> dict[str, bytes]:
    """A file; an archive as the folder of its name."""
    if depth < DEEPEST and name.endswith(".zip") and zipfile.is_zipfile(BytesIO(data)):
        return _members(data, name.removesuffix(".zip"), room, depth + 1)
    return {name: data}


def _taken(data: bytes, room: list[int]) -> bytes:
    room[0] -= len(data)
    if room[0] < 0:
        raise UsageError(f"the bundle is larger than {LARGEST >> 30} GiB, unpacked")
    return data


def below(files: Files, folder: str) -> dict[str, bytes]:
    """The files of a folder, which may have been named as a zip; of a file that file alone."""
    name = posixpath.normpath(folder)
    if name in files:
        return {posixpath.basename(name): files[name]}
    start = f"{name.removesuffix('.zip')}/"
    return {
        path.removeprefix(start): data for path, data in files.items() if path.startswith(start)
    }


def read_yaml(
    files: Files, names: Sequence[str], forms: Mapping[str, Form]
) -> tuple[dict[str, Any], str]:
    """The settings of a bundle, and the folder that they are in.

    `UsageError` if there are none, or one has another type than the form of their version.
    """
    for path in sorted(files, key=lambda path: path.count("/")):
        if path.count("/") <= 1 and posixpath.basename(path) in names:
            for line, fault in _faults_of_yaml(files[path], forms):
                raise UsageError(f"{printable(path)}:{line}: {printable(fault, 300)}")
            try:  # as platforms read it: version 1.1, with its dates, `yes` and merges
                said = yaml.safe_load(files[path].decode("utf-8-sig"))
            except (yaml.YAMLError, ValueError, RecursionError) as error:  # a month 13, too
                raise UsageError(f"{printable(path)}: {printable(error)}") from None
            if not isinstance(said, dict):
                raise UsageError(f"{printable(path)} says nothing")
            return said, posixpath.dirname(path)
    raise UsageError(f"the bundle has no {' or '.join(names)}")


def _faults_of_yaml(data: bytes, forms: Mapping[str, Form]) -> Iterator[tuple[int | None, str]]:
    """The lines of a YAML file that cannot be read, or whose values have another type."""
    findings = Findings()
    value = document(data, findings)
    for problem in findings:
        if problem.code not in ALLOWED:
            yield problem.line, problem.message
    if value is not None and isinstance(value.data, dict):
        version = getattr(value.data.get("version"), "text", None)
        yield from _unlike(value, forms.get(version or ANY, forms[ANY]), "")


def _unlike(value: YamlValue, form: Form, at: str) -> Iterator[tuple[int | None, str]]:
    """The values that are not of a form's type; those left empty, and keys without one, are."""
    if value.data is None:
        return
    if not isinstance(value.data, type(form) if isinstance(form, dict | list) else form):
        kind = "whole number" if form is int else TYPES.get(type(form), "text")
        yield value.line, f"{at}: {as_written(value)} is not a {kind}"
    elif isinstance(form, dict) and isinstance(value.data, dict):
        for key, entry in value.data.items():
            if (part := form.get(key, form.get(ANY))) is not None:
                yield from _unlike(entry, part, f"{at}.{key}".removeprefix("."))
    elif isinstance(form, list) and isinstance(value.data, list):
        for n, entry in enumerate(value.data):
            yield from _unlike(entry, form[0], f"{at}[{n}]")


def as_utc(value: Any) -> str | None:
    """A time of a bundle, which is UTC where it has no offset; None where it is no time."""
    if isinstance(value, str):
        try:
            value = datetime.fromisoformat(value.strip().replace("Z", "+00:00"))
        except ValueError:
            return None
    if isinstance(value, date) and not isinstance(value, datetime):
        value = datetime(value.year, value.month, value.day)
    if not isinstance(value, datetime):
        return None
    zoned = value if value.tzinfo else value.replace(tzinfo=UTC)
    return zoned.isoformat(timespec="seconds")


def limit_of(value: Any) -> int | None:
    """A number of entries; None where it is none, or no limit."""
    try:
        number = int(value)
    except (TypeError, ValueError, OverflowError):
        return None
    return number if 0 < number < MOST else None


def phase(name: Any, opens: Any, closes: Any, per_day: Any, total: Any) -> dict[str, Any]:
    """A phase as challenge.yaml writes it."""
    quota = {"per_day": limit_of(per_day), "total": limit_of(total)}
    said: dict[str, Any] = {"id": str(name), "opens": as_utc(opens), "closes": as_utc(closes)}
    said["quota"] = {key: number for key, number in quota.items() if number}
    return {key: value for key, value in said.items() if value}
