"""The catalogue of metrics as text: the overview, one metric's page."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from textwrap import indent
from typing import Any

from scorer.core.errors import UnknownName
from scorer.core.registry import Registry
from scorer.core.text import quoted
from scorer.metrics.base import Metric
from scorer.metrics.formulas import lines, text
from scorer.metrics.measure import measure
from scorer.metrics.notation import ANSWERS, NotationError, parse, written

Worked = Callable[[Metric], str]

FEW = 5  # metrics whose pages are printed one after another


def overview(metrics: Registry[Metric]) -> str:
    """One line for each metric."""
    width = max(len(notation(metric)) for metric in metrics)
    lines = [f"{notation(metric):{width}}  {metric.title}" for metric in metrics]
    return "\n".join(lines) + "\n\nOne metric's page: score metrics NAME\n"


def page(metrics: Registry[Metric], name: str, worked: Worked = lambda metric: "") -> str:
    """A metric's documentation: its formula, meaning, an example, parameters and source.

    `worked` gives the example of a metric as text. All metrics of that name, of each kind of
    challenge, by any name that tools or papers give it, or of these words; of more than a few
    their lines. Raises `UnknownName`.
    """
    found = found_by(metrics, name)
    if len({metric.name for metric in found}) > FEW:
        return "".join(f"{notation(metric)}: {metric.title}\n" for metric in found)
    return "\n".join(_page(metric, name, worked) for metric in found)


def found_by(metrics: Registry[Metric], words: str) -> Sequence[Metric]:
    """The metrics of a notation, else of a name elsewhere, else with all words on their pages."""
    name = words
    try:
        name = parse(words)[0]  # ndcg_cut_10 is nDCG, and so is nDCG@10
    except NotationError:
        if words.casefold() in ANSWERS:
            raise
    try:
        return metrics.named(name, every=True)
    except UnknownName:
        if not (asked := _folded(words)):
            raise
        parts = words.casefold().split()
        by_name = [metric for metric in metrics if asked in map(_folded, names(metric))]
        if found := by_name or [m for m in metrics if all(p in _text(m) for p in parts)]:
            return found
        raise


def names(metric: Metric) -> Iterator[str]:
    """All names of a metric: its own, those in its title, those elsewhere."""
    yield from (metric.name, *metric.aliases, metric.title)
    yield from re.split(r"[,:] (?:or )?", metric.title)
    for elsewhere in metric.elsewhere.values():
        yield from elsewhere.partition(";")[0].split(", ")


def told_elsewhere(metrics: Registry[Metric], name: str) -> str:
    """What a name of other tools is called here, `scikit-learn's f1_score is 'F1'`; else empty."""
    asked, told = _folded(name), dict[str, str]()
    for metric in metrics:
        for tool, called in metric.elsewhere.items():
            if asked in map(_folded, called.split(", ")):  # without a remark
                told.setdefault(metric.name, tool)
    return ", ".join(f"{tool}'s {name} is {quoted(ours)}" for ours, tool in told.items())


def _folded(name: str) -> str:
    return re.sub(r"[\W_]+", "", name.casefold())


def _text(metric: Metric) -> str:
    return " ".join([*names(metric), *metric.elsewhere, lead(metric)]).casefold()


def _page(metric: Metric, asked: str, worked: Worked) -> str:
    parts = [f"{notation(metric)}: {metric.title}"]
    if formula := lines(metric, _params(metric, asked)):
        parts.append("\n".join(f"    {text(line)}" for line in formula))
    parts.append(metric.prose)
    if example := worked(metric):
        parts.append(f"A worked example:\n\n{indent(example.rstrip(), '    ')}")
    if parameters := _parameters(metric):
        parts.append("Parameters:\n\n" + "\n".join(f"    {line}" for line in parameters))
    facts = [f"For challenges of kind {' or '.join(sorted(metric.kinds))}."]
    facts += [f"Range: {span(metric)}; {metric.better} is better; over lists: {metric.aggregate}."]
    if metric.aliases:
        facts.append(f"Also called: {', '.join(metric.aliases)}.")
    facts += [f"In {tool}: {name}." for tool, name in metric.elsewhere.items()]
    if metric.undefined:
        facts.append(f"No value where {metric.undefined}.")
    facts.append(f"Source: {metric.source}.")
    return "\n\n".join([*parts, "\n".join(facts)]) + "\n"


def span(metric: Metric) -> str:
    """From where to where its values are."""
    low, high = metric.range
    return (
        f"from {'-∞' if low is None else written(low)} to {'∞' if high is None else written(high)}"
    )


def _params(metric: Metric, asked: str) -> dict[str, Any] | None:
    """The parameters that a notation gives; None where it is a name alone, or not of this one."""
    with suppress(NotationError):
        if any(parse(asked)[1:]):
            return measure(metric, asked).params
    return None


def notation(metric: Metric) -> str:
    """How it is written: `P@k` where it needs its cut-off, `AP[@k]` where it may omit it."""
    field = metric.parameters.model_fields.get(metric.at)
    if field is None:
        return metric.name
    symbol = "z1,z2,.." if metric.at == "cutoffs" else "r" if metric.at == "recall" else "k"
    return f"{metric.name}@{symbol}" if field.is_required() else f"{metric.name}[@{symbol}]"


def lead(metric: Metric) -> str:
    """The first sentence of its page."""
    return metric.page.split("\n\n")[0].replace("\n", " ")


def _parameters(metric: Metric) -> list[str]:
    schema: dict[str, Any] = metric.parameters.model_json_schema()["properties"]
    lines = []
    for name, field in metric.parameters.model_fields.items():
        facts = schema.get(name, {})
        choices = [
            str(written(choice))
            for part in (facts, *facts.get("anyOf", ()))
            for choice in part.get("enum", [])
        ]
        default = "must be given" if field.is_required() else f"default {written(field.default)}"
        parts = [default, " | ".join(choices), str(facts.get("description", ""))]
        lines.append(f"{name}: " + "; ".join(part for part in parts if part))
    return lines
