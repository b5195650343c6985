"""How a file is written, and what a submission must be."""

from collections.abc import Sequence
from pathlib import PurePath
from typing import Annotated, Any, ClassVar, Literal, Self, TypeVar

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
BoxDefinition = TypeVar("BoxDefinition", tuple[str, ...], dict[str, str])  # the keys are the parts


def _check_separator(word: str) -> str:
    if len(separator_of(word)) == 1 or word in (WHITESPACE, NO_SEPARATOR):
        return word
    known = [*SEPARATORS, WHITESPACE, NO_SEPARATOR]
    choices = f"one character, {', '.join(SEPARATORS)} or {WHITESPACE}"
    raise field_error(f"{quoted(word)} separates nothing; write {choices}{suggest(word, known)}")


def _check_paths(paths: dict[str, str]) -> dict[str, str]:
    """Return role -> path in a JSON document, if all paths lead through the same elements."""
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
        message = "columns can be named by one role only; write {item: 'F*'}"
        raise field_error(message, "C106", list(columns)[1])
    return columns


def _check_parts(files: dict[str, str]) -> dict[str, str]:
    """Return part of a submission -> name of its file, if these are valid names."""
    for part, name in files.items():
        if PART_MARK in part or not part.isprintable():
            raise field_error(f"{quoted(part)} cannot be a part's name", "C106", part)
        if PurePath(name).name != name or "\\" in name:
            message = f"{quoted(name)} is not the name of a file; write it without a folder"
            raise field_error(message, "C106", part)
    if len(files) > MOST_PARTS:
        raise field_error(f"{len(files)} parts; at most {MOST_PARTS} are read")
    return files


def _check_box(parts: BoxDefinition) -> BoxDefinition:
    """Return the parts of a box, if they are one of BOX_SHAPES with or without class and score."""
    if unknown := [part for part in parts if part not in BOX_PARTS]:
        message = f"{quoted(unknown[0])} is no part of a box (known: {', '.join(BOX_PARTS)})"
        raise field_error(message)
    coordinates = set(parts) - {"class", "score"}
    has_duplicates = len(set(parts)) < len(parts)
    if has_duplicates or coordinates not in BOX_SHAPES:
        raise field_error("a box has x1, y1, x2, y2, or x, y, w, h, or x, y of a point, each once")
    return parts


def _expand_parts(value: Any) -> Any:
    """Return part of a box -> column; '' for each part of a list, since one cell has them all."""
    return value if isinstance(value, dict) else {str(part): "" for part in as_tuple(value)}


Separator = Annotated[str, AfterValidator(_check_separator)]
BoxParts = Annotated[Names, AfterValidator(_check_box)]
BoxColumns = Annotated[
    dict[str, str],
    BeforeValidator(_expand_parts, Names | dict[str, str]),
    AfterValidator(_check_box),
]


class TextLayout(Section):
    """How lines and cells become rows, for files other than a header and a line for each row."""

    header: tuple[Name, ...] = Field(
        (), description="the columns in their order, if the file has no header"
    )
    separator: Separator = Field(
        "",
        description="what separates the columns: one character, tab, semicolon, whitespace; "
        "default: by the file's suffix",
    )
    skip: Whole = Field(0, description="how many lines at the start of the file are skipped")
    comment: Names = Field((), description="lines that begin with one of these are skipped")
    cells: dict[CellRole, Separator] = Field(
        {},
        description="what separates several values of a role in one cell: {item: ' '}; the first "
        "item has rank 1. Without item, there is a value for each public candidate, in their order",
    )
    wide: Annotated[dict[WideRole, Names], AfterValidator(_check_single_role)] = Field(
        {},
        description="columns whose cells each become a row: {item: 'F*'}; the text at * becomes "
        "the item, the rank, or the part that the list is in",
    )

    @model_validator(mode="after")
    def _check_layout(self) -> Self:
        if len(set(self.header)) < len(self.header):
            raise field_error("a column is named twice in header", "C106", "header")
        if self.cells and self.wide:
            raise field_error("cells and wide cannot both say what a row is", "C106", "wide")
        return self


class NamedFile(TextLayout):
    """One of the organizer's files."""

    file: File = Field(description="path, relative to challenge.yaml and inside its folder")
    format: FormatName | None = Field(None, description="default: by the file's suffix")


class KeyFile(NamedFile, ShortSection):
    """A public file whose rows say what the lines of another file are about."""

    short: ClassVar[str] = "file"

    columns: dict[KeyRole, Name] = Field(
        {}, description="what the file calls its columns; with item, a line is about a pair"
    )


class ClassFile(NamedFile):
    """A public file with a row for each possible label."""

    columns: dict[LabelRole, Name] = Field(
        {}, description="what the file calls its column; default: label, or its only one"
    )


class FileLayout(TextLayout):
    """The form of a submission, or of one of the organizer's files."""

    lines: Literal["lists", "items"] | KeyFile | None = Field(
        None,
        union_mode="left_to_right",
        description="lines have no ids: line n is about row n of lists, of items, or of a file "
        "with the column list and maybe item",
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
    def has_texts(self) -> bool:
        """Whether the answers are texts rather than ids, so that rules for ids do not apply."""
        columns = getattr(self, "columns", {})  # a field of every subclass
        return "text" in {**self.document, **columns}


def written_keys(model: type[BaseModel]) -> dict[str, FieldInfo]:
    """Return the fields of a section by the keys that challenge.yaml has for them."""
    return {field.alias or name: field for name, field in model.model_fields.items()}


def row_keys_of(source: NamedFile, columns: dict[str, str], has_items: bool) -> RowKeysFile:
    """Return a public file whose rows say which list, and item, each line or value is about.

    `columns` are its own: role -> name.
    """
    all_columns = {"list": "list"} | ({"item": "item"} if has_items else {}) | columns
    return RowKeysFile(source.file, source.format, tuple(all_columns.items()), layout_of(source))


def layout_of(section: TextLayout) -> Layout:
    """Return the layout that says how lines and cells become rows."""
    wide = next((WideColumns(role, names) for role, names in section.wide.items()), None)
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
        (), description="its column, or [part, whole]; default: the name of the value"
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
        """The limits as the readers of files take them."""
        return ReadLimits(**dict(self))


def _check_pattern(value: str) -> str:
    """Return a regular expression as it was written, if it is one."""
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


def _value_roles(name: str, columns: Sequence[str]) -> dict[str, str]:
    """Return role -> column of a value: one, or two of its part and its whole."""
    roles = (f"value[{name}]", f"value[{name}/whole]")
    return dict(zip(roles, columns, strict=False))


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
        "of numbers are about these groups, measures of classes about the others",
    )
    extra: Extra = Field({}, description=COLUMNS["extra"])
    multilabel: Name | None = Field(None, description=MULTILABEL)
    item_pattern: Pattern | None = Field(
        None,
        description="what ids of items must look like if no public file names them: a regular "
        "expression that the whole id matches, such as '[0-9]{5}' or 'tt[0-9]+', or '.+' for any",
    )
    text_pattern: Pattern | None = Field(
        None,
        description="what an answer of the role text must look like: a regular expression that the "
        "whole text matches, without looking around or back, such as '[0-9]+( [0-9]+)*'",
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
        "as in the file; the mean over all orders; each at the mean of their ranks, as is usual "
        "for link prediction in knowledge graphs; or refused",
    )
    limits: Limits = Field(Limits(), description="limits on the size of a submission")

    @property
    def allowed_length(self) -> Length | None:
        """How many items a list may have: `length`, else one text or any number of items."""
        if self.has_texts and self.length is None:
            return Length(max=1)
        return self.length

    @model_validator(mode="after")
    def _check_roles(self) -> Self:
        if self.has_texts and self.item_pattern:
            message = "item_pattern is for ids; for texts, write text_pattern"
            raise field_error(message, "C106", "item_pattern")
        if self.text_pattern and not self.has_texts:
            message = "text_pattern is for the role text; for ids, write item_pattern"
            raise field_error(message, "C106", "text_pattern")
        if self.value and self.values and "measure" not in self.columns:
            message = "value is one column, but values declares the columns; write one of the two"
            raise field_error(message, "C106", "columns", "value")
        if self.numbers and (self.probability or self.multilabel):
            message = "with numbers, a row has one label: no probabilities and no multilabel"
            raise field_error(message, "C106", "columns")
        return self

    @property
    def all_values(self) -> dict[str, SubmittedValue]:
        """The submitted values by name; one written as `value` is named after its first column."""
        if self.values or not self.value:
            return self.values
        return {self.value[0]: SubmittedValue(column=self.value, range=self.range)}

    @property
    def value_columns(self) -> dict[str, dict[str, str]]:
        """Columns by role, for each value by name: one column, or two for its part and its whole.

        If a column `measure` names the value of each row, all values have the same columns.
        """
        if "measure" in self.columns:
            return dict.fromkeys(self.all_values, _value_roles("", self.value or ("value",)))
        return {
            name: _value_roles(str(n), value.column or (name,))
            for n, (name, value) in enumerate(self.all_values.items())
        }


DEFAULT_SUBMISSION = Submission()  # of a challenge without `submission:`
