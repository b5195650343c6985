"""YAML as people mean it: values that know their line.

PyYAML reads YAML 1.1, where `no` is false and `1e-6` is text. Only its events
are used here; what a scalar means is the core schema of YAML 1.2.2, section
10.3. The tree is built without recursion, since PyYAML's own composer
overflows the stack of the process on deep nesting, and within fixed bounds,
since a challenge may come from anywhere.
"""

from __future__ import annotations

import os
import re
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from numbers import Integral, Real
from typing import Any, TypeAlias

import yaml

from scorer.core.problems import Findings, Problem
from scorer.core.text import printable, quoted

YAML_SUFFIXES = (".yaml", ".yml")
MOST_BYTES = 1 << 20
MOST_VALUES = 10_000  # with every alias written out
DEEPEST_YAML = 50
MOST_TAGS = 100  # libyaml compares each with all others, so the time grows with the square

Data: TypeAlias = "bool | int | float | str | list[YamlValue] | dict[str, YamlValue] | None"

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


@dataclass(frozen=True, slots=True)
class YamlValue:
    """A value of the file, with its place."""

    data: Data
    line: int | None  # None: of data that no file holds
    column: int | None
    text: str | None = None  # of a scalar: its source text, without quotes
    lines: dict[str, int | None] = field(
        default_factory=dict
    )  # of a mapping: where each key stands

    def plain(self) -> Any:
        """The same without places: dicts, lists, numbers and texts."""
        if isinstance(self.data, dict):
            return {key: value.plain() for key, value in self.data.items()}
        if isinstance(self.data, list):
            return [value.plain() for value in self.data]
        return self.data

    def reach(self, steps: Sequence[str | int]) -> tuple[int, int | None, YamlValue]:
        """How many of `steps` lead somewhere from here, and the line and value they lead to."""
        value, line = self, self.line
        for done, step in enumerate(steps):
            if isinstance(value.data, dict) and isinstance(step, str) and step in value.data:
                value, line = value.data[step], value.lines[step]
            elif isinstance(value.data, list) and isinstance(step, int) and step < len(value.data):
                value = value.data[step]
                line = value.line
            else:
                return done, line, value
        return len(steps), line, value


def document(data: bytes, findings: Findings) -> YamlValue | None:
    """The one value of a YAML file; None where reading had to stop.

    Problems go to `findings`. There may be a value all the same, so that its
    reader can report what else is wrong.
    """
    text = _as_unicode(data, findings)
    return None if text is None else _Composer(text, findings).value()


def from_data(data: object, findings: Findings, depth: int = 0) -> YamlValue:
    """The same of data that no file holds: mappings, sequences, texts, numbers, paths.

    Its values have no lines.
    """
    lost = YamlValue(None, None, None)
    if depth > DEEPEST_YAML:
        findings.add(Problem("C110", f"nested more than {DEEPEST_YAML} deep"))
        return lost
    match data:
        case None:
            return YamlValue(None, None, None, "")
        case bool():
            return YamlValue(data, None, None, str(data).lower())
        case str() | os.PathLike():
            return YamlValue(os.fspath(data), None, None, os.fspath(data))
        case Integral():
            return YamlValue(int(data), None, None, str(int(data)))
        case Real():
            return YamlValue(float(data), None, None, repr(float(data)))
        case Mapping():
            entries = {
                str(key): from_data(value, findings, depth + 1) for key, value in data.items()
            }
            return YamlValue(entries, None, None, lines=dict.fromkeys(entries))
        case Sequence() if not isinstance(data, bytes | bytearray):
            return YamlValue([from_data(value, findings, depth + 1) for value in data], None, None)
    name = type(data).__name__
    findings.add(
        Problem("C106", f"{quoted(data)} is {name}; a challenge has texts, numbers, lists")
    )
    return lost


def resolved(text: str) -> Data:
    """The value of an unquoted scalar by the core schema of YAML 1.2.

    >>> [resolved(text) for text in ("no", "1:30", "1e-6", "0o17", "010", "~")]
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


def _as_unicode(data: bytes, findings: Findings) -> str | None:
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


@dataclass(slots=True)
class _Open:
    """A collection whose end has not come yet."""

    value: YamlValue
    anchor: str | None
    size: int = 1
    height: int = 1
    key: YamlValue | None = None  # waits for its value


class _Composer:
    """Builds one tree from events, iteratively."""

    def __init__(self, text: str, findings: Findings) -> None:
        self.text, self.findings = text, findings
        self.starts = [0, *(match.end() for match in BREAK.finditer(text))]
        self.open: list[_Open] = []
        self.anchors: dict[str, tuple[YamlValue, int, int]] = {}
        self.root: YamlValue | None = None
        self.total = 0
        self.aliased = False
        self.cut = -1  # how far the last notation reaches that YAML cut in two

    def value(self) -> YamlValue | None:
        """The whole document, or None where its syntax is broken."""
        try:
            for event in yaml.parse(self.text, Loader=LOADER):
                self.take(event)
        except _Stopped:
            return self.root
        except yaml.MarkedYAMLError as error:
            self.syntax(error)
            return None
        except (yaml.YAMLError, ValueError, OverflowError) as error:
            # PyYAML's own parser lets chr() fail on an escape such as "\UFFFFFFFF".
            self.say("C103", f"not YAML: {error}", 0)
            return None
        return self.root or YamlValue(None, 1, 1, "")

    def take(self, event: Any) -> None:
        """Make one event part of the tree."""
        at, end = event.start_mark.index, event.end_mark.index
        if getattr(event, "tag", None):
            message = "a tag ('!...') has no meaning here; write the value alone"
            self.say("C108", message, at)
        match event:
            case yaml.DocumentStartEvent() if self.root:
                self.say("C103", "a second document begins here; a challenge is one", at)
                raise _Stopped
            case yaml.AliasEvent():
                self.alias(event.anchor or "", at)
            case yaml.ScalarEvent():
                plain = event.implicit[0] and not event.style
                data = resolved(event.value) if plain else event.value
                value = YamlValue(data, *self.place(at), event.value)
                if plain:
                    self.notation(at, end)
                self.count(1, at)
                self.add(value, 1, 0, event.anchor)
            case yaml.CollectionStartEvent():
                if len(self.open) >= DEEPEST_YAML:
                    self.say("C110", f"nested more than {DEEPEST_YAML} deep", at)
                    raise _Stopped
                self.count(1, at)
                empty: Data = {} if isinstance(event, yaml.MappingStartEvent) else []
                self.open.append(_Open(YamlValue(empty, *self.place(at)), event.anchor))
            case yaml.CollectionEndEvent():
                closed = self.open.pop()
                self.add(closed.value, closed.size, closed.height, closed.anchor)

    def count(self, size: int, at: int) -> None:
        """Stop where there are too many values."""
        self.total += size
        if self.total > MOST_VALUES:
            how = ", aliases written out" if self.aliased else ""
            code = "C109" if self.aliased else "C110"
            long = "; write many classes in a file: classes: {file: classes.csv}"
            self.say(code, f"more than {MOST_VALUES:,} values{how}{'' if how else long}", at)
            raise _Stopped

    def add(self, value: YamlValue, size: int, height: int, anchor: str | None = None) -> None:
        """Put a finished value into the collection that is open."""
        if anchor:
            self.anchors[anchor] = value, size, height
        if not self.open:
            self.root = value
            return
        top = self.open[-1]
        top.size += size
        top.height = max(top.height, height + 1)
        into, key = top.value.data, top.key
        if isinstance(into, list):
            into.append(value)
        elif key is None:
            top.key = value
        elif isinstance(into, dict):
            top.key = None
            if key.text is None:
                message = "a key is a text, not a list or a mapping"
                self.findings.add(Problem("C103", message, line=key.line, column=key.column))
            elif key.text in into:
                first = top.value.lines[key.text]
                message = f"key {quoted(key.text)} is given twice (first on line {first})"
                self.findings.add(Problem("C104", message, line=key.line, column=key.column))
            else:
                into[key.text] = value
                top.value.lines[key.text] = key.line

    def alias(self, name: str, at: int) -> None:
        """Put in again what an anchor named: shared, but counted as if written out."""
        self.aliased = True
        value, size, height = self.anchors.get(name, (YamlValue(None, *self.place(at), ""), 1, 0))
        if any(collection.anchor == name for collection in self.open):
            self.say("C109", f"alias {quoted(name)} stands inside what it names", at)
        elif name not in self.anchors:
            self.say("C109", f"alias {quoted(name)} names nothing above it", at)
        elif len(self.open) + height > DEEPEST_YAML:
            self.say("C109", f"nested more than {DEEPEST_YAML} deep, aliases written out", at)
            raise _Stopped
        self.count(size, at)
        self.add(value, size, height)

    def notation(self, start: int, end: int) -> None:
        """Report a metric's notation that YAML ends at a comma, a brace or ': '."""
        whole = NOTATION.match(self.text, start)
        if whole and whole.end() > end:
            self.cut = whole.end()
            message = printable(" ".join(whole[0].split()), 80)
            self.say("C103", f'quote this, or YAML cuts it in two: "{message}"', start)

    def syntax(self, error: yaml.MarkedYAMLError) -> None:
        """Report a parser's error in our words, where its cause stands."""
        marks: list[Any] = [error.problem_mark or error.context_mark, error.context_mark]
        at, began = (mark.index if mark else 0 for mark in marks)
        line = self.starts[bisect_right(self.starts, at) - 1]
        for whole in NOTATION.finditer(self.text, max(line, at - 300), at + 300):
            if at > self.cut and whole.start() < at < whole.end():
                self.notation(whole.start(), at)
        if at <= self.cut:
            return
        problem, char = error.problem or "", self.text[at : at + 1]
        for part, words in SYNTAX.items():
            if part in problem:
                name = {"": "the end of the file", "\t": "a tab"}.get(char, quoted(char))
                message = words.format(opened=self.place(began)[0], char=name)
                if char == "\t" and part == "cannot start any token":
                    message = "a tab cannot indent; use blanks"
                self.say("C103", message, began if part in AT_OPENING else at)
                return
        self.say("C103", f"not YAML: {problem}", at)

    def say(self, code: str, message: str, at: int) -> None:
        """Add a problem at one character of the text."""
        line, column = self.place(at)
        self.findings.add(Problem(code, message, line=line, column=column))

    def place(self, at: int) -> tuple[int, int]:
        """Line and column, from 1, of one character of the text."""
        line = bisect_right(self.starts, at)
        return line, at - self.starts[line - 1] + 1
