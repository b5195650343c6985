"""Scorecards: the raw values of submissions."""

from __future__ import annotations

import io
import json
from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from scorer.challenge.model import Challenge
from scorer.core.arrays import Floats, Mask
from scorer.core.problems import Findings
from scorer.results.columns import NO_COLUMNS, Groups, ListColumns
from scorer.views.pooled import Statistics
from scorer.views.positions import Positions

Missing = Literal["error", "zero", "skip"]
Undefined = Literal["zero", "skip", "error", "worst"]
# the state of a list for a measure; undefined because of the truth, or of the submission
SCORED, MISSING, UNDEFINED, WITHHELD = 0, 1, 2, 3
NOT_GIVEN = -np.inf  # the raw value of a list that has none because of the submission
# after a measure's id: its statistics of the truth as a submission, where it is split in groups
# or folds. A part without a value there has none because of the truth.
OF_TRUTH = "\n\n"
POSITIONS = ("in_list", "position", "grade", "truth_list", "truth_grade")


class Rules(NamedTuple):
    """How lists without a value count: settled by the challenge, for one measure."""

    missing: Missing = "error"
    undefined: Undefined = "zero"

    @classmethod
    def of(cls, challenge: Challenge, zero_is_low: bool) -> Rules:
        """The rules of a challenge, for measures of which 0 is a low value, or is none."""
        undefined = challenge.undefined or ("zero" if zero_is_low else "error")
        return cls(challenge.submission.missing_list or "error", undefined)


class Scorecard(NamedTuple):
    """All values of one submission, raw: no rule has been applied to them yet.

    Identified by `digests`: submission, rules, truth, plugins, and scorer's version.
    """

    lists: Sequence[str]  # the truth's, in the order of their names
    answered: Mask  # one a list: whether the submission has it
    # measure id -> one a list; NaN where undefined, NOT_GIVEN where because of the submission
    values: Mapping[str, Floats]
    statistics: Mapping[str, Statistics] = {}  # of whole-challenge measures
    digests: Mapping[str, str] = {}
    positions: Positions | None = None  # of the relevant items, where preferences are asked
    columns: ListColumns = NO_COLUMNS  # what measures need to know of the lists

    def of_figure(self, measure: str) -> Statistics | None:
        """The statistics of a figure of all lists, with the lists' names and groups."""
        statistics = self.statistics.get(measure)
        if statistics is None:
            return None
        groups = self.columns.groups.get("group")
        group_names = (
            () if groups is None else [groups.names[code] for code in groups.codes.tolist()]
        )
        return statistics._replace(names=self.lists, groups=group_names)

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
        for n, statistics in enumerate(self.statistics.values()):
            arrays[f"in_list{n}"] = statistics.in_list
            arrays[f"rows{n}"] = statistics.rows
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
            "statistics": list(self.statistics),
            "texts": [statistics.texts for statistics in self.statistics.values()],
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
            texts = head.get("texts") or [()] * len(head["statistics"])
            return cls(
                lists,
                arrays["answered"],
                {name: arrays[f"values{n}"] for n, name in enumerate(head["values"])},
                {
                    name: Statistics(
                        arrays[f"in_list{n}"], arrays[f"rows{n}"], len(lists), texts=tuple(texts[n])
                    )
                    for n, name in enumerate(head["statistics"])
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


class Outcome(NamedTuple):
    """What scoring gives for one submission."""

    findings: Findings
    sha256: str | None  # None: the file cannot be read
    card: Scorecard | None  # None: rejected, or only checked
    folds: Mapping[str, Scorecard] = {}  # fold -> scored by its truth
