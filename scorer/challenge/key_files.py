"""Public files that say what the lines of another file are about, or which labels there are."""

# no `from __future__ import annotations`: pydantic would have to compile each of them again
from typing import Annotated, Any

from pydantic import Field, WithJsonSchema, model_validator

from scorer.challenge.fields import File, Name
from scorer.challenge.forms import MAPPING, Cut, by_roles


class KeyFile(Cut):
    """A public file whose rows say what the lines of another file are about."""

    file: File = Field(description="path, relative to challenge.yaml and inside its folder")
    format: Name | None = Field(None, description="csv or jsonl; default: by the file's suffix")
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
    format: Name | None = Field(None, description="csv or jsonl; default: by the file's suffix")
    columns: Annotated[dict[str, Name], by_roles(("label",)), WithJsonSchema(MAPPING)] = Field(
        {}, description="what the file calls its column; default: label, or its only one"
    )
