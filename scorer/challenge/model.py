"""challenge.yaml as data.

Binds no metric and no plugin: a measure is still its notation here. What the
file says is checked once, as a whole; every problem names its line and the
path of its key. The models are the documentation too: `schema` hands their
descriptions to editors.
"""

# no `from __future__ import annotations`: pydantic would have to compile each of them again
import os
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import (
    AfterValidator,
    Discriminator,
    Field,
    PrivateAttr,
    Tag,
    WithJsonSchema,
    model_validator,
)

from scorer.bytes.address import is_url
from scorer.bytes.limits import ReadLimits as ReadLimits
from scorer.challenge import phases as living
from scorer.challenge.fields import (
    SCALAR,
    Before,
    Count,
    File,
    Files,
    Name,
    Number,
    Or,
    Share,
    Size,
    Text,
    Whole,
    Word,
    YamlSection,
    as_flag,
    as_number,
    as_text,
    as_whole,
    as_written,
    bare,
    switch,
    wrong,
)
from scorer.challenge.forms import Formed, KeyFile, Texts, cut_of, keys_of
from scorer.challenge.yaml import YamlValue
from scorer.core.formula import FormulaError, parse
from scorer.core.text import nearest, quoted
from scorer.formats.form import FileForm
from scorer.tables.schema import EXTRA, NUMBER

FILE = "challenge.yaml"
FOLDER = ".scorer"  # of the store, beside challenge.yaml
KEY = ".scorer-key"  # a secret beside it, by which the fingerprint is keyed

COLUMNS = {
    "list": "what is scored one by one: a query, a user",
    "item": "what a list ranks or rates",
    "grade": "how relevant the item is; without it every row has grade 1",
    "subtopic": "which aspect of the list the grade is for",
    "rating": "the true rating",
    "better": "the item that is preferred",
    "worse": "the item that the other is preferred to",
    "label": "the class; with `multilabel`, several of them",
    "target": "the true number",
    "weight": "how much the row counts; default: all alike",
    "probability": "how likely the preference, or a class, is; of classes a column for each: "
    "[setosa, virginica] or {setosa: p1, virginica: p2}; a single one is the positive class's",
    "rank": "place in the list, from 1",
    "score": "the number to order items by, highest first; of classes any number that is higher "
    "the likelier the positive one is, for AUROC and AveragePrecision",
    "prediction": "the predicted rating, or number",
    "low": "lower end of the prediction's interval",
    "high": "upper end of the prediction's interval",
    "group": "the slice that the list belongs to",
    "cluster": "what dependent lists share, such as a user or a document",
    "fold": "the fold that the row belongs to",
    "users": "how many past users know the item",
    "features": "what the item is described by: several columns",
    "extra": "further columns that metrics know by name: [phase], which are text, or "
    "{degree: number, embedding: vector, genres: classes}",
}

ROLES = {
    "truth": (
        *("list", "item", "grade", "subtopic", "rating", "better", "worse"),
        *("label", "target", "weight", "extra"),
    ),
    "lists": ("list", "group", "cluster", "extra"),
    "items": ("item", "list", "users", "features", "extra"),
    "history": ("list", "item"),
    "exclude": ("list", "item"),
    "likelihood": ("list", "better", "worse", "probability"),
    "folds": ("list", "item", "fold"),
    "submission": (
        *("list", "item", "rank", "score", "prediction", "low", "high", "better", "worse"),
        *("label", "probability", "extra"),
    ),
}

MOST_DRAWS = 1_000_000  # each is kept for every submission

# columns with a field of their own, since they are more than a name
FIELD_ROLES = {
    "truth": ("extra",),
    "lists": ("extra",),
    "items": ("users", "features", "extra"),
    "submission": ("probability", "extra"),
}


def _range(value: Any) -> Any:
    if not isinstance(value, list) or len(value) != 2:
        raise wrong(f"{as_written(value)} is not a range; write [1, 5]")
    low, high = map(as_number, value)
    if not low < high:
        raise wrong(f"{as_written(value[0])} is not below {as_written(value[1])}")
    return low, high


KINDS = ("text", "number", "vector", "classes")  # of further columns


def _extra(value: Any) -> Any:
    """Further columns, name -> kind; those of a list are text."""
    if isinstance(value, list | tuple):
        return {as_text(name): "text" for name in value}
    if not isinstance(value, dict):
        return {as_text(value): "text"}
    for name, kind in value.items():
        if as_text(kind) not in KINDS:
            similar = nearest(as_text(kind), KINDS)
            hint = f"; did you mean {quoted(similar)}?" if similar else ""
            choices = f"{', '.join(KINDS[:-1])} or {KINDS[-1]}"
            raise wrong(f"{quoted(name)} cannot be {as_written(kind)}; it can be {choices}{hint}")
    return {name: as_text(kind) for name, kind in value.items()}


Extra = Annotated[dict[Name, str], Before(_extra)]


def extra_roles(extra: Mapping[str, str]) -> dict[str, str]:
    """The role of each further column, and what it is called."""
    return {f"{NUMBER if kind == 'number' else EXTRA}{name}]": name for name, kind in extra.items()}


def _classes(value: Any) -> Any:
    """Columns of probabilities by their classes; a single column has the class ''."""
    if isinstance(value, list):
        names = [as_text(name) for name in value]
        return dict(zip(names, names, strict=True))
    return value if isinstance(value, dict) else {"": as_text(value)}


def _distinct(names: tuple[str, ...]) -> tuple[str, ...]:
    for n, name in enumerate(names):
        if name in names[:n]:
            raise wrong(f"{quoted(name)} is written twice")
    return names


def column_schema(section: str) -> dict[str, Any]:
    """The JSON Schema of a section's columns."""
    names = {role: SCALAR | {"description": COLUMNS[role]} for role in ROLES[section]}
    if "features" in names:
        names["features"] |= {"type": "array", "items": SCALAR}
    if "extra" in names:
        kinds = {"type": "object", "additionalProperties": {"enum": [*KINDS]}}
        texts = {"type": "array", "items": SCALAR}
        names["extra"] = {"anyOf": [texts, kinds], "description": COLUMNS["extra"]}
    if section == "submission":
        many = ({"type": "array", "items": SCALAR}, {"type": "object"})
        names["probability"] = {"anyOf": [SCALAR, *many], "description": COLUMNS["probability"]}
    return {"type": "object", "properties": names, "additionalProperties": False}


ONE_OR_MANY: dict[str, Any] = {"anyOf": [SCALAR, {"type": "array", "items": SCALAR}]}

MEASURE = {
    "type": "object",
    "anyOf": [{"required": ["metric"]}, {"required": ["kaggle"]}, {"required": ["score"]}],
    "properties": {
        "metric": {"type": "string", "description": "name or notation: nDCG, nDCG@10, AP(rel=2)"},
        "id": {**SCALAR, "description": "what the measure is called in results; default: its name"},
        "primary": {"type": "boolean", "description": "ranks by this measure; default: the first"},
        "kaggle": {"type": "string", "description": "a Python file with Kaggle's score function"},
        "better": {
            "enum": ["higher", "lower"],
            "description": "of a Kaggle file's values, or of a score where that does not follow",
        },
        "score": {
            "type": "string",
            "description": "a formula of other measures' ids, in place of a metric: "
            "0.3*carts + 0.7*orders; numbers, + - * / ( ), min, max, sqrt",
        },
        "per": {
            "enum": ["mean", "list"],
            "description": "a score of whole submissions' values, or of each list's; default: mean",
        },
        "average": {
            **ONE_OR_MANY,
            "description": "lists, pooled, or group; columns of the lists' file name groups, from "
            "the innermost: [pooled, phase]",
        },
        "aggregate": {
            **ONE_OR_MANY,
            "description": "how lists, or the outermost groups, make one number: mean, sum, "
            "median, geometric, power(-5); or of each level, from the lists outwards",
        },
        "weights": {
            **ONE_OR_MANY,
            "description": "how much each counts: a column of the lists' file, or size, of groups; "
            "or of each level, none where all count alike",
        },
        "group": {**SCALAR, "description": "only lists of this group count"},
        "unit": {
            "enum": ["list", "group", "item"],
            "description": "what intervals and tests draw: lists, groups of lists, or the items "
            "of ratings; default: list",
        },
    },
    "additionalProperties": {"description": "a parameter of the metric, such as k or cutoffs"},
}

MULTILABEL = (
    "what separates several labels in a cell of the file, such as ','; written in one of truth "
    "and submission, it holds for both; default: a cell is one label"
)


class Source(Formed):
    """A file of the organizer's."""

    file: File = Field(description="path, relative to challenge.yaml and inside its folder")
    format: Name | None = Field(
        None, description="csv, lists, trec, jsonl or parquet; default: by the file's suffix"
    )
    columns: dict[str, Name] = Field({}, description="what the file calls its columns")

    @model_validator(mode="before")
    @classmethod
    def _path(cls, value: Any) -> Any:
        return {"file": value} if isinstance(value, YamlValue | str | Path) else value


class Described(Source):
    """A file whose further columns reach metrics. `extra` is written among its columns."""

    extra: Extra = Field({}, description=COLUMNS["extra"])

    @property
    def further(self) -> dict[str, str]:
        """The role of each further column, and what it is called."""
        return extra_roles(self.extra)


class Truth(Described):
    """The hidden answers."""

    multilabel: Name | None = Field(None, description=MULTILABEL)


class Items(Described):
    """The catalogue. `users` and `features` are written among its columns."""

    users: Name | None = None
    features: tuple[Name, ...] = ()


class Length(YamlSection):
    """How many items a list may have."""

    min: Whole | None = Field(None, description="the least number")
    max: Count | None = Field(None, description="the greatest number")

    @model_validator(mode="before")
    @classmethod
    def _exact(cls, value: Any) -> Any:
        if isinstance(value, YamlValue | int):
            return {"min": (exactly := as_whole(value)), "max": exactly}
        return value

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        if self.min is not None and self.max is not None and self.min > self.max:
            raise wrong(f"min {self.min} is above max {self.max}")
        return self


class Limits(YamlSection):
    """What a submission may cost to read."""

    size: Size = Field(1 << 30, description="bytes of the file: 20MB, 1GiB")
    unpacked: Size = Field(4 << 30, description="bytes once decompressed")
    rows: Count = Field(50_000_000, description="rows")
    list: Count = Field(4_000_000, description="rows of one list")
    line: Size = Field(1 << 20, description="bytes of one line")
    ids: Count = Field(20_000_000, description="different ids")
    ratio: Count = Field(100, description="unpacked bytes for each compressed one")
    careful: Count = Field(
        2_000_000, description="lines that can only be read one by one; a JSON document's row is 4"
    )
    errors: Count = Field(200_000, description="errors in rows, after which reading ends")

    @property
    def bounds(self) -> ReadLimits:
        """The same for a reader of files."""
        return ReadLimits(**dict(self))


class Submission(Formed):
    """What a submission must be."""

    format: Name | None = Field(
        None, description="csv, lists, trec, jsonl or parquet; default: by the file's suffix"
    )
    columns: Annotated[dict[str, Name], WithJsonSchema(column_schema("submission"))] = Field(
        {}, description="what the file calls its columns"
    )
    length: Annotated[Length | None, Or({"type": "integer", "minimum": 1})] = Field(
        None, description="items of each list: exactly 10, or {min: 1, max: 10}; default: any"
    )
    complete: Annotated[bool | None, Before(as_flag)] = Field(
        None,
        description="whether each list has to have all of its candidates; default: where items has "
        "the candidates of lists, and a measure compares orders (Tau, TauAP, Rho)",
    )
    range: Annotated[tuple[Number, Number] | None, Before(_range)] = Field(
        None, description="lowest and highest prediction, score or probability allowed"
    )
    classes: Annotated[tuple[Name, ...], AfterValidator(_distinct)] = Field(
        (), description="the labels there are, in their order; default: those of the truth"
    )
    probability: Annotated[dict[str, Name], Before(_classes)] = Field(
        {}, description="of each class the column of its probability; written among the columns"
    )
    numbers: Texts = Field(
        (),
        description="groups of lists, such as a part, whose label is a number to predict: measures "
        "of numbers are about these, those of classes about the others",
    )
    extra: Extra = Field({}, description=COLUMNS["extra"])
    multilabel: Name | None = Field(None, description=MULTILABEL)
    rank_gaps: Annotated[Literal["error", "keep"], Word] = Field(
        "error",
        description="ranks that a list leaves out: refused, or kept as slots without an item",
    )
    sums: Annotated[Literal["exact", "normalize"], Word] = Field(
        "normalize",
        description="probabilities of a row whose sum is more than 1e-6 from 1: refused, or "
        "divided by it",
    )
    missing_list: Annotated[Literal["error", "zero", "skip"], Word] | None = Field(
        None, description="a list that a submission lacks: refused, scored as empty, or left out"
    )
    unknown_list: Annotated[Literal["error", "ignore"], Word] = Field(
        "error", description="a list that the challenge does not have"
    )
    ties: Annotated[
        Literal["item-desc", "item-asc", "file", "expected", "mean-rank", "error"], Word
    ] = Field(
        "item-desc",
        description="order of equal scores: by item, downwards as in trec_eval or upwards; "
        "as in the file; the mean over all orders; each at the mean of their ranks, as knowledge "
        "graphs have it; or refused",
    )
    limits: Limits = Field(Limits(), description="limits on the size of a submission")

    @model_validator(mode="after")
    def _one_label(self) -> Self:
        if self.numbers and (self.probability or self.multilabel):
            raise wrong("beside numbers a row has one label, no probabilities and not several")
        return self


def _one_or_many(value: Any) -> Any:
    """Texts; of an entry that says nothing, ''."""
    if not isinstance(value, list | tuple):
        value = [value]
    return tuple("" if bare(entry) is None else as_text(entry) for entry in value)


def _aggregates(names: tuple[str, ...]) -> tuple[str, ...]:
    from scorer.stats.aggregate import aggregate  # computes with numpy, which reading does not need

    for name in names:
        try:
            aggregate(name)
        except ValueError as error:
            raise wrong(f"{quoted(name)} is no aggregate; {error}") from None
    return names


def _formula(text: str) -> str:
    try:
        parse(text)
    except FormulaError as error:
        raise wrong(str(error), "C125") from None
    return text


OneOrMany = Annotated[tuple[str, ...], Before(_one_or_many)]


class MeasureSpec(YamlSection):
    """A measure as challenge.yaml has it; not looked up in the registry yet."""

    notation: Name
    params: dict[str, Any] = Field({})
    id: Name | None = None
    primary: Annotated[bool, Before(as_flag)] = False
    kaggle: File | None = None  # a file with Kaggle's function `score`, whose metric it is
    better: Annotated[Literal["higher", "lower"], Word] | None = None  # of such a file, or a score
    score: Annotated[Text, AfterValidator(_formula)] | None = None  # of other measures
    per: Annotated[Literal["mean", "list"], Word] = "mean"  # what a score is a formula of
    average: OneOrMany = ()  # lists, pooled, or columns of the lists whose groups are averaged
    aggregate: Annotated[OneOrMany, AfterValidator(_aggregates)] = ()
    weights: OneOrMany = ()  # columns of the lists, or size; '' for none
    group: Name | None = None  # the lists that count
    unit: Annotated[Literal["list", "group", "item"], Word] = "list"  # what is resampled
    key: str = ""

    @property
    def part_ids(self) -> tuple[str, ...]:
        """The ids of the measures that its formula names."""
        return () if self.score is None else parse(self.score).names


Measures = tuple[
    Annotated[MeasureSpec, WithJsonSchema({"anyOf": [{"type": "string"}, MEASURE]})], ...
]


def _one_primary(specs: tuple[MeasureSpec, ...]) -> tuple[MeasureSpec, ...]:
    """The first is primary where none says that it is."""
    if not specs:
        raise wrong("at least one measure is needed")
    if any(spec.primary for spec in specs):
        return specs
    return tuple(spec.model_copy(update={"primary": n == 0}) for n, spec in enumerate(specs))


class RankBy(YamlSection):
    """Ranks from preferences between submissions, or from their ranks by several measures."""

    preference: Name | None = Field(
        None, description="how two submissions are compared on a list: RPP"
    )
    measures: Annotated[tuple[Name, ...], AfterValidator(_distinct)] = Field(
        (), description="in its place: measures of the challenge, each of which ranks all"
    )
    aggregate: Name = Field(
        description="how comparisons, or ranks, become one order: MC4, Borda, RankSum"
    )
    tie_break: tuple[Annotated[Literal["first_places", "earliest"], Word], ...] = Field(
        (),
        description="of measures: more first places, then second ones, ..; the earlier entry, on "
        "a living board",
    )

    @model_validator(mode="after")
    def _one_of_both(self) -> Self:
        if (self.preference is None) == (not self.measures):
            raise wrong("write either a preference or measures")
        if self.tie_break and not self.measures:
            raise wrong("tie_break here is of measures; leaderboard.tie_break is of preferences")
        return self


class Tiers(YamlSection):
    """How standings that cannot be told apart are found."""

    rule: Annotated[Literal["all", "first"], Word] = Field(
        "all",
        description="where a tier ends: where everything above is significantly better than "
        "everything below, or before the first that is worse than the tier's first",
    )
    test: Annotated[Literal["permutation", "wilcoxon", "t"], Word] = Field(
        "permutation",
        description="the paired test; wilcoxon's is of ranks: it finds medians of differences, "
        "which can point the other way than means",
    )
    alpha: Share = Field(0.05, description="level of the test")
    adjust: Annotated[Literal["max", "holm"], Word] = Field(
        "max", description="how p-values are adjusted for multiple comparisons"
    )


LEVEL = 0.95  # of intervals where nothing else is written


class Leaderboard(YamlSection):
    """How scorecards become standings."""

    ties: Annotated[Literal["shared"], Word] = Field(
        "shared", description="equal values share a rank: 1, 2, 2, 4"
    )
    tie_break: tuple[Name, ...] = Field(
        (), description="measures or preferences that break ties, in this order"
    )
    rank_by: Annotated[
        Annotated[Literal["primary"], Word, Tag("word")] | Annotated[RankBy, Tag("rule")],
        Discriminator(lambda value: "rule" if isinstance(value, dict | RankBy) else "word"),
    ] = Field(
        "primary",
        description="the primary measure, or a preference or several measures with an aggregate",
    )
    intervals: Annotated[
        Annotated[
            Annotated[Literal["joint"], Word, Tag("word")] | Annotated[Share, Tag("level")],
            Discriminator(lambda value: "word" if bare(value) == "joint" else "level"),
        ]
        | None,
        Before(switch(LEVEL)),
        Or({"type": "boolean"}),
    ] = Field(
        LEVEL,
        description="level of the intervals over lists; joint: those of all the ranked hold "
        "together in 95 % of boards; false: none",
    )
    tiers: Annotated[Tiers | None, Before(switch({})), Or({"type": "boolean"})] = Field(
        Tiers(), description="which submissions do not differ significantly; false: no tiers"
    )
    seed: Whole = Field(1, description="seed of all random draws")
    draws: Annotated[Count, Field(le=MOST_DRAWS)] = Field(
        10_000, description="how many resamples or permutations are drawn"
    )
    baselines: Files = Field((), description="submissions that are shown outside the ranks")
    entry: Annotated[Literal["best", "last", "selected", "all"], Word] = Field(
        "best", description="which of a team's entries counts; the best one on the shown split"
    )
    ladder: Annotated[
        Annotated[Literal["off", "auto"], Word, Tag("word")] | Annotated[Number, Tag("step")],
        Discriminator(lambda value: "step" if isinstance(bare(value), int | float) else "word"),
    ] = Field("off", description="a shown value moves only when it improves by that much")
    digits: Annotated[Count, Field(le=17)] = Field(
        4, description="significant digits of the values that participants are shown"
    )

    @property
    def joint(self) -> bool:
        """Whether the intervals of all the ranked are to hold together."""
        return self.intervals == "joint"

    @property
    def level(self) -> float | None:
        """How often an interval, or all joint ones, are to hold; None: there are none."""
        return LEVEL if isinstance(self.intervals, str) else self.intervals


class Example(YamlSection):
    """A golden case: a submission whose values are known."""

    truth: File | None = Field(None, description="a truth of its own; default: the challenge's")
    submission: File = Field(description="the submission's file")
    expect: Annotated[dict[str, Number], Field(min_length=1)] = Field(
        description="measure id: value"
    )
    tolerance: Annotated[float, Field(ge=0), Before(as_number)] = Field(
        1e-9, description="how far a value may be from the expected one"
    )


class Challenge(YamlSection):
    """Everything that challenge.yaml says, paths made absolute and defaults filled in."""

    scorer: Annotated[Literal[1], Before(as_whole)] = Field(1, description="version of this format")
    id: Name = Field("", description="short name; default: the folder's name")
    title: Text = Field("", description="full name; default: the id")
    description: Text = Field("", description="what the challenge is about, in Markdown")
    truth: Truth = Field(description="the hidden answers")
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
    submission: Submission = Field(Submission(), description="what a submission must be")
    metrics: Annotated[Measures, AfterValidator(_one_primary)] = Field(
        description="the measures; the first is primary unless one says so",
        json_schema_extra={"minItems": 1},
    )
    undefined: Annotated[Literal["error", "zero", "skip", "worst"], Word] | None = Field(
        None,
        description="a list or group for which a measure has no value: refused, 0, or left out "
        "where the truth is why; where the submission is why, with worst it counts as the lowest "
        "value there is, and with skip the submission has no value",
    )
    leaderboard: Leaderboard = Field(Leaderboard(), description="how submissions are ranked")
    examples: tuple[Example, ...] = Field((), description="cases with known values")
    timezone: living.Zone = Field(
        "UTC", description="IANA time zone of daily quotas and displayed times"
    )
    splits: living.Splits | None = Field(None, description="named parts of the lists")
    phases: tuple[living.Phase, ...] = Field((), description="spans of time with their rules")
    registration: Annotated[Literal["invite", "open"], Word] = Field(
        "open", description="whether an organizer has to make a team before its first entry"
    )
    questions: dict[Name, living.Question] = Field(
        {}, description="questions asked with each entry"
    )
    plugins: Files = Field(
        (), description="Python files with own metrics; loaded only with --allow-plugins"
    )

    _path: Path = PrivateAttr(default=Path(FILE))
    _folder: Path = PrivateAttr(default=Path())
    _root: YamlValue | None = PrivateAttr(default=None)

    @model_validator(mode="after")
    def _formed(self) -> Self:
        for name, section in (("truth", self.truth), ("submission", self.submission)):
            for word, source in (("lists", self.lists), ("items", self.items)):
                if section.lines == word and source is None:
                    message = f"the challenge has no {word}, whose rows the lines would be of"
                    raise wrong(message, "C121", name)
            vector = cut_of(section).vector
            if vector and self.items is None:
                message = "cells without item hold a value for each candidate of their list; "
                raise wrong(f"{message}items: says which these are", "C121", name)
        return self

    @model_validator(mode="after")
    def _phased(self) -> Self:
        living.refuse_contradictions(self.phases, self.splits)
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
        sources = (self.truth, *beside)
        return (
            self.path,
            *(source.file for source in sources if source is not None),
            *(keys_file.file for keys_file in self.key_files.values()),
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

    def form(self, section: Formed) -> FileForm:
        """The form of a submission, or of one of the files, with the public files it needs."""
        lines, form = section.lines, cut_of(section)
        keys = candidates = None
        if isinstance(lines, KeyFile):
            keys = keys_of(lines, "item" in lines.columns)
        elif lines is not None:
            source = self.lists if lines == "lists" else self.items
            if source is not None:
                keys = keys_of(source, lines == "items")
        if form.vector and self.items is not None:
            candidates = keys_of(self.items, True)
        return form._replace(
            lines=keys,
            candidates=candidates,
            json=tuple(section.document.items()),
            parts=tuple(section.parts.items()),
        )

    @property
    def parted(self) -> bool:
        """Whether lists are in parts: of several files, or of columns."""
        sections = (self.truth, self.submission)
        return any(section.parts or "list" in section.wide for section in sections)

    @property
    def key_files(self) -> dict[str, KeyFile]:
        """The files that say what lines are about, by the keys of challenge.yaml."""
        sections = {"submission": self.submission, "truth": self.truth, "lists": self.lists}
        sections["items"] = self.items
        return {
            f"{name}.lines": section.lines
            for name, section in sections.items()
            if section is not None and isinstance(section.lines, KeyFile)
        }

    @property
    def classes(self) -> tuple[str, ...]:
        """The labels that it declares, else those with a column of probabilities."""
        named = self.submission.probability
        return self.submission.classes or (tuple(named) if len(named) > 1 else ())

    @property
    def separators(self) -> tuple[str | None, str | None]:
        """The separators of the labels in a cell of the truth and in one of a submission."""
        truth, submission = self.truth.multilabel, self.submission.multilabel
        return truth or submission, submission or truth

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
        """A copy with these measures instead, the first primary.

        Args:
            notations: of measures; an `id` of the challenge stands for its measure.
        """
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
        return self.model_copy(update={"metrics": _one_primary(tuple(specs))})

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
        file = path if is_url(str(path)) else Path(os.path.realpath(path))
        update = {"file": file, "format": format_name}
        return self.model_copy(update={"truth": self.truth.model_copy(update=update)})
