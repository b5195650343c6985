"""A challenge.yaml as plain data, and where each key and value of it stands.

PyYAML reads YAML 1.1, where `no` is false and `1e-6` is text. Only its events are used here:
scalars stay texts as they are written, and what one means is the core schema of YAML 1.2.2
(section 10.3).
The data is built without recursion, since PyYAML's own composer overflows the stack of the process
on deep nesting, and within fixed bounds, since a challenge may come from anywhere.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from numbers import Integral, Real
from typing import Any

import yaml

from scorer.core.problems import Findings, Problem
from scorer.core.text import printable, quoted

YAML_SUFFIXES = (".yaml", ".yml")
MOST_BYTES = 1 << 20
MOST_VALUES = 10_000  # with every alias written out
DEEPEST_YAML = 50
MOST_TAGS = 100  # libyaml compares each with all others, so the time grows with the square

Path = tuple[str | int, ...]  # the keys, and places in lists, that lead to a value

LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

# The lengths keep every whole number within a double, and int() within its limit of 4,300 digits.
CORE = re.compile(
    r"(?P<null>null|Null|NULL|~|)|(?P<true>true|True|TRUE)|(?P<false>false|False|FALSE)"
    r"|(?P<int>[-+]?[0-9]{1,300})|(?P<oct>0o[0-7]{1,300})|(?P<hex>0x[0-9a-fA-F]{1,240})"
    r"|(?P<float>[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?)"
    r"|(?P<inf>[-+]?\.(?:inf|Inf|INF))|(?P<nan>\.(?:nan|NaN|NAN))"
)
# A metric's notation with parentheses, a cut-off or both: what YAML cuts at a comma or a brace.
NOTATION = re.compile(r"\w+(?=[(@])(?:\([^()]{0,300}\))?(?:@[\w.]+(?:,\s*[\d.]+)*)?")
BREAK = re.compile(r"\r\n?|\n")
# PyYAML breaks lines at U+0085, U+2028 and U+2029 too, as YAML 1.1 did; editors do not.
UNPRINTABLE = "[^\t\n\r -~\xa0-\u2027\u202a-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]"

# What libyaml and PyYAML's own parser say in common, and what a person would say.
SYNTAX = {
    "mapping values are not": "a ':' cannot stand here; quote the text or correct the indentation",
    "',' or ']'": "a ',' or ']' is missing before this; the '[' is on line {opened}",
    "',' or '}'": "a ',' or '}}' is missing before this; the '{{' is on line {opened}",
    "sequence entries are not": "a list item cannot stand here; begin it on a line of its own",
    "cannot start any token": "{char} cannot begin a value; put the text in quotes",
    "end of stream": "the quote opened here is never closed",
    "could not find expected ':'": "a ':' is missing after this key",
    **dict.fromkeys(
        ("expected key", "'-' indicator", "block end"),
        "this fits no key or item above it; look at the indentation",
    ),
    "node content": "a value is missing before {char}",
    "document start": "the file's one value has ended before this",
}
AT_OPENING = ("end of stream", "could not find expected ':'")  # the cause is where it began


@dataclass(slots=True, eq=False)
class YamlDocument:
    """The one value of a YAML file, or data of a Python session in its place.

    Attributes:
        data: A text for each scalar, None for an empty one, lists and dicts.
        places: The line and the column of each key and of each element of a list, from 1; empty
            for data that no file holds.
        quoted: The paths of the scalars that are texts whatever they look like.
    """

    data: Any = None
    places: dict[Path, tuple[int, int]] = field(default_factory=dict)
    quoted: set[Path] = field(default_factory=set)

    def reach(self, path: Path) -> tuple[int, Any]:
        """Return how many steps of a path lead somewhere, and the value they lead to."""
        value = self.data
        for done, step in enumerate(path):
            is_key = isinstance(value, dict) and isinstance(step, str) and step in value
            is_place = isinstance(value, list) and isinstance(step, int) and step < len(value)
            if not is_key and not is_place:
                return done, value
            value = value[step]
        return len(path), value

    def line(self, path: Path) -> int | None:
        """Return the line of a path, or of the nearest one above it that exists."""
        done, _ = self.reach(path)
        return self.places.get(path[:done], (None, None))[0]

    def resolve(self, path: Path) -> Any:
        """Return the data at a path with numbers, flags and nothing as the core schema has them."""
        _, value = self.reach(path)
        if isinstance(value, dict):
            return {key: self.resolve((*path, key)) for key in value}
        if isinstance(value, list):
            return [self.resolve((*path, n)) for n in range(len(value))]
        return value if value is None or path in self.quoted else resolve_scalar(value)


def read_yaml(data: bytes, findings: Findings) -> YamlDocument | None:
    """Return the one value of a YAML file; None where reading had to stop.

    Problems go to `findings`. There may be a value all the same, so that its reader can report what
    else is wrong.
    """
    text = _decode(data, findings)
    return None if text is None else _Reader(text, findings).read()


def read_data(data: object, findings: Findings) -> YamlDocument:
    """Return the same of data that no file holds: mappings, sequences, texts, numbers, paths."""
    document = YamlDocument()

    def convert(value: object, path: Path) -> Any:
        if len(path) > DEEPEST_YAML:
            findings.add(Problem("C110", f"nested more than {DEEPEST_YAML} deep"))
            return None
        match value:
            case None:
                return None
            case bool():
                return str(value).lower()
            case str() | os.PathLike():
                document.quoted.add(path)
                return os.fspath(value)
            case Integral():
                return str(int(value))
            case Real():
                return re.sub("inf|nan", r".\g<0>", repr(float(value)))
            case Mapping():
                return {str(key): convert(part, (*path, str(key))) for key, part in value.items()}
            case Sequence() if not isinstance(value, bytes | bytearray):
                return [convert(part, (*path, n)) for n, part in enumerate(value)]
        message = (
            f"{quoted(value)} is {type(value).__name__}; a challenge has texts, numbers, lists"
        )
        findings.add(Problem("C106", message))
        return None

    document.data = convert(data, ())
    return document


def resolve_scalar(text: str) -> bool | int | float | str | None:
    """Return the value of an unquoted scalar by the core schema of YAML 1.2.

    >>> [resolve_scalar(text) for text in ("no", "1:30", "1e-6", "0o17", "010", "~")]
    ['no', '1:30', 1e-06, 15, 10, None]
    """
    match = CORE.fullmatch(text)
    match match.lastgroup if match else "text":
        case "null":
            return None
        case "true" | "false" as flag:
            return flag == "true"
        case "int":
            return int(text)
        case "oct" | "hex" as base:
            return int(text[2:], 8 if base == "oct" else 16)
        case "float":
            return float(text)
        case "inf" | "nan":
            return float(text.replace(".", ""))
    return text


def _decode(data: bytes, findings: Findings) -> str | None:
    """Return the text of a file, or None and a problem if it is too large or no text."""
    if len(data) > MOST_BYTES:
        findings.add(Problem("C110", f"larger than {MOST_BYTES >> 20} MiB", line=1))
        return None
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        kind = "is UTF-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "may be Windows-1252"
        line = len(BREAK.findall(data[: error.start].decode("latin-1"))) + 1
        message = f"byte 0x{data[error.start]:02X} is not UTF-8; the file {kind}, save it as UTF-8"
        findings.add(Problem("C102", message, line=line))
        return None
    # plain text, which is nearly all, does not wait for so large an expression to be compiled
    plain = text.translate(str.maketrans("", "", "\t\n\r")).isprintable()
    if not plain and (bad := re.search(UNPRINTABLE, text)):
        line = len(BREAK.findall(text, 0, bad.start())) + 1
        name = "a NUL byte" if bad[0] == "\0" else f"the character {quoted(bad[0])}"
        findings.add(Problem("C103", f"{name} cannot stand in a text file", line=line))
        return None
    if text.startswith("%TAG") + text.count("\n%TAG") > MOST_TAGS:
        findings.add(Problem("C110", f"more than {MOST_TAGS} %TAG lines", line=1))
        return None
    return text


class _Stopped(Exception):
    """The rest of the file is not read."""


UNUSED = -1  # in paths, a key whose value is dropped: no key is a number


@dataclass(slots=True)
class _Collection:
    """A list or mapping whose end has not come yet."""

    value: Any
    path: Path
    anchor: str | None
    start: int  # how many values stand before it
    height: int = 1
    key: str | int | None = None  # of a mapping, the key that waits for its value


@dataclass(slots=True)
class _Anchor:
    """A value that has a name, by which aliases mean it."""

    value: Any
    path: Path
    size: int
    height: int


class _Reader:
    """Builds one document from the events of a YAML file, iteratively."""

    def __init__(self, text: str, findings: Findings) -> None:
        self.text = text
        self.findings = findings
        self.document = YamlDocument(None, {(): (1, 1)})
        self.open: list[_Collection] = []
        self.anchors: dict[str, _Anchor] = {}
        self.is_complete = False
        self.has_merge = False
        self.total = 0  # values so far, aliases written out
        self.aliased = False
        self.cut = -1  # how far the last notation reaches that YAML cut in two

    def read(self) -> YamlDocument | None:
        """Return the whole document, or None where its syntax is broken."""
        try:
            for event in yaml.parse(self.text, Loader=LOADER):
                self.take(event)
        except _Stopped:
            return self.document if self.is_complete else None
        except yaml.MarkedYAMLError as error:
            self.explain_syntax(error)
            return None
        except (yaml.YAMLError, ValueError, OverflowError) as error:
            # PyYAML's own parser lets chr() fail on an escape such as "\UFFFFFFFF".
            self.findings.add(Problem("C103", f"not YAML: {error}", line=1, column=1))
            return None
        # Without what a merge would bring, its reader would find keys missing.
        return None if self.has_merge else self.document

    def take(self, event: Any) -> None:
        """Make one event part of the document."""
        mark = event.start_mark
        if getattr(event, "tag", None):
            self.report("C108", "a tag ('!...') has no meaning here; write the value alone", mark)
        match event:
            case yaml.DocumentStartEvent() if self.is_complete:
                self.report("C103", "a second document begins here; a challenge is one", mark)
                raise _Stopped
            case yaml.AliasEvent():
                self.take_alias(event.anchor or "", mark)
            case yaml.ScalarEvent():
                is_plain = event.implicit[0] and not event.style
                if is_plain:
                    end: Any = event.end_mark
                    self.report_cut_notation(mark, end.index)
                self.count(1, mark)
                self.take_scalar(event.value, is_plain, event.anchor, mark)
            case yaml.CollectionStartEvent():
                self.start_collection(event, mark)
            case yaml.CollectionEndEvent():
                closed = self.open.pop()
                if closed.anchor:
                    size = self.total - closed.start
                    self.anchors[closed.anchor] = _Anchor(
                        closed.value, closed.path, size, closed.height
                    )
                if self.open:
                    self.open[-1].height = max(self.open[-1].height, closed.height + 1)
                self.is_complete = not self.open

    def take_scalar(self, text: str, is_plain: bool, anchor: str | None, mark: Any) -> None:
        """Take a scalar as a key, or as a value."""
        if self.awaits_key():
            if anchor:
                self.anchors[anchor] = _Anchor(text, (UNUSED,), 1, 0)
            if is_plain and text == "<<":
                self.report("C105", "merging by << is not supported; write the keys out", mark)
                self.has_merge = True
                self.open[-1].key = UNUSED
                return
            self.take_key(text, mark)
            return
        value = None if is_plain and resolve_scalar(text) is None else text
        path = self.put(value, mark)
        if not is_plain:
            self.document.quoted.add(path)
        if anchor:
            self.anchors[anchor] = _Anchor(value, path, 1, 0)
        self.is_complete = not self.open

    def start_collection(self, event: Any, mark: Any) -> None:
        """Open a list or mapping, in which the next values are put."""
        if len(self.open) >= DEEPEST_YAML:
            self.report("C110", f"nested more than {DEEPEST_YAML} deep", mark)
            raise _Stopped
        start = self.total
        self.count(1, mark)
        value: Any = {} if isinstance(event, yaml.MappingStartEvent) else []
        if self.awaits_key():
            self.report("C103", "a key is a text, not a list or a mapping", mark)
            self.open[-1].key = UNUSED
            path: Path = (*self.open[-1].path, UNUSED)
        else:
            path = self.put(value, mark)
        self.open.append(_Collection(value, path, event.anchor, start))

    def awaits_key(self) -> bool:
        """Return whether the next value is a key of the innermost mapping."""
        return (
            bool(self.open) and isinstance(self.open[-1].value, dict) and self.open[-1].key is None
        )

    def take_key(self, key: str, mark: Any) -> None:
        """Keep a key until its value comes; the value of one that is given twice is dropped."""
        top = self.open[-1]
        path = (*top.path, key)
        if key in top.value:
            first = self.document.places[path][0]
            message = f"key {quoted(key)} is given twice (first on line {first})"
            self.report("C104", message, mark)
            top.key = UNUSED
            return
        top.key = key
        self.document.places[path] = mark.line + 1, mark.column + 1

    def put(self, value: Any, mark: Any) -> Path:
        """Put a value into the innermost collection; return its path."""
        if not self.open:
            self.document.data = value
            self.document.places[()] = mark.line + 1, mark.column + 1
            return ()
        top = self.open[-1]
        if isinstance(top.value, list):
            path = (*top.path, len(top.value))
            top.value.append(value)
            self.document.places[path] = mark.line + 1, mark.column + 1
            return path
        key = top.key
        top.key = None
        path = (*top.path, UNUSED if key is None else key)
        if key != UNUSED:
            top.value[key] = value
        return path

    def take_alias(self, name: str, mark: Any) -> None:
        """Put in again what an anchor named: shared, but counted as if written out."""
        self.aliased = True
        anchor = self.anchors.get(name, _Anchor(None, (UNUSED,), 1, 0))
        if any(collection.anchor == name for collection in self.open):
            self.report("C109", f"alias {quoted(name)} stands inside what it names", mark)
        elif name not in self.anchors:
            self.report("C109", f"alias {quoted(name)} names nothing above it", mark)
        elif len(self.open) + anchor.height > DEEPEST_YAML:
            message = f"nested more than {DEEPEST_YAML} deep, aliases written out"
            self.report("C109", message, mark)
            raise _Stopped
        self.count(anchor.size, mark)
        if self.awaits_key():
            if isinstance(anchor.value, str):
                self.take_key(anchor.value, mark)
            else:
                self.report("C103", "a key is a text, not a list or a mapping", mark)
                self.open[-1].key = UNUSED
            return
        if self.open:
            self.open[-1].height = max(self.open[-1].height, anchor.height + 1)
        path = self.put(anchor.value, mark)
        self.copy_places(anchor.value, anchor.path, path)
        self.is_complete = not self.open

    def copy_places(self, value: Any, source: Path, target: Path) -> None:
        """Give the values in an aliased one the places of those that its anchor names."""
        if source in self.document.quoted:
            self.document.quoted.add(target)
        steps = value if isinstance(value, dict) else range(len(value or ()))
        for step in steps if isinstance(value, dict | list) else ():
            if (*source, step) in self.document.places:
                self.document.places[(*target, step)] = self.document.places[(*source, step)]
            self.copy_places(value[step], (*source, step), (*target, step))

    def count(self, size: int, mark: Any) -> None:
        """Stop where there are too many values."""
        self.total += size
        if self.total > MOST_VALUES:
            how = ", aliases written out" if self.aliased else ""
            code = "C109" if self.aliased else "C110"
            long = "; write many classes in a file: classes: {file: classes.csv}"
            self.report(code, f"more than {MOST_VALUES:,} values{how}{'' if how else long}", mark)
            raise _Stopped

    def report_cut_notation(self, mark: Any, end: int) -> None:
        """Report a metric's notation that YAML ends at a comma, a brace or ': '."""
        notation = NOTATION.match(self.text, mark.index)
        if notation and notation.end() > end:
            self.report_notation(notation, mark.line + 1, mark.column + 1)

    def report_notation(self, notation: re.Match[str], line: int, column: int) -> None:
        """Report a metric's notation that has to be quoted."""
        self.cut = notation.end()
        words = printable(" ".join(notation[0].split()), 80)
        message = f'quote this, or YAML cuts it in two: "{words}"'
        self.findings.add(Problem("C103", message, line=line, column=column))

    def explain_syntax(self, error: yaml.MarkedYAMLError) -> None:
        """Report a parser's error in our words, where its cause stands."""
        mark: Any = error.problem_mark or error.context_mark
        opening: Any = error.context_mark or mark
        at = mark.index
        line_start = mark.index - mark.column
        for notation in NOTATION.finditer(self.text, max(line_start, at - 300), at + 300):
            if at > self.cut and notation.start() < at < notation.end():
                self.report_notation(notation, mark.line + 1, notation.start() - line_start + 1)
        if at <= self.cut:
            return
        problem = error.problem or ""
        char = self.text[at : at + 1]
        for part, words in SYNTAX.items():
            if part in problem:
                name = {"": "the end of the file", "\t": "a tab"}.get(char, quoted(char))
                message = words.format(opened=opening.line + 1, char=name)
                if char == "\t" and part == "cannot start any token":
                    message = "a tab cannot indent; use blanks"
                self.report("C103", message, opening if part in AT_OPENING else mark)
                return
        self.report("C103", f"not YAML: {problem}", mark)

    def report(self, code: str, message: str, mark: Any) -> None:
        """Add a problem at a place of the file."""
        line = mark.line + 1
        column = mark.column + 1
        if mark.index >= len(self.text):  # libyaml ends each file by a line of its own
            lines = BREAK.split(self.text)
            line = len(lines)
            column = len(lines[-1]) + 1
        self.findings.add(Problem(code, message, line=line, column=column))
