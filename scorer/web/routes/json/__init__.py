"""The JSON API: what participants do by a program."""

from pydantic import BaseModel

V1 = "/api/v1/challenges"


class ProblemOut(BaseModel):
    """A problem of a file."""

    code: str
    severity: str
    line: int | None
    column: int | None
    list: str | None
    item: str | None
    message: str
    help: str | None
