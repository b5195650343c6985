"""The types of challenge.yaml's values: what may be written, and what it becomes."""

import os
import re
from collections.abc import Callable
from pathlib import Path, PureWindowsPath
from typing import Annotated, Any, Literal, NamedTuple
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    GetCoreSchemaHandler,
    GetJsonSchemaHandler,
    ValidationInfo,
    WithJsonSchema,
)
from pydantic_core import CoreSchema, PydanticCustomError, core_schema

from scorer.challenge.yaml import YamlValue
from scorer.core.text import quoted

UNITS = {"": 1, "k": 1000, "m": 1000**2, "g": 1000**3, "t": 1000**4}


UNITS |= {"ki": 1 << 10, "mi": 1 << 20, "gi": 1 << 30, "ti": 1 << 40}


SIZE = re.compile(r"([0-9]{1,15}(?:\.[0-9]{1,9})?) ?((?:[kmgt]i?)?)b?", re.IGNORECASE)
LARGEST = 2**63 - 1
LONGEST_PATH = 1000  # characters of a path: each part of it costs a look at the disk

# An editor takes 2011 for a number, where here a text is whatever stands in the file.
SCALAR: dict[str, Any] = {"type": ["string", "number", "boolean"]}


def wrong(message: str, code: str = "C106", *at: str | int) -> PydanticCustomError:
    """The error of a field; `at` are the keys that lead from there to the value at fault."""
    return PydanticCustomError(code, "{message}", {"message": message, "at": at})


def as_written(value: Any) -> str:
    """A value as it was written, for a sentence."""
    if isinstance(value, YamlValue):
        return quoted(value.text) if value.text is not None else as_written(value.data)
    if isinstance(value, dict | list):
        return "a mapping" if isinstance(value, dict) else "a list"
    return quoted(value)


def as_text(value: Any, *at: str | int) -> Any:
    """A text, as it was written; `at` leads to it from the field that is validated."""
    if isinstance(value, YamlValue) and value.data is not None:
        return value.text
    if isinstance(value, str):
        return value
    what = "nothing is given" if bare(value) is None else f"{as_written(value)} is not a text"
    raise wrong(what, "C106", *at)


def bare(value: Any) -> Any:
    """The data of a leaf."""
    return value.data if isinstance(value, YamlValue) else value


def as_number(value: Any, *at: str | int) -> Any:
    """A number as a float; `at` leads to it from the field that is validated."""
    number = bare(value)
    if isinstance(number, bool) or not isinstance(number, int | float):
        raise wrong(f"{as_written(value)} is not a number", "C106", *at)
    return float(number)


def as_whole(value: Any) -> Any:
    """A whole number."""
    number = bare(value)
    if isinstance(number, bool) or not isinstance(number, int):
        raise wrong(f"{as_written(value)} is not a whole number")
    return number


def as_range(value: Any) -> Any:
    """Two numbers, the lower one first."""
    if not isinstance(value, list) or len(value) != 2:
        raise wrong(f"{as_written(value)} is not a range; write [1, 5]")
    low, high = (as_number(end, n) for n, end in enumerate(value))
    if not low < high:
        raise wrong(f"{as_written(value[0])} is not below {as_written(value[1])}")
    return low, high


def as_flag(value: Any) -> Any:
    """True or false."""
    if not isinstance(bare(value), bool):
        raise wrong(f"{as_written(value)} is neither true nor false")
    return bare(value)


def as_size(value: Any) -> Any:
    """A size in bytes: 20MB, 1GiB."""
    match = SIZE.fullmatch(str(as_text(value) if isinstance(value, YamlValue) else value))
    if not match:
        raise wrong(f"{as_written(value)} is not a size, such as 20MB, 1GiB or a number of bytes")
    size = int(float(match[1]) * UNITS[match[2].lower()])
    if not 0 < size <= LARGEST:
        raise wrong(f"{as_written(value)} is not a size between 1 byte and 8 EiB")
    return size


def switch(on: Any) -> Callable[[Any], Any]:
    """A validator of a section that `false` turns off, and `true` on with its defaults."""

    def validate(value: Any) -> Any:
        flag = bare(value)
        return on if flag is True else None if flag is False or flag is None else value

    return validate


class Before(NamedTuple):
    """A function of a value before pydantic looks at it.

    As `BeforeValidator`, which would look at the signature of each function anew for each field.
    """

    function: Callable[[Any], Any]

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        return core_schema.no_info_before_validator_function(self.function, handler(source))


class Or(NamedTuple):
    """A short form beside the full one, for JSON Schema; a validator reads it."""

    short: dict[str, Any]

    def __get_pydantic_json_schema__(
        self, core: CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        return {"anyOf": [self.short, handler(core)]}


Text = Annotated[str, Before(as_text), WithJsonSchema(SCALAR)]
Name = Annotated[str, Field(min_length=1), Before(as_text), WithJsonSchema(SCALAR)]
Number = Annotated[float, Before(as_number)]
Share = Annotated[float, Field(gt=0, lt=1), Before(as_number)]
Whole = Annotated[int, Field(ge=0, le=LARGEST), Before(as_whole)]
Count = Annotated[int, Field(ge=1, le=LARGEST), Before(as_whole)]
Size = Annotated[int, Before(as_size), Or({"type": "string"})]
Word = Before(as_text)  # before a Literal
FormatName = Annotated[Literal["csv", "json", "jsonl", "lists", "parquet", "trec"], Word]


def inside(value: Any, info: ValidationInfo) -> Any:
    """A path from the challenge's folder that stays in it, made absolute."""
    folder = (info.context or {}).get("folder")
    if folder is None:
        return value
    name = as_text(value)
    if len(name) > LONGEST_PATH:
        raise wrong(f"{quoted(name)} is too long for a file's name")
    if PureWindowsPath(name).anchor:
        raise wrong(f"{quoted(name)} is not relative to the challenge's folder", "C111")
    try:
        path = Path(os.path.realpath(folder / name))
    except (ValueError, OSError):
        raise wrong(f"{quoted(name)} cannot be a file's name") from None
    if path == folder:
        raise wrong(f"{quoted(name)} names no file")
    if not path.is_relative_to(folder):
        raise wrong(f"{quoted(name)} leaves the challenge's folder", "C111")
    return path


def _zone(value: Any) -> str:
    name = as_text(value)
    try:
        ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise wrong(f"{as_written(value)} is no IANA time zone, such as Europe/Ljubljana") from None
    return str(name)


Zone = Annotated[str, Before(_zone), WithJsonSchema(SCALAR)]
File = Annotated[Path, BeforeValidator(inside)]
Files = tuple[File, ...]


class YamlSection(BaseModel):
    """A section of challenge.yaml: unknown keys are errors, and nothing changes once read."""

    model_config = ConfigDict(frozen=True, extra="forbid")


def none_twice(names: tuple[str, ...]) -> tuple[str, ...]:
    """Names, none of which may be written twice."""
    for n, name in enumerate(names):
        if name in names[:n]:
            raise wrong(f"{quoted(name)} is written twice", "C106", n)
    return names
