"""challenge.yaml as data.

Binds no metric and no plugin: a measure is still its notation here. What the
file says is checked once, as a whole; every problem names its line and the
path of its key. The models are the documentation too: `schema` hands their
descriptions to editors.
"""

# no `from __future__ import annotations`: pydantic would have to compile each of them again
import os
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, Field, PrivateAttr, model_validator

from scorer.challenge.fields import (
    Before,
    Files,
    Name,
    Text,
    Word,
    YamlSection,
    Zone,
    as_whole,
    wrong,
)
from scorer.challenge.forms import ClassFile, Cut, Formed, KeyFile, layout_of, row_keys_of
from scorer.challenge.grading import Grading
from scorer.challenge.leaderboard import DEFAULT_BOARD, Leaderboard
from scorer.challenge.measures import Measures, MeasureSpec, one_primary
from scorer.challenge.phases import (
    Phase,
    Question,
    Splits,
    refuse_contradictions,
    refuse_unasked,
)
from scorer.challenge.prose import Description, Pages
from scorer.challenge.sources import NO_TRUTH, Described, Example, Items, Source, Truth
from scorer.challenge.submission import DEFAULT_SUBMISSION, Submission
from scorer.challenge.yaml import YamlValue
from scorer.reading.layout import Layout, Part

FILE = "challenge.yaml"
FOLDER = ".scorer"  # of the store, beside challenge.yaml
CLASSES = "submission.classes"  # the key of a file of labels
KEY = ".scorer-key"  # a secret beside it, by which the fingerprint is keyed


class Challenge(YamlSection):
    """Everything that challenge.yaml says, paths made absolute and defaults filled in."""

    scorer: Annotated[Literal[1], Before(as_whole)] = Field(1, description="version of this format")
    id: Name = Field("", description="short name; default: the folder's name")
    title: Text = Field("", description="full name; default: the id")
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
    lists: Described | None = Field(
        None,
        description="the lists to answer, public; group: slices; cluster: those that depend on "
        "each other, which intervals and tests draw together",
    )
    items: Items | None = Field(None, description="the items there are, public")
    history: Source | None = Field(None, description="past list and item pairs, for novelty")
    exclude: Source | None = Field(
        None,
        description="list and item pairs that are taken out of submissions and of the truth before "
        "anything is scored: what was shown before (a residual collection)",
    )
    likelihood: Source | None = Field(None, description="how likely preferences are, for EDRC")
    folds: Source | None = Field(None, description="splits for cross-validation")
    submission: Submission = Field(DEFAULT_SUBMISSION, description="what a submission must be")
    metrics: Annotated[Measures, AfterValidator(one_primary)] = Field(
        (),
        description="the measures; the first is primary unless one says so; left out, one for "
        "each value where submissions are values",
        json_schema_extra={"minItems": 1},
    )
    undefined: Annotated[Literal["error", "zero", "skip", "worst"], Word] | None = Field(
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
    registration: Annotated[Literal["invite", "open"], Word] | None = Field(
        None,
        description="whether an organizer makes teams, or whoever sends is one; default: invite "
        "on a server, open for `score add`",
    )
    questions: dict[Name, Question] = Field({}, description="questions asked with each entry")
    plugins: Files = Field(
        (), description="Python files with own metrics; loaded only with --allow-plugins"
    )

    _path: Path = PrivateAttr(default=Path(FILE))
    _folder: Path = PrivateAttr(default=Path())
    _root: YamlValue | None = PrivateAttr(default=None)
    _prose: tuple[Path, ...] = PrivateAttr(default=())  # the files of its texts
    _metrics: tuple[Any, ...] = PrivateAttr(default=())  # of a Python session, as objects

    @model_validator(mode="after")
    def _formed(self) -> Self:
        for name, section in (("truth", self.truth), ("submission", self.submission)):
            for word, source in (("lists", self.lists), ("items", self.items)):
                if section.lines == word and source is None:
                    message = f"the challenge has no {word}, whose rows the lines would be of"
                    raise wrong(message, "C121", name, "lines")
            vector = layout_of(section).is_vector
            if vector and self.items is None:
                message = "cells without item hold a value for each candidate of their list; "
                raise wrong(f"{message}items: says which these are", "C121", name, "cells")
        return self

    @model_validator(mode="after")
    def _classed(self) -> Self:
        if len(self.truth.probability) == 1:
            message = "a truth has a column for each class; of a single one write label: COLUMN"
            raise wrong(message, "C106", "truth", "columns", "probability")
        return self

    @model_validator(mode="after")
    def _phased(self) -> Self:
        if self.phases:
            refuse_contradictions(self.phases, self.splits)
        return self

    @model_validator(mode="after")
    def _tracked(self) -> Self:
        if self.leaderboard.tracks:
            refuse_unasked(self.leaderboard.tracks, self.questions)
        return self

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

    def layout(self, section: Formed) -> Layout:
        """The layout of a submission, or of one of the files, with the public files it needs."""
        lines, layout = section.lines, layout_of(section)
        keys = candidates = None
        if isinstance(lines, Cut):
            keys = row_keys_of(lines, "item" in lines.columns)
        elif lines is not None:
            source = self.lists if lines == "lists" else self.items
            if source is not None:
                keys = row_keys_of(source, lines == "items")
        if layout.is_vector and self.items is not None:
            candidates = row_keys_of(self.items, True)
        return layout._replace(
            lines=keys,
            candidates=candidates,
            json=tuple(section.document.items()),
            parts=tuple(Part(*each) for each in section.parts.items()),
        )

    @property
    def parted(self) -> bool:
        """Whether lists are in parts: of several files, or of columns."""
        sections = (self.truth, self.submission)
        return any(section.parts or "list" in section.wide for section in sections)

    @property
    def key_files(self) -> dict[str, "KeyFile | ClassFile"]:
        """The files of what lines are about, and of classes, by the keys of challenge.yaml."""
        sections = {"submission": self.submission, "truth": self.truth, "lists": self.lists}
        sections["items"] = self.items
        classes = self.submission.classes
        named = {CLASSES: classes} if isinstance(classes, Cut) else {}
        return named | {
            f"{name}.lines": section.lines
            for name, section in sections.items()
            if section is not None and isinstance(section.lines, Cut)
        }

    @property
    def classes(self) -> tuple[str, ...]:
        """The labels that it declares, else those with a column of probabilities."""
        named, true = self.submission.probability, tuple(self.truth.probability)
        classes = self.submission.classes
        listed = classes if isinstance(classes, tuple) else ()
        return listed or (tuple(named) if len(named) > 1 else true)

    @property
    def separators(self) -> tuple[str | None, str | None]:
        """The separators of the labels in a cell of the truth and in one of a submission."""
        truth, submission = self.truth.multilabel, self.submission.multilabel
        return truth or submission, submission or truth

    @property
    def each(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The parts of a box in a cell of the truth and in one of a submission."""
        submission = self.submission.each or ()
        plain = tuple(part for part in submission if part != "score")
        return tuple(self.truth.each or ()) or plain, submission

    @property
    def strayed(self) -> tuple[Path, ...]:
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
        done, line, _ = self._root.reach(steps) if self._root else (0, 0, None)
        return line if done else None

    def with_metrics(self, notations: Iterable[str]) -> Self:
        """A copy with these measures instead, the first primary; an `id` stands for its measure."""
        by_id = {spec.id: spec.model_copy(update={"primary": False}) for spec in self.metrics}
        specs = [
            by_id.get(word) or self._headed(word) or MeasureSpec(notation=word, key="--metric")
            for word in notations
        ]
        named = {spec.id: spec for spec in self.metrics} | {s.notation: s for s in self.metrics}
        for spec in specs:  # those that a score is made of come with it
            for name in spec.part_ids:
                part = named.get(name)
                part_key = None if part is None else (part.id, part.notation)
                if part is not None and all((s.id, s.notation) != part_key for s in specs):
                    specs.append(part.model_copy(update={"primary": False}))
        board = self.leaderboard.model_copy(update={"pareto": None})  # which named others
        return self.model_copy(update={"metrics": one_primary(tuple(specs)), "leaderboard": board})

    def _headed(self, word: str) -> MeasureSpec | None:
        """The measure whose column a board heads `AP@10 [group]`, where only one can be meant."""
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
        """A copy with another truth, which may lie anywhere; its columns are called the same."""
        format_name = self.truth.format if path.suffix == self.truth.file.suffix else None
        update = {"file": Path(os.path.realpath(path)), "format": format_name}
        return self.model_copy(update={"truth": self.truth.model_copy(update=update)})
