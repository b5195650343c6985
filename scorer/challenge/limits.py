"""What a submission may cost to read, as challenge.yaml says it."""

# no `from __future__ import annotations`: pydantic would have to compile each of them again
from pydantic import Field

from scorer.bytes.limits import ReadLimits
from scorer.challenge.fields import Count, Size, YamlSection


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


DEFAULT_LIMITS = Limits.model_construct()  # where nothing is written of them
