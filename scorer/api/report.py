"""A leaderboard with its text: for a session, a notebook, a file."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count
from typing import TYPE_CHECKING, Any, Self

import polars as pl

from scorer.api.text import Renderable, as_html, as_renderable
from scorer.core.errors import UnknownName, UsageError
from scorer.core.text import format_number, printable, quoted
from scorer.metrics.notation import find_measure
from scorer.reports.base import ALIASES
from scorer.results import report as results
from scorer.results.json import ABSENT

if TYPE_CHECKING:
    from scorer.api.figures import Drawing

DECIMALS = 4  # that a notebook shows


def _html_row(tag: str, cells: Sequence[str]) -> str:
    """A row of a table in HTML."""
    return f"<tr>{''.join(f'<{tag}>{as_html(printable(c))}</{tag}>' for c in cells)}</tr>"


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Report(Renderable, results.Report):
    """A leaderboard: its numbers, and its text in every form."""

    subject = "leaderboard"

    @classmethod
    def of(cls, report: results.Report) -> Self:
        """A report with the same contents, which can be rendered."""
        return as_renderable(cls, report)

    def render(self, form: str | None = None, **options: Any) -> str:
        """The text of one form; as plain text with the problems of what was rejected below it.

        Args and raises as of every text.
        """
        text = Renderable.render(self, form, **options)  # slots make another class than super's
        rejected = [each for each in self.submissions if not each.valid]
        if (form or self.plain) not in ALIASES | {"text": ""} or not rejected:
            return text
        from scorer.reports.findings.problems import format_findings

        lines = [line for each in rejected for line in format_findings(each.findings, quiet=True)]
        return "\n".join([text, *lines, ""])

    def mean(self, name: str, measure: str | None = None) -> float:
        """A submission's value of a measure: its mean, its sum, or its one figure of all lists.

        Args:
            name: the submission's.
            measure: in any notation; default: the primary one.

        Raises:
            UnknownName: there is no such submission or measure.
            UsageError: the submission was rejected.
        """
        return self._value(name, measure).mean

    def per_list(self, name: str, measure: str | None = None) -> dict[str, float]:
        """A submission's value of every list, NaN where a list does not count.

        Args:
            name: the submission's.
            measure: in any notation; default: the primary one.

        Raises:
            UnknownName: there is no such submission or measure.
            UsageError: the submission was rejected, or the measure is one figure of all lists.
        """
        values = self._value(name, measure).per_list
        if values is None:
            raise UsageError(f"{measure or self.primary.id} is one figure of all lists together")
        return dict(zip(self.lists, values.tolist(), strict=True))

    def interval(self, name: str, measure: str | None = None) -> tuple[float, float]:
        """The interval of a submission's value, at the board's level (`leaderboard.intervals`).

        Args:
            name: the submission's.
            measure: in any notation; default: the primary one.

        Raises:
            UnknownName: there is no such submission or measure.
            UsageError: the submission was rejected, or the measure has no intervals.
        """
        self._value(name, measure)
        board = self._by(measure)
        found = next(row.interval for row in board.leaderboard if row.name == name)
        if found is None:
            raise UsageError(f"{board.primary.id} has no intervals{board._because()}")
        return float(found[0]), float(found[1])

    def metrics(self, name: str | None = None) -> dict[str, float]:
        """All means, and the ends of intervals, as `mlflow.log_metrics` takes them.

        A key is a measure, of an end with `/low` or `/high`; with all submissions, the submission
        stands before it (`bm25/nDCG_at_10`). `@` is written `_at_`, and what MLflow does not take
        in a name `_`. What has no value is left out.

        Args:
            name: the submission's; None: of all that are on the board.

        Raises:
            UnknownName: there is no such submission.
            UsageError: the submission was rejected.
        """
        if name is not None:
            self._value(name, None)
        flat: dict[str, float] = {}
        for row in (row for row in self.leaderboard if name in (None, row.name)):
            ends = zip(("low", "high"), row.interval or (), strict=False)
            values = {**row.values, **{f"{self.primary.id}/{end}": at for end, at in ends}}
            for key, value in values.items():
                if not math.isnan(value):
                    flat[_flat_name(key if name else f"{row.name}/{key}", flat)] = float(value)
        return flat

    def p(self, a: str, b: str, measure: str | None = None) -> float:
        """The p-value of the difference of two submissions, corrected as the board's are.

        Of the ranked, all pairs are one family; of a baseline its pairs with all of these.

        Args:
            a: a submission's name.
            b: another one's.
            measure: in any notation; default: the primary one.

        Raises:
            UnknownName: there is no such submission or measure.
            UsageError: one was rejected, or the measure has no tests here.
        """
        for name in (a, b):
            self._value(name, measure)
        certainty = self._by(measure).certainty
        names = () if certainty is None else certainty.names
        if certainty is not None and a in names and b in names:
            return float(certainty.p[names.index(a), names.index(b)])
        for baseline in () if certainty is None else certainty.baselines:
            if {a, b} - {baseline.name} <= {*names} and baseline.name in (a, b) and a != b:
                return float(baseline.p[names.index(b if baseline.name == a else a)])
        raise UsageError(f"{quoted(a)} and {quoted(b)} have no test{self._by(measure)._because()}")

    def plot(self, measure: str | None = None) -> Drawing:
        """The picture of the HTML page: `figure("forest")`, which see.

        Args:
            measure: in any notation; default: the primary one.

        Raises:
            UnknownName: there is no such measure.
            UsageError: no submission has a value.
        """
        return self.figure("forest", measure)

    def figure(self, kind: str, measure: str | None = None, width: str = "160mm") -> Drawing:
        """A picture, which a notebook shows: `report.figure("forest").write("forest.pdf")`.

        Args:
            kind: forest, pairs, pareto, values, lists, differences or curves; of several
                pictures the first.
            measure: in any notation; default: the primary one.
            width: such as `84mm`, `17cm` or `3.3in`.

        Raises:
            UnknownName: there is no such kind or measure.
            UsageError: the report has nothing for it, or the width is none.
        """
        from scorer.api.figures import drawings
        from scorer.reports.pictures.kinds import KINDS

        drawn = next(drawings(self._by(measure), kind, width), None)
        if drawn is None:
            raise UsageError(f"no {kind}: it takes {KINDS[kind].needs}")
        return drawn

    def _because(self) -> str:
        return f": {self.no_certainty}" if self.no_certainty else ""

    def _by(self, measure: str | None) -> Report:
        """The same board with the intervals and tests of another measure."""
        chosen = self.primary if measure is None else find_measure(self.measures, measure)
        if chosen is None:
            raise UnknownName("measure here", str(measure), [m.id for m in self.measures])
        return self if chosen.id == self.primary.id else _of_measure(self, chosen.id)

    def _value(self, name: str, measure: str | None) -> results.Value:
        scored = next(
            (submission for submission in self.submissions if submission.name == name), None
        )
        if scored is None:
            raise UnknownName(
                "submission", name, [submission.name for submission in self.submissions]
            )
        chosen = self.primary if measure is None else find_measure(self.measures, measure)
        if chosen is None:
            raise UnknownName(
                "measure here", str(measure), [candidate.id for candidate in self.measures]
            )
        if not scored.valid:
            first = next(problem for problem in scored.findings if problem.severity == "error")
            raise UsageError(f"{quoted(name)} was rejected: {first}")
        return scored.values[chosen.id]

    def to_dict(self, *, per_list: bool = False) -> dict[str, Any]:
        """Everything that the JSON report holds; no value is None.

        Args:
            per_list: whether the values of every list are in it.
        """
        parsed: dict[str, Any] = json.loads(self.render("json", per_list=per_list))
        return parsed

    def to_polars(self, *, per_list: bool = False) -> pl.DataFrame:
        """The leaderboard as a data frame, a row a standing.

        Args:
            per_list: a row for each submission and list instead.
        """
        import polars as pl

        if per_list:
            rows = [
                {"name": submission.name, "list": name}
                | {
                    key: math.nan if value.per_list is None else float(value.per_list[n])
                    for key, value in submission.values.items()
                }
                for submission in self.submissions
                if submission.valid
                for n, name in enumerate(self.lists)
            ]
            numbers = {measure.id: pl.Float64 for measure in self.measures}
            return pl.DataFrame(rows, {"name": pl.String, "list": pl.String, **numbers})
        ends = [standing.interval or (None, None) for standing in self.leaderboard]
        return pl.DataFrame(
            {
                "rank": pl.Series([standing.rank for standing in self.leaderboard], dtype=pl.Int64),
                "name": pl.Series(
                    [standing.name for standing in self.leaderboard], dtype=pl.String
                ),
                **{
                    measure.id: pl.Series(
                        [standing.values[measure.id] for standing in self.leaderboard],
                        dtype=pl.Float64,
                    )
                    for measure in self.measures
                },
                "low": pl.Series([low for low, _ in ends], dtype=pl.Float64),
                "high": pl.Series([high for _, high in ends], dtype=pl.Float64),
                "tier": pl.Series([standing.tier for standing in self.leaderboard], dtype=pl.Int64),
                "baseline": pl.Series(
                    [standing.baseline for standing in self.leaderboard], dtype=pl.Boolean
                ),
            }
        )

    def _repr_html_(self) -> str:
        """The leaderboard as a table, who was rejected, and what to know beside the numbers."""
        from scorer.reports.findings.problems import counted, format_findings
        from scorer.reports.leaderboard import cells
        from scorer.reports.leaderboard.remarks import remarks

        primary, ends = self.primary, cells.level(self)
        others = [measure for measure in self.measures if measure is not primary]
        heads = [cells.head_of(measure, self) for measure in (primary, *others)]
        head = ["rank", "name", heads[0], *([ends] if ends else []), *heads[1:]]
        rows = [
            [
                cells.place(row),
                row.name,
                cells.mean_of(row, primary, DECIMALS),
                *([cells.interval(row, primary, DECIMALS)] if ends else []),
                *(cells.mean_of(row, measure, DECIMALS) for measure in others),
            ]
            for row in self.leaderboard
        ]
        rejected = [
            line
            for submission in self.submissions
            if not submission.valid
            for line in (
                f"{submission.name}: not scored, {counted(submission.findings)}",
                *format_findings(submission.findings, quiet=True),
            )
        ]
        notes = [*rejected, *remarks(self, DECIMALS)]
        return "".join(
            [
                "<table><thead>",
                _html_row("th", head),
                "</thead><tbody>",
                *(_html_row("td", row) for row in rows),
                "</tbody></table>",
                *(f"<p>{as_html(printable(note, 1000))}</p>" for note in notes),
            ]
        )

    def __repr__(self) -> str:
        leaders = ", ".join(
            f"{printable(standing.name, 40)} {format_number(standing.values[self.primary.id])}"
            for standing in self.leaderboard[:3]
        )
        rejected = sum(not submission.valid for submission in self.submissions)
        return (
            f"<Report of {len(self.submissions):,} submissions on {len(self.lists):,} lists"
            f"{f', {rejected:,} rejected' if rejected else ''}; "
            f"{printable(self.primary.id, 60)}: {leaders or 'none'}>"
        )


def _flat_name(text: str, taken: Mapping[str, object]) -> str:
    """A name of letters, digits and `_-./ ` for a text, which none of those taken has."""
    name = re.sub(r"[^\w./ -]+", "_", text.replace("@", "_at_"), flags=re.ASCII).strip("_")
    others = (f"{name}_{n}" for n in count(2))
    return name if name not in taken else next(other for other in others if other not in taken)


def _of_measure(report: Report, measure: str) -> Report:
    """The board as if another measure were the primary one."""
    from scorer.leaderboard.certainty import with_certainty

    measures = tuple(replace(each, primary=each.id == measure) for each in report.measures)
    rows = tuple(
        replace(row, interval=None, fewer_lists=None, front=ABSENT) for row in report.leaderboard
    )
    bare = replace(report, measures=measures, leaderboard=rows, certainty=None, no_certainty=None,
                   pareto=ABSENT, tracks=ABSENT)  # fmt: skip
    return Report.of(with_certainty(bare, {}, report.clusters))
