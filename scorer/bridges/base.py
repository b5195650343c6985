"""A challenge that is to run on a platform, and what every bundle is made of."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from scorer.challenge.model import FOLDER, KEY, Challenge
from scorer.challenge.phases import Phase
from scorer.challenge.words import SHOWN_WORDS
from scorer.core.errors import UsageError
from scorer.core.registry import Registry, discover, mark
from scorer.core.text import printable
from scorer.metrics.measure import Measure
from scorer.prepare.bind import BoundChallenge

TEMPLATES = Path(__file__).parent / "templates"
FOREVER = 1000  # entries, where a platform wants a number and the challenge has none


class Subject(NamedTuple):
    """A challenge with everything that bundles are made of."""

    challenge: Challenge
    measures: Sequence[Measure]  # the primary first
    files: Mapping[str, bytes]  # of the challenge, by their paths in its folder
    kit: bytes
    image: str  # a container image with `score`
    now: datetime
    prepared: BoundChallenge

    @property
    def title(self) -> str:
        """The title, in one line."""
        return " ".join(self.challenge.title.split())

    @property
    def parts(self) -> bool:
        """Whether a submission is several files."""
        return bool(self.challenge.submission.parts)

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
        return tuple(dict.fromkeys(name for name in shown if name not in SHOWN_WORDS))

    def better(self, higher: Any, lower: Any) -> dict[str, Any]:
        """Measure id -> one of two words, by its direction."""
        return {m.id: higher if m.metric.better == "higher" else lower for m in self.measures}


class Bundle(NamedTuple):
    """The files of an export, by path; those that are commands; what the platform cannot say."""

    files: Mapping[str, bytes]
    runnable: frozenset[str] = frozenset()
    lost: tuple[str, ...] = ()
    next: tuple[str, ...] = ()  # what the organizer does with it


class PlatformRun(NamedTuple):
    """How the bundle's command ended for one submission."""

    code: int
    seconds: float
    seen: str  # what the participant is shown
    values: Mapping[str, float]  # what the platform reads; empty where it reads nothing
    others: tuple[Mapping[str, float], ...] = ()  # of other splits


# bundle, submission, an empty folder, and the command that `score` is there
Rehearse = Callable[[Path, Path, Path, str], PlatformRun]


class Platform(NamedTuple):
    """A platform: what a bundle for it holds, and how one of its runs is rehearsed."""

    name: str
    function: Callable[[Subject], Bundle]
    rehearse: Rehearse
    known_by: str  # a file that only its bundles have
    challenge: str  # where they have the challenge: a folder, or an archive of one
    computes: bool = False  # it does not run `score`: code of its own has the primary measure
    aliases: tuple[str, ...] = ()


def platform(
    name: str, known_by: str, challenge: str, rehearse: Rehearse, *, computes: bool = False
) -> Callable[[Any], Any]:
    """Make a function from a subject to a bundle the platform of that name."""
    return lambda function: mark(
        function, Platform(name, function, rehearse, known_by, challenge, computes)
    )


@cache
def platforms() -> Registry[Platform]:
    """Every platform there is."""
    return discover("platform", "scorer.bridges.platforms", Platform)


def challenge_files(challenge: Challenge) -> dict[str, bytes]:
    """The files of a challenge by their paths in its folder, its secret key, too.

    `UsageError` if one lies outside of the folder, or cannot be read.
    """
    own, *others = challenge.files
    paths = dict.fromkeys((challenge.folder / own.name, *others, challenge.folder / KEY))
    files: dict[str, bytes] = {}
    for path in paths:
        place = challenge.folder / path
        if not place.is_relative_to(challenge.folder) or ".." in place.parts:
            raise UsageError(f"{printable(path)} is outside of the challenge's folder: copy it in")
        if place.name == KEY and not place.exists():
            continue
        name = place.relative_to(challenge.folder).as_posix()
        if name.split("/")[0] == FOLDER:
            continue
        try:
            files[name] = place.read_bytes()
        except OSError as error:
            raise UsageError(f"{printable(path)} cannot be read: {error.strerror}") from None
    if challenge.path.name != "challenge.yaml":
        files["challenge.yaml"] = files.pop(challenge.path.name)
    return files


def derived(image: str, platform: str) -> str:
    """The name of an image that a bundle's Dockerfile makes of another one.

    >>> derived("registry.org:5000/scorer@sha256:00", "tira")
    'registry.org:5000/scorer-tira'
    """
    return f"{image.partition('@')[0]}-{platform}"


def within(folder: str, files: Mapping[str, bytes]) -> dict[str, bytes]:
    """The files in a folder of a bundle."""
    return {f"{folder}/{name}": data for name, data in files.items()}


def template(name: str) -> bytes:
    """A file that bundles hold as it is; none of ours is for the Python that runs this."""
    return (TEMPLATES / f"{name}.in").read_bytes()


def bridge(
    subject: Subject,
    form: str,
    result: str,
    splits: Sequence[str] = (),
    *,
    page: str | None = None,
    always: Mapping[str, Any] | None = None,
    stdout: bool = False,
    shown: Mapping[str, Sequence[str]] | None = None,
) -> dict[str, bytes]:
    """The bridge and its settings.

    Args:
        form: the result file's form.
        result: its name in the folder of results.
        splits: whose values it holds; all lists where there are none.
        page: an HTML report beside it.
        always: a result that is written where there is none, with `output`.
        stdout: whether participants are shown standard output.
        shown: phase -> splits whose values its participants are shown.
    """
    said = {
        "form": form,
        "result": result,
        "splits": list(splits),
        "parts": subject.parts,
        "options": ["--allow-plugins"] if subject.challenge.plugins else [],
        "page": page,
        "always": always,
        "stdout": stdout,
        "shown": shown,
    }
    settings = json.dumps(said, indent=1, ensure_ascii=False) + "\n"
    return {"bridge.py": template("bridge.py"), "bridge.json": settings.encode()}


def utc(time: datetime) -> str:
    """A time as platforms read it: in UTC without an offset, which some drop, others refuse."""
    return time.astimezone(UTC).strftime("%Y-%m-%d %H:%M:%S")


def yaml_text(value: Any) -> bytes:
    """YAML in the order of the keys."""
    text = yaml.safe_dump(value, sort_keys=False, allow_unicode=True, width=100)
    return text.encode()


def json_text(value: Any) -> bytes:
    """JSON in the order of the keys."""
    return (json.dumps(value, indent=1, ensure_ascii=False, allow_nan=False) + "\n").encode()
