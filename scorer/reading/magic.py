"""What a file is by its first bytes, where it is no table of text."""

from __future__ import annotations

from scorer.core.problems import Problem
from scorer.reading.limits import UTF8, UnreadableError

HEAD = 4096  # bytes that are looked at
PARQUET = b"PAR1"
BOM = b"\xef\xbb\xbf"
ZIP_MAGIC = b"PK\x03\x04"
TEXT_INSTEAD = "write the table as text (CSV)"
SEND_INSIDE = "send the file inside; .gz is read"

KINDS = (  # what a file begins with, what it is, what to do instead
    (b"\xd0\xcf\x11\xe0", "an Excel workbook", "save the sheet as CSV (UTF-8)"),
    (PARQUET, "a Parquet file", "this challenge reads text; write the table as CSV"),
    (b"BZh", "a bzip2 file", "use .gz, or send it unpacked"),
    (b"\xfd7zXZ", "an xz file", "use .gz, or send it unpacked"),
    (b"\x28\xb5\x2f\xfd", "a Zstandard file", "use .gz, or send it unpacked"),
    (b"7z\xbc\xaf", "a 7-Zip archive", SEND_INSIDE),
    (b"Rar!", "a RAR archive", SEND_INSIDE),
    (b"%PDF", "a PDF", TEXT_INSTEAD),
    (b"\x93NUMPY", "a NumPy array", TEXT_INSTEAD),
    (b"\x89HDF", "an HDF5 file", TEXT_INSTEAD),
    (b"ARROW1", "an Arrow file", TEXT_INSTEAD),
    (b"SQLite format 3", "an SQLite database", TEXT_INSTEAD),
    (b"\x89PNG", "an image", TEXT_INSTEAD),
)
BYTE_ORDER_MARKS = (
    (b"\xff\xfe\0\0", "UTF-32"),
    (b"\0\0\xfe\xff", "UTF-32"),
    (b"\xff\xfe", "UTF-16"),
    (b"\xfe\xff", "UTF-16"),
)


def refuse_other_kinds(head: bytes, *, is_binary: bool) -> None:
    """Raise UnreadableError if a file is no table of text.

    Args:
        head: The first bytes of the file, unpacked.
        is_binary: Whether it may be a Parquet file.
    """
    if is_binary and head.startswith(PARQUET):
        return
    for mark, encoding in BYTE_ORDER_MARKS:
        if head.startswith(mark):
            raise _encoding_error(f"byte 0x{head[0]:02X} is not UTF-8", encoding)
    found = _find_kind(head)
    if found is not None:
        what, hint = found
        raise UnreadableError(Problem("S107", f"this is {what}, not a table", help=hint))
    fewer, more = sorted((head[::2].count(0), head[1::2].count(0)))
    if more > 0.35 * len(head) > 2 * fewer:  # UTF-16 without a mark
        raise _encoding_error("every other byte is NUL", "UTF-16")


def is_office(head: bytes) -> bool:
    """Return whether a ZIP archive that begins so is a workbook."""
    return any(word in head for word in (b"[Content_Types].xml", b"xl/", b"opendocument.spread"))


def _find_kind(head: bytes) -> tuple[str, str] | None:
    """Return what a file is, and what to do instead; None if it may be a table."""
    if head.startswith(ZIP_MAGIC):
        if is_office(head):
            return "an Excel workbook", "save the sheet as CSV (UTF-8)"
        return "a ZIP archive", "send the file inside; an archive of one file is read"
    if head[257:262] == b"ustar":
        return "a tar archive", SEND_INSIDE
    start = head.removeprefix(BOM).lstrip(b" \t\r\n")[:64].lower()
    if start.startswith((b"<!doctype html", b"<html")):
        return "an HTML page", "a download that needed a login? fetch the file itself"
    if start.startswith(b"{") and b'"cells"' in head and b'"cell_type"' in head:
        return "a Jupyter notebook", "write the table from it: df.to_csv(..., index=False)"
    if start.startswith(b"version https://git-lfs"):
        return "a Git LFS pointer", "fetch the file itself: git lfs pull"
    if head[:1] == b"\x80" and head[1:2] in (b"\x02", b"\x03", b"\x04", b"\x05"):
        return "a pickle, which is never opened", "write the table as CSV"
    return next(((what, hint) for mark, what, hint in KINDS if head.startswith(mark)), None)


def _encoding_error(what: str, encoding: str) -> UnreadableError:
    message = f"{what}; the file looks like {encoding}"
    return UnreadableError(Problem("S105", message, line=1, column=1, help=UTF8))
