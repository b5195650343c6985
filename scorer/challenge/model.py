"""challenge.yaml as data.

Binds no metric and no plugin: a measure is still its notation here. What the file says is checked
once, as a whole; every problem names its line and the path of its key. The models are the
documentation too: `schema` hands their descriptions to editors.
"""

import os
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    PrivateAttr,
    ValidationInfo,
    model_validator,
)

from scorer.challenge.leaderboard import DEFAULT_BOARD, Grading, Leaderboard, Question, check_tracks
from scorer.challenge.measures import MeasureSpec, choose_primary
from scorer.challenge.phases import Phase, Splits, check_phases
from scorer.challenge.roles import COLUMNS, ClassColumns, Extra, check_label, extra_roles
from scorer.challenge.submission import (
    DEFAULT_SUBMISSION,
    EACH,
    MULTILABEL,
    BoxColumns,
    ClassFile,
    FileLayout,
    KeyFile,
    NamedFile,
    Submission,
    layout_of,
    row_keys_of,
)
from scorer.challenge.types import (
    SCALAR,
    File,
    Name,
    Number,
    Section,
    ShortSection,
    UndefinedRule,
    Zone,
    field_error,
    resolve_path,
)
from scorer.challenge.yaml import YamlDocument
from scorer.core.text import quoted
from scorer.reading.layout import Layout, Part

MOST_PROSE = 100_000  # bytes of a text in a file of its own
MARKDOWN_PATH = re.compile(r"\s*\S+\.md\s*", re.IGNORECASE)
PAGE_NAME = re.compile(r"[a-z][a-z0-9-]{0,39}")
PAGES_OF_KITS = ("codes", "readme")  # so that no page of the challenge can be called so


def _read_description(value: Any, info: ValidationInfo) -> Any:
    """Return a description, or the text of the file that it names."""
    if not isinstance(value, str):
        return value
    if len(value.encode(errors="replace")) > MOST_PROSE:
        raise field_error(f"it has more than {MOST_PROSE:,} bytes", "C126")
    return _read_prose(value, info) if MARKDOWN_PATH.fullmatch(value) else value


def _read_page(value: Any, info: ValidationInfo) -> Any:
    if not isinstance(value, str):
        return value
    if (info.context or {}).get("folder") is not None and not MARKDOWN_PATH.fullmatch(value):
        raise field_error(f"{quoted(value)} is no file in Markdown, whose name ends in .md")
    return _read_prose(value, info)


def _read_prose(name: str, info: ValidationInfo) -> str:
    """Return the text of the file of that name; the name itself if the challenge has no folder."""
    if (info.context or {}).get("folder") is None:
        return name
    name = name.strip()
    path: Path = resolve_path(name, info)
    try:
        with path.open("rb") as file:
            data = file.read(MOST_PROSE + 1)
    except OSError as error:
        raise field_error(f"{quoted(name)}: {(error.strerror or '').lower()}", "C126") from None
    if len(data) > MOST_PROSE:
        raise field_error(f"{quoted(name)} has more than {MOST_PROSE:,} bytes", "C126")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise field_error(f"{quoted(name)}, line {line:,}: not UTF-8", "C126") from None


def _check_page(name: str) -> str:
    if not PAGE_NAME.fullmatch(name) or name in PAGES_OF_KITS:
        raise field_error(
            f"{quoted(name)} names no page: use small letters, digits and -, and neither "
            f"{' nor '.join(PAGES_OF_KITS)}"
        )
    return name


Description = Annotated[str, BeforeValidator(_read_description)]
PageText = Annotated[str, BeforeValidator(_read_page, Path)]
Pages = dict[Annotated[Name, AfterValidator(_check_page)], PageText]


class Source(FileLayout, NamedFile, ShortSection):
    """A file of the organizer's.

    The columns that are more than a name are fields of their own; which of them a file may have,
    `roles.FIELD_ROLES` says.
    """

    short: ClassVar[str] = "file"

    columns: Annotated[dict[str, Name], BeforeValidator(check_label)] = Field(
        {}, description="what the file calls its columns"
    )
    extra: Extra = Field({}, description=COLUMNS["extra"])
    users: Name | None = Field(None, description=COLUMNS["users"])
    features: tuple[Name, ...] = Field((), description=COLUMNS["features"])

    @property
    def further_columns(self) -> dict[str, str]:
        """Role -> name of each further column."""
        return extra_roles(self.extra)


class Truth(Source):
    """The hidden answers. `probability` is written among the columns."""

    probability: ClassColumns = Field({}, description=COLUMNS["probability"])
    multilabel: Name | None = Field(None, description=MULTILABEL)
    each: BoxColumns | None = Field(
        None,
        description=f"{EACH}; or of a file with a row for each box the columns of these: "
        "{class: name, x1: xmin, ..}; default: as in a submission, without score",
    )

    @property
    def box_columns(self) -> dict[str, str]:
        """The column of each part of a box, where a row is one; none where a cell has several."""
        return {part: column for part, column in (self.each or {}).items() if column}


NO_TRUTH = Truth.model_construct(file=Path())  # of a challenge without a truth


class Example(Section):
    """A golden case: a submission whose values are known."""

    truth: File | None = Field(None, description="a truth of its own; default: the challenge's")
    submission: File = Field(description="the submission's file")
    expect: Annotated[dict[str, Number], Field(min_length=1)] = Field(
        description="measure id: value"
    )
    tolerance: Annotated[Number, Field(ge=0)] = Field(
        1e-9, description="how far a value may be from the expected one"
    )


CHALLENGE_FILE = "challenge.yaml"
FOLDER = ".scorer"  # of the store, beside challenge.yaml
CLASSES = "submission.classes"  # the key of a file of labels
KEY = ".scorer-key"  # a secret beside it, by which the fingerprint is keyed


class Challenge(Section):
    """Everything that challenge.yaml says, paths made absolute and defaults filled in."""

    scorer: Annotated[Literal[1], SCALAR] = Field(1, description="version of this format")
    id: Name = Field("", description="short name; default: the folder's name")
    title: str = Field("", description="full name; default: the id")
    description: Description = Field(
        "", description="what the challenge is about, in Markdown, or a file such as description.md"
    )
    pages: Pages = Field(
        {}, description="further texts in Markdown, each a file: {rules: rules.md, data: data.md}"
    )
    kind: Name | None = Field(
        None,
        description="what is scored: values, whose submissions are compared without a truth; "
        "votes on pairs of systems; default: what the measures and the truth are of",
    )
    votes: dict[Name, Name] = Field(
        {},
        description="of votes, what their file calls the columns a, b, winner, list (the prompt) "
        "and judge; default: usual names, such as model_a",
    )
    truth: Truth = Field(
        default_factory=lambda: NO_TRUTH,
        description="the hidden answers; left out where the kind has none",
    )
    lists: Source | None = Field(
        None,
        description="the lists to answer, public; group: slices; cluster: those that depend on "
        "each other, which intervals and tests draw together",
    )
    items: Source | None = Field(None, description="the items there are, public")
    history: Source | None = Field(None, description="past list and item pairs, for novelty")
    exclude: Source | None = Field(
        None,
        description="list and item pairs that are taken out of submissions and of the truth before "
        "anything is scored: what was shown before (a residual collection)",
    )
    likelihood: Source | None = Field(None, description="how likely preferences are, for EDRC")
    folds: Source | None = Field(None, description="splits for cross-validation")
    submission: Submission = Field(DEFAULT_SUBMISSION, description="what a submission must be")
    metrics: Annotated[tuple[MeasureSpec, ...], AfterValidator(choose_primary)] = Field(
        (),
        description="the measures; the first is primary unless one says so; left out, one for "
        "each value where submissions are values",
        json_schema_extra={"minItems": 1},
    )
    undefined: UndefinedRule | None = Field(
        None,
        description="a list or group for which a measure has no value: refused, 0, or left out "
        "where the truth is why; where the submission is why, with worst it counts as the lowest "
        "value there is, and with skip the submission has no value",
    )
    leaderboard: Leaderboard = Field(DEFAULT_BOARD, description="how submissions are ranked")
    grading: Grading | None = Field(
        None,
        description="points for a course: {from: baseline, to: 0.75, points: 10}; score feedback, "
        "--format grades",
    )
    examples: tuple[Example, ...] = Field((), description="cases with known values")
    timezone: Zone = Field("UTC", description="IANA time zone of daily quotas and displayed times")
    splits: Splits | None = Field(None, description="named parts of the lists")
    phases: tuple[Phase, ...] = Field((), description="spans of time with their rules")
    registration: Literal["invite", "open"] | None = Field(
        None,
        description="whether an organizer makes teams, or whoever sends is one; default: invite "
        "on a server, open for `score add`",
    )
    questions: dict[Name, Question] = Field({}, description="questions asked with each entry")
    plugins: tuple[File, ...] = Field(
        (), description="Python files with own metrics; loaded only with --allow-plugins"
    )

    _path: Path = PrivateAttr(default=Path(CHALLENGE_FILE))
    _folder: Path = PrivateAttr(default=Path())
    _document: YamlDocument | None = PrivateAttr(default=None)
    _prose: tuple[Path, ...] = PrivateAttr(default=())  # the files of its texts
    # frames of a Python session, by the path in whose place they stand
    _frames: dict[Path, Any] = PrivateAttr(default_factory=dict)
    _metrics: tuple[Any, ...] = PrivateAttr(default=())  # of a Python session, as objects

    @model_validator(mode="after")
    def _check_sections(self) -> Self:
        sections = {"truth": self.truth, "submission": self.submission}
        for name, section in sections.items():
            for word, source in (("lists", self.lists), ("items", self.items)):
                if section.lines == word and source is None:
                    message = f"the challenge has no {word}, whose rows the lines would be of"
                    raise field_error(message, "C121", name, "lines")
            if layout_of(section).is_vector and self.items is None:
                message = "cells without item hold a value for each candidate of their list; "
                raise field_error(f"{message}items: says which these are", "C121", name, "cells")
        if len(self.truth.probability) == 1:
            message = "a truth has a column for each class; of a single one write label: COLUMN"
            raise field_error(message, "C106", "truth", "columns", "probability")
        check_phases(self.phases, self.splits)
        check_tracks(self.leaderboard.tracks, self.questions)
        return self

    @property
    def session_metrics(self) -> tuple[Any, ...]:
        """The metrics of a Python session, which the challenge names as objects."""
        return self._metrics

    @property
    def path(self) -> Path:
        """The YAML file, as it was named."""
        return self._path

    @property
    def folder(self) -> Path:
        """The folder that paths are relative to, absolute."""
        return self._folder

    @property
    def files(self) -> tuple[Path, ...]:
        """Every file that belongs to it, whether there or not."""
        beside = (self.lists, self.items, self.history, self.likelihood, self.folds, self.exclude)
        sources = (None if self.truthless else self.truth, *beside)
        return (
            self.path,
            *(source.file for source in sources if source is not None),
            *(keys_file.file for keys_file in self.key_files.values()),
            *self._prose,
            *([self.splits.file] if self.splits and self.splits.file else []),
            *self.leaderboard.baselines,
            *self.plugins,
            *(
                file
                for example in self.examples
                for file in (example.truth, example.submission)
                if file
            ),
        )

    @property
    def truthless(self) -> bool:
        """Whether it has no truth, and its lists are all that it says of the answers."""
        return self.truth.file == NO_TRUTH.file

    @property
    def prose(self) -> tuple[Path, ...]:
        """The files of its description and pages."""
        return self._prose

    def layout(self, section: FileLayout) -> Layout:
        """The layout of a submission, or of one of the files, with the public files it needs."""
        lines = section.lines
        layout = layout_of(section)
        keys = candidates = None
        if isinstance(lines, KeyFile):
            keys = row_keys_of(lines, lines.columns, "item" in lines.columns)
        elif lines is not None:
            source = self.lists if lines == "lists" else self.items
            if source is not None:
                keys = row_keys_of(source, source.columns, lines == "items")
        if layout.is_vector and self.items is not None:
            candidates = row_keys_of(self.items, self.items.columns, True)
        return layout._replace(
            lines=keys,
            candidates=candidates,
            json=tuple(section.document.items()),
            parts=tuple(Part(name, file) for name, file in section.parts.items()),
        )

    @property
    def has_parts(self) -> bool:
        """Whether lists are in parts: of several files, or of columns."""
        sections = (self.truth, self.submission)
        return any(section.parts or "list" in section.wide for section in sections)

    @property
    def key_files(self) -> dict[str, "KeyFile | ClassFile"]:
        """The files that say what lines are about, and of classes, by the keys that name them."""
        sections = {"submission": self.submission, "truth": self.truth, "lists": self.lists}
        sections["items"] = self.items
        classes = self.submission.classes
        class_files = {CLASSES: classes} if isinstance(classes, ClassFile) else {}
        return class_files | {
            f"{name}.lines": section.lines
            for name, section in sections.items()
            if section is not None and isinstance(section.lines, KeyFile)
        }

    @property
    def classes(self) -> tuple[str, ...]:
        """The labels that it declares, else those with a column of probabilities."""
        submitted = tuple(self.submission.probability)
        true = tuple(self.truth.probability)
        classes = self.submission.classes
        listed = classes if isinstance(classes, tuple) else ()
        return listed or (submitted if len(submitted) > 1 else true)

    @property
    def separators(self) -> tuple[str | None, str | None]:
        """The separators of the labels in a cell of the truth and in one of a submission."""
        truth = self.truth.multilabel
        submission = self.submission.multilabel
        return truth or submission, submission or truth

    @property
    def box_parts(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The parts of a box in a cell of the truth and in one of a submission."""
        submission = self.submission.each or ()
        plain = tuple(part for part in submission if part != "score")
        return tuple(self.truth.each or ()) or plain, submission

    @property
    def files_outside(self) -> tuple[Path, ...]:
        """The files that a link has taken out of the folder since the challenge was loaded."""
        inside = [path for path in self.files[1:] if path.is_relative_to(self.folder)]
        return tuple(
            path
            for path in inside
            if self.folder != Path()
            and not Path(os.path.realpath(path)).is_relative_to(self.folder)
        )

    def line(self, key: str) -> int | None:
        """The line of a key such as `metrics[1].cutoffs`, or of the nearest one above it."""
        steps = [int(n) if n else name for name, n in re.findall(r"([^.\[\]]+)|\[(\d+)\]", key)]
        path: tuple[str | int, ...] = tuple(steps)
        if self._document is None or not self._document.reach(path)[0]:
            return None  # not even its first step is in the file
        return self._document.line(path)

    def with_metrics(self, notations: Iterable[str]) -> Self:
        """Return a copy with these measures alone, by notation or id; the first is primary."""
        by_id = {spec.id: spec.model_copy(update={"primary": False}) for spec in self.metrics}
        specs = [
            by_id.get(word)
            or self._find_by_heading(word)
            or MeasureSpec(notation=word, key="--metric")
            for word in notations
        ]
        own = {spec.id: spec for spec in self.metrics} | {s.notation: s for s in self.metrics}
        # The loop sees what it appends: a formula brings the measures that it names, and theirs.
        for spec in specs:
            for part in filter(None, map(own.get, spec.part_ids)):
                part_key = (part.id, part.notation)
                if all((other.id, other.notation) != part_key for other in specs):
                    specs.append(part.model_copy(update={"primary": False}))
        board = self.leaderboard.model_copy(update={"pareto": None})  # It names other measures.
        return self.model_copy(
            update={"metrics": choose_primary(tuple(specs)), "leaderboard": board}
        )

    def _find_by_heading(self, word: str) -> MeasureSpec | None:
        """Return the measure of a board's column such as `AP@10 [group]`; None if it is unclear."""
        name, mark, _ = word.partition(" [")
        metric = re.split(r"[(@]", name)[0].casefold()
        matches = [
            spec
            for spec in self.metrics
            if spec.id is None and re.split(r"[(@]", spec.notation)[0].casefold() == metric
        ]
        if not mark or len(matches) != 1:
            return None
        return matches[0].model_copy(update={"primary": False})

    def with_truth(self, path: Path) -> Self:
        """Return a copy with another truth of the same columns, which may lie anywhere."""
        format_name = self.truth.format if path.suffix == self.truth.file.suffix else None
        update = {"file": Path(os.path.realpath(path)), "format": format_name}
        return self.model_copy(update={"truth": self.truth.model_copy(update=update)})
