"""Texts of a challenge: its description, and pages of their own, such as rules.md and data.md.

Each is Markdown. A description of one word that ends in `.md` is the path of a file.
"""

# no `from __future__ import annotations`: pydantic would have to compile each of them again
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, ValidationInfo, WithJsonSchema

from scorer.challenge.fields import SCALAR, Name, as_text, inside, wrong
from scorer.challenge.yaml import YamlValue
from scorer.core.text import quoted

MOST_PROSE = 100_000  # bytes of a text in a file of its own
PATH = re.compile(r"\s*\S+\.md\s*", re.IGNORECASE)
KEY = re.compile(r"[a-z][a-z0-9-]{0,39}")
TAKEN = ("codes", "readme")  # files of a kit


def _described(value: Any, info: ValidationInfo) -> Any:
    """A description, that of its file where it names one."""
    text: str = as_text(value)
    if len(text.encode(errors="replace")) > MOST_PROSE:
        raise wrong(f"it has more than {MOST_PROSE:,} bytes", "C126")
    return _of_file(text, info) if PATH.fullmatch(text) else text


def _prose_of_page(value: Any, info: ValidationInfo) -> Any:
    text = as_text(value)
    if (info.context or {}).get("folder") is not None and not PATH.fullmatch(text):
        raise wrong(f"{quoted(text)} is no file in Markdown, whose name ends in .md")
    return _of_file(text, info)


def _of_file(name: str, info: ValidationInfo) -> str:
    """The text of a file; of a challenge that no folder holds, its own."""
    if (info.context or {}).get("folder") is None:
        return name
    path: Path = inside(name.strip(), info)
    try:
        with path.open("rb") as file:
            data = file.read(MOST_PROSE + 1)
    except OSError as error:
        raise wrong(f"{quoted(name.strip())}: {(error.strerror or '').lower()}", "C126") from None
    if len(data) > MOST_PROSE:
        raise wrong(f"{quoted(name.strip())} has more than {MOST_PROSE:,} bytes", "C126")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise wrong(f"{quoted(name.strip())}, line {line:,}: not UTF-8", "C126") from None


def _key(name: str) -> str:
    if not KEY.fullmatch(name) or name in TAKEN:
        raise wrong(
            f"{quoted(name)} names no page: use small letters, digits and -, and neither "
            f"{' nor '.join(TAKEN)}"
        )
    return name


Description = Annotated[str, BeforeValidator(_described), WithJsonSchema(SCALAR)]
PageText = Annotated[
    str, BeforeValidator(_prose_of_page), WithJsonSchema({"type": "string", "format": "path"})
]
Pages = dict[Annotated[Name, AfterValidator(_key)], PageText]


def prose_files(root: YamlValue | None, folder: Path) -> Iterator[Path]:
    """The files that the texts come from."""
    data = root.data if root is not None and isinstance(root.data, dict) else {}
    pages = data.get("pages")
    texts = [data.get("description")]
    texts += [*pages.data.values()] if pages is not None and isinstance(pages.data, dict) else []
    for value in texts:
        if value is not None and value.text and PATH.fullmatch(value.text):
            yield folder / value.text.strip()
