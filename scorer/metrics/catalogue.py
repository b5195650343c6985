"""The catalogue of metrics: those that there are, their pages as text, and their sources."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files
from textwrap import indent
from typing import Any, NamedTuple

from scorer import __version__
from scorer.core.errors import UnknownName
from scorer.core.text import printable, quoted
from scorer.metrics.api import Metric
from scorer.metrics.notation import (
    UNSUPPORTED,
    NotationError,
    describe_parameters,
    format_value,
    parse,
)
from scorer.metrics.registry import MetricRegistry

Example = Callable[[Metric], str]  # a metric's worked example as text

MAX_PAGES = 5  # metrics whose pages are printed one after another
# letters of parameters in formulas, where they are not the names; see docs/metrics.md
LETTERS = {
    "alpha": r"\alpha",
    "beta": r"\beta",
    "epsilon": r"\epsilon",
    "eps": r"\epsilon",
    "max_grade": r"g_{\max}",
    "min_grade": r"g_{\min}",
    "depth": "D",
    "recall": r"\rho",
    "quantile": r"\tau",
    "catalogue": "I",
    "credit": "c",
    "page": "b",
    "none": "m",
    "bins": "B",
    "radius": r"\varrho",
    "c_fp": r"c_{\mathrm{fp}}",
    "c_fn": r"c_{\mathrm{fn}}",
    "c_tp": r"c_{\mathrm{tp}}",
    "iou": r"\mathrm{iou}",
    "tolerances": r"\mathrm{tolerances}",
    "cutoffs": r"\mathrm{cutoffs}",
}
DEFINES = r", \qquad "  # stands before the definition of a letter in a formula
TOOL = r"([^:;]+): ((?:[^;()]|\([^()]*\))+)(?:; |$)"
REMARK = r"\s*\(([^()]*)\)$"
# an entry of references.bib: the words by which sources cite it, itself, its key
ENTRY = r"(?m)^(?:% cited: (.+)\n)?(@\w+\{(\w+),\n(?:  .+\n)+\})"
ADDRESS = r"(?m)^  (?:doi|eprint|url) = \{(.*)\},$"
SPECIAL = str.maketrans({sign: rf"\{sign}" for sign in "&%$#_{}"} | {"\\": "/"})


@cache
def metrics() -> MetricRegistry:
    """Every metric that is installed; a challenge's own plug-ins are an overlay of it."""
    return MetricRegistry()


def overview(metrics: MetricRegistry) -> str:
    """One line for each metric, each name once, by the kinds of challenge that it is for."""
    by_kinds: dict[str, dict[str, str]] = {}
    kinds_of: dict[str, set[str]] = {}
    for metric in metrics:
        kinds_of.setdefault(metric.name, set()).update(metric.kinds)
    for metric in metrics:
        kinds = ", ".join(sorted(kinds_of[metric.name]))
        by_kinds.setdefault(kinds, {}).setdefault(format_notation(metric), first_sentence(metric))
    width = max(len(notation) for lines in by_kinds.values() for notation in lines)
    sections = []
    for kinds, lines in sorted(by_kinds.items()):
        shown = (f"  {notation:{width}}  {said}\n" for notation, said in lines.items())
        sections.append(f"{kinds}\n\n{''.join(shown)}")
    return "\n".join(sections) + "\nOne metric's page: score metrics NAME\n"


def page(metrics: MetricRegistry, name: str, example: Example = lambda metric: "") -> str:
    """A metric's documentation: its meaning, formula, an example, parameters and source.

    `example` gives the worked example of a metric as text. All metrics of that name, of each kind
    of challenge, by any name that tools or papers give it, or of these words; of more than a few
    their lines. Raises `UnknownName`.
    """
    found = find_metrics(metrics, name)
    if len({metric.name for metric in found}) > MAX_PAGES:
        lines = dict.fromkeys(f"{format_notation(metric)}: {metric.title}\n" for metric in found)
        return "".join(lines)
    return "\n".join(_page(metric, example) for metric in distinct_pages(found))


def distinct_pages(found: Iterable[Metric]) -> list[Metric]:
    """The metrics, one where several of one name have the same page."""
    pages: dict[tuple[str, str], Metric] = {}
    for metric in found:
        pages.setdefault((metric.name, metric.page), metric)
    return list(pages.values())


def find_metrics(metrics: MetricRegistry, words: str) -> Sequence[Metric]:
    """The metrics of a notation, else of a name elsewhere, else with all words on their pages."""
    name = words
    try:
        name = parse(words).name  # ndcg_cut_10 is nDCG, and so is nDCG@10
    except NotationError:
        if words.casefold() in UNSUPPORTED:
            raise
    try:
        return metrics.find_all(name, every=True)
    except UnknownName:
        if not (asked := _fold_name(words)):
            raise
        parts = words.casefold().split()
        by_name = [metric for metric in metrics if asked in map(_fold_name, names_of(metric))]
        if found := by_name or [m for m in metrics if all(p in _searched_text(m) for p in parts)]:
            return found
        raise


class ToolName(NamedTuple):
    """What another tool calls a metric, and how its values differ."""

    tool: str
    names: tuple[str, ...]
    remark: str


def tool_names(metric: Metric) -> list[ToolName]:
    """What other tools call a metric.

    >>> from scorer.metrics.separation import lrap
    >>> tool_names(lrap.metric)[1]
    ToolName(tool='DCASE', names=('lwlrap',), remark='average=pooled')
    """
    found = []
    for tool, text in re.findall(TOOL, metric.tools):
        remark = match[1] if (match := re.search(REMARK, text)) else ""
        found.append(ToolName(tool, tuple(re.sub(REMARK, "", text).split(", ")), remark))
    return found


def names_of(metric: Metric) -> Iterator[str]:
    """All names of a metric: its own, those in its title, those in other tools."""
    yield from (metric.name, *metric.aliases, metric.title)
    yield from re.split(r"[,:] (?:or )?", metric.title)
    for each in tool_names(metric):
        yield from each.names


def suggest_from_tools(metrics: MetricRegistry, name: str) -> str:
    """What a name of other tools is called here, `scikit-learn's f1_score is 'F1'`; else empty."""
    asked, tools = _fold_name(name), dict[str, str]()
    for metric in metrics:
        for each in tool_names(metric):
            if not each.remark and asked in map(_fold_name, each.names):
                tools.setdefault(metric.name, each.tool)
    return ", ".join(f"{tool}'s {name} is {quoted(ours)}" for ours, tool in tools.items())


def _fold_name(name: str) -> str:
    return re.sub(r"[\W_]+", "", name.casefold())


def _searched_text(metric: Metric) -> str:
    """The words that a metric is found by."""
    tools = (each.tool for each in tool_names(metric))
    return " ".join([*names_of(metric), *tools, first_sentence(metric)]).casefold()


def _page(metric: Metric, example: Example) -> str:
    parts = [f"{format_notation(metric)}: {metric.title}", page_prose(metric)]
    sections = {
        "Formula, in LaTeX": "\n".join(formula_lines(metric)),
        "A worked example": example(metric).rstrip(),
        "Parameters": "\n".join(_parameters(metric)),
    }
    parts += [f"{title}:\n\n{indent(text, '    ')}" for title, text in sections.items() if text]
    better = f"{metric.better} is better"
    facts = [
        f"For challenges of kind {' or '.join(sorted(all_kinds(metric)))}.",
        f"Range: {format_range(metric)}; {better}; over lists: {aggregate_of_lists(metric)}.",
    ]
    if metric.aliases:
        facts.append(f"Also called: {', '.join(metric.aliases)}.")
    for tool, names, remark in tool_names(metric):
        facts.append(f"In {tool}: {', '.join(names)}{f' ({remark})' if remark else ''}.")
    if metric.undefined:
        facts.append(f"No value where {metric.undefined}.")
    facts.append(f"Source: {metric.source}.")
    return "\n\n".join([*parts, "\n".join(facts)]) + "\n"


def all_kinds(metric: Metric) -> set[str]:
    """The kinds of challenge that its function is for."""
    declared: Metric = metric.function.metric  # type: ignore[attr-defined]
    return set(declared.kinds)


def aggregate_of_lists(metric: Metric) -> str:
    """How its lists make one number by default."""
    return "pooled" if metric.pooling in ("default", "always") else metric.aggregate


def format_range(metric: Metric) -> str:
    """The range of its values as text."""
    low, high = metric.range
    lowest = "-∞" if low is None else format_value(low)
    return f"from {lowest} to {'∞' if high is None else format_value(high)}"


def format_notation(metric: Metric) -> str:
    """How it is written: `P@k` where it needs its cut-off, `AP[@k]` where it may omit it."""
    field = metric.parameters.model_fields.get(metric.cutoff)
    if field is None:
        return metric.name
    symbol = {"cutoffs": "z1,z2,..", "recall": "r"}.get(metric.cutoff, "k")
    return f"{metric.name}@{symbol}" if field.is_required() else f"{metric.name}[@{symbol}]"


def first_sentence(metric: Metric) -> str:
    """The first sentence of its page."""
    return metric.page.split("\n\n")[0].replace("\n", " ")


def page_prose(metric: Metric) -> str:
    """Its page without the examples in Python."""
    paragraphs = list[str]()
    for paragraph in metric.page.split("\n\n"):
        words, python, _ = paragraph.partition(">>> ")
        if words.strip():
            paragraphs.append(words.rstrip())
        if python and paragraphs and paragraphs[-1].endswith(":"):
            paragraphs.pop()  # which leads to the example
    return "\n\n".join(paragraphs)


def _parameters(metric: Metric) -> list[str]:
    """A line for each parameter: its default, its choices, its description."""
    lines = []
    for name, parameter in describe_parameters(metric).items():
        default = f"default {format_value(parameter.default)}"
        parts = [
            "must be given" if parameter.required else default,
            " | ".join(parameter.choices),
            parameter.description,
        ]
        lines.append(f"{name}: " + "; ".join(part for part in parts if part))
    return lines


def formula_lines(metric: Metric, params: Mapping[str, Any] | None = None) -> list[str]:
    """The LaTeX of a metric's formula, and of the definitions behind it.

    With the parameters of a measure, also the numbers of the formula's letters, and what differs
    from the default form, which is the one that the formula has.
    """
    if not metric.latex:
        return []
    settings, others = [], []
    formula = re.sub(r"\\text\{[^}]*\}", "", metric.latex)
    for name, value in (params or {}).items():
        letter = LETTERS.get(name, name)
        if name == "rel" and value not in (None, 1):
            settings.append(rf"\mathrm{{rel}} = {value:.15g}")
        elif re.search(rf"(?<![a-zA-Z\\]){re.escape(letter)}(?![a-zA-Z])", formula):
            settings += [f"{letter} = {format_value(value)}"] if value is not None else []
        elif value != metric.parameters.model_fields[name].default:
            others.append(re.sub(r"([_{}])", r"\\\1", f"{name}={format_value(value)}"))
    if others:
        settings.append(rf"\text{{in the default form; the measure has {', '.join(others)}}}")
    return [*metric.latex.split(DEFINES), *settings]


def mathml(formula: str) -> str:
    """LaTeX as MathML, which browsers show without scripts."""
    from latex2mathml.converter import convert  # only where a page is written

    return str(convert(formula, display="block"))


def bibtex_entries() -> dict[str, str]:
    """The BibTeX entries of all sources by their keys, a field a line."""
    title, note = "scorer: the leaderboard scorer for challenges", f"Version {__version__}"
    entries = {key: entry for _, entry, key in _references()}
    return entries | {"scorer": _format_entry("scorer", "scorer", title, note)}


def bibtex_of(metric: Metric) -> dict[str, str]:
    """The BibTeX entries of a metric's sources by their keys, or of its `source` as it is."""
    named = {
        key: entry
        for cited, entry, key in _references()
        if (cited and cited in metric.source)
        or any(address in metric.source for address in re.findall(ADDRESS, entry))
    }
    if named:
        return named
    key = "metric" + re.sub(r"\W", "", metric.name)
    fields = (metric.name, metric.title, metric.source)
    plain = (printable(text, 1000).translate(SPECIAL) for text in fields)
    return {key: _format_entry(key, *plain)}


@cache
def _references() -> list[tuple[str, str, str]]:
    """The cited words, the text and the key of each entry of references.bib."""
    return re.findall(ENTRY, files("scorer.metrics").joinpath("references.bib").read_text("utf-8"))


def _format_entry(key: str, name: str, title: str, note: str) -> str:
    """An entry without an author, which BibTeX sorts by the field `key`."""
    return f"@misc{{{key},\n  key = {{{name}}},\n  title = {{{title}}},\n  note = {{{note}}},\n}}"
