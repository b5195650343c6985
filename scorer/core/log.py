"""The diagnostic log of a server or a worker: an object of JSON for each event.

Events are logged by the standard library: `LOG.info("entry", extra={"team": team})`. What `extra`
holds are the fields of the event; those that are None are left out.
"""

from __future__ import annotations

import json
import logging
import os
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
# Of a record without fields; other handlers add the last two.
STANDARD_ATTRIBUTES = frozenset([*vars(logging.makeLogRecord({})), "message", "asctime"])


def start_log(path: Path | None) -> Callable[[], None]:
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
    handler.setFormatter(_JsonFormatter())
    root, level = logging.getLogger(), LOG.level
    root.addHandler(handler)
    LOG.setLevel(logging.INFO)

    def end() -> None:
        root.removeHandler(handler)
        handler.close()
        LOG.setLevel(level)

    return end


class _JsonFormatter(logging.Formatter):
    """Writes the time, level, event and fields of a record as an object of JSON."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line of a record; texts of its fields are cut to LONGEST_TEXT characters.

        The records of other packages come here, too.
        """
        time = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
        line = {
            "time": time.replace("+00:00", "Z"),
            "level": record.levelname.lower(),
            "event": record.getMessage(),
            "reference": REFERENCE.get(),
        }
        for key, value in vars(record).items():
            if key not in STANDARD_ATTRIBUTES and key not in ("time", "level", "event"):
                line[key] = printable(value, LONGEST_TEXT) if isinstance(value, str) else value
        if record.exc_info:
            line["traceback"] = self.formatException(record.exc_info)
        fields = {key: value for key, value in line.items() if value is not None}
        return json.dumps(fields, default=str)  # in ASCII: a text may be no valid Unicode
