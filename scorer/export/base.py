"""What every bundle is made of: the challenge, the bridge that runs `score`, settings as text."""

from __future__ import annotations

import json
from base64 import b64decode
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import yaml

from scorer.challenge.model import FOLDER, KEY, Challenge
from scorer.challenge.phases import RESERVED_SPLITS, Phase
from scorer.core.errors import UsageError
from scorer.core.text import printable
from scorer.metrics.notation import Measure
from scorer.reading.write import write_file, write_folder, zip_files

TEMPLATES = Path(__file__).parent / "templates"

# The number of entries where a platform wants a limit and the challenge has none.
NO_LIMIT = 1000

# A PNG of one grey pixel, for platforms that do not take a challenge without a picture.
LOGO = b64decode(
    b"iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNoAAAAggCBd81ytgAAAABJRU5ErkJggg=="
)

T = TypeVar("T")


@dataclass(frozen=True)
class ExportContext:
    """A challenge with everything that bundles are made of.

    Attributes:
        measures: The measures of the challenge, the primary one first.
        files: The files of the challenge, by their paths in its folder.
        kit: The kit for participants, a zip archive.
        image: The name of a container image that has the command `score`.
        now: When a phase begins if the challenge does not say.
    """

    challenge: Challenge
    measures: Sequence[Measure]
    files: Mapping[str, bytes]
    kit: bytes
    image: str
    now: datetime

    @property
    def title(self) -> str:
        """The challenge's title in one line."""
        return " ".join(self.challenge.title.split())

    @property
    def phases(self) -> tuple[Phase, ...]:
        """The phases that take entries."""
        return tuple(phase for phase in self.challenge.phases if phase.after is None)

    @property
    def splits(self) -> tuple[str, ...]:
        """The splits that some phase shows, in the order of the phases."""
        if self.challenge.splits is None:
            return ()
        shown = (phase.show for phase in self.challenge.phases)
        return tuple(dict.fromkeys(name for name in shown if name not in RESERVED_SPLITS))

    def by_direction(self, higher: T, lower: T) -> dict[str, T]:
        """Return `higher` or `lower` for the id of each measure: which values are better."""
        return {
            measure.id: higher if measure.metric.better == "higher" else lower
            for measure in self.measures
        }


class Bundle(NamedTuple):
    """The files of an export.

    Attributes:
        files: The bytes of each file, by its path in the bundle.
        executables: The files that the platform starts.
        unsupported: One sentence for each part of the challenge that the platform does not have.
        next_steps: What the organizer does with the bundle.
    """

    files: Mapping[str, bytes]
    executables: frozenset[str] = frozenset()
    unsupported: tuple[str, ...] = ()
    next_steps: tuple[str, ...] = ()

    def to_zip(self) -> bytes:
        """Return the files as a zip archive."""
        return zip_files(self.files, self.executables)

    def write(self, path: str | PathLike[str]) -> None:
        """Write a zip archive if the path ends in .zip, else a new folder. Raises `UsageError`."""
        target = Path(path)
        if target.suffix == ".zip":
            write_file(target, self.to_zip())
            return
        write_folder(target, self.files)
        for name in self.executables:
            (target / name).chmod(0o755)

    def __repr__(self) -> str:
        return f"<Bundle of {len(self.files):,} files>"


Exporter = Callable[[ExportContext], Bundle]


def read_challenge_files(challenge: Challenge) -> dict[str, bytes]:
    """Return the files of a challenge by their paths in its folder, with its secret key.

    Raises:
        UsageError: A file lies outside of the folder, or cannot be read.
    """
    definition, *others = challenge.files
    key = challenge.folder / KEY
    files: dict[str, bytes] = {}
    for path in dict.fromkeys((challenge.folder / definition.name, *others, key)):
        location = challenge.folder / path
        if not location.is_relative_to(challenge.folder) or ".." in location.parts:
            raise UsageError(f"{printable(path)} is outside of the challenge's folder: copy it in")
        if location == key and not location.exists():
            continue
        name = location.relative_to(challenge.folder)
        if name.parts[0] == FOLDER:
            continue
        try:
            files[name.as_posix()] = location.read_bytes()
        except OSError as error:
            raise UsageError(f"{printable(path)} cannot be read: {error.strerror}") from None
    if challenge.path.name != "challenge.yaml":
        files["challenge.yaml"] = files.pop(challenge.path.name)
    return files


def derived_image(image: str, platform: str) -> str:
    """Return the name of the image that a bundle's Dockerfile makes of another one.

    >>> derived_image("registry.org:5000/scorer@sha256:00", "tira")
    'registry.org:5000/scorer-tira'
    """
    return f"{image.partition('@')[0]}-{platform}"


def in_folder(folder: str, files: Mapping[str, bytes]) -> dict[str, bytes]:
    """Return files with their paths moved into a folder of the bundle."""
    return {f"{folder}/{name}": data for name, data in files.items()}


def template(name: str) -> bytes:
    """Return a program that bundles hold as it is.

    The programs end in `.in`, since they are written for the old Python of a platform's worker.
    """
    return (TEMPLATES / f"{name}.in").read_bytes()


def bridge_files(
    context: ExportContext,
    form: str,
    result: str,
    splits: Sequence[str] = (),
    *,
    page: str | None = None,
    always: Mapping[str, Any] | None = None,
    stdout: bool = False,
    shown: Mapping[str, Sequence[str]] | None = None,
) -> dict[str, bytes]:
    """Return bridge.py, which runs `score` on a platform, and bridge.json, its settings.

    Args:
        context: The challenge.
        form: The form of the platform's result file, as `score --format` has it.
        result: The name of that file.
        splits: The splits whose values the file holds; empty: all lists.
        page: The name of an HTML report beside it.
        always: The result, together with `output`, of a submission that has no values.
        stdout: Whether participants are shown standard output instead of standard error.
        shown: The splits whose values participants are shown, by phase.
    """
    settings = {
        "form": form,
        "result": result,
        "splits": list(splits),
        "parts": bool(context.challenge.submission.parts),
        "options": ["--allow-plugins"] if context.challenge.plugins else [],
        "page": page,
        "always": always,
        "stdout": stdout,
        "shown": shown,
    }
    return {"bridge.py": template("bridge.py"), "bridge.json": format_json(settings)}


def format_utc(time: datetime) -> str:
    """Return a time in UTC without an offset: some platforms drop an offset, others refuse it."""
    return time.astimezone(UTC).strftime("%Y-%m-%d %H:%M:%S")


def format_yaml(value: Any) -> bytes:
    """Return YAML with the keys in their order."""
    return yaml.safe_dump(value, sort_keys=False, allow_unicode=True, width=100).encode()


def format_json(value: Any) -> bytes:
    """Return JSON with the keys in their order."""
    return (json.dumps(value, indent=1, ensure_ascii=False, allow_nan=False) + "\n").encode()


def unsupported_features(context: ExportContext, supported: set[str]) -> tuple[str, ...]:
    """Return one sentence for each feature of the challenge that is not in `supported`."""
    features = _features_of(context)
    return tuple(sentence for feature, sentence in features if feature not in supported)


def _features_of(context: ExportContext) -> Iterator[tuple[str, str]]:
    """Yield the features that a challenge uses, each with what to do on a platform without it."""
    challenge, board = context.challenge, context.challenge.leaderboard
    phases = challenge.phases
    yield "tiers", "tiers, tests and intervals of the board: score board, or score on the files"
    if board.ladder != "off":
        yield "ladder", "ladder: every value is shown"
    if board.rank_by != "primary":
        yield "rank_by", "rank_by: the board ranks by the first column"
    if board.tracks:
        yield "tracks", "tracks: their ranks of their own"
    if board.tie_break:
        yield "tie_break", "tie_break: equal values are in the platform's order"
    if board.baselines:
        yield "baselines", "baselines: send their files by hand"
    if board.entry in ("selected", "all") or any(phase.select for phase in phases):
        yield "selected", "entries that a team selects: the platform's rule counts"
    if any(phase.select for phase in phases):
        yield "select", "select: how many selected entries of a team count: watch it there"
    if any(phase.quota.rejected_per_day for phase in phases):
        yield "rejected", "quota.rejected_per_day: rejected files do not count there"
    if any(phase.quota.per_day or phase.quota.total for phase in phases):
        yield "quota", "quota: set it there by hand"
    if any(phase.grace for phase in phases):
        yield "grace", "grace: a phase ends at its second"
    if phases:
        yield "phases", "phases: set opening and closing times there by hand"
    if any(phase.show in ("own", "none") for phase in phases):
        yield "show", "show: own or none: hide the board there by hand"
    if challenge.grading is not None:
        yield "grading", "grading: points: score feedback, or score --format grades on the files"
        if challenge.grading.late is not None:
            yield "late", "grading.late: late files lose nothing there"
    if challenge.questions:
        yield "questions", "questions"
    if challenge.pages:
        yield "pages", "pages: copy their texts"
    if challenge.lists is not None and challenge.lists.columns.get("group"):
        yield "groups", "values of groups of lists"
