"""Notation of measures: `nDCG(gain=exp2)@10` to a name and parameters."""

from __future__ import annotations

import ast
import math
import warnings
from collections.abc import Mapping
from typing import Any

from scorer.core.errors import ScorerError
from scorer.core.text import printable, quoted

LONGEST = 300  # characters of a notation; Python's parser is not asked about more


class NotationError(ScorerError):
    """A measure as written cannot be understood, or its parameters do not fit.

    `parameter` is the one at fault, where it is one.
    """

    def __init__(self, message: str, parameter: str | None = None) -> None:
        self.parameter = parameter
        super().__init__(message)


def parse(notation: str) -> tuple[str, dict[str, Any], Any]:
    """Name, parameters and cut-off of `NAME(param=value, ...)@k`.

    >>> parse("AP(rel=2)@100")
    ('AP', {'rel': 2}, 100)
    >>> parse("MARp@5,10")
    ('MARp', {}, (5, 10))

    Raises:
        NotationError: it is not written that way.
    """
    hint = "write it as nDCG@10, AP(rel=2)@100 or RBP(p=0.8)"
    wrong = NotationError(f"{quoted(notation)} is no measure; {hint}")
    if len(notation) > LONGEST or not notation.isprintable():
        raise wrong
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about odd spellings of numbers
            tree: ast.expr = ast.parse(notation.strip(), mode="eval").body
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        raise wrong from None
    further: list[Any] = []
    if isinstance(tree, ast.Tuple) and tree.elts:
        tree, *rest = tree.elts
        further = [_value(node, wrong) for node in rest]
    at = None
    if isinstance(tree, ast.BinOp) and isinstance(tree.op, ast.MatMult):
        at, tree = _value(tree.right, wrong), tree.left
        if at == ():
            raise wrong
    if further:
        if at is None:
            raise wrong
        at = (at, *further)
    params: dict[str, Any] = {}
    if isinstance(tree, ast.Call):
        if tree.args or any(keyword.arg is None for keyword in tree.keywords):
            raise NotationError(f"{quoted(notation)}: parameters are written name=value")
        for keyword in tree.keywords:
            params[str(keyword.arg)] = _value(keyword.value, wrong)
        tree = tree.func
    if not isinstance(tree, ast.Name):
        raise wrong
    return tree.id, params, at


def written(value: Any) -> str:
    """A parameter's value as a notation writes it."""
    if isinstance(value, bool) or value is None:
        return str(value).lower()
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    if isinstance(value, Mapping):
        entries = sorted(value.items(), key=_numbers_first)
        return "{" + ", ".join(f"{written(k)}: {written(v)}" for k, v in entries) + "}"
    if isinstance(value, tuple | list):
        return ",".join(map(written, value))
    return printable(value, 10_000)


def _numbers_first(entry: tuple[Any, Any]) -> tuple[float, str]:
    key = entry[0]
    return (key, "") if isinstance(key, int | float) else (math.inf, str(key))


def _value(node: ast.expr, wrong: NotationError) -> Any:
    if isinstance(node, ast.Name):
        return {"true": True, "false": False, "none": None}.get(node.id.lower(), node.id)
    try:
        return ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        raise wrong from None
