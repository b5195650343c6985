"""The pages of a Parquet file, by their headers, before polars unpacks them.

Polars takes as much memory for a page as its header says. A page of one long text, or of zeros,
takes less than a thousandth of that in the file. So the headers are read first; the sizes in the
footer may be wrong. Both are structs of Thrift's compact protocol:
https://github.com/apache/parquet-format/blob/master/src/main/thrift/parquet.thrift.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from itertools import repeat
from typing import Any, NamedTuple

# Bytes of footer and headers, without their texts; each takes half a microsecond. 20,000 groups of
# rows with three columns have 6 million.
MOST_HEADERS = 12 << 20
MOST_PAGE = 128 << 20  # bytes, unpacked, of which polars takes five times as many; most have 1 MiB
FOOTER_END = 8  # bytes behind the footer: its size, and a mark

# Types of Thrift's compact protocol; those that are not here are whole numbers.
TRUE, FALSE, BYTE, DOUBLE, BINARY, LIST, SET, STRUCT = 1, 2, 3, 7, 8, 9, 10, 12
WIDTHS = {BYTE: 1, DOUBLE: 8}  # in bytes

# Numbers of the fields that are read: of the footer, a group of rows, a column of the group, its
# description, and the header of a page, which has another struct in each version.
ROW_GROUPS, COLUMNS, DESCRIPTION = 4, 1, 3
PATH, PACKED_SIZE, DATA_OFFSET, DICTIONARY_OFFSET = 3, 7, 9, 11
PAGE_SIZE, PACKED_PAGE_SIZE, VERSION_1, VERSION_2 = 2, 3, 5, 8
ENCODING_1, ENCODING_2 = 2, 4
DELTA_BYTE_ARRAY = 7  # an encoding

Fields = Mapping[int, Any]  # of a struct: number -> value; or -> the fields of a struct to read
COLUMN_FIELDS: Fields = {
    DESCRIPTION: {PATH: {}, PACKED_SIZE: {}, DATA_OFFSET: {}, DICTIONARY_OFFSET: {}}
}
PAGE_FIELDS: Fields = {
    PAGE_SIZE: {},
    PACKED_PAGE_SIZE: {},
    VERSION_1: {ENCODING_1: {}},
    VERSION_2: {ENCODING_2: {}},
}


class Page(NamedTuple):
    """A page of a column."""

    size: int  # bytes, unpacked
    shares_prefixes: bool  # whether a text is written as what follows a part of the one before it


def read_pages(data: bytes, names: Collection[str]) -> Iterator[Page]:
    """Yield the pages of some columns of a Parquet file.

    Raises:
        ValueError: The file is damaged, or has too many pages.
        LookupError: It is damaged, too.
    """
    footer_size = int.from_bytes(data[-FOOTER_END:][:4], "little")
    reader = _ThriftReader(data, len(data) - FOOTER_END - footer_size)
    columns = {name.encode() for name in names}
    for number, type in reader.read_fields():
        if number != ROW_GROUPS:
            reader.skip(type)
            continue
        for _ in reader.read_list():
            for group_number, group_type in reader.read_fields():
                if group_number != COLUMNS:
                    reader.skip(group_type)
                    continue
                for element in reader.read_list():
                    column = reader.read_value(element, COLUMN_FIELDS)[DESCRIPTION]
                    if column[PATH][0] in columns:
                        yield from _read_column(reader, column)


def _read_column(reader: _ThriftReader, column: Fields) -> Iterator[Page]:
    """Yield the pages of a column in a group of rows; go back to where the reader was."""
    at_first = reader.at
    reader.at = column.get(DICTIONARY_OFFSET) or column[DATA_OFFSET]
    end = reader.at + column[PACKED_SIZE]
    while reader.at < end:
        header = reader.read_value(STRUCT, PAGE_FIELDS)
        encoding_1 = header.get(VERSION_1, {}).get(ENCODING_1)
        encoding_2 = header.get(VERSION_2, {}).get(ENCODING_2)
        if header[PAGE_SIZE] < 0:
            raise ValueError("a size that is none")
        yield Page(header[PAGE_SIZE], DELTA_BYTE_ARRAY in (encoding_1, encoding_2))
        reader.move(header[PACKED_PAGE_SIZE])
    reader.at = at_first


class _ThriftReader:
    """Reads values of Thrift's compact protocol one after the other, from a place in the data on.

    Each method goes on behind what it has read.
    """

    def __init__(self, data: bytes, at: int) -> None:
        self.data, self.at, self._left = data, at, MOST_HEADERS

    def read_fields(self) -> Iterator[tuple[int, int]]:
        """Yield the number and the type of each field of a struct; the caller reads its value."""
        number = 0
        while header := self._read_byte():
            number = number + (header >> 4) if header >> 4 else self._read_integer()
            yield number, header & 0x0F

    def read_list(self) -> Iterator[int]:
        """Yield the type of each element of a list; the caller reads the element."""
        header = self._read_byte()
        size = header >> 4 if header >> 4 < 0x0F else self._read_varint()
        return repeat(header & 0x0F, size)

    def read_value(self, type: int, wanted: Fields) -> Any:
        """Return a whole number, a text, a list of them, or the wanted fields of a struct."""
        if type == STRUCT:
            values = dict[int, Any]()
            for number, field_type in self.read_fields():
                if number in wanted:
                    values[number] = self.read_value(field_type, wanted[number])
                else:
                    self.skip(field_type)
            return values
        if type == LIST:
            return [self.read_value(element, wanted) for element in self.read_list()]
        if type == BINARY:
            size = self._read_varint()
            self.move(size)
            return self.data[self.at - size : self.at]
        return self._read_integer()

    def skip(self, type: int, *, in_list: bool = False) -> None:
        """Read a value, and return nothing."""
        if type == STRUCT:
            for _, field_type in self.read_fields():
                self.skip(field_type)
        elif type in (LIST, SET):
            for element in self.read_list():
                self.skip(element, in_list=True)
        elif type in (TRUE, FALSE):
            self.move(in_list)  # as a field, its type is its value
        elif type in WIDTHS:
            self.move(WIDTHS[type])
        else:
            size = self._read_varint()
            self.move(size if type == BINARY else 0)

    def move(self, count: int) -> None:
        """Go on behind some bytes; ValueError if there are fewer."""
        if not 0 <= count <= len(self.data) - self.at:
            raise ValueError("a size that is none")
        self._left -= 1
        if self._left < 0:
            raise ValueError("too many headers")
        self.at += count

    def _read_byte(self) -> int:
        self.move(1)
        return self.data[self.at - 1]

    def _read_varint(self) -> int:
        """Return a whole number without a sign, written in groups of 7 bits, the lowest first."""
        value = shift = 0
        while (byte := self._read_byte()) & 0x80:
            value |= (byte & 0x7F) << shift
            shift += 7
        return value | byte << shift

    def _read_integer(self) -> int:
        """Return a whole number whose sign is its lowest bit."""
        value = self._read_varint()
        return value >> 1 ^ -(value & 1)
