"""What recognizers of truths and samples share: previews of files, names of columns, guesses."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from scorer.reading.numbers import DECIMAL

# Role -> what people call its column, without case and signs: `User ID` is `userid`.
NAMES = {
    role: words.split()
    for role, words in {
        "list": "list query queryid qid q topic topicid user userid uid session sessionid customer "
        "customerid playlist triplet listid",
        "item": "item itemid iid doc docid docno document documentid movie movieid film filmid "
        "product productid article articleid track trackid book bookid lecture lectureid sku asin "
        "passageid corpusid",
        "grade": "grade relevance rel relevancy label gain judgment judgement",
        "rating": "rating ratings stars target",
        "score": "score scores similarity confidence probability",
        "rank": "rank position place",
        "prediction": "prediction predictions pred predicted predictedrating estimate",
        "label": "label labels class category target y",
        "probability": "probability probabilities prob proba score confidence p",
    }.items()
}


class Preview(NamedTuple):
    """The columns and the first rows of a table.

    Attributes:
        names: The names of its columns.
        rows: The first rows as text; a short row lacks its last cells.
        layout: The keys of challenge.yaml that say how the file is written, beside `file` and
            `columns`: `format`, `separator`, `header`, `cells` and so on.
        is_trec: Whether the file is a run or qrels of TREC, whose columns have no names.
    """

    names: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...] = ()
    layout: Mapping[str, Any] = {}
    is_trec: bool = False

    def cells(self, name: str) -> list[str]:
        """Return the cells of a column that are not blank."""
        at = self.names.index(name)
        cells = (row[at].strip() for row in self.rows if at < len(row))
        return [cell for cell in cells if cell]

    def is_numeric(self, name: str) -> bool:
        """Return whether all cells of a column that are not blank are numbers."""
        return are_numbers(self.cells(name))

    def is_unique(self, name: str) -> bool:
        """Return whether no cell of a column is blank or equal to another one."""
        cells = self.cells(name)
        return len(cells) == len(self.rows) == len(set(cells))

    def counts_up(self, name: str, list_name: str) -> bool:
        """Return whether a column has whole numbers that ascend from 1 in each list: ranks.

        A rank may be left out: the check of ranks reports it. A list of one row does not count.
        """
        at = self.names.index(name)
        key = self.names.index(list_name)
        numbers: dict[str, list[int]] = {}
        for row in self.rows:
            if len(row) <= max(at, key) or not row[at].strip().isdigit():
                return False
            numbers.setdefault(row[key], []).append(int(row[at]))
        several = [ranks for ranks in numbers.values() if len(ranks) > 1]
        return bool(several) and all(
            ranks[0] == 1 and all(a < b for a, b in pairwise(ranks)) for ranks in several
        )

    def find_role(self, role: str, taken: Collection[str] = ()) -> str | None:
        """Return the column with the first of the usual names for a role; None without any."""
        return find_name(NAMES[role], self.names_except(*taken))

    def find_name(self, name: str) -> str | None:
        """Return the column of a name, else one whose name differs by case and signs only."""
        return name if name in self.names else find_name([fold_name(name)], self.names)

    def names_except(self, *taken: str | None) -> list[str]:
        """Return the columns that are not taken."""
        return [name for name in self.names if name not in taken]


Measure = str | dict[str, str]  # a notation, or one with a short name as its id


class Guess(NamedTuple):
    """The sections of a challenge.yaml that fits a truth and a sample.

    Attributes:
        description: What the files were taken for, as the end of a sentence.
        truth: The keys of the section `truth`, without the file and its layout.
        submission: The keys of the section `submission`, without the layout.
        measures: Measures that fit, as `metrics:` has them; the first one ranks.
        doubt: What may be otherwise, as a clause; empty if nothing is known that may be.
    """

    description: str
    truth: Mapping[str, Any]
    submission: Mapping[str, Any]
    measures: Sequence[Measure]
    doubt: str = ""


class Needs(NamedTuple):
    """What measures need of a challenge; both are empty if no measure is given.

    Attributes:
        kinds: The kinds of challenges that all of the measures are for.
        columns: The columns of a submission that one of the measures of tables looks at.
    """

    kinds: frozenset[str] = frozenset()
    columns: frozenset[str] = frozenset()

    def allow(self, kind: str) -> bool:
        """Return whether the measures are for a kind of challenge, or none is given."""
        return not self.kinds or kind in self.kinds


def fold_name(name: str) -> str:
    """Return a column's name without case and signs.

    >>> fold_name("User_ID")
    'userid'
    """
    return re.sub(r"[\W_]+", "", name.casefold())


def find_name(words: Sequence[str], names: Collection[str]) -> str | None:
    """Return the name that is, without case and signs, the first of these words; None without."""
    by_word = {fold_name(name): name for name in reversed([*names])}
    return next((by_word[word] for word in words if word in by_word), None)


def are_numbers(cells: Collection[str]) -> bool:
    """Return whether there are cells, and all are numbers."""
    return bool(cells) and all(DECIMAL.fullmatch(cell) for cell in cells)


def columns_section(roles: Mapping[str, Any]) -> dict[str, Any]:
    """Return `columns:` of a section, without columns that are called as their roles."""
    different = {role: name for role, name in roles.items() if name != role}
    return {"columns": different} if different else {}
