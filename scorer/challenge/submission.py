"""How a file is written, and what a submission must be."""

from collections.abc import Sequence
from pathlib import PurePath
from typing import Annotated, Any, Literal, Self

from pydantic import (
    AfterValidator,
    BaseModel,
    Discriminator,
    Field,
    Tag,
    WithJsonSchema,
    model_validator,
)
from pydantic.fields import FieldInfo

from scorer.challenge.roles import (
    COLUMNS,
    Extra,
    ValueColumns,
    by_class,
    column_schema,
    one_label,
)
from scorer.challenge.types import (
    SCALAR,
    Before,
    Count,
    File,
    FormatName,
    Name,
    Number,
    Or,
    Size,
    Whole,
    Word,
    YamlSection,
    as_number,
    as_range,
    as_text,
    as_whole,
    as_written,
    bare,
    none_twice,
    wrong,
)
from scorer.challenge.yaml import YamlValue
from scorer.core.ids import TextPattern
from scorer.core.text import nearest, quoted
from scorer.reading.layout import (
    MOST_PARTS,
    NO_SEPARATOR,
    PART_MARK,
    SEPARATORS,
    WHITESPACE,
    Layout,
    RowKeysFile,
    WideColumns,
    find_diverging_role,
    is_path,
    parse_path,
    separator_of,
)
from scorer.reading.limits import ReadLimits

CELLS = ("item", "rank", "score", "prediction", "grade", "rating", "subtopic")
JSON = (
    *("list", "item", "rank", "score", "grade", "rating", "prediction", "label", "target"),
    *("better", "worse", "subtopic", "group"),
)
WIDE = ("item", "rank", "list")
TEXTS: dict[str, Any] = {"anyOf": [SCALAR, {"type": "array", "items": SCALAR}]}
MAPPING: dict[str, Any] = {"type": "object", "additionalProperties": SCALAR}


def _separator(value: Any) -> Any:
    """A separator of columns, or of several values in a cell."""
    word = as_text(value)
    if len(separator_of(word)) == 1 or word in (WHITESPACE, NO_SEPARATOR):
        return word
    similar = nearest(word, [*SEPARATORS, WHITESPACE, NO_SEPARATOR])
    hint = f"; did you mean {quoted(similar)}?" if similar else ""
    choices = f"one character, {', '.join(SEPARATORS)} or {WHITESPACE}"
    raise wrong(f"{as_written(value)} separates nothing; write {choices}{hint}")


def _texts(value: Any) -> Any:
    """One text, or a list of them."""
    return value if isinstance(value, list | tuple) else (value,)


def by_roles(roles: tuple[str, ...]) -> Before:
    """A mapping whose keys are some roles."""

    def checked(value: Any) -> Any:
        for role in value if isinstance(value, dict) else ():
            if role not in roles:
                similar = nearest(role, roles)
                hint = f"; did you mean {quoted(similar)}?" if similar else ""
                known = f"(known: {', '.join(roles)})"
                raise wrong(f"no role {quoted(role)} here{hint} {known}", "C106", role)
        return value

    return Before(checked)


def _single_role(value: Any) -> Any:
    if isinstance(value, dict) and len(value) != 1:
        message = "one role is what columns are named by; write {item: 'F*'}"
        raise wrong(message, "C106", *list(value)[1:2])
    return value


def _paths(value: Any) -> Any:
    """A mapping of roles to paths, all through the same elements."""
    paths = {}
    for role, path in value.items() if isinstance(value, dict) else ():
        text = as_text(path, role)
        if not is_path(text):
            message = f"{as_written(path)} is no path; write questions[].id, or * for each key"
            raise wrong(message, "C106", role)
        paths[role] = parse_path(text)
    if paths and (lost := find_diverging_role(paths)) is not None:
        message = f"the path of {quoted(lost)} does not lead through the elements of the others"
        raise wrong(message, "C106", lost)
    return value


def _files(value: Any) -> Any:
    """Files of one submission, by the names of its parts."""
    if not isinstance(value, dict):
        raise wrong(f"{as_written(value)} is not a mapping; write {{like: like.csv}}")
    for part, file in value.items():
        if PART_MARK in part or not part.isprintable():
            raise wrong(f"{quoted(part)} cannot be a part's name", "C106", part)
        name = as_text(file, part)
        if PurePath(name).name != name or "\\" in name:
            message = f"{as_written(file)} is not the name of a file, which has no folder"
            raise wrong(message, "C106", part)
    if len(value) > MOST_PARTS:
        raise wrong(f"{len(value)} parts; at most {MOST_PARTS} are read")
    return value


BOX_PARTS = ("class", "score", "x1", "y1", "x2", "y2", "x", "y", "w", "h")
BOX_SHAPES = ({"x1", "y1", "x2", "y2"}, {"x", "y", "w", "h"}, {"x", "y"})


def _box_parts(parts: tuple[str, ...]) -> tuple[str, ...]:
    """The parts of a box: where it lies in one of three ways, and perhaps a class and a score."""
    if strange := next((part for part in parts if part not in BOX_PARTS), None):
        raise wrong(f"{quoted(strange)} is no part of a box (known: {', '.join(BOX_PARTS)})")
    place = [part for part in parts if part not in ("class", "score")]
    if len(set(parts)) < len(parts) or set(place) not in BOX_SHAPES:
        raise wrong("a box has x1, y1, x2, y2, or x, y, w, h, or x, y of a point, each once")
    return parts


def _box_columns(value: Any) -> Any:
    """The column of each part of a box; '' for all where a cell has them one after the other."""
    if isinstance(value, dict):
        return {part: as_text(column, part) for part, column in value.items()}
    return {as_text(part, n): "" for n, part in enumerate(_texts(value))}


def _whole_box(columns: dict[str, str]) -> dict[str, str]:
    _box_parts(tuple(columns))
    return columns


BoxColumns = Annotated[
    dict[str, str],
    Before(_box_columns),
    AfterValidator(_whole_box),
    WithJsonSchema({"anyOf": [TEXTS, MAPPING]}),
]
Paths = Annotated[dict[str, Name], Before(_paths), by_roles(JSON), WithJsonSchema(MAPPING)]
Separator = Annotated[str, Before(_separator), WithJsonSchema(SCALAR)]
Texts = Annotated[tuple[Name, ...], Before(_texts), WithJsonSchema(TEXTS)]
Each = Annotated[
    tuple[Name, ...], Before(_texts), WithJsonSchema(TEXTS), AfterValidator(_box_parts)
]
Cells = Annotated[dict[str, Separator], by_roles(CELLS), WithJsonSchema(MAPPING)]
Wide = Annotated[
    dict[str, Texts],
    Before(_single_role),
    by_roles(WIDE),
    WithJsonSchema({"type": "object", "additionalProperties": TEXTS}),
]


class TextLayout(YamlSection):
    """How lines and cells become rows, where a file has no header with a row for each item."""

    header: tuple[Name, ...] = Field(
        (), description="the columns, in their order, of a file that does not name them"
    )
    separator: Separator = Field(
        "",
        description="what separates the columns: one character, tab, semicolon, whitespace; "
        "default: by the file's suffix",
        validate_default=False,
    )
    skip: Whole = Field(0, description="lines before anything else that are no rows")
    comment: Texts = Field((), description="lines that begin with one of these are no rows")
    cells: Cells = Field(
        {},
        description="what separates several in a cell, by role: {item: ' '}; their order ranks. "
        "Without item the values are of the list's public candidates, in their order",
    )
    wide: Wide = Field(
        {},
        description="columns that are one row each: {item: 'F*'}; what * stands for becomes the "
        "item, the rank, or the part of the list that it is in",
    )

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if len(set(self.header)) < len(self.header):
            raise wrong("a column is named twice in header", "C106", "header")
        if self.cells and self.wide:
            raise wrong("cells and wide cannot both say what a row is", "C106", "wide")
        return self


class KeyFile(TextLayout):
    """A public file whose rows say what the lines of another file are about."""

    file: File = Field(description="path, relative to challenge.yaml and inside its folder")
    format: FormatName | None = Field(None, description="default: by the file's suffix")
    columns: Annotated[dict[str, Name], by_roles(("list", "item")), WithJsonSchema(MAPPING)] = (
        Field({}, description="what the file calls its columns; with item the lines are of pairs")
    )

    @model_validator(mode="before")
    @classmethod
    def _path(cls, value: Any) -> Any:
        return {"file": value} if not isinstance(value, dict) else value


class ClassFile(TextLayout):
    """A public file of the labels there are, a row for each."""

    file: File = Field(description="path, relative to challenge.yaml and inside its folder")
    format: FormatName | None = Field(None, description="default: by the file's suffix")
    columns: Annotated[dict[str, Name], by_roles(("label",)), WithJsonSchema(MAPPING)] = Field(
        {}, description="what the file calls its column; default: label, or its only one"
    )


def _kind_of_classes(value: Any) -> str:
    return "file" if isinstance(value, dict | TextLayout) else "names"


ClassesOf = Annotated[
    Annotated[tuple[Name, ...], AfterValidator(none_twice), Tag("names")]
    | Annotated[ClassFile, Tag("file")],
    Discriminator(_kind_of_classes),
]


def _kind_of_lines(value: Any) -> str:
    word = value.text if isinstance(value, YamlValue) else value
    return "word" if word in ("lists", "items") else "file"


LinesOf = Annotated[
    Annotated[Literal["lists", "items"], Word, Tag("word")] | Annotated[KeyFile, Tag("file")],
    Discriminator(_kind_of_lines),
]


class FileLayout(TextLayout):
    """The form of a submission, or of one of the organizer's files."""

    lines: LinesOf | None = Field(
        None,
        description="lines have no ids: the n-th one is of the n-th row of lists, of items, or of "
        "a file with the columns list and, if any, item",
    )
    document: Paths = Field(
        {},
        alias="json",  # a model of pydantic has a method of that name
        description="where a JSON document has its columns: {list: 'questions[].id', "
        "item: 'questions[].documents[]'}",
    )
    parts: Annotated[dict[Name, Name], Before(_files), WithJsonSchema(MAPPING)] = Field(
        {},
        description="files of a folder or a ZIP archive that are one submission: {like: like.csv}; "
        "the list of a part is called like/ID, and the part is its group",
    )

    @property
    def texts(self) -> bool:
        """Whether its rows are texts, which no rule for ids is about."""
        return "text" in {**self.document, **getattr(self, "columns", {})}


def written_keys(model: type[BaseModel]) -> dict[str, FieldInfo]:
    """The fields of a part of challenge.yaml by the keys that stand there."""
    return {field.alias or name: field for name, field in model.model_fields.items()}


def row_keys_of(source: Any, item: bool) -> RowKeysFile:
    """The rows of a public file, as keys of lines or values."""
    columns = {"list": "list"} | ({"item": "item"} if item else {}) | source.columns
    return RowKeysFile(source.file, source.format, tuple(columns.items()), layout_of(source))


def layout_of(section: TextLayout) -> Layout:
    """The layout that says how lines and cells become rows."""
    wide = next((WideColumns(*each) for each in section.wide.items()), None)
    return Layout(
        header=section.header,
        separator=section.separator,
        skip=section.skip,
        comment=section.comment,
        cells=tuple((role, separator_of(mark)) for role, mark in section.cells.items()),
        wide=wide,
    )


def _open_range(value: Any) -> Any:
    """A range, of which an end may be missing."""
    ends = value if isinstance(value, list | tuple) else ()
    if len(ends) == 2 and None in map(bare, ends):
        return tuple(None if bare(e) is None else as_number(e, n) for n, e in enumerate(ends))
    return as_range(list(ends) or value)


Range = Annotated[tuple[Number | None, Number | None], Before(_open_range)]


class GivenValue(YamlSection):
    """A value that another tool computed for each list."""

    column: ValueColumns = Field(
        (), description="its column, or [part, whole]; default: as the value is called"
    )
    better: Annotated[Literal["higher", "lower"], Word] = Field(
        "higher", description="which direction is better"
    )
    range: Range | None = Field(
        None, description="the lowest and highest value there can be, ~ where there is no bound"
    )

    @model_validator(mode="before")
    @classmethod
    def _bare(cls, value: Any) -> Any:
        return {} if isinstance(value, YamlValue) and value.data is None else value


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
            raise wrong(f"min {self.min} is above max {self.max}", "C106", "min")
        return self


class Limits(YamlSection):
    """What a submission may cost to read."""

    size: Size = Field(1 << 30, description="bytes of the file: 20MB, 1GiB")
    unpacked: Size = Field(4 << 30, description="bytes once decompressed")
    rows: Count = Field(20_000_000, description="rows")
    line: Size = Field(1 << 20, description="bytes of one line")

    @property
    def bounds(self) -> ReadLimits:
        """The same for a reader of files."""
        return ReadLimits(**dict(self))


DEFAULT_LIMITS = Limits.model_construct()  # where nothing is written of them


def _pattern(value: str | None) -> str | None:
    """A regular expression as it was written, after it was looked at."""
    try:
        return value and TextPattern(value).text
    except ValueError as error:
        raise wrong(f"{quoted(value)} is no regular expression: {error}") from None


MULTILABEL = (
    "what separates several labels in a cell of the file, such as ','; written in one of truth "
    "and submission, it holds for both; default: a cell is one label"
)


EACH = (
    "what each box in a cell is made of, in this order: class, score, and x1 y1 x2 y2 (corners), "
    "x y w h (left, top, width, height) or x y (a point)"
)


def _by_role(name: str, columns: Sequence[str]) -> dict[str, str]:
    return {f"value[{name}{'/whole' * place}]": column for place, column in enumerate(columns)}


class Submission(FileLayout):
    """What a submission must be."""

    format: FormatName | None = Field(None, description="default: by the file's suffix")
    columns: Annotated[
        dict[str, Name], Before(one_label), WithJsonSchema(column_schema("submission"))
    ] = Field({}, description="what the file calls its columns")
    length: Annotated[Length | None, Or({"type": "integer", "minimum": 1})] = Field(
        None, description="items of each list: exactly 10, or {min: 1, max: 10}; default: any"
    )
    range: Annotated[tuple[Number, Number] | None, Before(as_range)] = Field(
        None, description="lowest and highest prediction, score, probability, pixel or coordinate"
    )
    classes: ClassesOf = Field(
        (),
        description="the labels, or classes of boxes, tags and spans, that there are, in their "
        "order, or {file: classes.csv}, of up to 10 million; default: those of the truth",
    )
    probability: Annotated[dict[str, Name], Before(by_class)] = Field(
        {}, description="of each class the column of its probability; written among the columns"
    )
    value: ValueColumns = Field((), description=COLUMNS["value"] + "; written among the columns")
    values: dict[Name, GivenValue] = Field(
        {},
        description="values that other tools computed for each list, by name: "
        "{dice: {range: [0, 1]}, seconds: {better: lower}}; each is a measure",
    )
    numbers: Texts = Field(
        (),
        description="groups of lists, such as a part, whose label is a number to predict: measures "
        "of numbers are about these, those of classes about the others",
    )
    extra: Extra = Field({}, description=COLUMNS["extra"])
    multilabel: Name | None = Field(None, description=MULTILABEL)
    item_pattern: Annotated[Name | None, AfterValidator(_pattern)] = Field(
        None,
        description="how items' ids look, the whole of them, where no public file names them: a "
        "regular expression such as '[0-9]{5}' or 'tt[0-9]+', or '.+' for any; others are refused",
    )
    text_pattern: Annotated[Name | None, AfterValidator(_pattern)] = Field(
        None,
        description="how an answer of the role text looks, the whole of it: a regular expression "
        "without looking around or back, such as '[0-9]+( [0-9]+)*'; others are refused",
    )
    each: Each | None = Field(None, description=EACH)
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
    limits: Limits = Field(DEFAULT_LIMITS, description="limits on the size of a submission")

    @property
    def lengths(self) -> Length | None:
        """How many items a list may have; of texts one, unless it is said."""
        if not self.texts or self.length is not None:
            return self.length
        return Length(max=1)

    @model_validator(mode="after")
    def _pattern_of_answers(self) -> Self:
        if self.texts and self.item_pattern:
            message = "item_pattern is of ids; how texts look is said by text_pattern"
            raise wrong(message, "C106", "item_pattern")
        if self.text_pattern and not self.texts:
            message = "text_pattern is of the role text; how ids look is said by item_pattern"
            raise wrong(message, "C106", "text_pattern")
        return self

    @model_validator(mode="after")
    def _valued(self) -> Self:
        if self.value and self.values and "measure" not in self.columns:
            message = "value is one column; where values names several, these have their own"
            raise wrong(message, "C106", "columns", "value")
        return self

    @property
    def given(self) -> dict[str, GivenValue]:
        """The values that are submitted, by name; the first column names a single one."""
        if self.values or not self.value:
            return self.values
        return {self.value[0]: GivenValue(column=self.value, range=self.range)}

    @property
    def value_columns(self) -> dict[str, dict[str, str]]:
        """The columns of each value by their roles: one, or those of its part and its whole.

        Where each value is a row of its own, all have the same.
        """
        if "measure" in self.columns:
            return dict.fromkeys(self.given, _by_role("", self.value or ("value",)))
        return {
            name: _by_role(str(n), value.column or (name,))
            for n, (name, value) in enumerate(self.given.items())
        }

    @model_validator(mode="after")
    def _one_label(self) -> Self:
        if self.numbers and (self.probability or self.multilabel):
            message = "beside numbers a row has one label, no probabilities and not several"
            raise wrong(message, "C106", "columns")
        return self


DEFAULT_SUBMISSION = Submission.model_construct()  # where nothing is written of it
