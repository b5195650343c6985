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
LOG.addHandler(logging.NullHandler())  # where nobody asked for a log, nothing is written
REFERENCE: ContextVar[str | None] = ContextVar("reference", default=None)  # of the request
MOST = 1000  # characters of a text
PLAIN = re.compile(r"[^\s\"=]+")


def log_event(
    event: str, level: int = logging.INFO, *, trace: bool = False, **fields: object
) -> None:
    """Log an event; with `trace`, the traceback of the error at hand."""
    if "reference" not in fields and REFERENCE.get() is not None:
        fields["reference"] = REFERENCE.get()
    told = {key: value for key, value in fields.items() if value is not None}
    LOG.log(level, event, exc_info=trace, extra={"told": told})


def start_log(path: Path | None, *, as_json: bool = False) -> Callable[[], None]:
    """Write what is told from now on to standard error, or to a file that its owner alone reads.

    Gives the function that ends this. `UsageError` if the file cannot be written.
    """
    try:
        if path is not None:
            os.close(os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600))
        handler = logging.StreamHandler() if path is None else WatchedFileHandler(path)
    except OSError as error:
        raise UsageError(f"--log-file {printable(path)}: {error.strerror}") from None
    handler.setFormatter(_Json() if as_json else _Lines())
    root, level = logging.getLogger(), LOG.level
    root.addHandler(handler)
    LOG.setLevel(logging.INFO)

    def end() -> None:
        root.removeHandler(handler)
        handler.close()
        LOG.setLevel(level)

    return end


class _Json(logging.Formatter):
    """An object a line: time, level, event, and the fields of the event."""

    def format(self, record: logging.LogRecord) -> str:
        """A line, of records of other packages, too."""
        return json.dumps(self.fields(record), ensure_ascii=False, default=str)

    def fields(self, record: logging.LogRecord) -> dict[str, object]:
        """The fields of a line; texts from outside are cut."""
        time = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
        told = getattr(record, "told", {})
        fields = {
            "time": time.replace("+00:00", "Z"),
            "level": record.levelname.lower(),
            "event": record.getMessage(),
            **{key: _as_word(value) for key, value in told.items()},
        }
        if record.exc_info:
            fields["traceback"] = self.formatException(record.exc_info)
        return fields


class _Lines(_Json):
    """Time, level and event, then `key=value` for each field."""

    def format(self, record: logging.LogRecord) -> str:
        """A line; a traceback stands below it."""
        fields = self.fields(record)
        trace = fields.pop("traceback", None)
        time, level, event = (str(fields.pop(key)) for key in ("time", "level", "event"))
        words = [time, level.upper(), printable(event, MOST)]
        words += [f"{key}={_word(value)}" for key, value in fields.items()]
        return " ".join(words) + (f"\n{trace}" if trace else "")


def _as_word(value: object) -> object:
    return printable(value, MOST) if isinstance(value, str) else value


def _word(value: object) -> str:
    text = str(value)
    return text if PLAIN.fullmatch(text) else json.dumps(text, ensure_ascii=False)
