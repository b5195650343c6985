"""Scorecards: the raw values of submissions, with the groups and weights of lists."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Mapping, Sequence
from functools import partial
from importlib import import_module
from types import ModuleType
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from scorer.challenge.model import Challenge
from scorer.core.arrays import Floats, Ints, Mask
from scorer.core.errors import PluginError
from scorer.core.plugins import MARK, PLUGIN
from scorer.core.problems import Findings
from scorer.metrics.ratios import Figure, Ratio
from scorer.views.preferences import Positions

Missing = Literal["error", "zero", "skip"]
Undefined = Literal["zero", "skip", "error", "worst"]
# the state of a list for a measure; undefined because of the truth, or of the submission
SCORED, MISSING, UNDEFINED, WITHHELD = 0, 1, 2, 3
NOT_GIVEN = -np.inf  # the raw value of a list that has none because of the submission
# after a measure's id: its figure of the truth as a submission, where it is split in groups
# or folds. A part without a value there has none because of the truth.
OF_TRUTH = "\n\n"
POSITIONS = ("in_list", "position", "grade", "truth_list", "truth_grade")


class Rules(NamedTuple):
    """How lists without a value count: settled by the challenge, for one measure."""

    missing: Missing = "error"
    undefined: Undefined = "zero"

    @classmethod
    def of(cls, challenge: Challenge, zero_is_bad: bool) -> Rules:
        """Return the rules of a challenge, for measures for which 0 is a low value, or is not."""
        undefined = challenge.undefined or ("zero" if zero_is_bad else "error")
        return cls(challenge.submission.missing_list or "error", undefined)


class Groups(NamedTuple):
    """The group of each list."""

    names: tuple[str, ...]  # all that the challenge has, whatever lists are here
    codes: Ints  # (lists,)


WHERE = "where "
CHOSEN = ("", "chosen")  # the groups of a condition: lists of which it is not true, and others


class ListColumns(NamedTuple):
    """The groups and weights of lists, by the names of their columns.

    A condition is a column of two groups, called by its text after `WHERE`.
    """

    groups: Mapping[str, Groups] = {}
    weights: Mapping[str, Floats] = {}  # (lists,)

    def chosen(self, where: str) -> Mask:
        """Return for which lists a condition is true: shape (lists,)."""
        mask: Mask = self.groups[WHERE + where].codes == 1
        return mask

    def at(self, rows: Any) -> ListColumns:
        """The columns of some of the lists: places, or a mask."""
        if not self.groups and not self.weights:
            return self
        return ListColumns(
            {
                name: Groups(column.names, column.codes[rows])
                for name, column in self.groups.items()
            },
            {name: column[rows] for name, column in self.weights.items()},
        )


NO_COLUMNS = ListColumns()


class Scorecard(NamedTuple):
    """All values of one submission, raw: no rule has been applied to them yet.

    Identified by `digests`: submission, rules, truth, plugins, and scorer's version.
    """

    lists: Sequence[str]  # the truth's, in the order of their names
    answered: Mask  # one a list: whether the submission has it
    # measure id -> one a list; NaN where undefined, NOT_GIVEN where because of the submission
    values: Mapping[str, Floats]
    figures: Mapping[str, Ratio | Figure] = {}  # of measures whose lists are pooled
    digests: Mapping[str, str] = {}
    positions: Positions | None = None  # of the relevant items, where preferences are asked
    columns: ListColumns = NO_COLUMNS  # what measures need to know of the lists

    def states(self, measure: str, rules: Rules) -> NDArray[np.uint8]:
        """SCORED, MISSING, UNDEFINED or WITHHELD for each list.

        A list that is left out is scored as an empty one, so it can be
        undefined too; where such lists are skipped, that decides first.
        """
        values, missing = self.values[measure], ~self.answered
        asked = self.answered if rules.missing == "skip" else np.ones_like(missing)
        states = np.full(missing.size, SCORED, dtype=np.uint8)
        states[missing] = MISSING
        states[np.isnan(values) & asked] = UNDEFINED
        states[(values == NOT_GIVEN) & asked] = WITHHELD
        return states

    def to_bytes(self) -> bytes:
        """Everything, as `from_bytes` reads it back, to the bit."""
        arrays: dict[str, Any] = {"answered": self.answered}
        for n, values in enumerate(self.values.values()):
            arrays[f"values{n}"] = values
        figures = [_describe_figure(figure) for figure in self.figures.values()]
        for n, (_, columns) in enumerate(figures):
            arrays |= {f"figure{n}.{name}": column for name, column in columns.items()}
        if (positions := self.positions) is not None:
            for name in POSITIONS:
                arrays[name] = getattr(positions, name)
        for n, groups in enumerate(self.columns.groups.values()):
            arrays[f"group{n}"] = groups.codes
        for n, weights in enumerate(self.columns.weights.values()):
            arrays[f"weight{n}"] = weights
        head = {
            "groups": {name: column.names for name, column in self.columns.groups.items()},
            "weights": list(self.columns.weights),
            "positions": positions is not None,
            "lists": list(self.lists),
            "values": list(self.values),
            "figures": {
                name: {**fields, "columns": list(columns)}
                for name, (fields, columns) in zip(self.figures, figures, strict=True)
            },
            "digests": dict(self.digests),
        }
        arrays["head"] = np.frombuffer(json.dumps(head).encode(), dtype=np.uint8)
        buffer = io.BytesIO()
        np.savez(buffer, **arrays)
        return buffer.getvalue()

    @classmethod
    def from_bytes(cls, data: bytes) -> Scorecard:
        """The scorecard that `to_bytes` wrote."""
        with np.load(io.BytesIO(data), allow_pickle=False) as arrays:
            head = json.loads(arrays["head"].tobytes())
            lists = tuple(head["lists"])
            return cls(
                lists,
                arrays["answered"],
                {name: arrays[f"values{n}"] for n, name in enumerate(head["values"])},
                {
                    name: _restore_figure(
                        fields, {each: arrays[f"figure{n}.{each}"] for each in fields["columns"]}
                    )
                    for n, (name, fields) in enumerate(head["figures"].items())
                },
                head["digests"],
                Positions(**{name: arrays[name] for name in POSITIONS}, lists=len(lists))
                if head["positions"]
                else None,
                ListColumns(
                    {
                        name: Groups(tuple(names), arrays[f"group{n}"])
                        for n, (name, names) in enumerate(head.get("groups", {}).items())
                    },
                    {name: arrays[f"weight{n}"] for n, name in enumerate(head.get("weights", ()))},
                ),
            )


# fields of figures that are stored as they are
PLAIN_FIELDS = ("no_bootstrap", "smooth", "zero_weights", "class_columns", "formula")


def _describe_figure(figure: Ratio | Figure) -> tuple[dict[str, Any], dict[str, Any]]:
    """A figure as what JSON holds, and its arrays by name."""
    if isinstance(figure, Ratio):
        arrays = {"numerator": figure.numerator, "denominator": figure.denominator}
        return {"transform": _describe_function(figure.transform)}, arrays
    fields = {name: getattr(figure, name) for name in PLAIN_FIELDS}
    columns = {"in_list": figure.in_list, **figure.columns}
    return {"function": _describe_function(figure.function), **fields}, columns


def _restore_figure(fields: Mapping[str, Any], arrays: dict[str, Any]) -> Ratio | Figure:
    """The figure that `_describe_figure` described."""
    if "function" not in fields:
        transform = _restore_function(fields["transform"])
        return Ratio(arrays["numerator"], arrays["denominator"], transform=transform)
    plain = {name: fields[name] for name in PLAIN_FIELDS}
    plain["class_columns"] = tuple(plain["class_columns"])
    function = _restore_function(fields["function"])
    in_list = arrays.pop("in_list")
    return Figure(function, arrays, in_list, **plain)


def _describe_function(function: Any) -> Any:
    """A function by its module and name, a `partial` of one with its arguments by name."""
    if isinstance(function, partial):
        settings = {name: _describe_function(each) for name, each in function.keywords.items()}
        return {**_describe_function(function.func), "settings": settings}
    if callable(function):
        return {"module": function.__module__, "name": function.__name__}
    return {"value": function}


def _restore_function(fields: Mapping[str, Any]) -> Any:
    """The function that `_describe_function` described; `PluginError` if it is not there.

    Only a module of scorer is imported, and only a module with metrics has such functions: a
    stored scorecard cannot name others.
    """
    if "value" in fields:
        return fields["value"]
    name = fields["module"]
    module = import_module(name) if name.startswith("scorer.") else _loaded_module(name)
    function: Any = getattr(module, fields["name"], None)
    of_metrics = name.startswith(("scorer.metrics.", "scorer.scoring.kaggle", PLUGIN)) or any(
        hasattr(value, MARK) for value in vars(module or sys).values()
    )
    at_home = module is not None and getattr(function, "__module__", None) == module.__name__
    if not (of_metrics and at_home):
        message = f"a stored figure is computed by {fields['name']} of {name}, which is not here"
        raise PluginError(message)
    settings = {key: _restore_function(each) for key, each in fields.get("settings", {}).items()}
    return partial(function, **settings) if settings else function


def _loaded_module(name: str) -> ModuleType | None:
    """Return a module if it is loaded; of a plugin also one of the same file at another path."""
    if name in sys.modules or not name.startswith(PLUGIN):
        return sys.modules.get(name)
    same_content = f"{name.rpartition('_')[0]}_"
    return next((sys.modules[n] for n in reversed(sys.modules) if n.startswith(same_content)), None)


class ItemOverlap(NamedTuple):
    """How many of a submission's items occur in the truth.

    Attributes:
        known: The items that do.
        items: All different items of the submission.
        reason: What explains the others, with an example; empty if nothing is found.
    """

    known: int
    items: int
    reason: str = ""


class Outcome(NamedTuple):
    """What scoring gives for one submission."""

    findings: Findings
    sha256: str | None  # None: the file cannot be read
    card: Scorecard | None  # None: rejected, or only checked
    folds: Mapping[str, Scorecard] = {}  # fold -> scored by its truth
    description: str = ""  # of a file that was only checked, what it looks like
    overlap: ItemOverlap | None = None  # if hardly any item is in the truth; for organizers alone
