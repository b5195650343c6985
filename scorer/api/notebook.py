"""Results as data frames, and as HTML for a notebook."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from typing import Any, TypeVar

import polars as pl

from scorer.api.text import Renderable, as_html
from scorer.core.text import printable
from scorer.reports.base import ExactRows, Options
from scorer.reports.document import Block, Document, Facts, Heading, Notes, Paragraph, Prose, Table

T = TypeVar("T")  # the result as data

SHOWN_TONES = ("fault", "steps", "strong")  # of paragraphs that do not fold


class TableResult(Renderable[T]):
    """A result that is a table, too: a data frame, and in a notebook HTML whose notes fold."""

    def to_polars(self) -> pl.DataFrame:
        """Return the rows that the form csv has, as a polars data frame."""
        rows: ExactRows = _module(self._subject, "rows").rows(self._content(), Options())
        return pl.DataFrame(rows.rows, rows.head, orient="row", infer_schema_length=None)

    def to_pandas(self) -> Any:
        """Return the rows that the form csv has, as a pandas data frame."""
        import pandas as pd  # type: ignore[import-untyped]

        return pd.DataFrame(self.to_polars().to_dict(as_series=False))

    def _repr_html_(self) -> str:
        """Return the document of the result as HTML for a notebook."""
        result = self._content()
        if hasattr(result, "published"):
            result = result.published()
        return format_notebook_html(_module(self._subject, "document").document(result, Options()))


def _module(subject: str, name: str) -> Any:
    return import_module(f"scorer.reports.{subject}.{name}")


def format_notebook_html(document: Document) -> str:
    """Return the headings and tables of a document as HTML, with its texts folded below them."""
    shown = "".join(text for block in document.blocks for text in _html_of(block))
    texts = [text for block in document.blocks for text in _texts_of(block)]
    notes = "".join(f"<p>{_as_html(text)}</p>" for text in (document.private, *texts) if text)
    if not notes:
        return f"<div>{shown}</div>"
    return f"<div>{shown}<details><summary>Notes</summary>{notes}</details></div>"


def _html_of(block: Block) -> Iterator[str]:
    """Yield a heading or a table as HTML."""
    if isinstance(block, Heading):
        yield f"<h4>{_as_html(block.text)}</h4>"
    elif isinstance(block, Table):
        head = "".join(f"<th>{_as_html(column.head)}</th>" for column in block.columns)
        yield f"<table><thead><tr>{head}</tr></thead><tbody>"
        for row in block.rows:
            yield f"<tr>{''.join(f'<td>{_as_html(cell.text)}</td>' for cell in row.cells)}</tr>"
        yield "</tbody></table>"
    elif isinstance(block, Paragraph) and block.tone in SHOWN_TONES:
        yield f"<pre>{as_html(block.text)}</pre>"


def _texts_of(block: Block) -> Iterator[str]:
    """Yield the sentences of a block that is a text."""
    if isinstance(block, Notes):
        yield from block.items
    elif isinstance(block, Facts):
        yield from (f"{term}: {text}" for term, text in block.pairs)
    elif isinstance(block, Prose) or (
        isinstance(block, Paragraph) and block.tone not in SHOWN_TONES
    ):
        yield block.text


def _as_html(text: str) -> str:
    return as_html(printable(text, 1000))
