"""F1 of chunks of tags."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any

import numpy as np
from pydantic import Field

from scorer.challenge.public import ClassCells
from scorer.core.arrays import Floats
from scorer.metrics.base import metric
from scorer.metrics.explain.steps import Sentence, Steps, formula, grid
from scorer.metrics.explain.tables import Listing
from scorer.metrics.statistic import Sums
from scorer.tables.table import EXTRA
from scorer.views.hits import Judged
from scorer.views.pooled import Statistics

TAG = "tag"
Chunk = tuple[int, int, str]  # first token, the token after the last, type

TagColumn = Annotated[
    str,
    Field(min_length=1, description="The further column of truth and submission with the tags."),
]


def chunks(tags: Sequence[str]) -> Iterator[Chunk]:
    """The chunks of a sequence of tags, as conlleval finds them.

    B- and S- begin a chunk, E- and S- end one; I- goes on where the type is the
    same, and else begins one.
    """
    start, kind = 0, ""
    ended = True
    for n, tag in enumerate([*tags, "O"]):
        mark, _, name = tag.partition("-")
        mark, name = (mark or "O"), (name or ("_" if mark not in ("O", "") else ""))
        begins = mark != "O" and (ended or mark in ("B", "S", "[") or name != kind)
        if kind and (mark == "O" or begins):
            yield start, n, kind
            kind = ""
        if begins:
            start, kind = n, name
        ended = mark in ("O", "E", "S", "]")


def chunk_types(tag: str) -> tuple[str, ...]:
    """The type that a tag names, '' where it marks a chunk without one; none of O.

    >>> chunk_types("B-PER"), chunk_types("B"), chunk_types("O")
    (('PER',), ('',), ())
    """
    mark, _, name = tag.partition("-")
    return () if mark in ("", "O") else (name,)


def _typed_columns(params: Mapping[str, Any]) -> tuple[ClassCells, ClassCells]:
    cells = ClassCells(f"{EXTRA}{params['tag']}]", chunk_types)
    return cells, cells


def _sequences(judged: Judged, tag: str) -> Iterator[tuple[list[str], list[str]]]:
    """The true and the submitted tags of each list, in the truth's order; O of missing tokens."""
    ideal, hits = judged.ideal, judged.hits
    true = judged.truth[tag]
    submitted = np.full(true.shape, "O", dtype=object)
    submitted[ideal.starts()[hits.in_list] + hits.place - 1] = judged.submission[tag]
    for span in ideal.spans():
        yield true[span].tolist(), submitted[span].tolist()


def _of_sums(sums: Floats, **_: Any) -> Floats:
    """From right, predicted and true chunks; 0 where there are none of either but lists."""
    chunk_count = sums[:, 1] + sums[:, 2]
    f1 = np.where(sums[:, 3] > 0, 0.0, np.nan)
    np.divide(2 * sums[:, 0], chunk_count, out=f1, where=chunk_count > 0)
    return f1


def _explain(listing: Listing[Judged], value: float, *, tag: str) -> Steps:
    ((true, submitted),) = _sequences(listing.view, tag)
    tokens: dict[str, Sequence[str]] = {
        "token": listing.names.truth,
        "true": true,
        "submitted": submitted,
    }
    yield grid("Tokens", tokens)
    true_chunks, submitted_chunks = set(chunks(true)), set(chunks(submitted))
    columns: dict[str, list[Any]] = {
        "first": [first + 1 for first, _, _ in sorted(true_chunks | submitted_chunks)],
        "last": [end for _, end, _ in sorted(true_chunks | submitted_chunks)],
        "type": [kind for _, _, kind in sorted(true_chunks | submitted_chunks)],
        "true": [int(chunk in true_chunks) for chunk in sorted(true_chunks | submitted_chunks)],
        "submitted": [
            int(chunk in submitted_chunks) for chunk in sorted(true_chunks | submitted_chunks)
        ],
    }
    yield grid("Chunks", columns)
    if not true_chunks | submitted_chunks:
        yield Sentence("Neither the truth nor the submission has a chunk.")
        yield formula("ChunkF1", "", "{}", value, value=value)
        return
    parts = len(true_chunks & submitted_chunks), len(submitted_chunks), len(true_chunks)
    symbols = "2 × right / (submitted + true)"
    yield formula("ChunkF1", symbols, "2 × {} / ({} + {})", *parts, value=value)


@metric(
    "ChunkF1",
    title="F1 of chunks of tags",
    source="Tjong Kim Sang and Buchholz, CoNLL 2000; conlleval",
    elsewhere={
        "seqeval": "f1_score",
        "conlleval": "FB1; in percent",
    },
    formula=r"\frac{2 h}{t + p}, \qquad h = \text{right chunks}, \qquad t = \text{true "
    r"chunks}, \qquad p = \text{submitted chunks}",
    undefined="there are no lists",
    aggregate="pooled",
    needs=lambda params: (f"truth.extra.{params['tag']}", f"submission.extra.{params['tag']}"),
    classes=_typed_columns,
    statistic=Sums(_of_sums),
    explain=_explain,
)
def chunkf1(judged: Judged, *, tag: TagColumn = TAG) -> Statistics:
    """F1 of the chunks that tags such as B-PER, I-PER and O mark: first, last and type must fit.

    A list is a sentence, its items are tokens in the order of the truth's file;
    the tag is a further column of both truth and submission,
    `columns: {extra: [tag]}`. Chunks are found as by conlleval and seqeval's default
    mode, in IOB1, IOB2 and IOBES: an I- whose type is another begins a chunk. A token that
    a submission leaves out has the tag O. The counts of all lists make one F1.

    >>> from scorer.views.extras import Extras, NamedColumns
    >>> from dataclasses import replace
    >>> judged = Judged.of((["1", "2", "3"], {"1": 1, "2": 1, "3": 1}))
    >>> true = np.array(["B-PER", "I-PER", "B-LOC"], dtype=object)
    >>> submitted = np.array(["B-PER", "I-PER", "O"], dtype=object)
    >>> given = NamedColumns({"tag": submitted}, "submission")
    >>> extras = Extras(NamedColumns({"tag": true}, "truth"), given)
    >>> figure = chunkf1.__scorer__.statistic.figure
    >>> round(figure(chunkf1(replace(judged, extras=extras))), 6)     # 2 * 1 / (1 + 2)
    0.666667
    """
    rows = []
    for true, submitted in _sequences(judged, tag):
        true_chunks, submitted_chunks = set(chunks(true)), set(chunks(submitted))
        rows.append(
            (len(true_chunks & submitted_chunks), len(submitted_chunks), len(true_chunks), 1)
        )
    table = np.array(rows, dtype=np.float64).reshape(-1, 4)
    return Statistics(np.arange(judged.lists, dtype=np.int64), table, judged.lists)
