"""The organizer's files, and examples of submissions, as challenge.yaml names them."""

# no `from __future__ import annotations`: pydantic would have to compile each of them again
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field, model_validator

from scorer.challenge.columns import COLUMNS, Extra, by_class, extra_roles, one_label
from scorer.challenge.fields import Before, File, FormatName, Name, Number, YamlSection, as_number
from scorer.challenge.forms import BoxColumns, Formed
from scorer.challenge.submission import EACH, MULTILABEL
from scorer.challenge.yaml import YamlValue


class Source(Formed):
    """A file of the organizer's."""

    file: File = Field(description="path, relative to challenge.yaml and inside its folder")
    format: FormatName | None = Field(None, description="default: by the file's suffix")
    columns: Annotated[dict[str, Name], Before(one_label)] = Field(
        {}, description="what the file calls its columns"
    )

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
    """The hidden answers. `probability` is written among the columns."""

    probability: Annotated[dict[str, Name], Before(by_class)] = Field(
        {}, description=COLUMNS["probability"]
    )
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


NO_TRUTH = Truth.model_construct(file=Path())  # of a challenge that has none


class Items(Described):
    """The catalogue. `users` and `features` are written among its columns."""

    users: Name | None = None
    features: tuple[Name, ...] = ()


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
