"""The keys of challenge.yaml that say how a file is written where it is not plain."""

# no `from __future__ import annotations`: pydantic would have to compile each of them again
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

from scorer.challenge.fields import (
    SCALAR,
    Before,
    File,
    FormatName,
    Name,
    Whole,
    Word,
    YamlSection,
    as_text,
    as_written,
    none_twice,
    wrong,
)
from scorer.challenge.yaml import YamlValue
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


class Cut(YamlSection):
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


class KeyFile(Cut):
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


class ClassFile(Cut):
    """A public file of the labels there are, a row for each."""

    file: File = Field(description="path, relative to challenge.yaml and inside its folder")
    format: FormatName | None = Field(None, description="default: by the file's suffix")
    columns: Annotated[dict[str, Name], by_roles(("label",)), WithJsonSchema(MAPPING)] = Field(
        {}, description="what the file calls its column; default: label, or its only one"
    )


def _kind_of_classes(value: Any) -> str:
    return "file" if isinstance(value, dict | Cut) else "names"


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


class Formed(Cut):
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


def layout_of(section: Cut) -> Layout:
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
