"""A picture for platforms that want one: a single grey pixel."""

import struct
import zlib

SIGNATURE = b"\x89PNG\r\n\x1a\n"
ONE_GREY_PIXEL = (1, 1, 8, 0, 0, 0, 0)  # width, height, bits, greyscale, and the usual rest


def logo() -> bytes:
    """A PNG file."""
    header = struct.pack(">IIBBBBB", *ONE_GREY_PIXEL)
    data = zlib.compress(b"\0\x80")
    return SIGNATURE + _chunk(b"IHDR", header) + _chunk(b"IDAT", data) + _chunk(b"IEND", b"")


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
