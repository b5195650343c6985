"""A CSV file as one text, for what reads all of its columns by itself."""

from __future__ import annotations

import csv
import io
from pathlib import Path

from scorer.bytes.files import open_bytes
from scorer.bytes.limits import ReadLimits
from scorer.formats.base import Format
from scorer.formats.form import separator_of

TAB = ".tsv"


def whole_text(path: Path, format: Format, limits: ReadLimits) -> str | None:
    """The text of a CSV file with a header, its columns separated by commas; None of others."""
    form = format.form
    if format.name != "csv" or form.reshapes or form.header or form.parts:
        return None
    with open_bytes(path, limits) as stream:
        text = stream.read().decode("utf-8-sig", "replace")
    tabs = any(suffix.lower() == TAB for suffix in path.suffixes)
    separator = separator_of(form.separator or ("tab" if tabs else "comma"))
    if separator == ",":
        return text
    out = io.StringIO()
    lines = csv.reader(io.StringIO(text), delimiter=separator)
    csv.writer(out, lineterminator="\n").writerows(lines)
    return out.getvalue()
