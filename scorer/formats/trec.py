"""TREC's runs (`list Q0 item rank score tag`) and qrels (`list subtopic item grade`)."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from scorer.bytes.limits import Unreadable
from scorer.bytes.lines import count_only
from scorer.core.problems import Findings, Problem
from scorer.core.text import join_first, printable
from scorer.formats.base import Rows, format
from scorer.formats.blocks import BLANK, COMMENT, NEWLINE, NONE, TAB, Block, Lines, columns, even
from scorer.formats.text import Piece, Plain, Request, Row, TextReader, plain_rows
from scorer.tables.table import TEXT, number

RUN = {"list": 0, "item": 2, "rank": 3, "score": 4, "prediction": 4}
QRELS = {"list": 0, "subtopic": 1, "item": 2, "grade": 3, "rating": 3}
RUN_COLUMNS, QRELS_COLUMNS = "list Q0 item rank score tag", "list subtopic item grade"
FIELD = re.compile(r"[^ \t]+")
WHOLE = re.compile(r"[+-]?[0-9]++")
MOST_TAGS = 1000


@dataclass
class TagNotes:
    """Notes on some lines."""

    first: tuple[int, Sequence[str]] | None = None  # the first line that says anything
    tags: dict[str, int] = field(default_factory=dict)  # each with its first line
    untagged: list[tuple[int, int]] = field(default_factory=list)  # lines, and how many from each

    def below(self, lines: int) -> TagNotes:
        """The same of lines that stand so many lines further down."""
        return TagNotes(
            None,
            {tag: line + lines for tag, line in self.tags.items()},
            [(line + lines, times) for line, times in self.untagged],
        )

    def add(self, other: TagNotes) -> None:
        """Take what is learnt of later lines."""
        for tag, line in sorted(other.tags.items(), key=lambda entry: entry[1]):
            if len(self.tags) < MOST_TAGS:
                self.tags.setdefault(tag, line)
        self.untagged.extend(other.untagged)
        if len(self.untagged) > 1:
            many = sum(times for _, times in self.untagged)
            self.untagged = [(min(line for line, _ in self.untagged), many)]

    def tell(self, findings: Findings) -> None:
        """Add the problems of missing tags, and of several different ones."""
        tags = self.tags
        for line, times in self.untagged:
            message = f"5 columns, expected 6 ({RUN_COLUMNS}): the tag is missing"
            findings.add(Problem("S601", message, "warning", line=line, times=times))
        if len(tags) > 1:
            most = "at least " if len(tags) == MOST_TAGS else ""
            count = "two" if len(tags) == 2 else f"{most}{len(tags):,}"
            message = f"{count} run tags: {join_first(list(tags))}"
            findings.add(Problem("S602", message, "warning", line=list(tags.values())[1]))


def as_run(rows: Rows, columns: Mapping[str, str]) -> bytes:
    """Rows of list and item, best first, as a run."""
    lines = (
        f"{row['list']} Q0 {row['item']} {row.get('rank', n)} {len(rows) - n} sample\n"
        for n, row in enumerate(rows)
    )
    return "".join(lines).encode()


@format("trec", ".run", ".trec", ".res", ".qrels", write=as_run)
class Trec(TextReader):
    """Columns separated by blanks or tabs; a line that begins with # is a comment.

    A run where scores or ranks are asked for, else qrels. The order of a run
    is that of its scores; its ranks are only held against them, so that anything may
    stand there. Text after the tag is not read.
    """

    def __init__(self, request: Request) -> None:
        super().__init__(request)
        roles = {role for shape in request.wanted for role in shape.roles}
        self.is_run = not roles.isdisjoint(("score", "rank", "prediction"))
        places = RUN if self.is_run else QRELS
        shape = next((w for w in request.wanted if places.keys() >= set(w.required)), None)
        if shape is None:
            wants = ", ".join(map(request.wanted[0].called, request.wanted[0].required))
            what = "run" if self.is_run else "qrels file"
            message = (
                f"a TREC {what} cannot hold the columns that are needed here ({printable(wants)})"
            )
            raise Unreadable(Problem("S201", message))
        self.shape = shape
        self.roles = tuple(role for role in shape.roles if role in places)
        if "rank" not in shape.required:
            self.lenient = frozenset({"rank"})
        self.places = [places[role] for role in self.roles]
        self.width = 6 if self.is_run else 4
        self.seen = TagNotes()

    def parse(
        self, lines: Lines, line: int, last: bool, findings: Findings, notes: TagNotes
    ) -> tuple[int, Sequence[Row]]:
        """A row of a line that is neither blank nor a comment.

        The arguments are those of `TextReader.parse`.
        """
        at, raw = lines[line]
        fields = FIELD.findall(raw)
        if not fields or fields[0][0] == "#":
            return line + 1, ()
        if notes.first is None or at < notes.first[0]:
            notes.first = at, fields
        if self.is_run:
            if len(fields) > 5:
                tag = fields[5]
                if tag in notes.tags or len(notes.tags) < MOST_TAGS:
                    notes.tags[tag] = min(at, notes.tags.get(tag, at))  # plain lines come first
            elif len(fields) == 5 and not _shifted(fields):
                notes.untagged.append((at, 1))
            else:
                _misfit(findings, at, fields, 6, RUN_COLUMNS)
                return line + 1, ()
        elif len(fields) != 4:
            _misfit(findings, at, fields, 4, QRELS_COLUMNS)
            return line + 1, ()
        return line + 1, [(at, [fields[place] for place in self.places], raw)]

    def plain_cells(self, block: Block, notes: TagNotes) -> Sequence[Sequence[str]] | None:
        """The fields where each line has as many as are read.

        The arguments are those of `TextReader.plain_cells`.
        """
        separator = BLANK if block.look.blanks else TAB
        if block.look.joined or (fields := block.fields(separator, self.width)) is None:
            return None
        columns = [fields[place :: self.width] for place in range(self.width)]
        if any(name.startswith("#") for name in dict.fromkeys(columns[0])):
            return None
        if self.is_run:
            tags = columns[-1] if len(set(columns[-1])) > 1 else columns[-1][:1]
            for line, tag in enumerate(tags, block.first):
                if len(notes.tags) < MOST_TAGS:
                    notes.tags.setdefault(tag, line)
        notes.first = block.first, ()
        return [columns[place] for place in self.places]

    def plain(self, block: Block, notes: TagNotes) -> Plain:
        """The columns of the lines that have all that is read."""
        used = [*self.places, self.width - 1]  # the last, so that polars counts all fields
        numbers = [
            place for role, place in zip(self.roles, self.places, strict=True) if role not in TEXT
        ]
        data, odd = _squeezed(block), block.spoiled()
        if not block.look.printable and b"\r" in data:  # polars drops one at the end of a line
            odd = np.union1d(odd, block.lines_with(b"\r"))
        frame, at = None, np.arange(block.count)
        untagged = np.empty(0, dtype=bool)
        blanks = block.look.blanks if data is block.data else data.count(b" ")
        commented = block.look.marks and _commented(data)
        if blanks == block.count * (self.width - 1) and not odd.size and not commented:
            whole = [RUN["rank"]] if "rank" in self.roles and self.whole_ranks else ()
            frame = columns(data, " ", self.width, numbers, used, whole=whole)
            self.whole_ranks &= frame is not None
            if frame is None and even(data, BLANK, self.width):  # all that can be wrong is numbers
                frame = columns(data, " ", self.width, numbers, used, tolerant=True)
        if frame is None or frame.height != block.count:
            octets = np.frombuffer(data, dtype=np.uint8)
            ends = np.flatnonzero(octets == NEWLINE)
            starts = np.concatenate([[0], ends[:-1] + 1])
            fields = np.diff(np.searchsorted(np.flatnonzero(octets == BLANK), ends), prepend=0) + 1
            says = (ends > starts) & (octets[starts] != COMMENT)
            good = fields >= self.width - 1 if self.is_run else fields == self.width
            good &= says
            good[odd] = False
            odd = np.union1d(odd, np.flatnonzero(says & ~good))
            at, untagged = np.flatnonzero(good), fields < self.width
            if not at.size:
                return Plain({}, at, odd)
            frame = columns(block.picked(good, data), " ", self.width, numbers, used, tolerant=True)
            if frame is None or frame.height != at.size:
                return Plain({}, NONE, np.arange(block.count))
        plain, right = plain_rows(
            frame, dict(zip(self.roles, self.places, strict=True)), at, odd, self.lenient
        )
        if self.is_run:
            tags = frame["5"] if right is None else frame["5"].filter(right)
            _note_tags(notes, tags, plain.at, untagged, block.first)
        if plain.at.size:
            notes.first = block.first + int(plain.at[0]), ()
        return plain._replace(usual=block.usual(BLANK))

    def place(self, raw: str, cell: int, part: int = 0) -> tuple[int, int]:
        """Where in a line a cell begins.

        The arguments are those of `TextReader.place`.
        """
        return 0, [match.start() for match in FIELD.finditer(raw)][self.places[cell]] + 1

    def notes(self) -> TagNotes:
        """An empty note on tags and the first line."""
        return TagNotes()

    def settle(self, piece: Piece) -> None:
        """Refuse qrels instead of a run; remember tags."""
        seen, notes = self.seen, piece.notes
        if seen.first is None and notes.first is not None:
            seen.first = line, fields = notes.first
            if self.is_run and len(fields) == 4 and WHOLE.fullmatch(fields[3]):
                message = "this is a qrels file (4 columns, whole-number grades), not a run"
                hint = f"a run has 6 columns: {RUN_COLUMNS}"
                piece.findings = Findings()
                raise Unreadable(Problem("S603", message, line=line, help=hint))
        seen.add(notes)

    def end(self, findings: Findings) -> None:
        """Add the problems of missing tags, and of several different ones."""
        self.seen.tell(findings)


def _note_tags(notes: TagNotes, tags: Any, at: Any, untagged: Any, first: int) -> None:
    """Note the tags of plain lines.

    Args:
        at: these lines, from 0.
        untagged: of each line of the block, whether it has no tag; empty: all have one.
        first: the number of the block's first line.
    """
    if untagged.size and (without := untagged[at]).any():
        lines = at[without]
        notes.untagged.append((first + int(lines[0]), int(lines.size)))
        tags, at = tags.filter(~without), at[~without]
    if at.size and (tags == tags[0]).all():
        notes.tags[tags[0]] = first + int(at[0])
    elif at.size:
        rows = tags.arg_unique().sort()[:MOST_TAGS].to_numpy()
        for tag, line in zip(tags.gather(rows).to_list(), at[rows].tolist(), strict=True):
            notes.tags[tag] = first + line


def _squeezed(block: Block) -> bytes:
    """The same lines with single blanks between fields and none round them."""
    data = block.data
    if not block.look.printable and b"\t" in data:
        data = data.replace(b"\t", b" ")
    if not block.look.joined:
        return data
    octets = np.frombuffer(data, dtype=np.uint8)
    surplus = octets == BLANK
    # after a blank, or where a line begins
    surplus[1:] &= (octets[:-1] == BLANK) | (octets[:-1] == NEWLINE)
    octets = octets[~surplus]
    surplus = octets == BLANK
    surplus[:-1] &= octets[1:] == NEWLINE  # where a line ends
    return bytes(octets[~surplus])


def _commented(data: bytes) -> bool:
    """Whether a line begins with #."""
    return data.startswith(b"#") or b"\n#" in data


def _shifted(fields: list[str]) -> bool:
    """Whether five columns lack another one than the tag, which then stands for the score."""
    fault = number(fields[4])[1]
    return fault is not None and fault[0] == "S501" and number(fields[3])[1] is None


def _misfit(findings: Findings, line: int, fields: list[str], expected: int, columns: str) -> None:
    if count_only(findings, "S601"):
        return
    s = "" if len(fields) == 1 else "s"
    message = f"{len(fields):,} column{s}, expected {expected} ({columns})"
    hint = None
    if expected == 4 and len(fields) > 4 and fields[1].upper() == "Q0":
        hint = "this looks like a run, not a qrels file"
    elif len(fields) == 1 and "," in fields[0]:
        hint = "is this a CSV file? TREC's columns are separated by blanks"
    findings.add(Problem("S601", message, line=line, help=hint))
