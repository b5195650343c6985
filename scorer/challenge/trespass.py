"""A submission's path that leads where no submission lies: to the truth, a key, or the system.

Checkouts of pull requests and unpacked archives can hold links, and a link to
the truth would score as a perfect submission.
"""

from __future__ import annotations

import os
import re
from contextlib import suppress
from pathlib import Path

from scorer.challenge.model import KEY, Challenge
from scorer.core.problems import Problem

SYSTEM = tuple(map(Path, ("/proc", "/sys", "/dev")))
MEMORY = Path("/dev/shm")  # plain files, though below /dev
STREAM = re.compile(r"/dev/.*|/proc/[^/]+/fd/[0-9]+")  # links to what is open already


def trespass(challenge: Challenge, path: Path) -> Problem | None:
    """S101 where a submission's path leads to what is no participant's file; None where it is fine.

    Refused are the challenge's own files, by whatever name; links out of the folder that they
    stand in; and what lies below /proc, /sys and /dev.

    Args:
        challenge: the challenge; its baselines and the submissions of its examples are fine.
        path: the submission, as it was named.
    """
    with suppress(OSError, ValueError):  # the reader says what is wrong with it
        if any(_same(path, file) for file in _own_files(challenge)):
            return Problem("S101", "this is a file of the challenge, not a submission")
        there = Path(os.path.normpath(f"/{os.path.abspath(path).lstrip('/')}"))
        target = Path(os.path.realpath(there))
        if not target.is_relative_to(MEMORY) and any(map(target.is_relative_to, SYSTEM)):
            return Problem("S101", f"this is a file of the system (below {target.parts[1]})")
        if not STREAM.fullmatch(str(there)) and (link := _astray(there)) is not None:
            what = "this is" if link == there else f"'{link.name}' in its path is"
            return Problem(
                "S101",
                f"{what} a link that leads out of its folder",
                help="name the file itself, or copy it to where the link stands",
            )
    return None


def _own_files(challenge: Challenge) -> list[Path]:
    """The files of the challenge that are no submission."""
    fine = {
        *challenge.leaderboard.baselines,
        *(example.submission for example in challenge.examples),
    }
    return [*(path for path in challenge.files if path not in fine), challenge.folder / KEY]


def _same(path: Path, file: Path) -> bool:
    try:
        return os.path.samefile(path, file)
    except FileNotFoundError:
        return False


def _astray(path: Path) -> Path | None:
    """The first link of a path that leads out of the folder it stands in.

    Of the folders above, only those below the current one are looked at: where the system keeps
    its folders is its own affair.
    """
    here = Path.cwd()
    inside = [
        folder_above
        for folder_above in path.parents
        if folder_above != here and folder_above.is_relative_to(here)
    ]
    for link in [*reversed(inside), path]:
        folder = os.path.realpath(link.parent)
        if link.is_symlink() and not Path(os.path.realpath(link)).is_relative_to(folder):
            return link
    return None
