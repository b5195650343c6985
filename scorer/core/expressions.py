"""Formulas of measures and conditions on columns, as challenge.yaml writes them.

Both are read here by recursive descent, and never run as Python: Python's own parser knows no
names such as `nDCG@10`, and its errors have other words and places in each version.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import ClassVar, NamedTuple, TypeVar

import numpy as np
import polars as pl

from scorer.core.arrays import Floats, Mask
from scorer.core.text import printable, quoted

LONGEST = 2_000  # characters
MOST_TOKENS = 400  # numbers, names and signs
DEEPEST = 50  # parentheses, functions and signs inside each other
NUMBER = r"(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?"
WORD = r"[^\W\d][\w.@]*"
TOKEN = rf"\s*(?:(?P<number>{NUMBER})|(?P<name>{WORD})|'(?P<quoted>[^']+)'|(?P<sign>SIGNS))"
FORMULA_TOKEN = re.compile(TOKEN.replace("SIGNS", r"\*\*|[-+*/(),]"))
CONDITION_TOKEN = re.compile(TOKEN.replace("SIGNS", r"<=|>=|!=|<>|==|[-+<>=(),]"))
T = TypeVar("T")


class ExpressionError(ValueError):
    """A text is no formula, or no condition; the message says where it is wrong."""


class Token(NamedTuple):
    """A part of a text."""

    kind: str  # number, name, quoted, sign; '' at the end
    text: str
    start: int  # its first character, from 0


class _Parser:
    """Reads the tokens of a text from left to right; `next` is the first that is not read."""

    noun: str
    pattern: re.Pattern[str]
    allowed: str  # what there is, for people
    hints: ClassVar[Mapping[str, str]]  # what to write in place of a sign that is not allowed

    def __init__(self, text: str) -> None:
        if len(text) > LONGEST:
            message = f"the {self.noun} has {len(text):,} characters; {LONGEST:,} are the most"
            raise ExpressionError(message)
        self.tokens, self.at, self.depth = self._split(text.rstrip()), 0, 0
        if len(self.tokens) > MOST_TOKENS:
            message = f"the {self.noun} has more than {MOST_TOKENS} numbers, names and signs"
            raise ExpressionError(message)

    def _split(self, text: str) -> list[Token]:
        tokens, end = list[Token](), 0
        while end < len(text):
            match = self.pattern.match(text, end)
            if match is None:
                rest = text[end:].lstrip()
                place = f"character {len(text) - len(rest) + 1}, {quoted(printable(rest[0]))},"
                hint = self.hints.get(rest[0], "")
                message = f"{place} is no part of a {self.noun} ({self.allowed}){hint}"
                raise ExpressionError(message)
            kind, end = str(match.lastgroup), match.end()
            tokens.append(Token(kind, match[kind], match.start(kind)))
        return [*tokens, Token("", "", len(text))]

    @property
    def next(self) -> Token:
        return self.tokens[self.at]

    def unexpected(self) -> ExpressionError:
        """The error of the next token."""
        if not self.next.kind:
            return ExpressionError(f"the {self.noun} ends where more is expected")
        text = quoted(printable(self.next.text))
        return ExpressionError(f"character {self.next.start + 1}: {text} is not expected there")

    def take(self, *kinds: str) -> Token:
        """Read the next token, which is of one of these kinds; else `ExpressionError`."""
        token = self.next
        if token.kind not in kinds:
            raise self.unexpected()
        self.at += 1
        return token

    def take_if(self, kind: str, *texts: str) -> str:
        """Read the next token if it is one of these, in small letters; '' if it is not."""
        text = self.next.text.casefold()
        if self.next.kind != kind or text not in texts:
            return ""
        self.at += 1
        return text

    def expect(self, sign: str) -> None:
        """Read a sign; `ExpressionError` if another token is next."""
        if not self.take_if("sign", sign):
            raise self.unexpected()

    def number(self) -> float | None:
        """Read a number with its sign, if one is next."""
        signed = self.next.kind == "sign" and self.next.text in ("-", "+")
        if self.tokens[self.at + signed].kind != "number":
            return None
        factor = -1.0 if self.take_if("sign", "-", "+") == "-" else 1.0
        text = self.take("number").text
        if math.isinf(number := float(text)):
            raise ExpressionError(f"{quoted(printable(text))} is too large a number")
        return factor * number

    def nested(self, read: Callable[[], T]) -> T:
        """What `read` reads, one level deeper."""
        self.depth += 1
        if self.depth > DEEPEST:
            raise ExpressionError(f"the {self.noun} is more than {DEEPEST} levels deep")
        found = read()
        self.depth -= 1
        return found

    def to_the_end(self, read: Callable[[], T]) -> T:
        """What `read` reads, after which the text ends."""
        found = read()
        if self.next.kind:
            raise self.unexpected()
        return found


class Range(NamedTuple):
    """Where values lie, and how they move as the measures that they are made of get better."""

    low: float = -math.inf  # infinite where there is no bound
    high: float = math.inf
    rises: bool = True  # whether a better measure can make them greater
    falls: bool = True


def _power_mean(parts: Floats, exponent: float) -> Floats:
    means = np.mean(parts**exponent, axis=0) ** (1 / exponent)
    return np.where((parts < 0).any(axis=0), np.nan, means)


# From arguments of shape (arguments, ...) and a number to values; each rises with its arguments.
FUNCTIONS: Mapping[str, Callable[[Floats, float], Floats]] = {
    "min": lambda parts, _: np.min(parts, axis=0),
    "max": lambda parts, _: np.max(parts, axis=0),
    "sqrt": lambda parts, _: np.sqrt(parts[0]),
    "log": lambda parts, _: np.log(parts[0]),
    "exp": lambda parts, _: np.exp(parts[0]),
    "round": lambda parts, digits: np.round(parts[0], int(digits)),
    "mean": lambda parts, _: np.mean(parts, axis=0),
    "sum": lambda parts, _: np.sum(parts, axis=0),
    "median": lambda parts, _: np.median(parts, axis=0),
    "geometric": lambda parts, _: np.exp(np.mean(np.log(parts), axis=0)),
    "quantile": lambda parts, share: np.quantile(parts, share, axis=0),
    "power": _power_mean,
}
OF_ONE = ("sqrt", "log", "exp", "round")
OF_TWO_OR_MORE = ("min", "max")
OF_NONNEGATIVE = ("sqrt", "log", "geometric", "power")  # no value for a number below 0
FIRST_NUMBERS: Mapping[str, tuple[str, Callable[[float], bool]]] = {
    "quantile": ("a share between 0 and 1", lambda share: 0 <= share <= 1),
    "power": ("an exponent between -100 and 100, not 0", lambda power: 0 < abs(power) <= 100),
}
CALCULATIONS: Mapping[str, Callable[[Floats, float], Floats]] = {
    "+": lambda parts, _: parts[0] + parts[1],
    "-": lambda parts, _: parts[0] - parts[1],
    "*": lambda parts, _: parts[0] * parts[1],
    "/": lambda parts, _: parts[0] / parts[1],
    "negative": lambda parts, _: -parts[0],
    "**": lambda parts, exponent: parts[0] ** exponent,
    **FUNCTIONS,
}


class Formula(NamedTuple):
    """A number, the name of a measure, or an operation on formulas."""

    operation: str  # number, name, or a key of CALCULATIONS
    parts: tuple[Formula, ...] = ()
    number: float = 0.0  # its value; or an exponent, or the number that a function takes
    name: str = ""

    @property
    def names(self) -> tuple[str, ...]:
        """The names in it, each once, in order."""
        own = (self.name,) if self.operation == "name" else ()
        return tuple(dict.fromkeys([*own, *(n for part in self.parts for n in part.names)]))

    def value(self, values: Mapping[str, Floats]) -> Floats:
        """Its values for the values of its names, all of one shape; NaN for no value.

        Division by 0 gives no value, nor do the root and the logarithm of a negative number.
        """
        if self.operation == "number":
            return np.full_like(next(iter(values.values())), self.number)
        if self.operation == "name":
            return values[self.name]
        parts = np.stack([part.value(values) for part in self.parts])
        with np.errstate(all="ignore"):
            calculated = CALCULATIONS[self.operation](parts, self.number)
        value: Floats = np.asarray(calculated, dtype=np.float64)
        value[~np.isfinite(value)] = np.nan
        return value

    def is_affine(self) -> bool:
        """Whether it is a weighted sum of its names and a number: a mean of it is its mean.

        >>> parse_formula("0.5 * (a + b) / 2 - 1").is_affine(), parse_formula("a * b").is_affine()
        (True, False)
        """
        match self.operation:
            case "number" | "name":
                return True
            case "+" | "-" | "negative" | "mean" | "sum":
                return all(part.is_affine() for part in self.parts)
            case "*":
                return all(part.is_affine() for part in self.parts) and any(
                    not part.names for part in self.parts
                )
            case "/":
                return self.parts[0].is_affine() and not self.parts[1].names
        return False

    def range(self, ranges: Mapping[str, Range]) -> Range:
        """Where its values lie and how they move, from the same of its names.

        The bounds hold, but need not be reached; a formula that seems to move both ways may not.
        """
        if self.operation == "number":
            return Range(self.number, self.number, rises=False, falls=False)
        if self.operation == "name":
            return ranges[self.name]
        parts = [part.range(ranges) for part in self.parts]
        match self.operation:
            case "negative":
                return _negative(parts[0])
            case "+":
                return _sum(*parts)
            case "-":
                return _sum(parts[0], _negative(parts[1]))
            case "*":
                return _product(*parts)
            case "/":
                return _product(parts[0], _reciprocal(parts[1]))
            case "**":
                return _power(parts[0], self.number)
        least = 0.0 if self.operation in OF_NONNEGATIVE else -math.inf
        ends = np.maximum([(part.low, part.high) for part in parts], least)
        with np.errstate(all="ignore"):
            low, high = map(float, CALCULATIONS[self.operation](ends, self.number))
        return Range(
            -math.inf if math.isnan(low) else low,
            math.inf if math.isnan(high) else high,
            any(part.rises for part in parts),
            any(part.falls for part in parts),
        )


def _negative(a: Range) -> Range:
    return Range(-a.high, -a.low, rises=a.falls, falls=a.rises)


def _sum(a: Range, b: Range) -> Range:
    return Range(a.low + b.low, a.high + b.high, a.rises or b.rises, a.falls or b.falls)


def _product(a: Range, b: Range) -> Range:
    # an infinite bound is never reached, so that 0 times it is 0
    ends = [x * y if x and y else 0.0 for x in a[:2] for y in b[:2]]
    rises = falls = False
    for moving, other in ((a, b), (b, a)):
        rises |= (moving.rises and other.high > 0) or (moving.falls and other.low < 0)
        falls |= (moving.falls and other.high > 0) or (moving.rises and other.low < 0)
    return Range(min(ends), max(ends), rises, falls)


def _reciprocal(a: Range) -> Range:
    if a.low < 0 < a.high:  # it jumps where the divisor passes 0
        moves = a.rises or a.falls
        return Range(rises=moves, falls=moves)
    low = 1 / a.high if a.high else (-math.inf if a.low else 0.0)
    high = 1 / a.low if a.low else (math.inf if a.low == 0 and a.high >= 0 else 0.0)
    return Range(low, high, rises=a.falls, falls=a.rises)


def _power(base: Range, exponent: float) -> Range:
    if exponent < 0:
        return _reciprocal(_power(base, -exponent))
    if exponent == 0:
        return Range(1.0, 1.0, rises=False, falls=False)
    if not exponent.is_integer():  # of a negative number it has no value
        base = base._replace(low=max(base.low, 0.0), high=max(base.high, 0.0))
    elif exponent % 2 == 0 and base.high <= 0:
        base = _negative(base)
    elif exponent % 2 == 0 and base.low < 0:
        moves = base.rises or base.falls
        base = Range(0.0, max(-base.low, base.high), moves, moves)
    with np.errstate(all="ignore"):
        low, high = np.array(base[:2]) ** exponent
    return base._replace(low=float(low), high=float(high))


class _FormulaParser(_Parser):
    """Sums of products of powers."""

    noun, pattern = "formula", FORMULA_TOKEN
    allowed = "numbers, measure ids, + - * / ** ( ), min, max, sqrt, log, mean, .."
    hints: ClassVar = {"^": "; a power is written a ** 2"}

    def sum(self) -> Formula:
        formula = self.product()
        while sign := self.take_if("sign", "+", "-"):
            formula = Formula(sign, (formula, self.product()))
        return formula

    def product(self) -> Formula:
        formula = self.nested(self.power)
        while sign := self.take_if("sign", "*", "/"):
            part = self.nested(self.power)
            if sign == "/" and not part.names and part.value({"": np.zeros(1)})[0] == 0:
                raise ExpressionError("the formula divides by 0")
            formula = Formula(sign, (formula, part))
        return formula

    def power(self) -> Formula:
        if sign := self.take_if("sign", "+", "-"):
            part = self.nested(self.power)
            return Formula("negative", (part,)) if sign == "-" else part
        base = self.operand()
        if not self.take_if("sign", "**"):
            return base
        exponent = self.number()
        if exponent is None or abs(exponent) > 100:
            raise ExpressionError("an exponent is a number between -100 and 100")
        return Formula("**", (base,), exponent)

    def operand(self) -> Formula:
        if self.take_if("sign", "("):
            formula = self.sum()
            self.expect(")")
            return formula
        if self.next.kind == "number" and (number := self.number()) is not None:
            return Formula("number", number=number)
        token = self.take("name", "quoted")
        if token.kind == "name" and self.take_if("sign", "("):
            return self.call(token.text)
        return Formula("name", name=token.text)

    def call(self, name: str) -> Formula:
        if name not in FUNCTIONS:
            functions = ", ".join(FUNCTIONS)
            raise ExpressionError(f"{quoted(printable(name))} is no function here; {functions} are")
        number = 0.0
        if name in FIRST_NUMBERS:
            expected, fits = FIRST_NUMBERS[name]
            first = self.number()
            if first is None or not fits(first):
                raise ExpressionError(f"{name} takes {expected}, then its parts")
            self.expect(",")
            number = first
        parts = [self.sum()]
        while self.take_if("sign", ","):
            digits = self.number() if name == "round" and len(parts) == 1 else None
            if digits is not None and digits.is_integer() and abs(digits) <= 15:
                number = digits
                break
            parts.append(self.sum())
        self.expect(")")
        if name in OF_ONE and len(parts) > 1:
            raise ExpressionError(f"{name} takes one part")
        if name in OF_TWO_OR_MORE and len(parts) == 1:
            raise ExpressionError(f"{name} takes two parts or more")
        return Formula(name, tuple(parts), number)


def parse_formula(text: str) -> Formula:
    """The formula of a text; `ExpressionError` if it cannot be read.

    >>> parse_formula("0.25*a + 0.75*'nDCG (group)'").names
    ('a', 'nDCG (group)')
    """
    if not text.strip():
        raise ExpressionError("the formula is empty; write such as 0.3*a + 0.7*b")
    parser = _FormulaParser(text)
    formula = parser.to_the_end(parser.sum)
    if not formula.names:
        raise ExpressionError("the formula names no measure")
    return formula


def quote_name(name: str) -> str:
    """A name as a formula has it: in quotes where it is no word.

    >>> quote_name("clicks"), quote_name("nDCG (group)")
    ('clicks', "'nDCG (group)'")
    """
    return name if re.fullmatch(WORD, name) and name not in FUNCTIONS else f"'{name}'"


def format_template(text: str) -> tuple[str, tuple[str, ...]]:
    """A formula with {} in place of each name, and the names in the order of their places.

    >>> format_template("0.5*(a + 'b c') / max(a, 1)")
    ('0.5 * ({} + {}) / max({}, 1)', ('a', 'b c', 'a'))
    """
    template, names = "", list[str]()
    for token, following in pairwise(_FormulaParser(text).tokens):
        is_function = token.kind == "name" and following.text == "("
        if token.kind in ("name", "quoted") and not is_function:
            names.append(token.text)
            template += "{}"
        elif token.text in ("+", "-", "*", "/"):
            is_prefix = not template or template.endswith(("(", " ", "**"))
            template += token.text if is_prefix else f" {token.text} "
        else:
            template += ", " if token.text == "," else token.text
    return template, tuple(names)


class Condition(NamedTuple):
    """A condition on columns."""

    names: tuple[str, ...]  # the columns that it names
    numbers: tuple[str, ...]  # those of them that `<` or `>` compares
    expression: pl.Expr  # true or false for each row; a column is called by its place in `names`

    def mask(self, columns: Mapping[str, pl.Series]) -> Mask:
        """The rows that it is true of, shape (rows,), from the text of their cells.

        An empty cell is equal to the empty text only, and neither above nor below any number.
        `ExpressionError` if a cell is no number and is compared with one.
        """
        for name in self.numbers:
            cells = columns[name].to_frame()
            wrong = cells.filter((pl.nth(0) != "") & _number(pl.nth(0)).is_null())
            if wrong.height:
                cell = quoted(wrong.item(0, 0))
                raise ExpressionError(f"{name} holds {cell}, which is no number to compare")
        frame = pl.DataFrame([columns[name].alias(str(n)) for n, name in enumerate(self.names)])
        mask: Mask = frame.select(self.expression).to_series().to_numpy()
        return mask


def _number(cell: pl.Expr) -> pl.Expr:
    """Text as numbers, where True and False are 1 and 0; null where it is no finite number."""
    text = cell.str.strip_chars().str.to_lowercase().replace({"true": "1", "false": "0"})
    number = text.cast(pl.Float64, strict=False)
    return pl.when(number.is_finite()).then(number)


def _is_any(cell: pl.Expr, values: Sequence[float | str]) -> pl.Expr:
    """Where a text is one of these texts, or is one of these numbers when read as one."""
    texts = [value for value in values if isinstance(value, str)]
    numbers = [value for value in values if not isinstance(value, str)]
    equal = cell.is_in(texts)
    return equal | _number(cell).is_in(numbers).fill_null(False) if numbers else equal


FLAGS = {"true": 1.0, "false": 0.0}
ORDERS: Mapping[str, Callable[[pl.Expr, float], pl.Expr]] = {
    "<": pl.Expr.lt,
    "<=": pl.Expr.le,
    ">": pl.Expr.gt,
    ">=": pl.Expr.ge,
}


class _ConditionParser(_Parser):
    """Alternatives of conjunctions of comparisons."""

    noun, pattern = "condition", CONDITION_TOKEN
    allowed = "columns, values, = != < <= > >=, in, and, or, not, ( )"
    hints: ClassVar = {"&": "; write and", "|": "; write or"}

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.names = list[str]()
        self.numbers = dict[str, None]()

    def alternatives(self) -> pl.Expr:
        parts = [self.conjunction()]
        while self.take_if("name", "or"):
            parts.append(self.conjunction())
        return pl.any_horizontal(parts)

    def conjunction(self) -> pl.Expr:
        parts = [self.nested(self.term)]
        while self.take_if("name", "and"):
            parts.append(self.nested(self.term))
        return pl.all_horizontal(parts)

    def term(self) -> pl.Expr:
        if self.take_if("name", "not"):
            return ~self.nested(self.term)
        if self.take_if("sign", "("):
            condition = self.alternatives()
            self.expect(")")
            return condition
        return self.comparison(self.take("name", "quoted").text)

    def comparison(self, name: str) -> pl.Expr:
        if name not in self.names:
            self.names.append(name)
        cell = pl.col(str(self.names.index(name)))
        if word := self.take_if("name", "in", "not"):
            if word == "not" and not self.take_if("name", "in"):
                raise self.unexpected()
            among = _is_any(cell, self.values())
            return among if word == "in" else ~among
        sign = self.take_if("sign", "=", "==", "!=", "<>", *ORDERS)
        if not sign:
            raise self.unexpected()
        value = self.value()
        if sign not in ORDERS:
            equal = _is_any(cell, [value])
            return equal if sign in ("=", "==") else ~equal
        if isinstance(value, str):
            raise ExpressionError(f"{sign} compares numbers, and {quoted(value)} is a text")
        self.numbers.setdefault(name)
        return ORDERS[sign](_number(cell), value).fill_null(False)

    def values(self) -> list[float | str]:
        self.expect("(")
        values = [self.value()]
        while self.take_if("sign", ","):
            values.append(self.value())
        self.expect(")")
        return values

    def value(self) -> float | str:
        if (number := self.number()) is not None:
            return number
        token = self.take("name", "quoted")
        return FLAGS.get(token.text.casefold(), token.text) if token.kind == "name" else token.text


def parse_condition(text: str) -> Condition:
    """The condition of a text; `ExpressionError` if it cannot be read.

    >>> parse_condition("male = 1 and (label = 0 or 'the part' in (a, b))").names
    ('male', 'label', 'the part')
    """
    if not text.strip():
        raise ExpressionError("the condition is empty; write such as male = 1 and label = 0")
    parser = _ConditionParser(text)
    expression = parser.to_the_end(parser.alternatives)
    return Condition(tuple(parser.names), tuple(parser.numbers), expression)
