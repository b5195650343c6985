"""What no submission may be: the challenge's own files, by whatever name."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from scorer.challenge.model import FOLDER, KEY, Challenge
from scorer.core.problems import Problem
from scorer.reading.limits import UnreadableError
from scorer.reading.open import open_file


def own_files(challenge: Challenge) -> tuple[Path, ...]:
    """The files of the challenge that are no submission, whether there or not.

    Its baselines and the submissions of its examples are fine.
    """
    fine = {
        *challenge.leaderboard.baselines,
        *(example.submission for example in challenge.examples),
    }
    truth = challenge.truth
    return (
        *(path for path in challenge.files if path not in fine),
        *(truth.file / name for name in truth.parts.values()),
        challenge.folder / KEY,
        *(challenge.folder / FOLDER).glob("*"),  # the store, and its secrets
    )


def trespass(challenge: Challenge, path: Path, own: Sequence[Path] | None = None) -> Problem | None:
    """S101 where a submission must not be opened; None where it is fine, or not there.

    What is in a folder is looked at where it is read. `own` is the challenge's
    own files, where they are known already.
    """
    own = own_files(challenge) if own is None else own
    try:
        if path.is_file():
            open_file(path, own).close()
    except UnreadableError as error:
        return error.problem
    except OSError:
        pass  # the reader says what is wrong with it
    return None
