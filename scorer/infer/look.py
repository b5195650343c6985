"""The columns and the first rows of a file, which is not read whole."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from itertools import pairwise
from typing import Any, NamedTuple

from scorer.reading.numbers import DECIMAL

# what people call the columns, without case and signs: `User ID` is `userid`
NAMES = {
    "list": ("list", "query", "queryid", "qid", "q", "topic", "topicid", "user", "userid", "uid",
             "session", "sessionid", "customer", "customerid", "playlist", "triplet", "listid"),
    "item": ("item", "itemid", "iid", "doc", "docid", "docno", "document", "documentid", "movie",
             "movieid", "film", "filmid", "product", "productid", "article", "articleid", "track",
             "trackid", "book", "bookid", "lecture", "lectureid", "sku", "asin", "passageid",
             "corpusid"),
    "grade": ("grade", "relevance", "rel", "relevancy", "label", "gain", "judgment", "judgement"),
    "rating": ("rating", "ratings", "stars", "target"),
    "score": ("score", "scores", "similarity", "confidence", "probability"),
    "rank": ("rank", "position", "place"),
    "prediction": ("prediction", "predictions", "pred", "predicted", "predictedrating", "estimate"),
    "label": ("label", "labels", "class", "category", "target", "y"),
    "probability": ("probability", "probabilities", "prob", "proba", "score", "confidence", "p"),
}  # fmt: skip


class Preview(NamedTuple):
    """The columns and the first rows of a file.

    Attributes:
        rows: some of them, as text; a short one lacks its last cells.
        written: how challenge.yaml says the form, beside `file` and `columns`: `format`.
        trec: whether it has TREC's columns, whose names are settled.
    """

    names: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...] = ()
    written: Mapping[str, Any] = {}
    trec: bool = False

    def cells(self, name: str) -> list[str]:
        """A column's cells that say something, as far as it was looked at."""
        at = self.names.index(name)
        values = (row[at].strip() for row in self.rows if at < len(row))
        return [cell for cell in values if cell]

    def numeric(self, name: str) -> bool:
        """Whether a column has numbers."""
        cells = self.cells(name)
        return bool(cells) and all(DECIMAL.fullmatch(cell) for cell in cells)

    def distinct(self, name: str) -> bool:
        """Whether no value of a column comes twice; none may be missing."""
        cells = self.cells(name)
        return len(cells) == len(self.rows) == len(set(cells))

    def ascends(self, name: str, by: str) -> bool:
        """Whether whole numbers from 1 ascend along the rows of each value of another column.

        They are taken for ranks; where they leave one out, the check of ranks says so.
        """
        at, key = self.names.index(name), self.names.index(by)
        numbers: dict[str, list[int]] = {}
        for row in self.rows:
            if len(row) <= max(at, key) or not row[at].strip().isdigit():
                return False
            numbers.setdefault(row[key], []).append(int(row[at]))
        several = [of_list for of_list in numbers.values() if len(of_list) > 1]
        return bool(several) and all(
            row[0] == 1 and all(a < b for a, b in pairwise(row)) for row in several
        )

    def called(self, role: str, taken: Collection[str] = ()) -> str | None:
        """The column with that role, by the usual names for it; None where there is none."""
        by_folded_name = {folded(name): name for name in reversed(self.names) if name not in taken}
        return next((by_folded_name[word] for word in NAMES[role] if word in by_folded_name), None)

    def like(self, name: str) -> str | None:
        """The column of that name, else the one that differs by case and signs only."""
        if name in self.names:
            return name
        return next((column for column in self.names if folded(column) == folded(name)), None)

    def others(self, taken: Collection[str]) -> Iterator[str]:
        """The columns that are not taken."""
        return (name for name in self.names if name not in taken)


def folded(name: str) -> str:
    """A column's name without case and signs."""
    return re.sub(r"[\W_]+", "", name.casefold())


def renamed(roles: Mapping[str, Any]) -> dict[str, Any]:
    """A section's `columns:`, without what is called as its role."""
    different = {role: name for role, name in roles.items() if name != role}
    return {"columns": different} if different else {}
