"""Addresses: what names a table that is no file of this machine, such as `s3://bucket/run`."""

from __future__ import annotations

import os
import re
from pathlib import Path

URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:/.*")


def is_url(word: str) -> bool:
    """Whether a word is a URL; a drive's letter is none.

    >>> is_url("s3://bucket/run.csv"), is_url("file:/tmp/a"), is_url("C:/a"), is_url("a=b:/c")
    (True, True, False, False)
    """
    return URL.fullmatch(word) is not None


class Address(type(Path())):  # type: ignore[misc]
    """A path that is written as it was given, where a path would fold its slashes.

    >>> str(Address("s3://bucket//run.csv")), Address("s3://bucket/run.csv").name
    ('s3://bucket//run.csv', 'run.csv')
    """

    _text = ""  # of what is made of an address, such as its parent, there is none

    def __new__(cls, text: str | os.PathLike[str]) -> Address:
        """The address of that text."""
        address: Address = super().__new__(cls, text)
        address._text = os.fspath(text)
        return address

    def __str__(self) -> str:
        return self._text or str(super().__str__())

    def __fspath__(self) -> str:
        return str(self)

    def __reduce__(self) -> tuple[type[Address], tuple[str]]:
        return Address, (str(self),)
