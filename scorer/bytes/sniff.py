"""The kind of a file, by its first bytes."""

from __future__ import annotations

from scorer.bytes.archive import ZIP, is_office
from scorer.bytes.limits import BOM, PARQUET, UTF8, Unreadable
from scorer.core.problems import Problem

HEAD = 4096
TEXT_INSTEAD = "write the table as text (CSV)"

KINDS = (  # what a file that is no table begins with, what it is, what to do instead
    (b"\xd0\xcf\x11\xe0", "an Excel workbook", "save the sheet as CSV (UTF-8)"),
    (PARQUET, "a Parquet file", "this challenge reads text; write the table as CSV"),
    (b"BZh", "a bzip2 file", "use .gz or .zst, or send it unpacked"),
    (b"\xfd7zXZ", "an xz file", "use .gz or .zst, or send it unpacked"),
    (b"7z\xbc\xaf", "a 7-Zip archive", "send the file inside; .gz and .zst are read"),
    (b"Rar!", "a RAR archive", "send the file inside; .gz and .zst are read"),
    (b"%PDF", "a PDF", TEXT_INSTEAD),
    (b"\x93NUMPY", "a NumPy array", TEXT_INSTEAD),
    (b"\x89HDF", "an HDF5 file", TEXT_INSTEAD),
    (b"ARROW1", "an Arrow file", TEXT_INSTEAD),
    (b"SQLite format 3", "an SQLite database", TEXT_INSTEAD),
    (b"\x89PNG", "an image", TEXT_INSTEAD),
)

MARKS = (
    (b"\xff\xfe\0\0", "UTF-32"),
    (b"\0\0\xfe\xff", "UTF-32"),
    (b"\xff\xfe", "UTF-16"),
    (b"\xfe\xff", "UTF-16"),
)


def refuse(head: bytes, binary: bool) -> None:
    """Refuse what is no table of text, by its first bytes."""
    if binary and head.startswith(PARQUET):
        return
    for mark, encoding in MARKS:
        if head.startswith(mark):
            raise _not_utf8(f"byte 0x{head[0]:02X} is not UTF-8", encoding)
    start = head.removeprefix(BOM).lstrip(b" \t\r\n")[:64].lower()
    known_kind = next(((what, hint) for mark, what, hint in KINDS if head.startswith(mark)), None)
    if head.startswith(ZIP):
        known_kind = "a ZIP archive", "send the file inside; an archive of one file is read"
        if is_office(head):
            known_kind = "an Excel workbook", "save the sheet as CSV (UTF-8)"
    elif head[257:262] == b"ustar":
        known_kind = "a tar archive", "send the file inside; .gz and .zst are read"
    elif start.startswith((b"<!doctype html", b"<html")):
        known_kind = "an HTML page", "a download that needed a login? fetch the file itself"
    elif start.startswith(b"{") and b'"cells"' in head and b'"cell_type"' in head:
        known_kind = "a Jupyter notebook", "write the table from it: df.to_csv(..., index=False)"
    elif start.startswith(b"version https://git-lfs"):
        known_kind = "a Git LFS pointer", "fetch the file itself: git lfs pull"
    elif head[:1] == b"\x80" and head[1:2] in (b"\x02", b"\x03", b"\x04", b"\x05"):
        known_kind = "a pickle, which is never opened", "write the table as CSV"
    if known_kind is not None:
        raise Unreadable(
            Problem("S107", f"this is {known_kind[0]}, not a table", help=known_kind[1])
        )
    fewer, more = sorted((head[::2].count(0), head[1::2].count(0)))
    if more > 0.35 * len(head) > 2 * fewer:  # UTF-16 without a mark
        raise _not_utf8("every other byte is NUL", "UTF-16")


def _not_utf8(what: str, encoding: str) -> Unreadable:
    message = f"{what}; the file looks like {encoding}"
    return Unreadable(Problem("S105", message, line=1, column=1, help=UTF8))
