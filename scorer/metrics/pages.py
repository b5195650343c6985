"""The catalogue of metrics as text: the overview, one metric's page, the README's table."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from scorer.core.registry import Registry
from scorer.metrics.base import Metric
from scorer.metrics.formulas import lines, text
from scorer.metrics.measure import measure
from scorer.metrics.notation import NotationError, parse, written


def overview(metrics: Registry[Metric]) -> str:
    """One line for each metric."""
    width = max(len(notation(metric)) for metric in metrics)
    lines = [f"{notation(metric):{width}}  {metric.title}" for metric in metrics]
    return "\n".join(lines) + "\n\nOne metric's page: score metrics NAME\n"


def page(metrics: Registry[Metric], name: str) -> str:
    """A metric's documentation: its meaning, parameters and source.

    All metrics of that name, of each kind of challenge. Raises `UnknownName`.
    """
    asked = name
    with suppress(NotationError):
        name = parse(name)[0]  # ndcg_cut_10 is nDCG, and so is nDCG@10
    return "\n".join(_page(metric, asked) for metric in metrics.named(name, every=True))


def _page(metric: Metric, asked: str) -> str:
    parts = [f"{notation(metric)}: {metric.title}"]
    if formula := lines(metric, _params(metric, asked)):
        parts.append("\n".join(f"    {text(line)}" for line in formula))
    parts.append(metric.page)
    if parameters := _parameters(metric):
        parts.append("Parameters:\n\n" + "\n".join(f"    {line}" for line in parameters))
    low, high = metric.range
    span = (
        f"from {'-∞' if low is None else written(low)} to {'∞' if high is None else written(high)}"
    )
    facts = [f"For challenges of kind {' or '.join(sorted(metric.kinds))}."]
    facts += [f"Range: {span}; {metric.better} is better; over lists: {metric.aggregate}."]
    if metric.aliases:
        facts.append(f"Also called: {', '.join(metric.aliases)}.")
    facts.append(f"Source: {metric.source}.")
    return "\n\n".join([*parts, "\n".join(facts)]) + "\n"


def _params(metric: Metric, asked: str) -> dict[str, Any] | None:
    """The parameters that a notation gives; None where it is a name alone, or not of this one."""
    with suppress(NotationError):
        if any(parse(asked)[1:]):
            return measure(metric, asked).params
    return None


def table(metrics: Registry[Metric]) -> str:
    """The table of metrics in Markdown, as README holds it."""
    rows = [f"| `{notation(metric)}` | {metric.title} | {_lead(metric)} |" for metric in metrics]
    return "\n".join(["| metric | name | what it says |", "|---|---|---|", *rows]) + "\n"


def notation(metric: Metric) -> str:
    """How it is written: `P@k` where it needs its cut-off, `AP[@k]` where it may omit it."""
    field = metric.parameters.model_fields.get(metric.at)
    if field is None:
        return metric.name
    symbol = "z1,z2,.." if metric.at == "cutoffs" else "r" if metric.at == "recall" else "k"
    return f"{metric.name}@{symbol}" if field.is_required() else f"{metric.name}[@{symbol}]"


def _lead(metric: Metric) -> str:
    return metric.page.split("\n\n")[0].replace("\n", " ").replace("|", "\\|")


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
