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

from scorer.challenge.model import CHALLENGE_FILE, Challenge
from scorer.core.errors import ChallengeError
from scorer.core.problems import Problem
from scorer.core.text import KIT, display_path, printable, quoted
from scorer.reading.limits import HARMLESS_SIZE
from scorer.reading.unpack import ZIP_DAMAGE, ZIP_METHODS, read_zip_directory

# A kit's challenge.yaml names a truth file that begins so and does not exist.
ABSENT_TRUTH_PREFIX = "truth-is-not-in-this-kit"
NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}")
MOST_FILES = 100  # a kit of `score kit` has about ten
MOST_DIRECTORY = 1 << 16  # bytes of the archive's list of files; 100 names take 15,000
MOST_STORED = 1 << 30  # bytes, the default limit of a submission
MOST_UNPACKED = 4 << 30  # bytes on the disk, likewise
MOST_RATIO = 1000  # unpacked bytes to stored ones; tables have 3 to 30, bombs 1,000 and more
PIECE_SIZE = 1 << 20  # bytes that are unpacked at once, so that memory stays small
ENCRYPTED = 1  # the bit of an archive's `flag_bits` that says so


@contextmanager
def open_kit(path: Path) -> Iterator[Path]:
    """Yield the path unchanged, or, if it is a kit's zip file, a temporary folder with its files.

    Raises:
        ChallengeError: It is a zip file, but no kit, or a dangerous one.
    """
    # `Path.is_file` raises if a name is too long; reading the file reports that.
    if not os.path.isfile(path) or not zipfile.is_zipfile(path):
        yield path
        return
    with tempfile.TemporaryDirectory(prefix=KIT, ignore_cleanup_errors=True) as temporary:
        folder = Path(temporary, path.name)  # so that messages can name the kit
        folder.mkdir()
        _unpack(path, folder)
        yield folder


def _unpack(path: Path, folder: Path) -> None:
    """Write the files of a kit into a folder; raise `ChallengeError` if it is no kit."""
    try:
        _check_size(path)
        with zipfile.ZipFile(path) as archive:
            for member in _check_members(path, archive):
                with archive.open(member) as packed, (folder / member.filename).open("xb") as out:
                    shutil.copyfileobj(packed, out, PIECE_SIZE)
    except (*ZIP_DAMAGE, zlib.error, EOFError) as error:
        raise _kit_error(path, "T108", "the archive is damaged") from error
    except OSError as error:
        reason = error.strerror or error  # an error that Python itself raises has no number
        raise _kit_error(path, "T101", f"it cannot be unpacked: {reason}") from error


def _check_size(path: Path) -> None:
    """Refuse an archive that announces too much, before its list of files is read."""
    if path.stat().st_size > MOST_STORED:
        raise _kit_error(path, "T104", f"the kit is larger than {MOST_STORED >> 30} GiB")
    try:
        with path.open("rb") as stream:
            # `score kit` writes neither a comment nor ZIP64.
            directory = read_zip_directory(stream, with_comment=False)
    except zipfile.BadZipFile:
        raise _kit_error(path, "T107", "this is a ZIP archive, but no kit of `score kit`") from None
    if directory.entries > MOST_FILES:
        raise _kit_error(path, "T107", f"a kit has at most {MOST_FILES} files")
    if directory.size > MOST_DIRECTORY:
        limit = f"at most {MOST_DIRECTORY >> 10} KiB"
        raise _kit_error(path, "T107", f"the list of a kit's files takes {limit}")


def _check_members(path: Path, archive: zipfile.ZipFile) -> list[zipfile.ZipInfo]:
    """Return the files of a kit, each with a name that is nothing but a name."""
    members = archive.infolist()
    names = [member.filename for member in members]
    fault = None
    for member in members:
        # Windows drops a final dot, by which two names could mean one file.
        if not NAME.fullmatch(member.filename) or member.filename.endswith("."):
            fault = f"{quoted(member.filename)} is not a plain file name"
        elif member.flag_bits & ENCRYPTED or member.compress_type not in ZIP_METHODS:
            fault = f"{quoted(member.filename)} is encrypted or packed otherwise"
    if len({name.casefold() for name in names}) < len(names):
        fault = fault or "a file is in it twice"
    elif CHALLENGE_FILE not in names:
        fault = fault or f"it has no {CHALLENGE_FILE}"
    if fault is not None:
        raise _kit_error(path, "T107", f"this is no kit: {fault}")
    unpacked_size = sum(member.file_size for member in members)
    plausible_size = max(MOST_RATIO * path.stat().st_size, HARMLESS_SIZE)
    if unpacked_size > min(MOST_UNPACKED, plausible_size):
        raise _kit_error(path, "T104", "the kit unpacks to more than is accepted")
    return members


def _kit_error(path: Path, code: str, message: str) -> ChallengeError:
    """Return the error of a kit with one problem."""
    return ChallengeError(problems=[Problem(code, message, path=str(path))])


def lacks_truth(challenge: Challenge) -> bool:
    """Return whether this is a kit and no truth was given in place of the one left out."""
    truth = challenge.truth.file
    return truth.name.startswith(ABSENT_TRUTH_PREFIX) and not truth.exists()


def refuse_without_truth(challenge: Challenge) -> None:
    """Raise `ChallengeError` if this is a kit and no truth was given in place of that left out."""
    if not lacks_truth(challenge):
        return
    kit = printable(display_path(challenge.folder))
    help = f"to check: score check {kit} SUBMISSION; with answers of your own: --truth FILE"
    message = "this is a kit, which has no truth"
    raise ChallengeError(problems=[Problem("T101", message, path=kit, help=help)])
