"""Answers to the questions of a challenge: their faults, which are shown, who is in a track."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np

from scorer.challenge.leaderboard import LONGEST_ANSWER, Question, Track
from scorer.challenge.model import Challenge
from scorer.core.arrays import Mask
from scorer.core.errors import UnknownName, UsageError
from scorer.core.text import format_exact, join_first, printable, quoted, suggest
from scorer.reading.numbers import LARGEST, parse_number

MAX_FILE_SIZE = 10_000_000  # bytes of a file of answers
NAME_COLUMN = "name"  # of the names of submissions
Answers = Mapping[str, Mapping[str, str]]  # name of a submission -> question -> answer


def find_answer_fault(question: Question, text: str) -> str | None:
    """Return the fault of an answer as a predicate, such as `is empty`; None for a fine one."""
    if len(text) > LONGEST_ANSWER:
        return f"has {len(text):,} characters, at most {LONGEST_ANSWER:,} are allowed"
    if question.choices and text not in question.choices:
        choices = join_first(question.choices)
        hint = suggest(text, question.choices)
        return f"is {quoted(text)}, expected one of {choices}{hint}"
    if question.type != "number":
        return None
    number = parse_number(text, LARGEST)
    if number.code:
        return f"is {quoted(text)}, expected a finite number, such as 3.5"
    low, high = question.range
    if low is not None and number.value < low:
        return f"is {quoted(text)}, expected at least {format_exact(low)}"
    if high is not None and number.value > high:
        return f"is {quoted(text)}, expected at most {format_exact(high)}"
    return None


def shown_answers(challenge: Challenge, answers: Mapping[str, str]) -> dict[str, str]:
    """Return the answers that the board shows: all that anybody but organizers may see."""
    return {
        key: text
        for key, question in challenge.questions.items()
        if question.board and (text := answers.get(key, "").strip())
    }


def is_in_track(track: Track, answers: Mapping[str, str]) -> bool:
    """Return whether a submission with these answers is in a track."""
    return all(answers.get(key, "").strip() in values for key, values in track.answer.items())


def track_lists(track: Track, lists: Sequence[str], groups: Mapping[str, str]) -> Mask:
    """Return which lists count in a track, (lists,): the lists of its groups, or all."""
    return np.array([not track.group or groups.get(name) in track.group for name in lists], bool)


def check_answers(challenge: Challenge, answers: Mapping[str, Mapping[str, object]]) -> Answers:
    """Return the answers of each submission that the board shows; `UsageError` if one is wrong."""
    shown = {}
    for name, own in answers.items():
        texts = {key: str(value).strip() for key, value in own.items()}
        for message in _find_faults(challenge, texts):
            raise UsageError(f"{quoted(name)}: {message}")
        shown[name] = shown_answers(challenge, texts)
    return shown


def read_answers_file(challenge: Challenge, path: Path) -> Answers:
    """Return answers from a table with the column `name`, and one for each question.

    `UsageError`, with its line, if the file cannot be read or an answer is wrong.
    """
    where = printable(path)
    answers = dict[str, dict[str, str]]()
    rows = _read_rows(path)
    _, head = next(rows, (1, []))
    keys = [key.strip() for key in head]
    if NAME_COLUMN not in keys or len(set(keys)) < len(keys):
        found = f"found: {join_first(keys)}" if keys else "the file is empty"
        raise UsageError(
            f"{where}: one column is called {NAME_COLUMN}, others as a question; {found}"
        )
    for key in keys:
        if key != NAME_COLUMN and key not in challenge.questions:
            raise UsageError(f"{where}: {UnknownName('question', key, list(challenge.questions))}")
    for line, row in rows:
        if len(row) != len(keys):
            raise UsageError(f"{where}:{line}: {len(row)} cells, where the head has {len(keys)}")
        texts = {key: cell.strip() for key, cell in zip(keys, row, strict=True)}
        name = texts.pop(NAME_COLUMN)
        if name in answers:
            raise UsageError(f"{where}:{line}: the answers of {quoted(name)} come again")
        for message in _find_faults(challenge, texts):
            raise UsageError(f"{where}:{line}: {message}")
        answers[name] = shown_answers(challenge, texts)
    return answers


def _read_rows(path: Path) -> Iterator[tuple[int, list[str]]]:
    """Yield the rows that are not empty, each with the line at which it ends."""
    try:
        with path.open("rb") as stream:
            data = stream.read(MAX_FILE_SIZE + 1)
        if len(data) > MAX_FILE_SIZE:
            raise UsageError(f"{printable(path)}: a file of answers has at most 10 MB")
        reader = csv.reader(io.StringIO(data.decode("utf-8-sig"), newline=""), strict=True)
        yield from ((reader.line_num, row) for row in reader if any(row))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise UsageError(f"{printable(path)} cannot be read as CSV: {reason}") from None


def _find_faults(challenge: Challenge, texts: Mapping[str, str]) -> Iterator[str]:
    """Yield the keys that are no questions, and the fault of each wrong answer."""
    for key, text in texts.items():
        if key not in challenge.questions:
            yield str(UnknownName("question", key, list(challenge.questions)))
        elif text and (message := find_answer_fault(challenge.questions[key], text)):
            yield f"the answer to {quoted(key)} {message}"
