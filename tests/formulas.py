r"""The value of a formula in LaTeX: a small reader of the notation that metrics' formulas use.

`evaluated(r"\frac{1}{n} \sum_{i=1}^{n} x_i", {"n": 3, "x": at([1, 2, 3])})` is 2. Letters with
indices are functions of these in `names`. What stands behind `, \qquad` defines letters, unless
its right side is text, or it is one value of a function: then `names` has them. [P] is 1 where P
holds, else 0, and a 0 wins over anything beside it (Iverson's brackets).
"""

import math
import operator
import re
from functools import partial
from itertools import pairwise
from statistics import median

TOKEN = re.compile(r"\\(?:text|mathrm)\{[^{}]*\}|\\[a-zA-Z]+|\\.|\d+(?:\.\d+)?(?:e-?\d+)?|[^\s]")
BLANK = {r"\left", r"\right", r"\,", r"\;", r"\quad"}
RELATIONS = {
    "=": lambda a, b: math.isclose(a, b, rel_tol=1e-12, abs_tol=1e-12) if numbers(a, b) else a == b,
    "<": operator.lt, ">": operator.gt, r"\le": operator.le, r"\ge": operator.ge,
    r"\ne": operator.ne, r"\in": lambda a, b: a in b,
}  # fmt: skip
FUNCTIONS = {
    r"\ln": math.log, r"\exp": math.exp, r"\sin": math.sin, r"\cos": math.cos,
    r"\arcsin": math.asin, r"\arccos": math.acos,
}  # fmt: skip
SETS = {r"\cap": operator.and_, r"\cup": operator.or_}
EXTREMES = {r"\max": max, r"\min": min, r"\mathrm{median}": lambda found, **_: median(found)}
CLOSING = {")", "]", "}", r"\rfloor", r"\rceil", r"\rvert", r"\}"}
ENDS = CLOSING | {*RELATIONS, *SETS, "+", "-", ",", r"\wedge", r"\vee", r"\qquad", None}


def numbers(*values):
    return all(isinstance(value, int | float) for value in values)


def at(values, beyond=0):
    """A letter with one index, from 1; `beyond` the last it has that value."""
    return lambda i: values[int(i) - 1] if 1 <= i <= len(values) else beyond


def evaluated(formula, names):
    """The value of a formula; NaN where it divides by 0."""
    main, *definitions = re.split(r",\s*\\qquad", formula)
    known = {"e": math.e, r"\pi": math.pi, r"\infty": math.inf} | names
    parted = [definition.partition("=")[::2] for definition in definitions]
    for left, right in sorted(parted, key=lambda pair: "_" not in pair[0]):  # functions first
        if r"\text" not in right and "(" not in left:
            define(left.strip(), right, known)
    try:
        return float(Reader(main).whole()(known))
    except ZeroDivisionError:
        return math.nan


def define(left, right, known):
    """Enter what a definition says; its indices, or arguments, are names in the right side."""
    reader = Reader(left)
    name = reader.name()
    indices = []
    if reader.next == "_":
        reader.take()
        grouped = reader.next == "{"
        inside = reader.tokens[reader.place + grouped :]
        indices = [token for token in inside if token not in (",", "}")]
    body = Reader(right).whole()
    if not indices:
        known[name] = body(known)
        return
    known[name] = lambda *args: body(known | dict(zip(indices, args, strict=True)))


class Reader:
    """Reads tokens into functions of names."""

    def __init__(self, text):
        self.tokens = [token for token in TOKEN.findall(text) if token not in BLANK]
        self.place = 0

    @property
    def next(self):
        return self.tokens[self.place] if self.place < len(self.tokens) else None

    def take(self, wanted=None):
        token = self.next
        assert token is not None, "ends early"
        assert wanted is None or token == wanted, (wanted, self.tokens[self.place :])
        self.place += 1
        return token

    def whole(self):
        value = self.sum()
        assert self.next is None, self.tokens[self.place :]
        return value

    def condition(self):
        """Relations, chained, joined by `and` or `or`."""
        parts = [self.relation()]
        joins = []
        while self.next in (r"\wedge", r"\vee", ","):
            joins.append(self.take())
            parts.append(self.relation())
        every = any if r"\vee" in joins else all
        return lambda names: every(part(names) for part in parts)

    def relation(self):
        sides, signs = [self.sum()], []
        while self.next in RELATIONS:
            signs.append(RELATIONS[self.take()])
            sides.append(self.sum())
        assert signs, self.tokens[self.place :]

        def holds(names):
            found = [side(names) for side in sides]
            return all(sign(*pair) for sign, pair in zip(signs, pairwise(found), strict=True))

        return holds

    def sum(self):
        terms = []
        negative = self.next == "-"
        if self.next in ("-", "+"):
            self.take()
        terms.append((-1 if negative else 1, self.term()))
        while self.next in ("+", "-"):
            sign = 1 if self.take() == "+" else -1
            terms.append((sign, self.term()))
        if len(terms) == 1 and not negative:
            return terms[0][1]
        return lambda names: sum(sign * term(names) for sign, term in terms)

    def term(self):
        factors = []  # whether it divides, whether it is a bracket, and what it is
        divides = False
        while self.next not in ENDS or not factors:
            bracket = self.next == "["
            factors.append((divides, bracket, self.power()))
            divides = self.next == "/"
            if self.next in ("/", r"\cdot", r"\times"):
                self.take()
        if len(factors) == 1:
            return factors[0][2]

        def product(names):
            if any(bracket and not factor(names) for _, bracket, factor in factors):
                return 0
            value = 1
            for divides, bracket, factor in factors:
                if not bracket:
                    value = value / factor(names) if divides else value * factor(names)
            return value

        return product

    def power(self):
        base = self.factor()
        if self.next == "^":
            self.take()
            exponent = self.group()
            return lambda names: base(names) ** exponent(names)
        return base

    def within(self, closing):
        """What stands before a closing sign: a sum, or a set of two."""
        value = self.sum()
        while self.next in SETS:
            combine, left, right = SETS[self.take()], value, self.sum()
            value = partial(_combined, combine, left, right)
        self.take(closing)
        return value

    def group(self):
        """What stands in braces, or one sign."""
        if self.next != "{":
            return self.factor()
        self.take()
        value = self.sum()
        self.take("}")
        return value

    def arguments(self):
        self.take("(")
        found = [self.sum()]
        while self.next == ",":
            self.take()
            found.append(self.sum())
        self.take(")")
        return found

    def factor(self):
        token = self.next
        if token == "(":
            self.take()
            return self.within(")")
        if token == "[":
            self.take()
            holds = self.condition()
            self.take("]")
            return lambda names: int(holds(names))
        if token == r"\frac":
            self.take()
            part, whole = self.group(), self.group()
            return lambda names: part(names) / whole(names)
        if token == r"\sqrt":
            self.take()
            inner = self.group()
            return lambda names: math.sqrt(inner(names))
        if token == r"\{":
            self.take()
            members = [self.sum()]
            while self.next == ",":
                self.take()
                members.append(self.sum())
            self.take(r"\}")
            return lambda names: {member(names) for member in members}
        if token == r"\lvert":
            self.take()
            inner = self.within(r"\rvert")
            return lambda names: size(inner(names))
        if token in (r"\lfloor", r"\lceil"):
            self.take()
            inner = self.within(token.replace(r"\l", r"\r"))
            rounded = math.floor if token == r"\lfloor" else math.ceil
            return lambda names: rounded(inner(names))
        if token in (r"\sum", r"\prod"):
            return self.over(sum if token == r"\sum" else math.prod)
        if token in EXTREMES:
            return self.extreme(EXTREMES[token])
        if token == r"\log":
            self.take()
            self.take("_")
            base, inner = self.group(), self.factor()
            return lambda names: math.log(inner(names)) / math.log(base(names))
        if token in FUNCTIONS:
            self.take()
            power = self.raised()
            inner = self.factor()
            return lambda names: FUNCTIONS[token](inner(names)) ** power(names)
        if re.fullmatch(r"\d.*", token):
            self.take()
            return lambda names: float(token) if not token.isdigit() else int(token)
        return self.letter()

    def raised(self):
        """The exponent of a function before its argument."""
        if self.next != "^":
            return lambda names: 1
        self.take()
        return self.group()

    def name(self):
        """A letter with its accent, its star and a word as its index."""
        token = self.take()
        if token in (r"\hat", r"\bar", r"\tilde"):
            grouped = self.next == "{"
            if grouped:
                self.take()
            token += self.take()
            if grouped:
                self.take("}")
        if self.tokens[self.place : self.place + 2] == ["^", "*"]:
            self.place += 2
            token += "*"
        index = self.tokens[self.place : self.place + 4]
        word = index[2] if len(index) == 4 and index[:2] + index[3:] == ["_", "{", "}"] else ""
        if word in (r"\max", r"\min") or word.startswith((r"\text", r"\mathrm")):
            self.place += 4
            token += "_" + word
        return token

    def letter(self):
        name = self.name()
        if self.next == "_":
            self.take()
            indices = self.listed() if self.next == "{" else [Reader(self.take()).factor()]
            called = self.arguments() if self.next == "(" and name in CALLED else []
            return lambda names: names[name](*(each(names) for each in [*indices, *called]))
        if self.next == "(" and (name in CALLED or name.startswith(r"\mathrm")):
            arguments = self.arguments()

            def value(names):
                if callable(names[name]):
                    return names[name](*(each(names) for each in arguments))
                return names[name] * arguments[0](names)

            return value
        return lambda names: names[name]

    def listed(self):
        """Indices in braces, between commas."""
        self.take("{")
        found = [self.sum()]
        while self.next != "}":
            if self.next == ",":
                self.take()
            found.append(self.sum())
        self.take("}")
        return found

    def domain(self):
        """What an operator runs over: `i=1` to a number, `1 \\le i \\le n`, or `x \\in S`."""
        self.take("_")
        self.take("{")
        if self.next in ("1", "0"):
            first = self.sum()
            self.take(r"\le")
            letter = self.take()
            self.take(r"\le")
            last = self.sum()
            self.take("}")
            return letter, lambda names: range(int(first(names)), int(last(names)) + 1)
        letter = self.take()
        if self.next == "}":  # all there are
            self.take()
            return letter, lambda names: names[f"all{letter}"]
        if self.next == r"\in":
            self.take()
            among = self.sum()
            self.take("}")
            return letter, among
        self.take("=")
        first = self.sum()
        self.take("}")
        self.take("^")
        last = self.group()
        return letter, lambda names: range(int(first(names)), int(last(names)) + 1)

    def over(self, collect):
        self.take()
        letter, among = self.domain()
        body = self.term()
        return lambda names: collect(body(names | {letter: each}) for each in among(names))

    def extreme(self, collect):
        self.take()
        if self.next == "_":
            letter, among = self.domain()
            body = self.term()
            return lambda names: collect(
                (body(names | {letter: each}) for each in among(names)), default=0
            )
        arguments = self.arguments()
        return lambda names: collect(each(names) for each in arguments)


CALLED = {"w", r"\phi", r"\Phi"}  # letters of functions


def size(value):
    """The absolute value of a number, the size of a set."""
    return abs(value) if isinstance(value, int | float) else len(value)


def _combined(combine, left, right, names):
    return combine(left(names), right(names))
