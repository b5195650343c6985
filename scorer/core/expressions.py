"""Formulas of measures and conditions on columns, as challenge.yaml writes them.

A text is cut into tokens, whose order is checked here. Python's `ast` then finds the tree of the
operators in a copy in which each operand is a plain name: nothing of the text itself comes to
Python's parser, whose errors differ by its version, and nothing is run as Python.
"""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import polars as pl

from scorer.core.arrays import Floats, Mask
from scorer.core.text import quoted

MOST_TOKENS = 400  # numbers, names, comparisons and signs; a tree has at most as many levels
DEEPEST = 50  # parentheses, functions and signs inside each other
# All repetitions are possessive, so that no text can be matched in many ways.
NUMBER = r"(?:\d++(?:\.\d*+)?+|\.\d++)(?:[eE][+-]?\d++)?+"
WORD = r"[^\W\d][\w.@]*+"
NAME = rf"(?:{WORD}|'[^']++')"
VALUE = rf"(?:[-+]?\s*+{NUMBER}|{NAME})"
# The last group of a token says what it is.
FORMULA_TOKEN = re.compile(
    rf"\s*+(?:(?P<function>{WORD})\s*+\(|(?P<operand>(?P<number>{NUMBER})|(?P<name>{NAME}))"
    r"|(?P<infix>\*\*|[*/])|(?P<sign>[-+])|(?P<open>\()|(?P<close>\))|(?P<comma>,))"
)
CONDITION_TOKEN = re.compile(
    rf"\s*+(?:(?P<operand>(?P<column>{NAME})\s*+"
    rf"(?:(?P<compare>==?|!=|<>|[<>]=?)\s*+(?P<value>{VALUE})|(?P<without>not\s++)?in\s*+"
    rf"\(\s*+(?P<values>{VALUE}(?:\s*+,\s*+{VALUE})*+)\s*+\)))"
    r"|(?P<infix>(?:and|or)\b)|(?P<prefix>not\b)|(?P<open>\()|(?P<close>\)))",
    re.IGNORECASE,
)
TOKENS = {
    "formula": (FORMULA_TOKEN, "part of a formula"),
    "condition": (CONDITION_TOKEN, "comparison"),
}
EXAMPLES = {
    "formula": "0.3*a + 0.7*min(b, c ** 2)",
    "condition": "male = 1 and label not in (x, y)",
}


class ExpressionError(ValueError):
    """A text is no formula, or no condition; the message says where it is wrong."""


def _parse(text: str, noun: str) -> tuple[ast.expr, list[re.Match[str]]]:
    """Return the tree of a formula or condition, and its operands: `_2` in the tree is the third.

    `ExpressionError` if the text is too long or too deep, or its tokens are in no order.
    """
    if not text.strip():
        raise ExpressionError(f"the {noun} is empty; write such as {EXAMPLES[noun]}")
    source, operands = list[str](), list[re.Match[str]]()
    opened = list[str]()  # functions, parentheses and prefixes that have not ended
    needs_operand = True
    for token in _split(text, noun):
        kind = str(token.lastgroup)
        if kind == "function" and token[kind] not in FUNCTIONS:
            functions = ", ".join(FUNCTIONS)
            raise ExpressionError(f"{quoted(token[kind])} is no function here; {functions} are")
        source.append(token[0].strip().lower())
        if needs_operand and kind in ("function", "open", "prefix", "sign"):
            opened.append("prefix" if kind == "sign" else kind)
        elif needs_operand and kind == "operand":
            source[-1] = f"_{len(operands)}"
            operands.append(token)
            needs_operand = False
        elif not needs_operand and kind == "close" and opened:
            opened.pop()
        elif not needs_operand and (
            kind in ("infix", "sign") or (kind == "comma" and opened[-1:] == ["function"])
        ):
            needs_operand = True
        else:
            place = f"character {token.start(kind) + 1}"
            raise ExpressionError(f"{place}: {quoted(token[kind])} is not expected there")
        while opened[-1:] == ["prefix"] and not needs_operand:
            opened.pop()
        if len(opened) > DEEPEST:
            raise ExpressionError(f"the {noun} is more than {DEEPEST} levels deep")
        if len(source) > MOST_TOKENS:
            raise ExpressionError(
                f"the {noun} has more than {MOST_TOKENS} names, numbers and signs"
            )
    if needs_operand or opened:
        raise ExpressionError(f"the {noun} ends where more is expected")
    return ast.parse(" ".join(source), mode="eval").body, operands


def _split(text: str, noun: str) -> Iterator[re.Match[str]]:
    """Yield the tokens of a text; `ExpressionError` where there is none."""
    pattern, part = TOKENS[noun]
    end, text = 0, text.rstrip()
    while end < len(text):
        token = pattern.match(text, end)
        if token is None:
            start = len(text) - len(text[end:].lstrip())
            word = re.compile(WORD).match(text, start)
            what = quoted(word[0] if word else text[start])
            message = f"character {start + 1}: {what} begins no {part}"
            raise ExpressionError(f"{message}; write such as {EXAMPLES[noun]}")
        end = token.end()
        yield token


def _read_number(text: str) -> float:
    number = float("".join(text.split()))
    if math.isinf(number):
        raise ExpressionError(f"{quoted(text)} is too large a number")
    return number


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
        if self.operation not in FUNCTIONS:
            return _range_of_operator(self.operation, parts, self.number)
        least = 0.0 if self.operation in OF_NONNEGATIVE else -math.inf
        ends = np.maximum([part[:2] for part in parts], least)
        with np.errstate(all="ignore"):
            low, high = map(float, CALCULATIONS[self.operation](ends, self.number))
        return Range(
            -math.inf if math.isnan(low) else low,
            math.inf if math.isnan(high) else high,
            any(part.rises for part in parts),
            any(part.falls for part in parts),
        )


def _range_of_operator(operation: str, parts: Sequence[Range], exponent: float) -> Range:
    """Return the range of an operator's values, from its values at some points of its parts.

    Between these points it moves in one direction with each part, wherever the others are.
    """
    has_pole = operation == "/" or (exponent < 0 and exponent % 2 == 1)
    if has_pole and parts[-1].low < 0 < parts[-1].high:
        return Range()
    is_root = operation == "**" and not exponent.is_integer()  # a negative number has none
    points = np.meshgrid(*(_points(part, is_root) for part in parts), indexing="ij")
    with np.errstate(all="ignore"):
        values = CALCULATIONS[operation](np.array(points), exponent)
        values[np.isnan(values)] = 0.0  # an infinite bound is never reached: 0 times it is 0
        steps = [np.diff(values, axis=axis) for axis in range(len(parts))]
    up = [bool((step > 0).any()) for step in steps]
    down = [bool((step < 0).any()) for step in steps]
    moves = list(zip(parts, up, down, strict=True))
    return Range(
        float(values.min()),
        float(values.max()),
        any((part.rises and up) or (part.falls and down) for part, up, down in moves),
        any((part.falls and up) or (part.rises and down) for part, up, down in moves),
    )


def _points(part: Range, is_root: bool) -> list[float]:
    """Return the ends of a range, 0 if it lies between them, and a number beside infinity."""
    low, high = max(part.low, 0.0) if is_root else part.low, part.high
    finite = [min(high, 0.0) - 1] * (low == -math.inf) + [0.0] * (low < 0 < high)
    finite += [max(low, 0.0) + 1] * (high == math.inf)
    return [low, *finite, -0.0 if low < high == 0 else high]  # 1 / -0.0 is -inf


OPERATORS = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.Pow: "**"}


def parse_formula(text: str) -> Formula:
    """Return the formula of a text; `ExpressionError` if it cannot be read.

    >>> parse_formula("0.25*a + 0.75*'nDCG (group)'").names
    ('a', 'nDCG (group)')
    """
    tree, operands = _parse(text, "formula")
    formula = _build_formula(tree, operands)
    if not formula.names:
        raise ExpressionError("the formula names no measure")
    return formula


def _build_formula(node: ast.expr, operands: Sequence[re.Match[str]]) -> Formula:
    match node:
        case ast.Name(id=operand):
            token = operands[int(operand[1:])]
            if token["name"]:
                return Formula("name", name=token["name"].strip("'"))
            return Formula("number", number=_read_number(token["number"]))
        case ast.UnaryOp(op=sign, operand=operand):
            part = _build_formula(operand, operands)
            return Formula("negative", (part,)) if isinstance(sign, ast.USub) else part
        case ast.BinOp(left=left, op=operator, right=right):
            parts = _build_formula(left, operands), _build_formula(right, operands)
            return _join_parts(OPERATORS[type(operator)], *parts)
        case ast.Call(func=ast.Name(id=name), args=arguments):
            return _call(name, [_build_formula(part, operands) for part in arguments])
    raise AssertionError(ast.dump(node))  # no token makes another


def _constant(formula: Formula) -> float:
    """Return the number that a formula without names is; NaN if it has names, or no value."""
    return math.nan if formula.names else float(formula.value({"": np.zeros(1)})[0])


def _join_parts(operation: str, left: Formula, right: Formula) -> Formula:
    number = _constant(right)
    if operation == "/" and number == 0:
        raise ExpressionError("the formula divides by 0")
    if operation != "**":
        return Formula(operation, (left, right))
    if not abs(number) <= 100:
        raise ExpressionError("an exponent is a number between -100 and 100")
    return Formula(operation, (left,), number)


def _call(name: str, parts: list[Formula]) -> Formula:
    number = 0.0
    if name in FIRST_NUMBERS:
        expected, fits = FIRST_NUMBERS[name]
        number = _constant(parts.pop(0))
        if not fits(number) or not parts:
            raise ExpressionError(f"{name} takes {expected}, then its parts")
    elif name == "round" and len(parts) == 2:
        digits = _constant(parts[1])
        if digits.is_integer() and abs(digits) <= 15:
            number, parts = digits, parts[:1]
    if name in OF_ONE and len(parts) > 1:
        raise ExpressionError(f"{name} takes one part")
    if name in OF_TWO_OR_MORE and len(parts) == 1:
        raise ExpressionError(f"{name} takes two parts or more")
    return Formula(name, tuple(parts), number)


def quote_name(name: str) -> str:
    """Return a name as a formula has it: in quotes where it is no word.

    >>> quote_name("clicks"), quote_name("nDCG (group)")
    ('clicks', "'nDCG (group)'")
    """
    return name if re.fullmatch(WORD, name) and name not in FUNCTIONS else f"'{name}'"


def format_template(text: str) -> tuple[str, tuple[str, ...]]:
    """Return a formula with {} in place of each name, and the names in the order of their places.

    >>> format_template("0.5*(a + 'b c') / max(a, 1)")
    ('0.5*({} + {}) / max({}, 1)', ('a', 'b c', 'a'))
    """
    names = [token for token in _parse(text, "formula")[1] if token["name"]]
    ends = [0, *(token.end() for token in names)]
    between = [text[end : token.start("name")] for end, token in zip(ends, names, strict=False)]
    template = "{}".join([*between, text[ends[-1] :]])
    return " ".join(template.split()), tuple(token["name"].strip("'") for token in names)


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


def parse_condition(text: str) -> Condition:
    """Return the condition of a text; `ExpressionError` if it cannot be read.

    >>> parse_condition("male = 1 and (label = 0 or 'the part' in (a, b))").names
    ('male', 'label', 'the part')
    """
    tree, operands = _parse(text, "condition")
    columns = [token["column"].strip("'") for token in operands]
    names = tuple(dict.fromkeys(columns))
    comparisons = [
        _compare(pl.col(str(names.index(column))), token)
        for column, token in zip(columns, operands, strict=True)
    ]
    ordered = [c for c, token in zip(columns, operands, strict=True) if token["compare"] in ORDERS]
    return Condition(names, tuple(dict.fromkeys(ordered)), _join_comparisons(tree, comparisons))


def _join_comparisons(node: ast.expr, comparisons: Sequence[pl.Expr]) -> pl.Expr:
    match node:
        case ast.Name(id=name):
            return comparisons[int(name[1:])]
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return ~_join_comparisons(operand, comparisons)
        case ast.BoolOp(op=operator, values=values):
            join = pl.all_horizontal if isinstance(operator, ast.And) else pl.any_horizontal
            return join([_join_comparisons(value, comparisons) for value in values])
    raise AssertionError(ast.dump(node))  # no token makes another


def _compare(cell: pl.Expr, token: re.Match[str]) -> pl.Expr:
    """Return where the cells of a column compare as a token says."""
    values = [_read_value(value) for value in re.findall(VALUE, token["value"] or token["values"])]
    sign = token["compare"]
    if sign not in ORDERS:
        among = _is_any(cell, values)
        return ~among if sign in ("!=", "<>") or token["without"] else among
    [value] = values
    if isinstance(value, str):
        raise ExpressionError(f"{sign} compares numbers, and {quoted(value)} is a text")
    return ORDERS[sign](_number(cell), value).fill_null(False)


def _read_value(text: str) -> float | str:
    if text[0] == "'":
        return text[1:-1]
    return FLAGS.get(text.casefold(), text) if re.match(WORD, text) else _read_number(text)
