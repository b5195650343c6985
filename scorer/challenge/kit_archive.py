"""A kit, unpacked safely."""

import os
import re
import shutil
import tempfile
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from scorer.challenge.model import FILE, Challenge
from scorer.core.errors import ChallengeError
from scorer.core.problems import Problem
from scorer.core.text import KIT, display_path, printable, quoted
from scorer.reading.limits import HARMLESS_SIZE
from scorer.reading.unpack import ZIP_DAMAGE, ZIP_METHODS, read_zip_directory

ABSENT = "truth-is-not-in-this-kit"  # begins the name of the truth that a kit's challenge.yaml has
NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}")
MOST_FILES = 100
MOST_DIRECTORY = 1 << 16  # bytes of the archive's list of files
MOST_STORED = 1 << 30  # bytes
MOST_UNPACKED = 4 << 30  # bytes
RATIO = 1000  # of unpacked bytes to stored ones; tables have 3 to 30
PIECE_SIZE = 1 << 20  # bytes that are unpacked at once


@contextmanager
def open_kit(path: Path) -> Iterator[Path]:
    """A challenge's path as it is, or the folder into which the kit there is unpacked meanwhile.

    `ChallengeError` if it is a zip file, but no kit or a dangerous one.
    """
    if not os.path.isfile(path) or not zipfile.is_zipfile(path):
        yield path
        return
    with tempfile.TemporaryDirectory(prefix=KIT, ignore_cleanup_errors=True) as temporary:
        folder = Path(temporary, path.name)  # so that messages can name the kit
        folder.mkdir()
        _unpack(path, folder)
        yield folder


def _unpack(path: Path, folder: Path) -> None:
    try:
        _check_size(path)
        with zipfile.ZipFile(path) as archive:
            for member in _check_members(path, archive):
                with archive.open(member) as packed, (folder / member.filename).open("xb") as out:
                    shutil.copyfileobj(packed, out, PIECE_SIZE)
    except (*ZIP_DAMAGE, zlib.error, EOFError) as error:
        raise _kit_error(path, "T108", "the archive is damaged") from error
    except OSError as error:
        raise _kit_error(path, "T101", f"it cannot be unpacked: {error.strerror}") from error


def _check_size(path: Path) -> None:
    """Refuse an archive that announces too much, before its list of files is read."""
    if path.stat().st_size > MOST_STORED:
        raise _kit_error(path, "T104", f"the kit is larger than {MOST_STORED >> 30} GiB")
    try:
        with path.open("rb") as stream:
            directory = read_zip_directory(stream, with_comment=False)
    except zipfile.BadZipFile:
        raise _kit_error(path, "T107", "this is a ZIP archive, but no kit of `score kit`") from None
    if directory.entries > MOST_FILES or directory.size > MOST_DIRECTORY:
        raise _kit_error(path, "T107", f"a kit has at most {MOST_FILES} files")


def _check_members(path: Path, archive: zipfile.ZipFile) -> list[zipfile.ZipInfo]:
    """Return the files of a kit, each with a name that is nothing but a name."""
    members = archive.infolist()
    names = [member.filename for member in members]
    fault = None
    for member in members:
        if not NAME.fullmatch(member.filename) or member.filename.endswith("."):
            fault = f"{quoted(member.filename)} is not a plain file name"
        elif member.flag_bits & 1 or member.compress_type not in ZIP_METHODS:
            fault = f"{quoted(member.filename)} is encrypted or packed otherwise"
    if len({name.casefold() for name in names}) < len(names):
        fault = fault or "a file is in it twice"
    elif FILE not in names:
        fault = fault or f"it has no {FILE}"
    if fault is not None:
        raise _kit_error(path, "T107", f"this is no kit: {fault}")
    size = sum(member.file_size for member in members)
    if size > MOST_UNPACKED or size > max(RATIO * path.stat().st_size, HARMLESS_SIZE):
        raise _kit_error(path, "T104", "the kit unpacks to more than is accepted")
    return members


def _kit_error(path: Path, code: str, message: str) -> ChallengeError:
    """Return the error of a kit with one problem."""
    return ChallengeError(problems=[Problem(code, message, path=str(path))])


def is_kit(challenge: Challenge) -> bool:
    """Whether it is a kit, which has no truth, and none was given in its place."""
    return challenge.truth.file.name.startswith(ABSENT) and not challenge.truth.file.exists()


def refuse_kit(challenge: Challenge) -> None:
    """Refuse, by `ChallengeError`, a kit, which has no truth, unless one was given in its place."""
    if not is_kit(challenge):
        return
    kit = printable(display_path(challenge.folder))
    help = f"to check: score check {kit} SUBMISSION; with answers of your own: --truth FILE"
    message = "this is a kit, which has no truth"
    raise ChallengeError(problems=[Problem("T101", message, path=kit, help=help)])
