"""challenge.yaml as data.

Binds no metric and no plugin: a measure is still its notation here. What the
file says is checked once, as a whole; every problem names its line and the
path of its key. The models are the documentation too: `schema` hands their
descriptions to editors.
"""

# no `from __future__ import annotations`: pydantic would have to compile each of them again
import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path, PureWindowsPath
from typing import Annotated, Any, Literal, NamedTuple, Self, TypeAlias, get_args

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Discriminator,
    Field,
    GetJsonSchemaHandler,
    PrivateAttr,
    Tag,
    ValidationError,
    ValidationInfo,
    WithJsonSchema,
    model_validator,
)
from pydantic_core import CoreSchema, ErrorDetails, PydanticCustomError

from scorer.challenge.yaml import MOST_BYTES, Value, document
from scorer.core.errors import ChallengeError
from scorer.core.problems import Findings, Problem
from scorer.core.text import near, nearest, quoted, shown

VERSION = 1
FILE = "challenge.yaml"

COLUMNS = {
    "list": "what is scored one by one: a query, a user",
    "item": "what a list ranks or rates",
    "grade": "how relevant the item is; without it every row has grade 1",
    "subtopic": "which aspect of the list the grade is for",
    "rating": "the true rating",
    "better": "the item that is preferred",
    "worse": "the item that the other is preferred to",
    "probability": "how likely the preference is",
    "rank": "place in the list, from 1",
    "score": "the number to order items by, highest first",
    "prediction": "the predicted rating",
    "low": "lower end of the prediction's interval",
    "high": "upper end of the prediction's interval",
    "group": "the slice that the list belongs to",
    "fold": "the fold that the row belongs to",
    "users": "how many past users know the item",
    "features": "what the item is described by: several columns",
}
ROLES = {
    "truth": ("list", "item", "grade", "subtopic", "rating", "better", "worse"),
    "lists": ("list", "group"),
    "items": ("item", "list", "users", "features"),
    "history": ("list", "item"),
    "likelihood": ("list", "better", "worse", "probability"),
    "folds": ("list", "item", "fold"),
    "submission": (
        *("list", "item", "rank", "score", "prediction", "low", "high", "better", "worse"),
    ),
}
UNITS = {"": 1, "k": 1000, "m": 1000**2, "g": 1000**3, "t": 1000**4}
UNITS |= {"ki": 1 << 10, "mi": 1 << 20, "gi": 1 << 30, "ti": 1 << 40}
SIZE = re.compile(r"([0-9]{1,15}(?:\.[0-9]{1,9})?) ?((?:[kmgt]i?)?)b?", re.IGNORECASE)
MOST = 2**63 - 1
MOST_DRAWS = 1_000_000  # each is kept for every submission
LONGEST = 1000  # characters of a path: each part of it costs a look at the disk
CATALOGUE = ("users", "features")  # columns of `items` with a field of their own
SWITCHES = ("intervals", "tiers")  # where nothing means "off", elsewhere "not written"
ENOUGH = "two keys are enough: 'truth: truth.csv' and 'metrics: [nDCG@10]'"
UNWRITTEN = Value(None, 0, 0)
MEASURED = "write nDCG@10, or {metric: nDCG, k: 10}"

Steps: TypeAlias = tuple[str | int, ...]

# An editor takes 2011 for a number, where here a text is whatever stands in the file.
SCALAR: dict[str, Any] = {"type": ["string", "number", "boolean"]}

# pydantic's kinds of error, in our words.
WORDS = {
    "literal_error": "{said} is not {expected}",
    "greater_than": "{said} is not above {gt:g}",
    "greater_than_equal": "{said} is below {ge:g}",
    "less_than": "{said} is not below {lt:g}",
    "less_than_equal": "{said} is above {le}",
    "too_short": "at least one is needed",
    "string_too_short": "an empty text",
    "tuple_type": "{said} is not a list; write one in [ ]",
    "dict_type": "{said} is not a mapping (key: value)",
    "model_type": "{said} is not a mapping (key: value)",
}


def _wrong(message: str, code: str = "C106") -> PydanticCustomError:
    return PydanticCustomError(code, "{message}", {"message": message})


def _said(value: Any) -> str:
    """A value as it was written, for a sentence."""
    if isinstance(value, Value):
        return quoted(value.text) if value.text is not None else _said(value.data)
    if isinstance(value, dict | list):
        return "a mapping" if isinstance(value, dict) else "a list"
    return quoted(value)


def _text(value: Any) -> Any:
    if isinstance(value, Value) and value.data is not None:
        return value.text
    if isinstance(value, str):
        return value
    raise _wrong("nothing is given" if _bare(value) is None else f"{_said(value)} is not a text")


def _bare(value: Any) -> Any:
    return value.data if isinstance(value, Value) else value


def _number(value: Any) -> Any:
    number = _bare(value)
    if isinstance(number, bool) or not isinstance(number, int | float):
        raise _wrong(f"{_said(value)} is not a number")
    return float(number)


def _whole(value: Any) -> Any:
    number = _bare(value)
    if isinstance(number, bool) or not isinstance(number, int):
        raise _wrong(f"{_said(value)} is not a whole number")
    return number


def _flag(value: Any) -> Any:
    if not isinstance(_bare(value), bool):
        raise _wrong(f"{_said(value)} is neither true nor false")
    return _bare(value)


def _size(value: Any) -> Any:
    match = SIZE.fullmatch(str(_text(value) if isinstance(value, Value) else value))
    if not match:
        raise _wrong(f"{_said(value)} is not a size, such as 20MB, 1GiB or a number of bytes")
    size = int(float(match[1]) * UNITS[match[2].lower()])
    if not 0 < size <= MOST:
        raise _wrong(f"{_said(value)} is not a size between 1 byte and 8 EiB")
    return size


def _range(value: Any) -> Any:
    if not isinstance(value, list) or len(value) != 2:
        raise _wrong(f"{_said(value)} is not a range; write [1, 5]")
    low, high = map(_number, value)
    if not low < high:
        raise _wrong(f"{_said(value[0])} is not below {_said(value[1])}")
    return low, high


def _switch(on: Any) -> Callable[[Any], Any]:
    """For what `false` turns off and `true` turns on as it is by default."""

    def settled(value: Any) -> Any:
        flag = _bare(value)
        return on if flag is True else None if flag is False or flag is None else value

    return settled


def _inside(value: Any, info: ValidationInfo) -> Any:
    """A path from the challenge's folder that stays in it, made absolute."""
    folder = (info.context or {}).get("folder")
    if folder is None:
        return value
    name = _text(value)
    if len(name) > LONGEST:
        raise _wrong(f"{quoted(name)} is too long for a file's name")
    if PureWindowsPath(name).anchor:
        raise _wrong(f"{quoted(name)} is not relative to the challenge's folder", "C111")
    try:
        path = Path(os.path.realpath(folder / name))
    except (ValueError, OSError):
        raise _wrong(f"{quoted(name)} cannot be a file's name") from None
    if path == folder:
        raise _wrong(f"{quoted(name)} names no file")
    if not path.is_relative_to(folder):
        raise _wrong(f"{quoted(name)} leaves the challenge's folder", "C111")
    return path


class _Or(NamedTuple):
    """A short form beside the full one, for JSON Schema; a validator reads it."""

    short: dict[str, Any]

    def __get_pydantic_json_schema__(
        self, core: CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        return {"anyOf": [self.short, handler(core)]}


def _columns(section: str) -> dict[str, Any]:
    """The JSON Schema of a section's columns."""
    names = {role: SCALAR | {"description": COLUMNS[role]} for role in ROLES[section]}
    if "features" in names:
        names["features"] |= {"type": "array", "items": SCALAR}
    return {"type": "object", "properties": names, "additionalProperties": False}


MEASURE = {
    "type": "object",
    "required": ["metric"],
    "properties": {
        "metric": {"type": "string", "description": "name or notation: nDCG, nDCG@10, AP(rel=2)"},
        "id": {**SCALAR, "description": "what the measure is called in results; default: its name"},
        "primary": {"type": "boolean", "description": "ranks by this measure; default: the first"},
    },
    "additionalProperties": {"description": "a parameter of the metric, such as k or cutoffs"},
}

Text = Annotated[str, BeforeValidator(_text), WithJsonSchema(SCALAR)]
Name = Annotated[str, Field(min_length=1), BeforeValidator(_text), WithJsonSchema(SCALAR)]
Number = Annotated[float, BeforeValidator(_number)]
Share = Annotated[float, Field(gt=0, lt=1), BeforeValidator(_number)]
Whole = Annotated[int, Field(ge=0, le=MOST), BeforeValidator(_whole)]
Count = Annotated[int, Field(ge=1, le=MOST), BeforeValidator(_whole)]
Size = Annotated[int, BeforeValidator(_size), _Or({"type": "string"})]
File = Annotated[Path, BeforeValidator(_inside)]
Files = tuple[File, ...]
Word = BeforeValidator(_text)  # before a Literal


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Source(_Part):
    """A file of the organizer's."""

    file: File = Field(description="path, relative to challenge.yaml and inside its folder")
    format: Name | None = Field(
        None, description="csv, lists, trec, jsonl or parquet; default: by the file's suffix"
    )
    columns: dict[str, Name] = Field({}, description="what the file calls its columns")

    @model_validator(mode="before")
    @classmethod
    def _path(cls, value: Any) -> Any:
        return {"file": value} if isinstance(value, Value | str | Path) else value


class Items(Source):
    """The catalogue. `users` and `features` are written among its columns."""

    users: Name | None = None
    features: tuple[Name, ...] = ()


class Length(_Part):
    """How many items a list may have."""

    min: Whole | None = Field(None, description="at least so many")
    max: Count | None = Field(None, description="at most so many")

    @model_validator(mode="before")
    @classmethod
    def _exact(cls, value: Any) -> Any:
        if isinstance(value, Value | int):
            return {"min": (exactly := _whole(value)), "max": exactly}
        return value

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        if self.min is not None and self.max is not None and self.min > self.max:
            raise _wrong(f"min {self.min} is above max {self.max}")
        return self


class Limits(_Part):
    """What a submission may cost to read."""

    size: Size = Field(1 << 30, description="bytes of the file: 20MB, 1GiB")
    unpacked: Size = Field(4 << 30, description="bytes once decompressed")
    rows: Count = Field(200_000_000, description="rows")
    line: Size = Field(1 << 20, description="bytes of one line")
    ids: Count = Field(100_000_000, description="different ids")
    ratio: Count = Field(1000, description="unpacked bytes for each compressed one")


class Submission(_Part):
    """What a submission must be."""

    format: Name | None = Field(
        None, description="csv, lists, trec, jsonl or parquet; default: by the file's suffix"
    )
    columns: Annotated[dict[str, Name], WithJsonSchema(_columns("submission"))] = Field(
        {}, description="what the file calls its columns"
    )
    length: Annotated[Length | None, _Or({"type": "integer", "minimum": 1})] = Field(
        None, description="items of each list: exactly 10, or {min: 1, max: 10}; default: any"
    )
    range: Annotated[tuple[Number, Number] | None, BeforeValidator(_range)] = Field(
        None, description="lowest and highest prediction allowed"
    )
    missing_list: Annotated[Literal["error", "zero", "skip"], Word] | None = Field(
        None, description="a list that a submission lacks: refused, scored as empty, or left out"
    )
    unknown_list: Annotated[Literal["error", "ignore"], Word] = Field(
        "error", description="a list that the challenge does not have"
    )
    ties: Annotated[Literal["item-desc", "item-asc", "file", "expected", "error"], Word] = Field(
        "item-desc",
        description="order of equal scores: by item, downwards as in trec_eval or upwards; "
        "as in the file; the mean over all orders; or refused",
    )
    limits: Limits = Field(Limits(), description="what a submission may cost to read")


class MeasureSpec(_Part):
    """A measure as it was asked for; the registry has not been asked yet."""

    notation: Name
    params: dict[str, Any] = {}
    id: Name | None = None
    primary: Annotated[bool, BeforeValidator(_flag)] = False
    key: str = ""


Measures = tuple[
    Annotated[MeasureSpec, WithJsonSchema({"anyOf": [{"type": "string"}, MEASURE]})], ...
]


def _one_primary(specs: tuple[MeasureSpec, ...]) -> tuple[MeasureSpec, ...]:
    """The first is primary where none says that it is."""
    if not specs:
        raise _wrong("at least one measure is needed")
    if any(spec.primary for spec in specs):
        return specs
    return tuple(spec.model_copy(update={"primary": n == 0}) for n, spec in enumerate(specs))


class RankBy(_Part):
    """Ranks from preferences between submissions."""

    preference: Name = Field(description="how two submissions are compared on a list: RPP")
    aggregate: Name = Field(description="how comparisons become one order: MC4")


class Tiers(_Part):
    """How standings that cannot be told apart are found."""

    test: Annotated[Literal["permutation", "wilcoxon", "t"], Word] = Field(
        "permutation", description="the paired test"
    )
    alpha: Share = Field(0.05, description="level of the test")
    adjust: Annotated[Literal["max", "holm"], Word] = Field(
        "max", description="how many comparisons at once are allowed for"
    )


class Leaderboard(_Part):
    """How scorecards become standings."""

    ties: Annotated[Literal["shared"], Word] = Field(
        "shared", description="equal values share a rank: 1, 2, 2, 4"
    )
    tie_break: tuple[Name, ...] = Field(
        (), description="measures or preferences that part equal values, in turn"
    )
    rank_by: Annotated[
        Annotated[Literal["primary"], Word, Tag("word")] | Annotated[RankBy, Tag("rule")],
        Discriminator(lambda value: "rule" if isinstance(value, dict | RankBy) else "word"),
    ] = Field("primary", description="the primary measure, or a preference with its aggregate")
    intervals: Annotated[
        Share | None,
        BeforeValidator(_switch(0.95)),
        _Or({"type": "boolean"}),
    ] = Field(0.95, description="level of the bootstrap intervals over lists; false: none")
    tiers: Annotated[Tiers | None, BeforeValidator(_switch({})), _Or({"type": "boolean"})] = Field(
        Tiers(), description="which standings cannot be told apart; false: not asked"
    )
    seed: Whole = Field(1, description="of everything random")
    draws: Annotated[Count, Field(le=MOST_DRAWS)] = Field(
        10_000, description="how many resamples or permutations are drawn"
    )
    baselines: Files = Field((), description="submissions that are shown outside the ranks")


class Example(_Part):
    """A golden case: a submission whose values are known."""

    truth: File | None = Field(None, description="a truth of its own; default: the challenge's")
    submission: File = Field(description="the submission's file")
    expect: Annotated[dict[str, Number], Field(min_length=1)] = Field(
        description="measure id: value"
    )
    tolerance: Annotated[float, Field(ge=0), BeforeValidator(_number)] = Field(
        1e-9, description="how far a value may be from the expected one"
    )


class Challenge(_Part):
    """Everything that challenge.yaml says, paths made absolute and defaults filled in."""

    scorer: Annotated[Literal[1], BeforeValidator(_whole)] = Field(
        1, description="version of this format"
    )
    id: Name = Field("", description="short name; default: the folder's name")
    title: Text = Field("", description="full name; default: the id")
    description: Text = Field("", description="what the challenge is about, in Markdown")
    truth: Source = Field(description="the hidden answers")
    lists: Source | None = Field(None, description="the lists to answer, public; group: slices")
    items: Items | None = Field(None, description="the items there are, public")
    history: Source | None = Field(None, description="past list and item pairs, for novelty")
    likelihood: Source | None = Field(None, description="how likely preferences are, for EDRC")
    folds: Source | None = Field(None, description="splits for cross-validation")
    submission: Submission = Field(Submission(), description="what a submission must be")
    metrics: Annotated[Measures, AfterValidator(_one_primary)] = Field(
        description="the measures; the first is primary unless one says so",
        json_schema_extra={"minItems": 1},
    )
    undefined: Annotated[Literal["error", "zero", "skip"], Word] | None = Field(
        None, description="a list for which a measure has no value, as without relevant items"
    )
    leaderboard: Leaderboard = Field(Leaderboard(), description="how submissions are ranked")
    examples: tuple[Example, ...] = Field((), description="cases with known values")
    plugins: Files = Field(
        (), description="Python files with own metrics; loaded only with --allow-plugins"
    )

    _path: Path = PrivateAttr(default=Path(FILE))
    _folder: Path = PrivateAttr(default=Path())
    _root: Value | None = PrivateAttr(default=None)

    @property
    def path(self) -> Path:
        """The YAML file, as it was named."""
        return self._path

    @property
    def folder(self) -> Path:
        """The folder that paths are relative to, absolute."""
        return self._folder

    @property
    def files(self) -> tuple[Path, ...]:
        """Every file that belongs to it, whether there or not."""
        sources = (self.truth, self.lists, self.items, self.history, self.likelihood, self.folds)
        return (
            self.path,
            *(source.file for source in sources if source is not None),
            *self.leaderboard.baselines,
            *self.plugins,
            *(file for each in self.examples for file in (each.truth, each.submission) if file),
        )

    @property
    def strayed(self) -> tuple[Path, ...]:
        """The files that a link has taken out of the folder since the challenge was loaded."""
        inside = [path for path in self.files[1:] if path.is_relative_to(self.folder)]
        return tuple(
            path
            for path in inside
            if self.folder != Path()
            and not Path(os.path.realpath(path)).is_relative_to(self.folder)
        )

    def line(self, key: str) -> int | None:
        """The line of a key such as `metrics[1].cutoffs`, or of the nearest one above it."""
        steps = [int(n) if n else name for name, n in re.findall(r"([^.\[\]]+)|\[(\d+)\]", key)]
        done, line, _ = self._root.reach(steps) if self._root else (0, 0, None)
        return line if done else None

    def problem(self, code: str, key: str, message: str, help: str | None = None) -> Problem:
        """A problem of the challenge, at the line of its key."""
        return Problem(
            code, f"{key}: {message}", path=near(self.path), line=self.line(key), help=help
        )

    def with_metrics(self, notations: Iterable[str]) -> Self:
        """A copy that asks for these measures instead, the first primary; an `id` is a measure."""
        own = {spec.id: spec.model_copy(update={"primary": False}) for spec in self.metrics}
        specs = (own.get(word) or MeasureSpec(notation=word, key="--metric") for word in notations)
        return self.model_copy(update={"metrics": _one_primary(tuple(specs))})

    def with_truth(self, path: Path) -> Self:
        """A copy with another truth, which may lie anywhere; its columns are called the same."""
        kept = self.truth.format if path.suffix == self.truth.file.suffix else None
        update = {"file": Path(os.path.realpath(path)), "format": kept}
        return self.model_copy(update={"truth": self.truth.model_copy(update=update)})


def load(path: Path) -> Challenge:
    """The challenge in a file, or in a folder's challenge.yaml. Raises `ChallengeError`."""
    where = path / FILE if os.path.isdir(path) else path
    found = Findings(near(where))
    text = _bytes(where)
    root = document(text, found)
    if root is None or not isinstance(root.data, dict) or not _known(root.data.get("scorer")):
        if root is not None:
            found.add(_headless(root))
        raise ChallengeError(problems=found)
    # YAML read a line otherwise than it was meant: what follows from that helps nobody.
    misread = {problem.line for problem in found if problem.code == "C103"}
    try:
        folder = Path(os.path.realpath(where.parent))
    except OSError:  # the folder in which we stand is gone, and a path is relative to it
        said = "not found; the current folder does not exist any more"
        raise ChallengeError(problems=[Problem("C101", said, path=str(where))]) from None
    faults = list(_faults(root))
    try:
        challenge = Challenge.model_validate(_written(root, folder), context={"folder": folder})
    except ValidationError as error:
        faults += [_fault(root, fault) for fault in error.errors(include_url=False)]
    found.extend(fault for fault in faults if fault.line not in misread)
    if found.fatal:
        raise ChallengeError(problems=found)
    challenge._path, challenge._folder = where, folder
    challenge._root = root
    return challenge


def schema() -> dict[str, Any]:
    """The JSON Schema of challenge.yaml, for editors."""
    made = Challenge.model_json_schema()
    parts = made["$defs"]
    source = parts.pop("Source")
    del parts["Items"]
    for section in ROLES.keys() & made["properties"].keys() - {"submission"}:
        columns = source["properties"]["columns"] | _columns(section)
        full = source | {"properties": source["properties"] | {"columns": columns}}
        said = made["properties"][section]["description"]
        made["properties"][section] = {"description": said, "anyOf": [{"type": "string"}, full]}
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **made, "title": FILE}


def _bytes(where: Path) -> bytes:
    try:
        if not where.is_file() and where.exists():
            said = "a folder" if where.is_dir() else "not a regular file"
        else:
            with where.open("rb") as file:
                return file.read(MOST_BYTES + 1)
    except FileNotFoundError:
        said = "not found"
        with suppress(OSError):
            if near := nearest(where.name, os.listdir(where.parent)):
                said += f"; did you mean {quoted(near)} in the same folder?"
    except (OSError, ValueError) as error:
        said = getattr(error, "strerror", None) or "not a file's name"
    raise ChallengeError(problems=[Problem("C101", said, path=str(where))])


def _known(version: Value | None) -> bool:
    return version is None or version.data is None or version.text == str(VERSION)


def _headless(root: Value) -> Problem:
    """Why nothing else of the file can be judged."""
    if isinstance(root.data, dict):
        version = root.data["scorer"]
        said = f"scorer: this scorer reads version {VERSION} of the format, not {_said(version)}"
        return Problem("C119", said, line=root.lines["scorer"])
    if root.data is None:
        return Problem("C107", "the file is empty", line=1, help=ENOUGH)
    kind = "a list" if isinstance(root.data, list) else "one text"
    return Problem("C106", f"{kind} where keys are expected", line=root.line, help=ENOUGH)


def _tree(value: Value) -> Any:
    """Dicts and lists with `Value` leaves. A key without a value counts as not written."""
    if isinstance(value.data, dict):
        return {
            key: _tree(one)
            for key, one in value.data.items()
            if one.data is not None or key in SWITCHES
        }
    return [_tree(one) for one in value.data] if isinstance(value.data, list) else value


def _written(root: Value, folder: Path) -> dict[str, Any]:
    """What the models are made from: the file, with what depends on place settled."""
    tree: dict[str, Any] = {"id": folder.name or "challenge", **_tree(root)}
    if isinstance(tree["id"], Value | str):
        tree.setdefault("title", tree["id"])
    if isinstance(tree.get("metrics"), list):
        tree["metrics"] = [_measure(n, one) for n, one in enumerate(_list(root, "metrics"))]
    match tree.get("items"):
        case {"columns": dict(columns), **rest}:
            tree["items"] = {**rest, "columns": columns} | {
                role: columns.pop(role) for role in CATALOGUE if role in columns
            }
    return tree


def _measure(n: int, value: Value) -> dict[str, Any]:
    given = dict(_mapping(value)) or {"metric": value}
    own = {key: given.pop(key, None) for key in ("metric", "id", "primary")}
    made = {key: _tree(one) for key, one in own.items() if one and one.data is not None}
    if "metric" in made:
        made["notation"] = made.pop("metric")
    params = {key: one.plain() for key, one in given.items()}
    return {**made, "params": params, "key": f"metrics[{n}]"}


def _mapping(value: Value | None, *keys: str) -> dict[str, Value]:
    """The entries of a mapping somewhere below, none where there is no mapping."""
    for key in keys:
        value = _mapping(value).get(key)
    return value.data if value and isinstance(value.data, dict) else {}


def _list(root: Value, key: str) -> list[Value]:
    value = _mapping(root).get(key)
    return value.data if value and isinstance(value.data, list) else []


def _faults(root: Value) -> Iterator[Problem]:
    """What concerns several keys at once, or names that are no model's."""
    for section, roles in ROLES.items():
        for role in _mapping(root, section, "columns"):
            if role not in roles:
                yield _unknown(root, (section, "columns", role), roles)
    for role in CATALOGUE:
        if role in _mapping(root, "items"):
            said = f"{quoted(role)} is a column; write it under 'columns'"
            yield _located(root, "C105", ("items", role), said, ("items",))
    ids: dict[str | None, int] = {}
    primary: list[int] = []
    for n, spec in enumerate(_list(root, "metrics")):
        name, flag = (_mapping(spec).get(key, UNWRITTEN) for key in ("id", "primary"))
        if name.data is not None and (first := ids.setdefault(name.text, n)) != n:
            said = f"{quoted(name.text)} is the id of metrics[{first}] already"
            yield _located(root, "C120", ("metrics", n, "id"), said)
        if flag.data is True:
            primary.append(n)
    for n in primary[1:]:
        said = f"metrics[{primary[0]}] is primary already"
        yield _located(root, "C106", ("metrics", n, "primary"), said)


def _fault(root: Value, fault: ErrorDetails) -> Problem:
    """One of pydantic's findings in our words, with the path that the file has."""
    steps = fault["loc"]
    if steps[:2] == ("leaderboard", "rank_by"):
        steps = steps[:2] + steps[3:]  # less the tag of the union
    if steps[0] == "items" and steps[1:] and steps[1] in CATALOGUE:
        steps = ("items", "columns", *steps[1:])
    if steps[0] == "metrics" and steps[-1] == "notation":
        steps = (*steps[:-1], "metric")
    kind, context = fault["type"], fault.get("ctx", {})
    if kind == "missing":
        help = ENOUGH if len(steps) == 1 else MEASURED if steps[-1] == "metric" else None
        said = f"{quoted(steps[-1])} is missing"
        return _located(root, "C107", steps, said, steps[:-1], help)
    if kind == "extra_forbidden":
        return _unknown(root, steps, _keys(steps[:-1]))
    if kind.startswith("C"):
        return _located(root, kind, steps, fault["msg"])
    words = WORDS.get(kind, "{msg}")
    said = words.format(said=_said(root.reach(steps)[2]), msg=fault["msg"], **context)
    return _located(root, "C106", steps, said)


def _unknown(root: Value, steps: Steps, known: Sequence[str]) -> Problem:
    elsewhere = steps[-2:-1] == ("columns",) and steps[-1] in COLUMNS
    near = None if elsewhere else nearest(str(steps[-1]), known)
    hint = f"; did you mean {quoted(near)}?" if near else ""
    said = f"no key {quoted(steps[-1])} here{hint}"
    help = None if near else f"known here: {', '.join(known)}"
    return _located(root, "C105", steps, said, steps[:-1], help)


def _keys(steps: Steps) -> list[str]:
    """The keys that the file may have at a place."""
    model: type[BaseModel] = Challenge
    for step in steps:
        if isinstance(step, str):
            model = next(_models(model.model_fields[step].annotation))
    return [key for key in model.model_fields if model is not Items or key not in CATALOGUE]


def _models(annotation: Any) -> Iterator[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for part in get_args(annotation):
        yield from _models(part)


def _located(
    root: Value,
    code: str,
    steps: Steps,
    said: str,
    named: Steps | None = None,
    help: str | None = None,
) -> Problem:
    """A problem at the line of `steps`, its message opened by the path as far as it exists."""
    done, line, _ = root.reach(steps)
    path = steps[:done] if named is None else named
    key = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)
    said = f"{shown(key.removeprefix('.'))}: {said}" if key else said
    return Problem(code, said, line=line, help=help)
