"""Formulas of measures: `0.1*clicks + 0.9*orders` to a tree, its value, range and direction.

A formula has numbers, names, + - * / ( ), min, max and sqrt. It is parsed here, and never
run as Python.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from functools import reduce
from typing import TYPE_CHECKING, NamedTuple

from scorer.core.text import printable, quoted

if TYPE_CHECKING:  # a challenge.yaml is read without numpy
    from scorer.core.arrays import Floats

LONGEST_FORMULA = 2_000  # characters of a formula
MOST_TOKENS = 400  # numbers, names and signs of one
DEEPEST = 50  # parentheses and functions inside each other
FUNCTIONS = ("min", "max", "sqrt")
TOKEN = re.compile(
    r"\s*(?:(?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)"
    r"|(?P<name>[^\W\d][\w.@]*)|'(?P<quoted>[^']+)'|(?P<sign>[-+*/(),]))"
)
NAME = re.compile(r"[^\W\d][\w.@]*")


class FormulaError(ValueError):
    """A formula that cannot be understood; `name` is the one at fault, where it is one."""

    def __init__(self, message: str, name: str | None = None) -> None:
        self.name = name
        super().__init__(message)


class Bounds(NamedTuple):
    """The least and the greatest value; infinite where there is none."""

    low: float = -math.inf
    high: float = math.inf


class Traits(NamedTuple):
    """The bounds and the direction of a name's values, before it has any."""

    bounds: Bounds
    up: bool  # whether higher is better


class Node(NamedTuple):
    """A part of a formula: a number, a name, or an operation on parts."""

    kind: str  # number, name, +, -, *, /, neg, min, max, sqrt
    number: float = 0.0
    name: str = ""
    parts: tuple[Node, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """The names in it, each once, in order."""
        leaf = (self.name,) if self.kind == "name" else ()
        return tuple(dict.fromkeys([*leaf, *(n for part in self.parts for n in part.names)]))

    def value(self, of: Mapping[str, Floats]) -> Floats:
        """Its value for arrays of values, all of one shape; NaN where it has none.

        Dividing by 0 gives no value, nor does the root of a negative number.
        """
        import numpy as np

        if self.kind == "number":
            return np.full_like(next(iter(of.values())), self.number)
        if self.kind == "name":
            return of[self.name]
        operands = [part.value(of) for part in self.parts]
        function = getattr(np, OPERATIONS[self.kind])
        with np.errstate(all="ignore"):
            value = function(*operands) if len(operands) == 1 else reduce(function, operands)
            value = np.asarray(value, dtype=np.float64)
        value[~np.isfinite(value)] = np.nan
        return value

    def affine(self) -> bool:
        """Whether it is a weighted sum of its names and a number, so that a mean of it is its mean.

        >>> parse("0.5 * (a + b) / 2 - 1").affine(), parse("a * b").affine()
        (True, False)
        """
        if self.kind in ("number", "name"):
            return True
        if self.kind in ("+", "-", "neg"):
            return all(part.affine() for part in self.parts)
        first, *others = self.parts
        if self.kind == "*":
            return (not first.names and others[0].affine()) or (
                not others[0].names and first.affine()
            )
        return self.kind == "/" and not others[0].names and first.affine()

    def bounds(self, of: Mapping[str, Traits]) -> Bounds:
        """The least and the greatest of its values, from those of its names."""
        if self.kind == "number":
            return Bounds(self.number, self.number)
        if self.kind == "name":
            return of[self.name].bounds
        operands = [part.bounds(of) for part in self.parts]
        first, last = operands[0], operands[-1]
        match self.kind:
            case "neg":
                return Bounds(-first.high, -first.low)
            case "+":
                return Bounds(first.low + last.low, first.high + last.high)
            case "-":
                return Bounds(first.low - last.high, first.high - last.low)
            case "min":
                return Bounds(min(b.low for b in operands), min(b.high for b in operands))
            case "max":
                return Bounds(max(b.low for b in operands), max(b.high for b in operands))
            case "sqrt":
                return Bounds(math.sqrt(max(first.low, 0.0)), math.sqrt(max(first.high, 0.0)))
            case "*":
                ends = [_times(a, b) for a in first for b in last]
            case _:
                if last.low <= 0 <= last.high:
                    nonnegative = first.low >= 0 and last.low >= 0
                    return Bounds(0.0) if nonnegative else Bounds()
                ends = [_times(a, 1 / b) for a in first for b in last]
        return Bounds(min(ends), max(ends))

    def rises(self, of: Mapping[str, Traits]) -> int | None:
        """1 where it rises as its names get better, -1 where it falls, 0 where neither.

        None: that depends on their values.
        """
        if self.kind == "number":
            return 0
        if self.kind == "name":
            return 1 if of[self.name].up else -1
        rising = [part.rises(of) for part in self.parts]
        if None in rising:
            return None
        directions = [direction for direction in rising if direction is not None]
        match self.kind:
            case "neg":
                return -directions[0]
            case "-":
                directions[1] = -directions[1]
            case "*" | "/":
                first, last = (part.bounds(of) for part in self.parts)
                signs = [_sign(last), _sign(first)]  # each moves with the other's sign
                if self.kind == "/":
                    signs[1] = -signs[1] if signs[1] is not None else None
                    if last.low <= 0 <= last.high and directions[1] and signs[0] is None:
                        return None
                if any(move and sign is None for move, sign in zip(directions, signs, strict=True)):
                    return None
                directions = [
                    move * (sign or 0) if move else 0
                    for move, sign in zip(directions, signs, strict=True)
                ]
        moves = {move for move in directions if move}
        return None if len(moves) > 1 else (moves.pop() if moves else 0)

    def divides_by_zero(self) -> bool:
        """Whether a division in it is by a number that is 0 whatever its names are."""
        zero = self.kind == "/" and not self.parts[1].names and _constant(self.parts[1]) == 0
        return zero or any(part.divides_by_zero() for part in self.parts)


OPERATIONS = {  # what numpy calls them
    "+": "add",
    "-": "subtract",
    "*": "multiply",
    "/": "divide",
    "neg": "negative",
    "min": "minimum",
    "max": "maximum",
    "sqrt": "sqrt",
}


def _times(a: float, b: float) -> float:
    return 0.0 if a == 0 or b == 0 else a * b  # an infinite bound is never reached


def _sign(bounds: Bounds) -> int | None:
    """1 where nothing is below 0, -1 where nothing is above, 0 for 0, None where both are."""
    if bounds.low == bounds.high == 0:
        return 0
    return 1 if bounds.low >= 0 else -1 if bounds.high <= 0 else None


def _constant(node: Node) -> float:
    import numpy as np

    return float(node.value({"": np.zeros(1)})[0])


def spelt(name: str) -> str:
    """A name as a formula writes it: in quotes where it is no word."""
    return name if NAME.fullmatch(name) and name not in FUNCTIONS else f"'{name}'"


def parse(text: str) -> Node:
    """The tree of a formula; `FormulaError` if it is not written as a formula is.

    >>> parse("0.25*a + 0.75*'nDCG@10'").names
    ('a', 'nDCG@10')
    """
    if not text.strip():
        raise FormulaError("the formula is empty; write such as 0.3*a + 0.7*b")
    if len(text) > LONGEST_FORMULA:
        raise FormulaError(
            f"the formula has {len(text):,} characters; {LONGEST_FORMULA:,} are the most"
        )
    reader = _Reader(text)
    tree = reader.sum()
    if reader.here.kind:
        raise reader.unexpected()
    if not tree.names:
        raise FormulaError("the formula names no measure")
    if tree.divides_by_zero():
        raise FormulaError("the formula divides by 0")
    return tree


def with_blanks(text: str) -> tuple[str, tuple[str, ...]]:
    """A formula with {} in place of each name, and the names in the order of their places.

    >>> with_blanks("0.5*(a + 'b c') / a")
    ('0.5 * ({} + {}) / {}', ('a', 'b c', 'a'))
    """
    parse(text)
    template, names = "", list[str]()
    tokens = list(_tokens(text))
    for n, token in enumerate(tokens[:-1]):
        called = tokens[n + 1].text == "(" and text[token.at - 1 : token.at] != "'"
        if token.kind == "name" and not called:
            names.append(token.text)
            template += "{}"
        elif token.kind == "sign" and token.text in "+-*/":
            signed = not template or template.endswith(("(", " ", ","))
            template += token.text if signed else f" {token.text} "
        else:
            template += ", " if token.text == "," else token.text
    return template, tuple(names)


class _Token(NamedTuple):
    kind: str  # number, name, sign; '' at the end
    text: str
    at: int


def _tokens(text: str) -> Iterator[_Token]:
    at = 0
    while at < len(text) and not text[at:].isspace():
        match = TOKEN.match(text, at)
        if match is None:
            rest = text[at:].lstrip()
            place = len(text) - len(rest) + 1
            hint = "; a power is written as a product" if rest.startswith("^") else ""
            raise FormulaError(
                f"character {place}, {quoted(printable(rest[0]))}, is no part of a formula "
                f"(numbers, measure ids, + - * / ( ), min, max, sqrt){hint}"
            )
        kind = str(match.lastgroup)
        yield _Token("name" if kind == "quoted" else kind, match[kind], match.start(kind))
        at = match.end()
    yield _Token("", "", len(text))


class _Reader:
    """A recursive descent: a sum of products of factors."""

    def __init__(self, text: str) -> None:
        self.tokens = list(_tokens(text))
        if len(self.tokens) > MOST_TOKENS:
            raise FormulaError(f"the formula has more than {MOST_TOKENS} numbers, names and signs")
        self.text, self.place, self.depth = text, 0, 0

    @property
    def here(self) -> _Token:
        return self.tokens[self.place]

    def unexpected(self) -> FormulaError:
        if not self.here.kind:
            return FormulaError("the formula ends where a number, a measure or ')' is expected")
        if self.here.text == "*" and self.place and self.tokens[self.place - 1].text == "*":
            return FormulaError("'**' is no operator here; a power is written as a product")
        where = f"character {self.here.at + 1}"
        return FormulaError(f"{where}: {quoted(printable(self.here.text))} is not expected there")

    def sign(self, *signs: str) -> str:
        """The sign here, if it is one of these; it is then read."""
        if self.here.kind == "sign" and self.here.text in signs:
            self.place += 1
            return self.tokens[self.place - 1].text
        return ""

    def sum(self) -> Node:
        tree = self.product()
        while sign := self.sign("+", "-"):
            tree = Node(sign, parts=(tree, self.product()))
        return tree

    def product(self) -> Node:
        tree = self.factor()
        while sign := self.sign("*", "/"):
            tree = Node(sign, parts=(tree, self.factor()))
        return tree

    def factor(self) -> Node:
        self.depth += 1
        if self.depth > DEEPEST:
            raise FormulaError(f"the formula is more than {DEEPEST} levels deep")
        try:
            return self._factor()
        finally:
            self.depth -= 1

    def _factor(self) -> Node:
        if sign := self.sign("+", "-"):
            part = self.factor()
            return Node("neg", parts=(part,)) if sign == "-" else part
        if self.sign("("):
            tree = self.sum()
            self.close()
            return tree
        token = self.here
        if token.kind == "number":
            self.place += 1
            number = float(token.text)
            if not math.isfinite(number):
                raise FormulaError(f"{quoted(printable(token.text))} is too large a number")
            return Node("number", number=number)
        if token.kind != "name":
            raise self.unexpected()
        self.place += 1
        bare = self.text[token.at - 1 : token.at] != "'"
        if bare and self.sign("("):
            return self.call(token.text)
        return Node("name", name=token.text)

    def call(self, name: str) -> Node:
        if name not in FUNCTIONS:
            functions = ", ".join(FUNCTIONS)
            raise FormulaError(f"{quoted(printable(name))} is no function here; {functions} are")
        parts = [self.sum()]
        while self.sign(","):
            parts.append(self.sum())
        self.close()
        if name == "sqrt" and len(parts) != 1:
            raise FormulaError("sqrt takes one part")
        if name != "sqrt" and len(parts) < 2:
            raise FormulaError(f"{name} takes two parts or more")
        return Node(name, parts=tuple(parts))

    def close(self) -> None:
        if not self.sign(")"):
            raise self.unexpected()
