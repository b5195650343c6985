"""The types of challenge.yaml's values: what may be written, and what it becomes.

A scalar of challenge.yaml comes as the text that stands there, so that an id 007 stays as it is;
numbers and flags are read from it by YAML's core schema.
"""

import os
from functools import partial
from pathlib import Path, PureWindowsPath
from typing import Annotated, Any, ClassVar, Literal
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ByteSize,
    ConfigDict,
    Field,
    GetJsonSchemaHandler,
    Strict,
    ValidationInfo,
    model_validator,
)
from pydantic_core import CoreSchema, PydanticCustomError

from scorer.challenge.yaml import resolve_scalar
from scorer.core.text import quoted

LARGEST = 2**63 - 1  # what polars and SQLite hold as a whole number
LONGEST_PATH = 1000  # characters of a path: each part of it costs a look at the disk


def field_error(message: str, code: str = "C106", *at: str | int) -> PydanticCustomError:
    """Return the error of a field; `at` are the keys from there to the value at fault."""
    return PydanticCustomError(code, "{message}", {"message": message, "at": at})


def quote_value(value: Any) -> str:
    """Return a value as it was written, for a sentence."""
    if isinstance(value, dict | list | tuple):
        return "a mapping" if isinstance(value, dict) else "a list"
    return quoted("" if value is None else value)


def as_tuple(value: Any) -> Any:
    """Return a list as it is, and a value alone as a tuple of it."""
    return value if isinstance(value, list | tuple) else (value,)


def resolve(value: Any) -> Any:
    """Return the number or flag that a text is by YAML's core schema; other values as they are."""
    return resolve_scalar(value) if isinstance(value, str) else value


def resolve_path(value: Any, info: ValidationInfo) -> Any:
    """Return a path from the challenge's folder that stays in it, made absolute."""
    folder = (info.context or {}).get("folder")
    if folder is None or not isinstance(value, str):
        return value
    if len(value) > LONGEST_PATH:
        raise field_error(f"{quoted(value)} is too long for a file's name")
    if PureWindowsPath(value).anchor:
        raise field_error(f"{quoted(value)} is not relative to the challenge's folder", "C111")
    try:
        path = Path(os.path.realpath(folder / value))
    except (ValueError, OSError):
        raise field_error(f"{quoted(value)} cannot be a file's name") from None
    if path == folder:
        raise field_error(f"{quoted(value)} names no file")
    if not path.is_relative_to(folder):
        raise field_error(f"{quoted(value)} leaves the challenge's folder", "C111")
    return path


def _check_zone(name: str) -> str:
    try:
        ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        message = f"{quoted(name)} is no IANA time zone, such as Europe/Ljubljana"
        raise field_error(message) from None
    return name


def _check_size(size: ByteSize) -> ByteSize:
    if not 0 < size <= LARGEST:
        raise PydanticCustomError("size_range", "not a size between 1 byte and 8 EiB")
    return size


def check_distinct(names: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return names or numbers; refuse one that is written twice."""
    for n, name in enumerate(names):
        if name in names[:n]:
            raise field_error(f"{quoted(name)} is written twice", "C106", n)
    return names


def _check_pair(example: str, value: Any) -> Any:
    if isinstance(value, list | tuple) and len(value) == 2:
        return value
    raise field_error(f"{quote_value(value)} is not a range; write {example}")


def _check_order(ends: tuple[float | None, float | None]) -> tuple[float | None, float | None]:
    """Return two ends, the lower one first; None where there is no bound."""
    low, high = ends
    if low is not None and high is not None and not low < high:
        raise field_error(f"{quoted(f'{low:g}')} is not below {quoted(f'{high:g}')}")
    return ends


SCALAR = BeforeValidator(resolve)
Name = Annotated[str, Field(min_length=1)]
Flag = Annotated[bool, Strict(), SCALAR]
Number = Annotated[float, Strict(), SCALAR]
Share = Annotated[float, Strict(), Field(gt=0, lt=1), SCALAR]
Whole = Annotated[int, Strict(), Field(ge=0, le=LARGEST), SCALAR]
Count = Annotated[int, Strict(), Field(ge=1, le=LARGEST), SCALAR]
Size = Annotated[ByteSize, AfterValidator(_check_size)]
Range = Annotated[
    tuple[Number, Number],
    BeforeValidator(partial(_check_pair, "[1, 5]")),
    AfterValidator(_check_order),
]
OpenRange = Annotated[
    tuple[Number | None, Number | None],
    BeforeValidator(partial(_check_pair, "[0, 100], or [0, null] without end")),
    AfterValidator(_check_order),
]
Names = Annotated[tuple[Name, ...], BeforeValidator(as_tuple, str | tuple[Name, ...])]
DistinctNames = Annotated[tuple[Name, ...], AfterValidator(check_distinct)]
# The words of keys that Python functions take, too.
EntryRule = Literal["best", "last", "selected", "all"]
MissingList = Literal["error", "zero", "skip"]
UnknownList = Literal["error", "ignore"]
TieRule = Literal["item-desc", "item-asc", "file", "expected", "mean-rank", "error"]
UndefinedRule = Literal["error", "zero", "skip", "worst"]
FormatName = Literal["csv", "json", "jsonl", "lists", "parquet", "trec"]
Zone = Annotated[str, AfterValidator(_check_zone)]
File = Annotated[Path, BeforeValidator(resolve_path)]


class Section(BaseModel):
    """A section of challenge.yaml: unknown keys are errors, and nothing changes once read."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class ShortSection(Section):
    """A section that may be written as a text alone, which is the value of its key `short`."""

    short: ClassVar[str]

    @model_validator(mode="before")
    @classmethod
    def _expand(cls, value: Any) -> Any:
        return {cls.short: value} if isinstance(value, str | Path) else value

    @classmethod
    def __get_pydantic_json_schema__(
        cls, core: CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        """Return the schema of a text or of the full mapping."""
        return {"anyOf": [{"type": "string"}, handler(core)]}
