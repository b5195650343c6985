"""How a file is written, and what a submission must be."""

from collections.abc import Sequence
from pathlib import PurePath
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import AfterValidator, BaseModel, BeforeValidator, ByteSize, Field, model_validator
from pydantic.fields import FieldInfo

from scorer.challenge.roles import (
    COLUMNS,
    ClassColumns,
    Extra,
    ValueColumns,
    check_label,
)
from scorer.challenge.types import (
    Count,
    DistinctNames,
    File,
    FormatName,
    MissingList,
    Name,
    Names,
    OpenRange,
    Range,
    Section,
    ShortSection,
    Size,
    TieRule,
    UnknownList,
    Whole,
    as_tuple,
    field_error,
)
from scorer.core.ids import TextPattern
from scorer.core.text import quoted, suggest
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

CellRole = Annotated[str, Field(pattern="^(item|rank|score|prediction|grade|rating|subtopic)$")]
WideRole = Annotated[str, Field(pattern="^(item|rank|list)$")]
KeyRole = Annotated[str, Field(pattern="^(list|item)$")]
LabelRole = Annotated[str, Field(pattern="^(label)$")]
JsonRole = Annotated[
    str,
    Field(
        pattern="^(list|item|rank|score|grade|rating|prediction|label|target|better|worse|subtopic"
        "|group)$"
    ),
]
BOX_PARTS = ("class", "score", "x1", "y1", "x2", "y2", "x", "y", "w", "h")
BOX_SHAPES = ({"x1", "y1", "x2", "y2"}, {"x", "y", "w", "h"}, {"x", "y"})


def _check_separator(word: str) -> str:
    if len(separator_of(word)) == 1 or word in (WHITESPACE, NO_SEPARATOR):
        return word
    known = [*SEPARATORS, WHITESPACE, NO_SEPARATOR]
    choices = f"one character, {', '.join(SEPARATORS)} or {WHITESPACE}"
    raise field_error(f"{quoted(word)} separates nothing; write {choices}{suggest(word, known)}")


def _check_paths(paths: dict[str, str]) -> dict[str, str]:
    """Return paths of a JSON document by roles, which lead through the same elements."""
    for role, path in paths.items():
        if not is_path(path):
            message = f"{quoted(path)} is no path; write questions[].id, or * for each key"
            raise field_error(message, "C106", role)
    parsed = {role: parse_path(path) for role, path in paths.items()}
    if parsed and (lost := find_diverging_role(parsed)) is not None:
        message = f"the path of {quoted(lost)} does not lead through the elements of the others"
        raise field_error(message, "C106", lost)
    return paths


def _check_single_role(columns: dict[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
    if len(columns) > 1:
        message = "one role is what columns are named by; write {item: 'F*'}"
        raise field_error(message, "C106", list(columns)[1])
    return columns


def _check_parts(files: dict[str, str]) -> dict[str, str]:
    """Return the names of the files of one submission, by its parts."""
    for part, name in files.items():
        if PART_MARK in part or not part.isprintable():
            raise field_error(f"{quoted(part)} cannot be a part's name", "C106", part)
        if PurePath(name).name != name or "\\" in name:
            message = f"{quoted(name)} is not the name of a file, which has no folder"
            raise field_error(message, "C106", part)
    if len(files) > MOST_PARTS:
        raise field_error(f"{len(files)} parts; at most {MOST_PARTS} are read")
    return files


def _check_box(parts: Sequence[str]) -> None:
    """Refuse parts that are no box: it lies in one of three ways, perhaps with class and score."""
    if unknown := [part for part in parts if part not in BOX_PARTS]:
        message = f"{quoted(unknown[0])} is no part of a box (known: {', '.join(BOX_PARTS)})"
        raise field_error(message)
    place = [part for part in parts if part not in ("class", "score")]
    if len(set(parts)) < len(parts) or set(place) not in BOX_SHAPES:
        raise field_error("a box has x1, y1, x2, y2, or x, y, w, h, or x, y of a point, each once")


def _check_box_parts(parts: tuple[str, ...]) -> tuple[str, ...]:
    _check_box(parts)
    return parts


def _check_box_columns(columns: dict[str, str]) -> dict[str, str]:
    _check_box([*columns])
    return columns


def _by_part(value: Any) -> Any:
    """Return the column of each part of a box; '' for all where a cell has one after the other."""
    return value if isinstance(value, dict) else {str(part): "" for part in as_tuple(value)}


Separator = Annotated[str, AfterValidator(_check_separator)]
BoxParts = Annotated[Names, AfterValidator(_check_box_parts)]
BoxColumns = Annotated[
    dict[str, str],
    BeforeValidator(_by_part, Names | dict[str, str]),
    AfterValidator(_check_box_columns),
]


class TextLayout(Section):
    """How lines and cells become rows, where a file has no header with a row for each item."""

    header: tuple[Name, ...] = Field(
        (), description="the columns, in their order, of a file that does not name them"
    )
    separator: Separator = Field(
        "",
        description="what separates the columns: one character, tab, semicolon, whitespace; "
        "default: by the file's suffix",
    )
    skip: Whole = Field(0, description="lines before anything else that are no rows")
    comment: Names = Field((), description="lines that begin with one of these are no rows")
    cells: dict[CellRole, Separator] = Field(
        {},
        description="what separates several in a cell, by role: {item: ' '}; their order ranks. "
        "Without item the values are of the list's public candidates, in their order",
    )
    wide: Annotated[dict[WideRole, Names], AfterValidator(_check_single_role)] = Field(
        {},
        description="columns that are one row each: {item: 'F*'}; what * stands for becomes the "
        "item, the rank, or the part of the list that it is in",
    )

    @model_validator(mode="after")
    def _check_layout(self) -> Self:
        if len(set(self.header)) < len(self.header):
            raise field_error("a column is named twice in header", "C106", "header")
        if self.cells and self.wide:
            raise field_error("cells and wide cannot both say what a row is", "C106", "wide")
        return self


class NamedFile(TextLayout):
    """A file of the organizer's."""

    file: File = Field(description="path, relative to challenge.yaml and inside its folder")
    format: FormatName | None = Field(None, description="default: by the file's suffix")


class KeyFile(NamedFile, ShortSection):
    """A public file whose rows say what the lines of another file are about."""

    short: ClassVar[str] = "file"

    columns: dict[KeyRole, Name] = Field(
        {}, description="what the file calls its columns; with item the lines are of pairs"
    )


class ClassFile(NamedFile):
    """A public file of the labels there are, a row for each."""

    columns: dict[LabelRole, Name] = Field(
        {}, description="what the file calls its column; default: label, or its only one"
    )


class FileLayout(TextLayout):
    """The form of a submission, or of one of the organizer's files."""

    lines: Literal["lists", "items"] | KeyFile | None = Field(
        None,
        union_mode="left_to_right",
        description="lines have no ids: the n-th one is of the n-th row of lists, of items, or of "
        "a file with the columns list and, if any, item",
    )
    document: Annotated[dict[JsonRole, Name], AfterValidator(_check_paths)] = Field(
        {},
        alias="json",  # a model of pydantic has a method of that name
        description="where a JSON document has its columns: {list: 'questions[].id', "
        "item: 'questions[].documents[]'}",
    )
    parts: Annotated[dict[Name, Name], AfterValidator(_check_parts)] = Field(
        {},
        description="files of a folder or a ZIP archive that are one submission: {like: like.csv}; "
        "the list of a part is called like/ID, and the part is its group",
    )

    @property
    def texts(self) -> bool:
        """Whether its rows are texts, which no rule for ids is about."""
        return "text" in {**self.document, **getattr(self, "columns", {})}


def written_keys(model: type[BaseModel]) -> dict[str, FieldInfo]:
    """Return the fields of a part of challenge.yaml by the keys that stand there."""
    return {field.alias or name: field for name, field in model.model_fields.items()}


def row_keys_of(source: Any, item: bool) -> RowKeysFile:
    """Return the rows of a public file, as keys of lines or values."""
    columns = {"list": "list"} | ({"item": "item"} if item else {}) | source.columns
    return RowKeysFile(source.file, source.format, tuple(columns.items()), layout_of(source))


def layout_of(section: TextLayout) -> Layout:
    """Return the layout that says how lines and cells become rows."""
    wide = next((WideColumns(*each) for each in section.wide.items()), None)
    return Layout(
        header=section.header,
        separator=section.separator,
        skip=section.skip,
        comment=section.comment,
        cells=tuple((role, separator_of(mark)) for role, mark in section.cells.items()),
        wide=wide,
    )


class SubmittedValue(Section):
    """A value that another tool computed for each list."""

    column: ValueColumns = Field(
        (), description="its column, or [part, whole]; default: as the value is called"
    )
    better: Literal["higher", "lower"] = Field("higher", description="which direction is better")
    range: OpenRange | None = Field(
        None, description="the lowest and highest value there can be, ~ where there is no bound"
    )


class Length(Section):
    """How many items a list may have."""

    min: Whole | None = Field(None, description="the least number")
    max: Count | None = Field(None, description="the greatest number")

    @model_validator(mode="before")
    @classmethod
    def _expand(cls, value: Any) -> Any:
        is_section = isinstance(value, dict | cls)
        return value if is_section else {"min": value, "max": value}

    @model_validator(mode="after")
    def _check_order(self) -> Self:
        if self.min is not None and self.max is not None and self.min > self.max:
            raise field_error(f"min {self.min} is above max {self.max}", "C106", "min")
        return self


class Limits(Section):
    """What a submission may cost to read."""

    size: Size = Field(ByteSize(1 << 30), description="bytes of the file: 20MB, 1GiB")
    unpacked: Size = Field(ByteSize(4 << 30), description="bytes once decompressed")
    rows: Count = Field(20_000_000, description="rows")
    line: Size = Field(ByteSize(1 << 20), description="bytes of one line")

    @property
    def bounds(self) -> ReadLimits:
        """The same for a reader of files."""
        return ReadLimits(**dict(self))


def _check_pattern(value: str) -> str:
    """Return a regular expression as it was written."""
    try:
        return TextPattern(value).text
    except ValueError as error:
        raise field_error(f"{quoted(value)} is no regular expression: {error}") from None


Pattern = Annotated[str, Field(min_length=1), AfterValidator(_check_pattern)]


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
    columns: Annotated[dict[str, Name], BeforeValidator(check_label)] = Field(
        {}, description="what the file calls its columns"
    )
    length: Length | None = Field(
        None, description="items of each list: exactly 10, or {min: 1, max: 10}; default: any"
    )
    range: Range | None = Field(
        None, description="lowest and highest prediction, score, probability, pixel or coordinate"
    )
    classes: DistinctNames | ClassFile = Field(
        (),
        union_mode="left_to_right",
        description="the labels, or classes of boxes, tags and spans, that there are, in their "
        "order, or {file: classes.csv}, of up to 10 million; default: those of the truth",
    )
    probability: ClassColumns = Field(
        {}, description="of each class the column of its probability; written among the columns"
    )
    value: ValueColumns = Field((), description=COLUMNS["value"] + "; written among the columns")
    values: dict[Name, SubmittedValue] = Field(
        {},
        description="values that other tools computed for each list, by name: "
        "{dice: {range: [0, 1]}, seconds: {better: lower}}; each is a measure",
    )
    numbers: Names = Field(
        (),
        description="groups of lists, such as a part, whose label is a number to predict: measures "
        "of numbers are about these, those of classes about the others",
    )
    extra: Extra = Field({}, description=COLUMNS["extra"])
    multilabel: Name | None = Field(None, description=MULTILABEL)
    item_pattern: Pattern | None = Field(
        None,
        description="how items' ids look, the whole of them, where no public file names them: a "
        "regular expression such as '[0-9]{5}' or 'tt[0-9]+', or '.+' for any; others are refused",
    )
    text_pattern: Pattern | None = Field(
        None,
        description="how an answer of the role text looks, the whole of it: a regular expression "
        "without looking around or back, such as '[0-9]+( [0-9]+)*'; others are refused",
    )
    each: BoxParts | None = Field(None, description=EACH)
    missing_list: MissingList | None = Field(
        None, description="a list that a submission lacks: refused, scored as empty, or left out"
    )
    unknown_list: UnknownList = Field(
        "error", description="a list that the challenge does not have"
    )
    ties: TieRule = Field(
        "item-desc",
        description="order of equal scores: by item, downwards as in trec_eval or upwards; "
        "as in the file; the mean over all orders; each at the mean of their ranks, as knowledge "
        "graphs have it; or refused",
    )
    limits: Limits = Field(Limits(), description="limits on the size of a submission")

    @property
    def lengths(self) -> Length | None:
        """How many items a list may have; of texts one, unless it is said."""
        if not self.texts or self.length is not None:
            return self.length
        return Length(max=1)

    @model_validator(mode="after")
    def _check_roles(self) -> Self:
        if self.texts and self.item_pattern:
            message = "item_pattern is of ids; how texts look is said by text_pattern"
            raise field_error(message, "C106", "item_pattern")
        if self.text_pattern and not self.texts:
            message = "text_pattern is of the role text; how ids look is said by item_pattern"
            raise field_error(message, "C106", "text_pattern")
        if self.value and self.values and "measure" not in self.columns:
            message = "value is one column; where values names several, these have their own"
            raise field_error(message, "C106", "columns", "value")
        if self.numbers and (self.probability or self.multilabel):
            message = "beside numbers a row has one label, no probabilities and not several"
            raise field_error(message, "C106", "columns")
        return self

    @property
    def all_values(self) -> dict[str, SubmittedValue]:
        """The values that are submitted, by name; the first column names a single one."""
        if self.values or not self.value:
            return self.values
        return {self.value[0]: SubmittedValue(column=self.value, range=self.range)}

    @property
    def value_columns(self) -> dict[str, dict[str, str]]:
        """The columns of each value by their roles: one, or two for its part and its whole.

        Where each value is a row of its own, all have the same.
        """
        if "measure" in self.columns:
            return dict.fromkeys(self.all_values, _by_role("", self.value or ("value",)))
        return {
            name: _by_role(str(n), value.column or (name,))
            for n, (name, value) in enumerate(self.all_values.items())
        }


DEFAULT_SUBMISSION = Submission()  # where nothing is written of it
