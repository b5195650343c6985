r"""The formulas of metrics: LaTeX with a measure's parameters put in, as plain text, as MathML.

A metric's `formula` is LaTeX in the letters of docs/notation.md, with a `$name` for each parameter
that it shows. Letters of its own are defined behind it: `a / b, \qquad a = ...`.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from string import Template
from typing import TYPE_CHECKING, Any

from scorer.metrics.notation import written

if TYPE_CHECKING:
    from scorer.metrics.base import Metric

Params = Mapping[str, Any]
Formula = str | Callable[[Params], str]  # of the parameters, where they decide more than numbers

DEFINES = r", \qquad "  # stands before the definition of a letter
GAINS = {"linear": "g_i", "exp2": "2^{g_i} - 1"}
DISCOUNTS = {"log2": r"\log_2(i + 1)", "jarvelin": r"\max(1, \log_2 i)"}
LETTERS = {  # of parameters whose letter is not their name
    "alpha": r"\alpha", "beta": r"\beta", "epsilon": r"\epsilon", "max_grade": r"g_{\max}",
    "min_grade": r"g_{\min}", "catalogue": "I", "depth": "D", "recall": r"\rho",
    "quantile": r"\tau", "tolerance": r"\delta", "users": "U", "credit": "c", "page": "b",
    "none": "m", "steps": "B", "bins": "B", "radius": r"\varrho", "eps": r"\epsilon",
    "overlap": r"\theta", "c_fp": r"c_{\mathrm{fp}}", "c_fn": r"c_{\mathrm{fn}}",
    "c_tp": r"c_{\mathrm{tp}}",
}  # fmt: skip
UNSET = {"k": "n"}  # what None means, of parameters that have a letter for it


def latex(formula: Formula, params: Params, put_in: bool = True) -> str:
    r"""The formula with the parameters' values; without `put_in` with the letters of numbers.

    >>> print(latex(r"\sum_{i=1}^{$k} $gain", {"k": 10, "gain": "exp2"}))
    \sum_{i=1}^{10} 2^{g_i} - 1
    """
    if not put_in and "k" in params:
        params = {**params, "k": "k"}  # a letter, even where the default is none
    template = formula if isinstance(formula, str) else formula(params)
    shown = Template(template).substitute(_symbols(params, put_in))
    if params.get("average") == "pooled" and (parts := _fraction(shown)):
        part, whole, rest = parts
        shown = rf"\frac{{{_summed(part)}}}{{{_summed(whole)}}}{rest}"
    if isinstance(params.get("thresholds"), tuple):
        main, comma, rest = shown.partition(DEFINES)
        shown = rf"\frac{{1}}{{\lvert Z \rvert}} \sum_{{t \in Z}} [{main} > t]"
        shown += rf"{DEFINES}Z = {_symbol('thresholds', params['thresholds'], put_in)}{comma}{rest}"
    return "".join([shown, *_definitions(template, params, put_in)])


def lines(metric: Metric, params: Params | None = None, **choices: Any) -> list[str]:
    """The formula of a metric and the definitions behind it, none where it has none.

    Without `params` with the letters of its parameters, the others as `choices`, or at defaults.
    """
    if not metric.formula:
        return []
    if params is not None:
        return latex(metric.formula, params).split(DEFINES)
    fields = metric.parameters.model_fields.items()
    defaults = {key: None if field.is_required() else field.default for key, field in fields}
    return latex(metric.formula, defaults | choices, put_in=False).split(DEFINES)


def _symbols(params: Params, put_in: bool) -> dict[str, str]:
    """What stands for each parameter."""
    gain = GAINS.get(str(params.get("gain")), "w(g_i)")
    symbols = {key: _symbol(key, value, put_in) for key, value in params.items()}
    k = symbols.get("k", "") if params.get("k") is not None else ""
    return symbols | {
        "last": k or "J",
        "most": rf"\min(R, {k})" if k else "R",
        "gain": gain,
        "best": gain.replace("g_i", "g^*_i"),
        "reordered": gain.replace("g_i", r"\tilde{g}_i"),
        "discount": DISCOUNTS.get(str(params.get("discount")), ""),
    }


def _symbol(key: str, value: Any, put_in: bool) -> str:
    letter = LETTERS.get(key) or (key if len(key) == 1 else rf"\mathrm{{{key}}}")
    if value is None:
        return UNSET.get(key, letter) if put_in else letter
    if isinstance(value, int | float) and put_in and not isinstance(value, bool):
        return r"2^{-52}" if value == 2**-52 else _decimal(str(written(value)))
    if isinstance(value, tuple) and put_in and all(isinstance(v, int | float) for v in value):
        return rf"\{{{', '.join(map(str, map(written, value)))}\}}"
    return letter


def _decimal(number: str) -> str:
    """A number as LaTeX writes it, without an e."""
    digits, _, exponent = number.partition("e")
    return rf"{digits} \cdot 10^{{{int(exponent)}}}" if exponent else number


def _fraction(shown: str) -> tuple[str, str, str] | None:
    """Numerator and denominator of a formula that is one fraction, and its definitions."""
    main, comma, rest = shown.partition(DEFINES)
    if not main.startswith(r"\frac{"):
        return None
    first, second = _group(main, 5), _group(main, 5 + len(_group(main, 5)))
    whole = len(r"\frac") + len(first) + len(second) == len(main)
    return (first[1:-1], second[1:-1], comma + rest) if whole else None


def _summed(term: str) -> str:
    """A term's sum over lists."""
    flat = re.sub(r"\{[^{}]*\}|\([^()]*\)", "", re.sub(r"\{[^{}]*\}", "", term))
    return r"\sum_{\ell} " + (rf"\left({term}\right)" if re.search("[+-]", flat) else term)


def _group(text: str, start: int) -> str:
    """The group in braces that begins there, with its braces."""
    depth = 0
    for at in range(start, len(text)):
        depth += (text[at] == "{") - (text[at] == "}")
        if not depth:
            return text[start : at + 1]
    return text[start:]


def _definitions(template: str, params: Params, put_in: bool) -> list[str]:
    """What the letters r and w mean where that is not as usual."""
    told = []
    if put_in and re.search(r"r_\{?[ij]|\bR\b", template) and params.get("rel", 1) != 1:
        told.append(rf"{DEFINES}r_i = [\text{{grade}} \ge {written(params['rel'])}]")
    if isinstance(gains := params.get("gain"), Mapping):
        told += [rf"{DEFINES}w({written(g)}) = {written(w)}" for g, w in sorted(gains.items())]
    return told


TOKEN = re.compile(r"\\(?:text|mathrm)\{[^{}]*\}|\\[a-zA-Z]+|\\.|\d+(?:\.\d+)?|[^\s]")
SIGNS = {
    r"\sum": "Σ", r"\prod": "Π", r"\cdot": " · ", r"\times": " × ", r"\le": " ≤ ", r"\ge": " ≥ ",
    r"\ne": " ≠ ", r"\in": " ∈ ", r"\wedge": " and ", r"\vee": " or ", r"\alpha": "α",
    r"\beta": "β", r"\epsilon": "ε", r"\rho": "ρ", r"\tau": "τ", r"\delta": "δ", r"\theta": "θ",
    r"\varrho": "ϱ", r"\sigma": "σ", r"\phi": "φ", r"\varphi": "φ", r"\lambda": "λ", r"\pi": "π",
    r"\ell": "l", r"\infty": "∞", r"\cap": " ∩ ", r"\cup": " ∪ ", r"\setminus": " \\ ",
    r"\dots": "…", r"\lfloor": "⌊", r"\rfloor": "⌋", r"\lceil": "⌈", r"\rceil": "⌉",
    r"\lvert": "|", r"\rvert": "|", r"\{": "{", r"\}": "}", r"\mid": " | ",
    r"\Phi": "Φ",
    r"\qquad": "   ", r"\quad": "  ", r"\,": "", r"\;": " ", r"\left": "", r"\right": "",
    "+": " + ", "-": " − ", "=": " = ", "<": " < ", ">": " > ", ",": ", ", "/": " / ", "*": "*",
}  # fmt: skip
WORDS = ("log", "ln", "exp", "min", "max", "sin", "cos", "arctan", "arcsin", "arccos", "sign")
LOW = str.maketrans("0123456789+-=()aehijklmnoprstuvx", "₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓ")
HIGH = str.maketrans(
    "0123456789+-=()abcdefghijklmnoprstuvwxyzABDEGHIJKLMNOPRTUVW",
    "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖʳˢᵗᵘᵛʷˣʸᶻᴬᴮᴰᴱᴳᴴᴵᴶᴷᴸᴹᴺᴼᴾᴿᵀᵁⱽᵂ",
)
BOUNDED = (r"\sum", r"\prod", r"\max", r"\min", r"\mathrm{median}")
PARTED = re.compile(  # what no factor begins with
    r"[-+=<>,;/)\]}^|]|\\(?:[a-z]*right|q?quad|[lgn]e\b|cdot|r[a-z]*\b|wedge)"
)
ACCENTS = {r"\hat": "\u0302", r"\bar": "\u0304", r"\tilde": "\u0303"}


def text(formula: str) -> str:
    r"""LaTeX as plain text.

    >>> text(r"\frac{1}{n} \sum_{i=1}^{n} (y_i - \hat{y}_i)^2")
    '1/n · Σᵢ₌₁ⁿ (yᵢ − ŷᵢ)²'
    """
    shown, _ = _run(TOKEN.findall(formula), 0)
    return unicodedata.normalize("NFC", re.sub(r" +", " ", shown).strip())


def mathml(formula: str) -> str:
    """LaTeX as MathML, which browsers show without scripts."""
    from latex2mathml.converter import convert  # only where a page is written

    return str(convert(formula, display="block"))


def _run(tokens: Sequence[str], at: int) -> tuple[str, int]:
    """The text up to the end of a group, and the place behind it."""
    parts = list[str]()
    while at < len(tokens) and tokens[at] != "}":
        part, at = _one(tokens, at)
        parts.append(part)
    shown = re.sub(r"(?<=[(\[⌈⌊{]) +(?=\S)|(?<=\S) +(?=[)\]⌉⌋},])", "", "".join(parts))
    return re.sub(r"(^|[(\[=/,·] ?) ?− ", r"\1−", shown), at + 1


def _one(tokens: Sequence[str], at: int) -> tuple[str, int]:
    """A sign or a group with what belongs to it, and the place behind it."""
    token, behind = tokens[at], at + 1
    if token == "{":
        return _run(tokens, behind)
    if token == r"\frac":
        return _quotient(tokens, behind)
    if token in ACCENTS:
        inner, behind = _one(tokens, behind)
        return inner + ACCENTS[token], behind
    if token == r"\sqrt":
        inner, behind = _one(tokens, behind)
        return f"√{inner if len(inner) == 1 else f'({inner})'}", behind
    if token in ("_", "^"):
        return _small(tokens, at)
    if token in BOUNDED and tokens[behind : behind + 1] == ["_"]:
        return _bounded(tokens, at)
    if token.startswith((r"\text{", r"\mathrm{")):
        return token.partition("{")[2][:-1].replace(r"\_", "_"), behind
    if token[1:] in WORDS:
        apart = tokens[behind : behind + 1] not in (["_"], ["("], ["^"])
        return f" {token[1:]}{' ' * apart}", behind
    return SIGNS.get(token, token), behind


def _quotient(tokens: Sequence[str], at: int) -> tuple[str, int]:
    """A fraction in a line; a factor behind it is parted from it by a sign."""
    part, at = _one(tokens, at)
    whole, at = _one(tokens, at)
    sides = _factor(part), _factor(whole)
    slash = "/" if sides == (part, whole) else " / "
    follows = at < len(tokens) and not PARTED.match(tokens[at])
    return slash.join(sides) + " · " * follows, at


def _small(tokens: Sequence[str], at: int) -> tuple[str, int]:
    """An index or an exponent, in small signs where there are any."""
    token, follows = tokens[at], tokens[at + 1]
    if (token, follows) == ("^", "*"):
        return "*", at + 2
    inner, at = _one(tokens, at + 1)
    small = inner.replace(" ", "").replace("−", "-").translate(LOW if token == "_" else HIGH)
    if not re.search(r"[a-zA-Z0-9+*∈≤≥(=,−-]", small):
        return small, at
    apart = token == "_" and at < len(tokens) and tokens[at] not in ("^", "}", ")", "]")
    return token + (inner if inner.isalnum() else f"({inner})") + " " * apart, at


def _bounded(tokens: Sequence[str], at: int) -> tuple[str, int]:
    """An operator with what it runs over."""
    shown = SIGNS.get(tokens[at]) or tokens[at].strip("\\{}").removeprefix("mathrm{")
    at += 1
    while at < len(tokens) and tokens[at] in ("_", "^"):
        bound, at = _one(tokens, at)
        shown += bound
    return f" {shown} ", at


def _factor(text: str) -> str:
    """The text, in parentheses unless it is one sign, number or name with its indices."""
    text = text.strip()
    marks = r"[*\u0300-\u030f₀-ₜ⁰-ⁿᵀ-ᵿ₊₋₌₍₎⁺⁻⁼⁽⁾]*"
    one = re.fullmatch(
        rf"(?:log\w?|ln|min|max)\([^()]*\)|[\d.]+{marks}|[^\W\d](?:_\w ?)?{marks}"
        r"|\|[^|]*\||[⌈⌊][^⌈⌊]*[⌉⌋]",
        unicodedata.normalize("NFD", text),
    )
    return text if one else f"({text})"
