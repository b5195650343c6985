"""What the first bytes of a file say it is: packed, a table of another kind, or no table at all."""

from __future__ import annotations

from scorer.reading.limits import SAVE_AS_UTF8, UnreadableError

HEAD = 4096  # bytes that show what a file is
GZIP, ZIP, PARQUET, BOM = b"\x1f\x8b", b"PK\x03\x04", b"PAR1", b"\xef\xbb\xbf"

AS_TEXT, SEND_INSIDE = "write the table as text (CSV)", "send the file inside; .gz is read"
UNPACK, SAVE_SHEET = "use .gz, or send it unpacked", "save the sheet as CSV (UTF-8)"
PICKLES = (b"\x80\x02", b"\x80\x03", b"\x80\x04", b"\x80\x05")
KINDS = (  # where in a file what bytes stand, what it is, what to do instead
    (0, b"\xd0\xcf\x11\xe0", "an Excel workbook", SAVE_SHEET),
    (0, ZIP, "a ZIP archive", "send the file inside; an archive of one file is read"),
    (0, PARQUET, "a Parquet file", "this challenge reads text; write the table as CSV"),
    (0, b"BZh", "a bzip2 file", UNPACK),
    (0, b"\xfd7zXZ", "an xz file", UNPACK),
    (0, b"\x28\xb5\x2f\xfd", "a Zstandard file", UNPACK),
    (0, b"7z\xbc\xaf", "a 7-Zip archive", SEND_INSIDE),
    (0, b"Rar!", "a RAR archive", SEND_INSIDE),
    (257, b"ustar", "a tar archive", SEND_INSIDE),
    (0, b"%PDF", "a PDF", AS_TEXT),
    (0, b"\x93NUMPY", "a NumPy array", AS_TEXT),
    (0, b"\x89HDF", "an HDF5 file", AS_TEXT),
    (0, b"ARROW1", "an Arrow file", AS_TEXT),
    (0, b"SQLite format 3", "an SQLite database", AS_TEXT),
    (0, b"\x89PNG", "an image", AS_TEXT),
    (0, PICKLES, "a pickle, which is never opened", "write the table as CSV"),
)
ENCODINGS = (  # what a file begins with; the mark of UTF-32 begins with that of UTF-16
    (b"\xff\xfe\0\0", "UTF-32"),
    (b"\0\0\xfe\xff", "UTF-32"),
    (b"\xff\xfe", "UTF-16"),
    (b"\xfe\xff", "UTF-16"),
)


def refuse_other_kinds(head: bytes) -> None:
    """Raise UnreadableError if a file that begins so is no table of text."""
    for mark, encoding in ENCODINGS:
        if head.startswith(mark):
            raise _encoding_error(f"byte 0x{head[0]:02X} is not UTF-8", encoding)
    if (kind := _find_kind(head)) is not None:
        what, hint = kind
        raise UnreadableError("S107", f"this is {what}, not a table", help=hint)
    # In UTF-16 without a mark, an ASCII character has a NUL in the same one of its two bytes, and
    # most characters of a table are ASCII: separators, numbers, most ids. NULs in the other bytes,
    # too, are of UTF-32 or of binary data.
    characters = len(head) / 2
    fewer, more = sorted((head[::2].count(0), head[1::2].count(0)))
    if more > 0.7 * characters and fewer < 0.35 * characters:
        raise _encoding_error("every other byte is NUL", "UTF-16")


def _encoding_error(what: str, encoding: str) -> UnreadableError:
    return UnreadableError("S105", f"{what}; the file looks like {encoding}", 1, 1, SAVE_AS_UTF8)


def _find_kind(head: bytes) -> tuple[str, str] | None:
    """Return what a file is, and what to do instead; None if it may be a table."""
    if head.startswith(ZIP) and is_office(head):
        return "an Excel workbook", SAVE_SHEET
    start = head.removeprefix(BOM).lstrip(b" \t\r\n")[:64].lower()
    if start.startswith((b"<!doctype html", b"<html")):
        return "an HTML page", "a download that needed a login? fetch the file itself"
    if start.startswith(b"{") and b'"cells"' in head and b'"cell_type"' in head:
        return "a Jupyter notebook", "write the table from it: df.to_csv(..., index=False)"
    if start.startswith(b"version https://git-lfs"):
        return "a Git LFS pointer", "fetch the file itself: git lfs pull"
    return next(((what, hint) for at, mark, what, hint in KINDS if head.startswith(mark, at)), None)


def is_office(head: bytes) -> bool:
    """Return whether a ZIP archive that begins so is a workbook."""
    return any(word in head for word in (b"[Content_Types].xml", b"xl/", b"opendocument.spread"))
