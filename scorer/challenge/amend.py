"""A deadline or a quota changed in the text of a challenge.yaml, all else left as it is written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import yaml

from scorer.core.errors import UsageError
from scorer.core.text import quoted

BY_HAND = "; change challenge.yaml by hand, and re-score"


def amended(text: str, phase: str, changes: Mapping[str, str]) -> str:
    r"""The text with other values of keys of a phase, such as `closes` or `quota.per_day`.

    Comments, order and the form of everything else stay.

    >>> amended("phases: [{id: main}]  # one", "main", {"closes": "2026-05-01T12:00:00+02:00"})
    'phases: [{id: main, closes: 2026-05-01T12:00:00+02:00}]  # one'
    >>> print(amended("phases:\n  - id: main\n    quota: {total: 9}", "main",
    ...               {"quota.total": "5", "quota.per_day": "2"}))
    phases:
      - id: main
        quota: {total: 5, per_day: 2}

    Raises:
        UsageError: it has no such phase in a form that can be changed so.
    """
    for path, value in changes.items():
        text = _with(text, _phase(text, phase), path.split("."), value)
    return text


def _phase(text: str, phase: str) -> yaml.MappingNode:
    root = yaml.compose(text, yaml.SafeLoader)
    phases = _node_at(root, "phases") if isinstance(root, yaml.MappingNode) else None
    for node in phases.value if isinstance(phases, yaml.SequenceNode) else ():
        if (
            isinstance(node, yaml.MappingNode)
            and (id := _node_at(node, "id"))
            and id.value == phase
        ):
            return node
    raise UsageError(f"no phase {quoted(phase)} is written in this challenge{BY_HAND}")


def _node_at(node: yaml.MappingNode, key: str) -> yaml.Node | None:
    return next((value for name, value in node.value if name.value == key), None)


def _with(text: str, node: yaml.MappingNode, path: Sequence[str], value: str) -> str:
    """The text in which the value at a path below a mapping is another one."""
    key, *more = path
    found = _node_at(node, key)
    if more and isinstance(found, yaml.MappingNode):
        return _with(text, found, more, value)
    if more:
        value = f"{{{more[0]}: {value}}}"
    if found is None:
        return _inserted(text, node, f"{key}: {value}")
    head = text[: found.start_mark.index]
    blank = " " * head.endswith(":")  # of a key without a value
    return f"{head}{blank}{value}{text[found.end_mark.index :]}"


def _inserted(text: str, node: yaml.MappingNode, line: str) -> str:
    """The text with one more key of a mapping: at the end of one in braces, else at its begin."""
    if node.flow_style:
        place = node.end_mark.index - 1
        return f"{text[:place].rstrip()}{', ' if node.value else ''}{line}{text[place:]}"
    mark = node.start_mark
    return f"{text[: mark.index]}{line}\n{' ' * mark.column}{text[mark.index :]}"
