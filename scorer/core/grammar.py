"""What formulas and conditions share: tokens, and a reader of them that goes down by recursion."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Generic, NamedTuple, TypeVar

from scorer.core.text import printable, quoted

LONGEST = 2_000  # characters
MOST_TOKENS = 400  # numbers, names and signs
DEEPEST = 50  # parentheses and functions inside each other
NUMBER = r"(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?"
WORD = r"[^\W\d][\w.@]*"
NAME = re.compile(WORD)
Tree = TypeVar("Tree")


class GrammarError(ValueError):
    """A text that is not written as the grammar has it."""


class Lexeme(NamedTuple):
    """A piece of a text."""

    kind: str  # number, name, quoted, sign; '' at the end
    text: str
    at: int


class Grammar:
    """The tokens of formulas, or of conditions.

    Args:
        noun: what a text is called.
        signs: a regular expression of the signs.
        allowed: what there is, for a sentence.
        hints: by characters that are no part of it, what is written instead.
    """

    def __init__(self, noun: str, signs: str, allowed: str, hints: Mapping[str, str]) -> None:
        self.noun, self.allowed, self.hints = noun, allowed, hints
        self.token = re.compile(
            rf"\s*(?:(?P<number>{NUMBER})|(?P<name>{WORD})"
            rf"|'(?P<quoted>[^']+)'|(?P<sign>{signs}))"
        )

    def tokens(self, text: str) -> Iterator[Lexeme]:
        """The tokens of a text, and an empty one at its end; `GrammarError` at other signs."""
        at = 0
        while at < len(text) and not text[at:].isspace():
            match = self.token.match(text, at)
            if match is None:
                rest = text[at:].lstrip()
                place, first = len(text) - len(rest) + 1, rest[0]
                raise GrammarError(
                    f"character {place}, {quoted(printable(first))}, is no part of a {self.noun} "
                    f"({self.allowed}){self.hints.get(first, '')}"
                )
            kind = str(match.lastgroup)
            yield Lexeme(kind, match[kind], match.start(kind))
            at = match.end()
        yield Lexeme("", "", len(text))


class Descent(Generic[Tree]):
    """A recursive descent through the tokens of a text; `top` reads the whole."""

    top: Callable[..., Tree]

    def __init__(self, text: str, grammar: Grammar) -> None:
        if len(text) > LONGEST:
            message = f"the {grammar.noun} has {len(text):,} characters; {LONGEST:,} are the most"
            raise GrammarError(message)
        self.tokens, self.grammar = list(grammar.tokens(text)), grammar
        if len(self.tokens) > MOST_TOKENS:
            message = f"the {grammar.noun} has more than {MOST_TOKENS} numbers, names and signs"
            raise GrammarError(message)
        self.place, self.depth = 0, 0

    def whole(self) -> Tree:
        """The tree of all tokens."""
        tree = self.top()
        if self.here.kind:
            raise self.unexpected()
        return tree

    @property
    def here(self) -> Lexeme:
        """The next token."""
        return self.tokens[self.place]

    def unexpected(self) -> GrammarError:
        """The error of the token here."""
        if not self.here.kind:
            return GrammarError(f"the {self.grammar.noun} ends where more is expected")
        where = f"character {self.here.at + 1}"
        return GrammarError(f"{where}: {quoted(printable(self.here.text))} is not expected there")

    def take(self, *kinds: str) -> Lexeme:
        """The token here, which is of one of these kinds; it is then read."""
        token = self.here
        if token.kind not in kinds:
            raise self.unexpected()
        self.place += 1
        return token

    def sign(self, *signs: str) -> str:
        """The sign here, if it is one of these; it is then read."""
        if self.here.kind == "sign" and self.here.text in signs:
            return self.take("sign").text
        return ""

    def word(self, *words: str) -> str:
        """The word here, if it is one of these whatever its case; it is then read."""
        if self.here.kind == "name" and self.here.text.casefold() in words:
            return self.take("name").text.casefold()
        return ""

    def number(self, token: Lexeme) -> float:
        """A token's number."""
        number = float(token.text)
        if not math.isfinite(number):
            raise GrammarError(f"{quoted(printable(token.text))} is too large a number")
        return number

    def signed_number(self) -> float | None:
        """The number here with its sign, if there is one; it is then read."""
        signed = self.here.kind == "sign" and self.here.text in ("-", "+")
        token = self.tokens[self.place + signed]
        if token.kind != "number":
            return None
        minus = self.sign("-", "+") == "-"
        number = self.number(self.take("number"))
        return -number if minus else number

    def deeper(self, read: Callable[[], Tree]) -> Tree:
        """The tree that `read` reads, one level down."""
        self.depth += 1
        if self.depth > DEEPEST:
            raise GrammarError(f"the {self.grammar.noun} is more than {DEEPEST} levels deep")
        tree = read()
        self.depth -= 1
        return tree

    def close(self) -> None:
        """Read the parenthesis that closes."""
        if not self.sign(")"):
            raise self.unexpected()
