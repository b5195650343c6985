"""How a line of a delimited file is cut into fields, with their places and the faults of quotes."""

from __future__ import annotations

import re
from typing import NamedTuple

from scorer.core.problems import Problem
from scorer.reading.header import Place, Record
from scorer.reading.layout import NO_SEPARATOR, WHITESPACE
from scorer.reading.limits import MOST_RECORD_LINES
from scorer.reading.lines import BLANKS
from scorer.reading.table import LineTexts

WHITESPACE_FIELD = re.compile(r"[^ \t]+")
# What a line holds before a closing quote, or up to its end; two quotes stand for one. Possessive,
# as no shorter match is ever wanted.
INSIDE_QUOTES = re.compile(r'[^"]*+(?:""[^"]*+)*+')
# A last field that takes the rest of a line: pandas quotes it, as it holds separators.
QUOTED_REST = re.compile('"[^"]*"')
TWICE = 'a quote inside a quoted value is written twice: ""'
# Faults of a record: code, message and help.
UNCLOSED = ("S208", "the quote opened here is never closed", TWICE)
TEXT_AFTER = ("S208", "text or a blank follows the end of the quote opened here", TWICE)
TAB_BEFORE = ("S208", "a tab stands before the quote opened here", "leave the tab out")
STRAY_RETURN = ("S207", "a CR follows this value, and no LF", "end lines with LF or CRLF")


class Dialect(NamedTuple):
    """How the lines of a file are cut into fields.

    Attributes:
        separator: One character, `whitespace` or `none`.
        quotes: Whether fields can be quoted; else a line is cut by its separators alone.
        width: How many fields a record has; 0 if that is not known yet.
        takes_rest: Whether the last field is all of the rest of the line, separators included.
        exact_field: The field, from 0, whose outer blanks are kept: the one of a text.
        longest: How many characters a record of several lines may have: as many as `ReadLimits`
            allows bytes in a line.
    """

    separator: str
    quotes: bool = True
    width: int = 0
    takes_rest: bool = False
    exact_field: int | None = None
    longest: int = 1024**2

    @property
    def field_blanks(self) -> str:
        """The characters that are stripped round a field.

        Where tabs separate fields that may be quoted, a tab is no blank. Where nothing is quoted it
        is one, as in `_cut_unquoted`: a last field that takes the rest may begin or end with tabs.
        """
        return " " if self.separator == "\t" and self.quotes else BLANKS

    def parse_record(self, texts: LineTexts, line: int) -> Record:
        """Return the record that begins on a line, among the texts of all lines."""
        if not self.quotes:
            return self._cut_unquoted(texts[line - 1], line)
        record = Record(line)
        text, number = texts[line - 1], line  # of the current line
        at = 0  # the next character of the current line
        size = len(text)  # characters of the record up to the end of the current line
        while True:
            blanks = "" if len(record.fields) == self.exact_field else self.field_blanks
            first_line = number  # on which the field begins
            end = text.find(self.separator, at)
            end = len(text) if end < 0 else end
            field = text[at:end]  # if it is not quoted
            start = at + len(field) - len(field.lstrip(blanks))
            if text[start : start + 1] != '"':
                # A text keeps the blanks round it, but its place is behind those before it, as the
                # place of any other cell is.
                start = at + len(field) - len(field.lstrip(self.field_blanks))
                record.fields.append(field.strip(blanks))
                fault = STRAY_RETURN if "\r" in field else None
            else:
                fault = TAB_BEFORE if "\t" in text[at:start] else None
                parts, at = [], start + 1
                # Each pass takes what one line has of the field. The loop ends behind the closing
                # quote, where `end` is then, or with a fault, after which `end` is not used.
                while not fault:
                    match = INSIDE_QUOTES.match(text, at)
                    assert match is not None  # it matches anything
                    parts.append(match[0].replace('""', '"'))
                    end = match.end() + 1  # behind the closing quote, if it is on this line
                    if end <= len(text):
                        following = text[end : end + 1]
                        if following not in ("", self.separator):
                            fault = STRAY_RETURN if following == "\r" else TEXT_AFTER
                        break
                    is_last_line = number >= len(texts) or number - line >= MOST_RECORD_LINES
                    if not is_last_line:
                        text, at, number = texts[number], 0, number + 1
                        size += len(text) + 1
                    if is_last_line or size > self.longest:
                        fault = UNCLOSED
                record.fields.append("\n".join(parts))
                record.is_quoted = True
            record.places.append((first_line, start + 1))
            if fault:
                return _mark_faulty(record, fault)
            if text[end : end + 1] != self.separator:
                record.next_line = number + 1
                return record
            at = end + 1

    def _cut_unquoted(self, text: str, line: int) -> Record:
        """Return the record of a line that is cut by its separators alone."""
        if self.separator == NO_SEPARATOR:
            spans = [(0, len(text))]
        elif self.separator == WHITESPACE:
            spans = [match.span() for match in WHITESPACE_FIELD.finditer(text)]
        else:
            marks = [match.start() for match in re.finditer(re.escape(self.separator), text)]
            starts = [0, *(mark + 1 for mark in marks)]
            spans = list(zip(starts, [*marks, len(text)], strict=True))
        if self.takes_rest and len(spans) > self.width:
            spans[self.width - 1 :] = [(spans[self.width - 1][0], len(text))]
        cells = [(text[start:end], start) for start, end in spans]
        fields = [cell.strip(BLANKS) for cell, _ in cells]
        if self.takes_rest and len(fields) == self.width and QUOTED_REST.fullmatch(fields[-1]):
            fields[-1] = fields[-1][1:-1]
        # A blank field is placed at its end.
        starts = [start + len(cell) - len(cell.lstrip(BLANKS)) for cell, start in cells]
        places: list[Place] = [(line, start + 1) for start in starts]
        return Record(line, line + 1, fields, places)


def _mark_faulty(record: Record, fault: tuple[str, str, str]) -> Record:
    """Return a record without its last field, which is faulty.

    The next record begins on the line after the one on which that field begins.
    """
    code, message, help = fault
    line, column = record.places[-1]
    record.fault = Problem(code, message, line=line, column=column, help=help)
    record.next_line = line + 1
    record.fields.pop()
    return record
