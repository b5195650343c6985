"""Lines of text from bytes."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from pathlib import Path
from typing import BinaryIO

from scorer.bytes.files import BLOCK_SIZE, open_bytes
from scorer.bytes.limits import BOM, UTF8, ReadLimits, Unreadable
from scorer.core.problems import KEPT, Findings, Problem


def count_only(findings: Findings, code: str) -> bool:
    """Whether so many problems of that code are kept that one more is only counted.

    It is then counted here: on a file with a problem in each line, making each of
    them would take long.
    """
    if findings.counts[code] < KEPT:
        return False
    findings.counts[code] += 1
    return True


def lines(stream: BinaryIO, limits: ReadLimits, findings: Findings) -> Iterator[tuple[int, str]]:
    """Each physical line with its number, without its end; blank ones too.

    What is not UTF-8 becomes a problem and is read as Windows-1252, so that all
    other problems are found at once.

    `Unreadable` if a line is longer than is accepted, or the file ends its lines in CR.
    """
    number, rest = 1, bytearray()
    while block := stream.read(BLOCK_SIZE):
        rest += block
        end = rest.rfind(b"\n") + 1
        if end:
            for text in _decoded(bytes(rest[:end]), number, limits, findings):
                yield number, text
                number += 1
            del rest[:end]
        if len(rest) > limits.line + 1:  # a CR may stand at the end
            raise Unreadable(too_long(rest, number, limits))
    if rest:
        for text in _decoded(bytes(rest), number, limits, findings):
            yield number, text


def lines_at(path: Path, numbers: Collection[int]) -> dict[int, str]:
    """The text of some lines of a file, by their numbers from 1; fewer where it cannot be read."""
    found, limits = dict[int, str](), ReadLimits()
    try:
        with open_bytes(path, limits) as stream:
            for number, text in lines(stream, limits, Findings()):
                if number in numbers:
                    found[number] = text
                    if len(found) == len(numbers):
                        break
    except Unreadable:
        pass
    return found


def _decoded(block: bytes, number: int, limits: ReadLimits, findings: Findings) -> list[str]:
    """The lines of a block of whole lines, the first of which has that number."""
    if number == 1:
        block = block.removeprefix(BOM)
    raw = block.removesuffix(b"\n").split(b"\n")
    if len(block) > limits.line and len(max(raw, key=len)) > limits.line:
        for n, line in enumerate(raw, number):
            if len(line.removesuffix(b"\r")) > limits.line:
                raise Unreadable(too_long(line, n, limits))
    try:
        if b"\0" in block:
            raise UnicodeError
        texts = block.decode("utf-8").removesuffix("\n").split("\n")
    except UnicodeError:
        texts = [mended(line, n, findings) for n, line in enumerate(raw, number)]
    if b"\r" in block:
        texts = [text.removesuffix("\r") for text in texts]
        if number == 1 and "\r" in texts[0]:
            message = "the lines end in CR alone, as old Macs wrote them"
            place = texts[0].index("\r") + 1
            hint = "save the file with the line ends of Unix (LF) or Windows (CRLF)"
            raise Unreadable(Problem("S207", message, line=1, column=place, help=hint))
    return texts


def mended(raw: bytes, number: int, findings: Findings) -> str:
    """Line `number`, from 1, as text; what is not plain UTF-8 becomes a problem."""
    if b"\0" in raw:
        if not count_only(findings, "S106"):
            column = len(raw[: raw.index(b"\0")].decode("utf-8", "replace")) + 1
            findings.add(Problem("S106", "a NUL byte", line=number, column=column))
        raw = raw.replace(b"\0", b"")
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        text = raw.decode("cp1252", errors="replace")
        if count_only(findings, "S105"):
            return text
        column = len(raw[: error.start].decode("utf-8")) + 1
        message = f"byte 0x{raw[error.start]:02X} is not UTF-8"
        if "\ufffd" not in text:
            message += "; the file looks like Windows-1252"
        findings.add(Problem("S105", message, line=number, column=column, help=UTF8))
        return text


def too_long(line: bytes | bytearray, number: int, limits: ReadLimits) -> Problem:
    """The problem of a line, numbered from 1, that is longer than is accepted."""
    message = f"the line is longer than {limits.line:,} bytes"
    hint = "its lines seem to end in CR alone; save it with LF or CRLF" if b"\r" in line else None
    return Problem("S109", message, line=number, help=hint)
