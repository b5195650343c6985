"""Formulas of measures and conditions on columns, as challenge.yaml writes them.

A text is cut into tokens, whose order is checked here. Then each operand is replaced by a plain
name, and Python's `ast` finds the tree of the operators. So no text of an organizer comes to
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

MOST_TOKENS = 400  # numbers, names, comparisons and signs: few enough for recursion
DEEPEST = 50  # parentheses, functions and signs inside each other
# All repetitions are possessive, so that no text can be matched in many ways. The long patterns
# are compiled where they are used: it takes milliseconds, and most challenges need none.
NUMBER = r"(?:\d++(?:\.\d*+)?+|\.\d++)(?:[eE][+-]?\d++)?+"
WORD = r"[^\W\d][\w.@]*+"
NAME = rf"(?:{WORD}|'[^']++')"
VALUE = rf"(?:[-+]?\s*+{NUMBER}|{NAME})"
# The kind of a token is `Match.lastgroup`, its last group that is not inside another one.
FORMULA_TOKEN = (
    rf"\s*+(?:(?P<function>{WORD})\s*+\(|(?P<operand>(?P<number>{NUMBER})|(?P<name>{NAME}))"
    r"|(?P<infix>\*\*|[*/])|(?P<sign>[-+])|(?P<open>\()|(?P<close>\))|(?P<comma>,))"
)
CONDITION_TOKEN = (
    rf"(?i)\s*+(?:(?P<operand>(?P<column>{NAME})\s*+"
    rf"(?:(?P<compare>==?|!=|<>|[<>]=?)\s*+(?P<value>{VALUE})|(?P<negated>not\s++)?in\s*+"
    rf"\(\s*+(?P<values>{VALUE}(?:\s*+,\s*+{VALUE})*+)\s*+\)))"
    r"|(?P<infix>(?:and|or)\b)|(?P<prefix>not\b)|(?P<open>\()|(?P<close>\)))"
)
# A comparison up to its right side, which is missing or wrong where CONDITION_TOKEN does not match.
LEFT_SIDE = rf"(?i)\s*+{NAME}\s*+(?P<sign>==?|!=|<>|[<>]=?|(?:not\s++)?in\b)"
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


def _parse_tree(text: str, noun: str) -> tuple[ast.expr, list[re.Match[str]]]:
    """Return the tree of a formula or condition, and its operands: `_2` in the tree is the third.

    `ExpressionError` if the text is empty, too long or too deep, or a token is not expected.
    """
    if not text.strip():
        raise ExpressionError(f"the {noun} is empty; write such as {EXAMPLES[noun]}")
    source, operands = list[str](), list[re.Match[str]]()
    opened = list[str]()  # functions, parentheses and prefixes that have not ended
    needs_operand = True
    for token in _split_tokens(text, noun):
        kind = str(token.lastgroup)
        if kind == "function" and token[kind] not in FUNCTIONS:
            functions = ", ".join(FUNCTIONS)
            raise ExpressionError(f"{quoted(token[kind])} is no function here; {functions} are")
        source.append(token[0].strip().lower())  # AND, OR and NOT may be in capitals
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
            at, what = token.start(kind), f"{quoted(token[kind])} is not expected there"
            if noun == "condition" and kind == "operand" and not needs_operand:
                value = operands[-1]["value"] or ""
                if value.lower() in ("and", "or"):  # which may be a value, such as OR of Oregon
                    at = operands[-1].start("value")
                    what = f"{quoted(value)} is taken for a value; is one missing before it?"
            raise ExpressionError(f"character {at + 1}: {what}")
        while opened[-1:] == ["prefix"] and not needs_operand:  # its operand is complete
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


def _split_tokens(text: str, noun: str) -> Iterator[re.Match[str]]:
    """Yield the tokens of a text; `ExpressionError` at anything else."""
    pattern, part = re.compile(TOKENS[noun][0]), TOKENS[noun][1]
    end, text = 0, text.rstrip()
    while end < len(text):
        token = pattern.match(text, end)
        if token is None:
            if noun == "condition" and (left := re.compile(LEFT_SIDE).match(text, end)) is not None:
                takes_list = left["sign"].lower().endswith("in")
                right = "values in parentheses" if takes_list else "a value"
                message = f"character {left.end() + 1}: {right} must follow {quoted(left['sign'])}"
                raise ExpressionError(f"{message}; write such as {EXAMPLES[noun]}")
            start = len(text) - len(text[end:].lstrip())  # behind the blanks
            word = re.compile(WORD).match(text, start)
            what = quoted(word[0] if word else text[start])
            message = f"character {start + 1}: {what} begins no {part}"
            raise ExpressionError(f"{message}; write such as {EXAMPLES[noun]}")
        end = token.end()
        yield token


def _read_number(text: str) -> float:
    number = float("".join(text.split()))  # blanks may follow the sign
    if math.isinf(number):
        raise ExpressionError(f"{quoted(text)} is too large a number")
    return number


class Range(NamedTuple):
    """The bounds of the values of a formula, and whether better measures raise or lower them."""

    low: float = -math.inf  # infinite where there is no bound
    high: float = math.inf
    rises: bool = True  # whether a value can get greater as a measure gets better
    falls: bool = True  # whether it can get less


def _power_mean(parts: Floats, exponent: float) -> Floats:
    """Return the power mean over axis 0; NaN where a part is negative."""
    means = np.mean(parts**exponent, axis=0) ** (1 / exponent)
    return np.where((parts < 0).any(axis=0), np.nan, means)


# From parts of shape (parts, ...) and `Formula.number` to values (...) that no rising part lowers.
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
ONE_ARGUMENT = ("sqrt", "log", "exp", "round")
TWO_OR_MORE_ARGUMENTS = ("min", "max")
NONNEGATIVE_ARGUMENTS = ("sqrt", "log", "geometric", "power")  # no value for a number below 0
# Functions whose first argument is a constant -> which one, in words, and whether a number is one.
FIRST_ARGUMENTS: Mapping[str, tuple[str, Callable[[float], bool]]] = {
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

    operation: str  # "number", "name", or a key of CALCULATIONS
    parts: tuple[Formula, ...] = ()
    number: float = 0.0  # of "number"; or the exponent of "**", or the constant of a function
    name: str = ""  # of "name"

    @property
    def names(self) -> tuple[str, ...]:
        """The names in it, each once, in order."""
        own = (self.name,) if self.operation == "name" else ()
        return tuple(dict.fromkeys([*own, *(n for part in self.parts for n in part.names)]))

    def evaluate(self, values: Mapping[str, Floats]) -> Floats:
        """Its values, of the shape that the arrays of all names have; NaN for no value.

        Division by 0 gives no value, nor do the root and the logarithm of a negative number.
        """
        if self.operation == "number":
            return np.full_like(next(iter(values.values())), self.number)
        if self.operation == "name":
            return values[self.name]
        parts = np.stack([part.evaluate(values) for part in self.parts])
        with np.errstate(all="ignore"):
            calculated = CALCULATIONS[self.operation](parts, self.number)
        value: Floats = np.asarray(calculated, dtype=np.float64)
        value[~np.isfinite(value)] = np.nan
        return value

    def is_affine(self) -> bool:
        """Whether it is a weighted sum of names plus a number: its mean is its value at the means.

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
        """The range of its values, from the ranges of its names.

        No value is out of the bounds, but none need reach them. `rises` and `falls` may both be
        true of a formula that only does one of them.
        """
        if self.operation == "number":
            return Range(self.number, self.number, rises=False, falls=False)
        if self.operation == "name":
            return ranges[self.name]
        parts = [part.range(ranges) for part in self.parts]
        if self.operation not in FUNCTIONS:
            return _range_of_operator(self.operation, parts, self.number)
        least = 0.0 if self.operation in NONNEGATIVE_ARGUMENTS else -math.inf
        ends = np.maximum([(part.low, part.high) for part in parts], least)
        with np.errstate(all="ignore"):
            low, high = map(float, CALCULATIONS[self.operation](ends, self.number))
        return Range(
            -math.inf if math.isnan(low) else low,
            math.inf if math.isnan(high) else high,
            any(part.rises for part in parts),
            any(part.falls for part in parts),
        )


def _range_of_operator(operation: str, parts: Sequence[Range], exponent: float) -> Range:
    """Return the range of an operator's values, from its values at all `_points` of its parts.

    This is enough: between two points of a part, the values only rise, or only fall, with it.
    """
    has_pole = operation == "/" or (exponent < 0 and exponent % 2 == 1)
    if has_pole and parts[-1].low < 0 < parts[-1].high:
        return Range()
    is_root = operation == "**" and not exponent.is_integer()  # a negative number has none
    points = np.meshgrid(*(_points(part, is_root) for part in parts), indexing="ij")
    with np.errstate(all="ignore"):
        values = CALCULATIONS[operation](np.array(points), exponent)
        values[np.isnan(values)] = 0.0  # 0 times infinity, which no number is: 0 times any is 0
        steps = [np.diff(values, axis=axis) for axis in range(len(parts))]
    ups = [bool((step > 0).any()) for step in steps]
    downs = [bool((step < 0).any()) for step in steps]
    moves = list(zip(parts, ups, downs, strict=True))
    return Range(
        float(values.min()),
        float(values.max()),
        any((part.rises and up) or (part.falls and down) for part, up, down in moves),
        any((part.falls and up) or (part.rises and down) for part, up, down in moves),
    )


def _points(part: Range, is_root: bool) -> list[float]:
    """Return the ends of a range, 0 if it lies between them, and a number next to infinite ends."""
    low, high = max(part.low, 0.0) if is_root else part.low, part.high
    above_low = [min(high, 0.0) - 1] if low == -math.inf else []
    zero = [0.0] if low < 0 < high else []
    below_high = [max(low, 0.0) + 1] if high == math.inf else []
    last = -0.0 if low < 0 and high == 0 else high  # 1 / -0.0 is -inf
    return [low, *above_low, *zero, *below_high, last]


OPERATORS = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.Pow: "**"}


def parse_formula(text: str) -> Formula:
    """Return the formula of a text; `ExpressionError` if it cannot be read.

    >>> parse_formula("0.25*a + 0.75*'nDCG (group)'").names
    ('a', 'nDCG (group)')
    """
    tree, operands = _parse_tree(text, "formula")
    formula = _build_formula(tree, operands)
    if not formula.names:
        raise ExpressionError("the formula names no measure")
    return formula


def _build_formula(node: ast.expr, operands: Sequence[re.Match[str]]) -> Formula:
    """Return the formula of a node, in which the name `_2` is the third operand."""
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
            return _build_operation(OPERATORS[type(operator)], *parts)
        case ast.Call(func=ast.Name(id=name), args=arguments):
            return _build_call(name, [_build_formula(part, operands) for part in arguments])
    raise AssertionError(ast.dump(node))  # the tokens make no other nodes


def _constant_value(formula: Formula) -> float:
    """Return the value of a formula without names; NaN if it has names, or no value."""
    return math.nan if formula.names else float(formula.evaluate({"": np.zeros(1)})[0])


def _build_operation(operation: str, left: Formula, right: Formula) -> Formula:
    number = _constant_value(right)
    if operation == "/" and number == 0:
        raise ExpressionError("the formula divides by 0")
    if operation != "**":
        return Formula(operation, (left, right))
    if not abs(number) <= 100:  # or NaN: it has names
        raise ExpressionError("an exponent is a number between -100 and 100")
    return Formula(operation, (left,), number)


def _build_call(name: str, parts: list[Formula]) -> Formula:
    number = 0.0
    if name in FIRST_ARGUMENTS:
        expected, fits = FIRST_ARGUMENTS[name]
        number = _constant_value(parts.pop(0))
        if not fits(number) or not parts:
            raise ExpressionError(f"{name} takes {expected}, then its parts")
    elif name == "round" and len(parts) == 2:
        digits = _constant_value(parts[1])
        if digits.is_integer() and abs(digits) <= 15:  # else refused below, as it has two parts
            number, parts = digits, parts[:1]
    if name in ONE_ARGUMENT and len(parts) > 1:
        raise ExpressionError(f"{name} takes one part")
    if name in TWO_OR_MORE_ARGUMENTS and len(parts) == 1:
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
    template, names, end = "", list[str](), 0
    for token in _parse_tree(text, "formula")[1]:
        if token["name"]:
            template += text[end : token.start("name")] + "{}"
            names.append(token["name"].strip("'"))
            end = token.end()
    return " ".join((template + text[end:]).split()), tuple(names)


class Condition(NamedTuple):
    """A condition on columns."""

    names: tuple[str, ...]  # the columns that it names
    numbers: tuple[str, ...]  # those of them that `<` or `>` compares
    expression: pl.Expr  # true or false for each row; the column of names[0] is named "0"

    def mask(self, columns: Mapping[str, pl.Series]) -> Mask:
        """The rows that it is true of, shape (rows,), from the text of their cells.

        An empty cell is equal to the empty text only, and neither above nor below any number.
        `ExpressionError` if a cell is no number and is compared with one.
        """
        for name in self.numbers:
            cells = columns[name].to_frame()
            wrong = cells.filter((pl.nth(0) != "") & _as_number(pl.nth(0)).is_null())
            if wrong.height:
                cell = quoted(wrong.item(0, 0))
                raise ExpressionError(f"{name} holds {cell}, which is no number to compare")
        frame = pl.DataFrame([columns[name].alias(str(n)) for n, name in enumerate(self.names)])
        mask: Mask = frame.select(self.expression).to_series().to_numpy()
        return mask


def _as_number(cell: pl.Expr) -> pl.Expr:
    """Return texts as numbers, True and False as 1 and 0; null where it is no finite number."""
    text = cell.str.strip_chars().str.to_lowercase().replace({"true": "1", "false": "0"})
    number = text.cast(pl.Float64, strict=False)
    return pl.when(number.is_finite()).then(number)


def _is_one_of(cell: pl.Expr, values: Sequence[float | str]) -> pl.Expr:
    """Return whether each cell is one of the texts, or its number is one of the numbers."""
    texts = [value for value in values if isinstance(value, str)]
    numbers = [value for value in values if not isinstance(value, str)]
    equal = cell.is_in(texts)
    return equal | _as_number(cell).is_in(numbers).fill_null(False) if numbers else equal


FLAGS = {"true": 1.0, "false": 0.0}  # words that are read as numbers
ORDER_SIGNS: Mapping[str, Callable[[pl.Expr, float], pl.Expr]] = {
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
    tree, operands = _parse_tree(text, "condition")
    columns = [token["column"].strip("'") for token in operands]
    names = tuple(dict.fromkeys(columns))
    comparisons = [
        _compare(pl.col(str(names.index(column))), token)
        for column, token in zip(columns, operands, strict=True)
    ]
    ordered = [c for c, t in zip(columns, operands, strict=True) if t["compare"] in ORDER_SIGNS]
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
    raise AssertionError(ast.dump(node))  # the tokens make no other nodes


def _compare(cell: pl.Expr, token: re.Match[str]) -> pl.Expr:
    """Return whether each cell of a column fulfils the comparison of a token."""
    values = [_read_value(value) for value in re.findall(VALUE, token["value"] or token["values"])]
    sign = token["compare"]
    if sign not in ORDER_SIGNS:
        among = _is_one_of(cell, values)
        return ~among if sign in ("!=", "<>") or token["negated"] else among
    [value] = values
    if isinstance(value, str):
        raise ExpressionError(f"{sign} compares numbers, and {quoted(value)} is a text")
    return ORDER_SIGNS[sign](_as_number(cell), value).fill_null(False)


def _read_value(text: str) -> float | str:
    if text[0] == "'":
        return text[1:-1]
    return FLAGS.get(text.casefold(), text) if re.match(WORD, text) else _read_number(text)
