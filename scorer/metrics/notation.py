"""Notation of measures: `nDCG(gain=exp2)@10` to a name and parameters."""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Mapping
from typing import Any

from scorer.core.errors import ScorerError
from scorer.core.text import printable, quoted

LONGEST = 300  # characters of a notation; Python's parser is not asked about more
# What Python's parser warns of, through filters that a whole process shares: a number that runs
# into a keyword, an unknown escape. No measure is written with either.
ODD = re.compile(
    r"(?<![\w.])[\d.][\w.]*?(?:and|else|for|if|in|is|not|or)"
    r"|\\(?![\\'\"abfnrtvxuUN0-3])|\\[4-7]"
)

# trec_eval's names of measures with a number: P_5, and P.5 as its option -m has it
TREC_EVAL = {
    "p": "P",
    "recall": "R",
    "success": "Success",
    "map_cut": "AP",
    "ndcg_cut": "nDCG",
    "iprec_at_recall": "IPrec",
    "set_f": "SetF",
}
NUMBERED = re.compile(
    rf"\A({'|'.join(TREC_EVAL)})[_.]([0-9]+(?:\.[0-9]+)?)(\(.*\))?\Z", re.IGNORECASE
)

POINTS = [f"IPrec@{n / 10:g}" for n in range(11)]
AREA = (
    "one of two areas under precision and recall: AveragePrecision, by steps (scikit-learn's "
    "average_precision_score), or PRTrapezoids (auc of precision_recall_curve)"
)
# names that are no measure of their own here, and what there is instead
ANSWERS = {
    "gm_map": "of trec_eval is a geometric mean; in challenge.yaml: "
    "metrics: [{metric: AP, aggregate: geometric(0.00001)}]",
    "gm_bpref": "of trec_eval is a geometric mean; in challenge.yaml: "
    "metrics: [{metric: Bpref, aggregate: geometric(0.00001)}]",
    "11pt_avg": "of trec_eval is the mean of eleven measures; in challenge.yaml: "
    f'metrics: [{{id: points, score: "({" + ".join(POINTS)}) / 11"}}, {", ".join(POINTS)}]',
    "all_trec": "of trec_eval is many measures, of which each is written: -m AP -m Rprec -m Bpref "
    "-m RR -m P@10 -m R@1000 -m nDCG",
    "official": "of trec_eval is many measures, of which each is written: -m AP -m Rprec -m Bpref "
    "-m RR -m P@10",
    **dict.fromkeys(("prauc", "pr_auc", "auprc", "auc_pr", "aucpr"), f"is {AREA}"),
}


class NotationError(ScorerError):
    """A measure as written cannot be understood, or its parameters do not fit.

    `parameter` is the one at fault, where it is one.
    """

    def __init__(self, message: str, parameter: str | None = None) -> None:
        self.parameter = parameter
        super().__init__(message)


def parse(notation: str) -> tuple[str, dict[str, Any], Any]:
    """Name, parameters and cut-off of `NAME(param=value, ...)@k`; else `NotationError`.

    >>> parse("AP(rel=2)@100")
    ('AP', {'rel': 2}, 100)
    >>> parse("MARp@5,10")
    ('MARp', {}, (5, 10))

    The names that trec_eval gives measures with a number are understood, too:

    >>> parse("ndcg_cut_10")
    ('nDCG', {}, 10)
    """
    hint = "write it as nDCG@10, AP(rel=2)@100 or RBP(p=0.8)"
    wrong = NotationError(f"{quoted(notation)} is no measure; {hint}")
    if len(notation) > LONGEST or not notation.isprintable() or ODD.search(notation):
        raise wrong
    if answer := ANSWERS.get(notation.partition("(")[0].strip().casefold()):
        raise NotationError(f"{quoted(notation)} {answer}")
    ours = NUMBERED.sub(_trec_eval, notation.strip())
    try:
        tree: ast.expr = ast.parse(ours, mode="eval").body
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


def _trec_eval(match: re.Match[str]) -> str:
    """Our notation for trec_eval's name of a measure, its number and perhaps parameters."""
    name, number, params = TREC_EVAL[match[1].casefold()], match[2], match[3] or ""
    if name == "SetF":  # trec_eval's number is beta squared
        return f"SetF(beta={math.sqrt(float(number))!r}{params.replace('(', ', ', 1) or ')'}"
    return f"{name}{params}@{number}"


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
