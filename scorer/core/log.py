"""The log of a server or a worker: a line of text or JSON for each event, with its fields."""

from __future__ import annotations

import json
import logging
import os
import re
from collections.abc import Callable
from contextvars import ContextVar
from datetime import UTC, datetime
from logging.handlers import WatchedFileHandler
from pathlib import Path

from scorer.core.errors import UsageError
from scorer.core.text import printable

LOG = logging.getLogger("scorer")
LOG.addHandler(logging.NullHandler())  # without `start_log`, nothing is written
# The id of the request that is being served, which every event carries.
REFERENCE: ContextVar[str | None] = ContextVar("reference", default=None)
LONGEST_TEXT = 1000  # characters of a text that are logged; the rest is cut off
UNQUOTED = re.compile(r"[^\s\"=]+")  # a value that `key=value` holds without quotes


def log_event(
    event: str, level: int = logging.INFO, *, trace: bool = False, **fields: object
) -> None:
    """Log an event; with `trace`, also the traceback of the exception being handled."""
    fields.setdefault("reference", REFERENCE.get())
    fields = {key: value for key, value in fields.items() if value is not None}
    LOG.log(level, event, exc_info=trace, extra={"fields": fields})


def start_log(path: Path | None, *, as_json: bool = False) -> Callable[[], None]:
    """Start to write events to standard error, or to a file that only its owner can read.

    Returns:
        A function that stops the writing.

    Raises:
        UsageError: The file cannot be written.
    """
    try:
        if path is not None:
            os.close(os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600))
        handler = logging.StreamHandler() if path is None else WatchedFileHandler(path)
    except OSError as error:
        raise UsageError(f"--log-file {printable(path)}: {error.strerror}") from None
    handler.setFormatter(_Formatter(as_json))
    root, level = logging.getLogger(), LOG.level
    root.addHandler(handler)
    LOG.setLevel(logging.INFO)

    def end() -> None:
        root.removeHandler(handler)
        handler.close()
        LOG.setLevel(level)

    return end


class _Formatter(logging.Formatter):
    """Time, level, event and its fields: an object of JSON, or words and `key=value`."""

    def __init__(self, as_json: bool) -> None:
        super().__init__()
        self._as_json = as_json

    def format(self, record: logging.LogRecord) -> str:
        """Return the line of a record; texts of its fields are cut to LONGEST_TEXT characters.

        The records of other packages, which have no fields, come here, too.
        """
        moment = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
        time, event = moment.replace("+00:00", "Z"), record.getMessage()
        trace = self.formatException(record.exc_info) if record.exc_info else None
        fields = {
            key: printable(value, LONGEST_TEXT) if isinstance(value, str) else value
            for key, value in getattr(record, "fields", {}).items()
        }
        if self._as_json:
            line = {"time": time, "level": record.levelname.lower(), "event": event, **fields}
            line |= {"traceback": trace} if trace else {}
            return json.dumps(line, ensure_ascii=False, default=str)
        words = [time, record.levelname, printable(event, LONGEST_TEXT)]
        for key, text in ((key, str(value)) for key, value in fields.items()):
            is_plain = UNQUOTED.fullmatch(text)
            words.append(f"{key}={text if is_plain else json.dumps(text, ensure_ascii=False)}")
        return " ".join(words) + (f"\n{trace}" if trace else "")
