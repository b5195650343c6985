"""The metric of tagged tokens: chunks, such as names, that tags B-PER, I-PER and O spell."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any

import numpy as np
from pydantic import Field

from scorer.challenge.public import ClassCells
from scorer.core.arrays import Floats
from scorer.metrics.api import metric
from scorer.metrics.parameters import BothColumn, NamesClasses
from scorer.metrics.ratios import Figure
from scorer.metrics.spans import F1_LATEX
from scorer.reading.schema import EXTRA
from scorer.views.ranked import Judged


def _tag_cells(name: str, _: Mapping[str, Any]) -> tuple[ClassCells, ClassCells]:
    """The cells of truth and submission that name the types of chunks."""
    cells = ClassCells(f"{EXTRA}{name}]", chunk_types)
    return cells, cells


TagColumn = Annotated[
    BothColumn, Field(description="The further column with the tags."), NamesClasses(_tag_cells)
]


def find_chunks(tags: Sequence[str]) -> Iterator[tuple[int, int, str]]:
    """The chunks of a sequence of tags, as conlleval finds them: first, after the last, type.

    B- and S- begin a chunk, E- and S- end one; I- goes on where the type is the same, and else
    begins one.
    """
    start, kind = 0, ""  # of the chunk that has begun; no type: none has
    ended = True
    for n, tag in enumerate([*tags, "O"]):
        mark, _, name = tag.partition("-")
        is_outside = mark in ("", "O")
        name = name or "_"  # a chunk without a type
        begins = not is_outside and (ended or mark in ("B", "S", "[") or name != kind)
        if kind and (is_outside or begins):
            yield start, n, kind
            kind = ""
        if begins:
            start, kind = n, name
        ended = is_outside or mark in ("E", "S", "]")


def chunk_types(tag: str) -> tuple[str, ...]:
    """The type that a tag names, '' where it marks a chunk without one; none of O.

    >>> chunk_types("B-PER"), chunk_types("B"), chunk_types("O")
    (('PER',), ('',), ())
    """
    mark, _, name = tag.partition("-")
    return () if mark in ("", "O") else (name,)


def _chunk_f1(columns: Mapping[str, Any], row_weight: Floats) -> float:
    right, submitted, true = (columns["counts"] * row_weight[:, None]).sum(axis=0)
    return float(2 * right / (submitted + true)) if submitted + true else 0.0


@metric(
    "ChunkF1",
    title="F1 of chunks of tags",
    source="Tjong Kim Sang and Buchholz, CoNLL 2000; conlleval",
    latex=F1_LATEX.replace("spans", "chunks"),
    tools="seqeval: f1_score; conlleval: FB1 (in percent)",
    undefined="there are no lists",
)
def chunkf1(view: Judged, *, tag: TagColumn = "tag") -> Figure:
    """F1 of the chunks that tags such as B-PER, I-PER and O mark: first, last and type must fit.

    A list is a sentence, its items are tokens in the order of the truth's file; the tag is a
    further column of both truth and submission, `columns: {extra: [tag]}`. Chunks are found as by
    conlleval and seqeval's default mode, in IOB1, IOB2 and IOBES: an I- whose type is another
    begins a chunk. A token that a submission leaves out has the tag O. The counts of all lists make
    one F1.

    >>> from dataclasses import replace
    >>> from scorer.views.columns import Extras
    >>> view = judged_view((["1", "2", "3"], {"1": 1, "2": 1, "3": 1}))
    >>> true, submitted = {"tag": ["B-PER", "I-PER", "B-LOC"]}, {"tag": ["B-PER", "I-PER", "O"]}
    >>> view = replace(view, extras=further_columns(truth=true, submission=submitted))
    >>> round(chunkf1(view).pooled(), 6)  # 2 * 1 / (1 + 2)
    0.666667
    """
    counts = []
    for true, submitted in _tag_sequences(view, tag):
        true_chunks, chunks = set(find_chunks(true)), set(find_chunks(submitted))
        counts.append((len(true_chunks & chunks), len(chunks), len(true_chunks)))
    columns = {"counts": np.array(counts, dtype=np.float64).reshape(-1, 3)}
    formula = "2 × right / (submitted + true chunks)"
    return Figure(_chunk_f1, columns, np.arange(view.lists), formula=formula)


def _tag_sequences(view: Judged, tag: str) -> Iterator[tuple[list[str], list[str]]]:
    """The true and the submitted tags of each list, in the truth's order; O of missing tokens."""
    ideal, hits = view.ideal, view.hits
    true = view.extras.truth[tag]
    submitted = np.full(true.shape, "O", dtype=object)
    submitted[ideal.starts()[hits.in_list] + hits.place - 1] = view.extras.submission[tag]
    for span in ideal.spans():
        yield true[span].tolist(), submitted[span].tolist()
