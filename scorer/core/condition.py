"""Conditions on columns: `male = 1 and label = 0` to a tree, and the rows of which it is true."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple, Protocol

from scorer.core.grammar import Descent, Grammar, GrammarError
from scorer.core.text import quoted

if TYPE_CHECKING:  # a challenge.yaml is read without numpy
    from scorer.core.arrays import Ints, Mask

ALLOWED = "columns, values, = != < <= > >=, in, and, or, not, ( )"
SIGNS = r"<=|>=|!=|<>|==|[-+<>=(),]"
GRAMMAR = Grammar("condition", SIGNS, ALLOWED, {"&": "; write and", "|": "; write or"})
FLAGS = {"true": 1.0, "false": 0.0}
COMPARISONS: Mapping[str, Callable[[float, float], bool]] = {
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
}
Value = float | str


class Cells(Protocol):
    """A column: its different cells, and which of them each row has."""

    @property
    def names(self) -> Sequence[str]:
        """The different cells."""

    @property
    def codes(self) -> Ints:
        """The cell of each row: shape (rows,)."""


class Condition(NamedTuple):
    """A comparison of a column, or conditions together."""

    kind: str  # and, or, not, =, <, <=, >, >=; = is of any of `values`
    name: str = ""
    values: tuple[Value, ...] = ()
    parts: tuple[Condition, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """The columns in it, each once, in order."""
        own = (self.name,) if self.name else ()
        return tuple(dict.fromkeys([*own, *(n for part in self.parts for n in part.names)]))

    def true(self, columns: Mapping[str, Cells]) -> Mask:
        """The rows that it is true of: shape (rows,).

        An empty cell is equal to the empty text only, and not above or below anything.

        `GrammarError` if a cell that is compared with a number is none.
        """
        import numpy as np

        if self.kind == "not":
            return ~self.parts[0].true(columns)
        if self.parts:
            join = np.logical_and if self.kind == "and" else np.logical_or
            mask: Mask = join.reduce([part.true(columns) for part in self.parts])
            return mask
        column = columns[self.name]
        met = np.array([self._met(cell) for cell in column.names], dtype=bool)
        return met[column.codes]

    def _met(self, cell: str) -> bool:
        if self.kind == "=":
            return any(_equal(cell, value) for value in self.values)
        number, [value] = _as_number(cell), self.values
        assert isinstance(value, float)
        if number is None and cell:
            raise GrammarError(f"{self.name} holds {quoted(cell)}, which is no number to compare")
        return number is not None and COMPARISONS[self.kind](number, value)


def _as_number(cell: str) -> float | None:
    """A cell as a number; True and False are 1 and 0."""
    if (flag := FLAGS.get(cell.casefold())) is not None:
        return flag
    try:
        number = float(cell)
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def _equal(cell: str, value: Value) -> bool:
    return cell == value if isinstance(value, str) else _as_number(cell) == value


def parse(text: str) -> Condition:
    """The tree of a condition; `GrammarError` if it is not written as a condition is.

    >>> parse("male = 1 and (label = 0 or 'the part' in (a, b))").names
    ('male', 'label', 'the part')
    """
    if not text.strip():
        raise GrammarError("the condition is empty; write such as male = 1 and label = 0")
    return _Conditions(text, GRAMMAR).whole()


class _Conditions(Descent[Condition]):
    """A recursive descent: alternatives of conjunctions of comparisons."""

    def alternatives(self) -> Condition:
        parts = [self.conjunction()]
        while self.word("or"):
            parts.append(self.conjunction())
        return parts[0] if len(parts) == 1 else Condition("or", parts=tuple(parts))

    top = alternatives

    def conjunction(self) -> Condition:
        parts = [self.deeper(self.term)]
        while self.word("and"):
            parts.append(self.deeper(self.term))
        return parts[0] if len(parts) == 1 else Condition("and", parts=tuple(parts))

    def term(self) -> Condition:
        if self.word("not"):
            return Condition("not", parts=(self.deeper(self.term),))
        if self.sign("("):
            tree = self.alternatives()
            self.close()
            return tree
        return self.comparison(self.take("name", "quoted").text)

    def comparison(self, name: str) -> Condition:
        if inside := self.word("in", "not"):
            if inside == "not" and not self.word("in"):
                raise self.unexpected()
            within = Condition("=", name, self.several())
            return within if inside == "in" else Condition("not", parts=(within,))
        sign = self.sign("=", "==", "!=", "<>", *COMPARISONS)
        if not sign:
            raise self.unexpected()
        value = self.value()
        if sign in COMPARISONS and isinstance(value, str):
            raise GrammarError(f"{sign} compares numbers, and {quoted(value)} is a text")
        equal = Condition("=" if sign not in COMPARISONS else sign, name, (value,))
        return Condition("not", parts=(equal,)) if sign in ("!=", "<>") else equal

    def several(self) -> tuple[Value, ...]:
        if not self.sign("("):
            raise self.unexpected()
        values = [self.value()]
        while self.sign(","):
            values.append(self.value())
        self.close()
        return tuple(values)

    def value(self) -> Value:
        number = self.signed_number()
        if number is not None:
            return number
        token = self.take("name", "quoted")
        flag = FLAGS.get(token.text.casefold()) if token.kind == "name" else None
        return token.text if flag is None else flag
