"""Formulas of measures: `0.1*clicks + 0.9*orders` to a tree, its value, range and direction.

A formula has numbers, names, + - * / ** ( ) and the functions of `FUNCTIONS`. It is parsed
here, and never run as Python.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from scorer.core.grammar import NAME, Descent, Grammar, GrammarError
from scorer.core.text import printable, quoted

if TYPE_CHECKING:  # a challenge.yaml is read without numpy
    from scorer.core.arrays import Floats

ALLOWED = "numbers, measure ids, + - * / ** ( ), min, max, sqrt, log, mean, .."
GRAMMAR = Grammar("formula", r"\*\*|[-+*/(),]", ALLOWED, {"^": "; a power is written a ** 2"})
FormulaError = GrammarError


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

    kind: str  # number, name, +, -, *, /, neg, **, or a function
    number: float = 0.0  # of itself, of an exponent, or that a function takes first
    name: str = ""
    parts: tuple[Node, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """The names in it, each once, in order."""
        leaf = (self.name,) if self.kind == "name" else ()
        return tuple(dict.fromkeys([*leaf, *(n for part in self.parts for n in part.names)]))

    def value(self, of: Mapping[str, Floats]) -> Floats:
        """Its value for arrays of values, all of one shape; NaN where it has none.

        Dividing by 0 gives no value, nor do the root and the logarithm of a negative number.
        """
        import numpy as np

        if self.kind == "number":
            return np.full_like(next(iter(of.values())), self.number)
        if self.kind == "name":
            return of[self.name]
        parts = np.stack([part.value(of) for part in self.parts])
        with np.errstate(all="ignore"):
            value: Floats = np.asarray(
                CALCULATIONS[self.kind](parts, self.number), dtype=np.float64
            )
        value[~np.isfinite(value)] = np.nan
        return value

    def affine(self) -> bool:
        """Whether it is a weighted sum of its names and a number, so that a mean of it is its mean.

        >>> parse("0.5 * (a + b) / 2 - 1").affine(), parse("a * b").affine()
        (True, False)
        """
        if self.kind in ("number", "name"):
            return True
        if self.kind in ("+", "-", "neg", "mean", "sum"):
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
            case "**":
                return _power_bounds(first, self.number)
            case "*":
                ends = [_times(a, b) for a in first for b in last]
            case "/":
                if last.low <= 0 <= last.high:
                    nonnegative = first.low >= 0 and last.low >= 0
                    return Bounds(0.0) if nonnegative else Bounds()
                ends = [_times(a, 1 / b) for a in first for b in last]
            case _:
                return _function_bounds(self, operands)
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
            case "**":
                sign = _power_sign(self.parts[0].bounds(of), self.number)
                return 0 if directions[0] == 0 else None if sign is None else sign * directions[0]
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


class Function(NamedTuple):
    """A function of a formula: in each of its parts it rises, wherever it has a value."""

    of: Callable[[Floats, float], Floats]  # parts (parts, ...) and its number to values (...)
    parts: tuple[int, float]  # the fewest and the most
    number: str = ""  # what its number is, which stands before its parts, if it has one
    least: float = -math.inf  # below which a part has no value


def _round(parts: Floats, digits: float) -> Floats:
    import numpy as np

    rounded: Floats = np.round(parts[0], int(digits))
    return rounded


def _numpy(name: str) -> Callable[[Floats, float], Floats]:
    """A function of numpy that reduces the first axis, or is of one part."""

    def reduced(parts: Floats, number: float) -> Floats:
        import numpy as np

        values: Floats = getattr(np, name)(parts, axis=0)
        return values

    def single(parts: Floats, number: float) -> Floats:
        import numpy as np

        value: Floats = getattr(np, name)(parts[0])
        return value

    return single if name in ("sqrt", "log", "exp") else reduced


def _quantile(parts: Floats, share: float) -> Floats:
    import numpy as np

    values: Floats = np.quantile(parts, share, axis=0)
    return values


def _power_mean(parts: Floats, exponent: float) -> Floats:
    import numpy as np

    means = np.mean(parts**exponent, axis=0) ** (1 / exponent)
    return np.where((parts < 0).any(axis=0), np.nan, means)


def _geometric(parts: Floats, number: float) -> Floats:
    import numpy as np

    values: Floats = np.exp(np.mean(np.log(parts), axis=0))
    return values


ONE, SOME, TWO = (1, 1), (1, math.inf), (2, math.inf)
FUNCTIONS: Mapping[str, Function] = {
    "min": Function(_numpy("min"), TWO),
    "max": Function(_numpy("max"), TWO),
    "sqrt": Function(_numpy("sqrt"), ONE, least=0),
    "log": Function(_numpy("log"), ONE, least=0),
    "exp": Function(_numpy("exp"), ONE),
    "round": Function(_round, ONE),
    "mean": Function(_numpy("mean"), SOME),
    "sum": Function(_numpy("sum"), SOME),
    "median": Function(_numpy("median"), SOME),
    "geometric": Function(_geometric, SOME, least=0),
    "quantile": Function(_quantile, SOME, "a share between 0 and 1"),
    "power": Function(_power_mean, SOME, "an exponent between -100 and 100, not 0", least=0),
}
CALCULATIONS: Mapping[str, Callable[[Floats, float], Floats]] = {
    "+": lambda parts, _: parts[0] + parts[1],
    "-": lambda parts, _: parts[0] - parts[1],
    "*": lambda parts, _: parts[0] * parts[1],
    "/": lambda parts, _: parts[0] / parts[1],
    "neg": lambda parts, _: -parts[0],
    "**": lambda parts, exponent: parts[0] ** exponent,
    **{name: function.of for name, function in FUNCTIONS.items()},
}


def _fits(name: str, number: float) -> bool:
    """Whether a function takes this number."""
    return 0 <= number <= 1 if name == "quantile" else number != 0 and abs(number) <= 100


def _function_bounds(node: Node, parts: Sequence[Bounds]) -> Bounds:
    """The bounds of a function, which are its values at the bounds of its parts."""
    import numpy as np

    function = FUNCTIONS[node.kind]
    with np.errstate(all="ignore"):
        ends = [
            float(function.of(np.maximum(np.array(side), function.least)[:, None], node.number)[0])
            for side in zip(*parts, strict=True)
        ]
    return Bounds(*(end if end == end else inf for end, inf in zip(ends, Bounds(), strict=True)))


def _power_sign(base: Bounds, exponent: float) -> int | None:
    """1 where a power rises with its base, -1 where it falls, None where it does both."""
    sign, whole = _sign(Bounds(exponent, exponent)) or 0, exponent.is_integer()
    if base.low >= 0 or not whole or (exponent % 2 == 1 and (exponent > 0 or base.high <= 0)):
        return sign
    return -sign if base.high <= 0 and exponent % 2 == 0 else None


def _power_bounds(base: Bounds, exponent: float) -> Bounds:
    if not exponent.is_integer():
        base = Bounds(max(base.low, 0.0), max(base.high, 0.0))
    crosses = base.low < 0 < base.high
    if exponent < 0 and base.low <= 0 <= base.high:
        nonnegative = base.low >= 0 or exponent % 2 == 0
        return Bounds(0.0) if nonnegative else Bounds()
    try:
        ends = [end**exponent for end in base]
    except OverflowError:
        return Bounds(0.0) if base.low >= 0 or exponent % 2 == 0 else Bounds()
    return Bounds(0.0 if crosses and exponent % 2 == 0 else min(ends), max(ends))


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
    tree = _Formula(text, GRAMMAR).whole()
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
    tokens = list(GRAMMAR.tokens(text))
    for n, token in enumerate(tokens[:-1]):
        called = tokens[n + 1].text == "(" and token.kind == "name"
        if token.kind in ("name", "quoted") and not called:
            names.append(token.text)
            template += "{}"
        elif token.kind == "sign" and token.text in "+-*/":
            signed = not template or template.endswith(("(", " ", ",", "**"))
            template += token.text if signed else f" {token.text} "
        else:
            template += ", " if token.text == "," else token.text
    return template, tuple(names)


class _Formula(Descent[Node]):
    """A recursive descent: a sum of products of powers."""

    def sum(self) -> Node:
        tree = self.product()
        while sign := self.sign("+", "-"):
            tree = Node(sign, parts=(tree, self.product()))
        return tree

    top = sum

    def product(self) -> Node:
        tree = self.deeper(self.factor)
        while sign := self.sign("*", "/"):
            tree = Node(sign, parts=(tree, self.deeper(self.factor)))
        return tree

    def factor(self) -> Node:
        if sign := self.sign("+", "-"):
            part = self.deeper(self.factor)
            return Node("neg", parts=(part,)) if sign == "-" else part
        tree = self.atom()
        if not self.sign("**"):
            return tree
        exponent = self.signed_number()
        if exponent is None or abs(exponent) > 100:
            raise FormulaError("an exponent is a number between -100 and 100")
        return Node("**", exponent, parts=(tree,))

    def atom(self) -> Node:
        if self.sign("("):
            tree = self.sum()
            self.close()
            return tree
        token = self.take("number", "name", "quoted")
        if token.kind == "number":
            return Node("number", number=self.number(token))
        if token.kind == "name" and self.sign("("):
            return self.call(token.text)
        return Node("name", name=token.text)

    def call(self, name: str) -> Node:
        if name not in FUNCTIONS:
            functions = ", ".join(FUNCTIONS)
            raise FormulaError(f"{quoted(printable(name))} is no function here; {functions} are")
        function, number = FUNCTIONS[name], 0.0
        if function.number:
            given = self.signed_number()
            if given is None or not _fits(name, given):
                raise FormulaError(f"{name} takes {function.number}, then its parts")
            number = given
            if not self.sign(","):
                raise self.unexpected()
        parts = [self.sum()]
        while self.sign(","):
            digits = self.signed_number() if name == "round" and len(parts) == 1 else None
            if digits is not None and digits.is_integer() and abs(digits) <= 15:
                number = digits
                break
            parts.append(self.sum())
        self.close()
        fewest, most = function.parts
        if not fewest <= len(parts) <= most:
            expected = "one part" if most == 1 else "two parts or more"
            raise FormulaError(f"{name} takes {expected}")
        return Node(name, number, parts=tuple(parts))
