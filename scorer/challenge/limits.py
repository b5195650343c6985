"""What a submission may cost to read, as challenge.yaml says it."""

# no `from __future__ import annotations`: pydantic would have to compile each of them again
from pydantic import Field

from scorer.challenge.fields import Count, Size, YamlSection
from scorer.reading.limits import ReadLimits


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
