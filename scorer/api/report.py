"""What scoring, comparing and checking give, with its text: for a session, a notebook, a file."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from scorer.bytes.write import write
from scorer.challenge.model import Challenge
from scorer.core.errors import UnknownName, UsageError
from scorer.core.text import printable, quoted
from scorer.metrics.measure import find
from scorer.reports.base import Options, form_at, form_names, form_of
from scorer.results import report as results
from scorer.results.report import Scored
from scorer.results.sums import Unnamed

if TYPE_CHECKING:
    import polars as pl

    from scorer.results.comparison import Pairing

READ = (
    "text",
    "table",
    "markdown",
    "latex",
)  # forms of a comparison that a person reads from end to end
DECIMALS = 4  # that a notebook shows


class Text:
    """A result with several forms of text: printed, shown in a notebook, written to a file."""

    __slots__ = ()
    subject = ""  # of its forms
    plain = "table"  # the form that is printed

    def content(self) -> Any:
        """The data that the form writes."""
        return self

    def render(self, form: str | None = None, **options: Any) -> str:
        """The text of one form: table, html, json, csv, markdown, latex, ...

        Args:
            form: its name; default: the one that is printed.
            options: how it looks: `precision`, `per_list`, `private`, ... as in
                `scorer.reports.base.Options`.

        Raises:
            UnknownName: there is no such form.
            TypeError: there is no such option.
            UsageError: values of lists are asked for that are too many to be here.
        """
        chosen = Options(**options)
        self._refuse(chosen)
        return form_of(self.subject, form or self.plain).write(self.content(), chosen)

    def _refuse(self, options: Options) -> None:
        """Refuse to show what is not there: `UsageError`."""

    def write(self, path: str | PathLike[str], **options: Any) -> None:
        """Write a file in the form that its suffix names: board.html, .json, .csv, .md, .tex, .txt.

        Args:
            path: where it goes; a file that is there is replaced.
            options: as of `render`.

        Raises:
            UsageError: no form has that suffix, or the file cannot be written.
        """
        where = Path(path)
        if (form := form_at(self.subject, where)) is None:
            names = form_names(self.subject)
            message = f"{printable(where)} cannot be written: its suffix names no form ({names})"
            raise UsageError(message)
        write(where, self.render(form.name, **options).encode("utf-8", "backslashreplace"))

    def __str__(self) -> str:
        return self.render().rstrip("\n")

    def _repr_html_(self) -> str:
        """HTML for a notebook."""
        return f"<pre>{_as_html(self.render())}</pre>"


def _as_html(text: str) -> str:
    from html import escape  # its table of entities takes longer than all else that is loaded here

    return escape(text)


def _html_row(tag: str, cells: Sequence[str]) -> str:
    """A row of a table in HTML."""
    return f"<tr>{''.join(f'<{tag}>{_as_html(printable(c))}</{tag}>' for c in cells)}</tr>"


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Report(Text, results.Report):
    """A leaderboard: its numbers, and its text in every form."""

    subject = "leaderboard"

    @classmethod
    def of(cls, report: results.Report) -> Self:
        """A report with the same contents, which can be rendered."""
        return cls(**{field.name: getattr(report, field.name) for field in fields(report)})

    def _refuse(self, options: Options) -> None:
        if options.per_list:
            self._refuse_unnamed()

    def _refuse_unnamed(self) -> None:
        if isinstance(self.lists, Unnamed):
            many = f"the values of {len(self.lists):,} lists are not in this report"
            raise UsageError(f"{many}; scorer.spark.values gives them, or score(..., lists=True)")

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
            self._refuse_unnamed()
            raise UsageError(f"{measure or self.primary.id} is one figure of all lists together")
        return dict(zip(self.lists, values.tolist(), strict=True))

    def _value(self, name: str, measure: str | None) -> results.Value:
        scored = next(
            (submission for submission in self.submissions if submission.name == name), None
        )
        if scored is None:
            raise UnknownName(
                "submission", name, [submission.name for submission in self.submissions]
            )
        chosen = self.primary if measure is None else find(self.measures, measure)
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
            self._refuse_unnamed()
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
        ends = [standing.interval or (None, None) for standing in self.standings]
        return pl.DataFrame(
            {
                "rank": pl.Series([standing.rank for standing in self.standings], dtype=pl.Int64),
                "name": pl.Series([standing.name for standing in self.standings], dtype=pl.String),
                **{
                    measure.id: pl.Series(
                        [standing.values[measure.id] for standing in self.standings],
                        dtype=pl.Float64,
                    )
                    for measure in self.measures
                },
                "low": pl.Series([low for low, _ in ends], dtype=pl.Float64),
                "high": pl.Series([high for _, high in ends], dtype=pl.Float64),
                "tier": pl.Series([standing.tier for standing in self.standings], dtype=pl.Int64),
                "baseline": pl.Series(
                    [standing.baseline for standing in self.standings], dtype=pl.Boolean
                ),
            }
        )

    def _repr_html_(self) -> str:
        """The leaderboard as a table, who was rejected, and what to know beside the numbers."""
        from scorer.reports.findings.problems import counted
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
            for row in self.standings
        ]
        rejected = [
            f"{submission.name}: not scored, {counted(submission)}"
            for submission in self.submissions
            if not submission.valid
        ]
        notes = [*rejected, *remarks(self, DECIMALS)]
        return "".join(
            [
                "<table><thead>",
                _html_row("th", head),
                "</thead><tbody>",
                *(_html_row("td", row) for row in rows),
                "</tbody></table>",
                *(f"<p>{_as_html(printable(note, 1000))}</p>" for note in notes),
            ]
        )

    def __repr__(self) -> str:
        leaders = ", ".join(
            f"{printable(standing.name, 40)} {standing.values[self.primary.id]:.4f}"
            for standing in self.standings[:3]
        )
        rejected = sum(not submission.valid for submission in self.submissions)
        return (
            f"<Report of {len(self.submissions):,} submissions on {len(self.lists):,} lists"
            f"{f', {rejected:,} rejected' if rejected else ''}; "
            f"{printable(self.primary.id, 60)}: {leaders or 'none'}>"
        )


class _Compared(NamedTuple):
    report: Report
    pairing: Pairing


class Comparison(Text, _Compared):
    """Submissions held against each other: a report and the pairs, which can be taken apart."""

    __slots__ = ()
    subject = "comparison"

    def content(self) -> Any:
        """The data that the form writes."""
        from scorer.reports.comparison.cells import ComparedReport

        return ComparedReport(self.report.challenge, self.report, self.pairing)

    def render(self, form: str | None = None, **options: Any) -> str:
        """The text of one form; a table and Markdown have only the preferences that were asked for.

        Args and raises as of every text.
        """
        if not self.pairing.asked and (form or self.plain) in READ:
            readable = replace(self.pairing.of_measures, asked=True)
            return Comparison(self.report, readable).render(form, **options)
        return super().render(form, **options)

    def __repr__(self) -> str:
        return f"<Comparison of {', '.join(printable(n, 40) for n in self.pairing.names[:10])}>"


class Checked(Text, list[Scored]):
    """Submissions that were only checked."""

    __slots__ = ("challenge",)
    subject, plain = "findings", "text"

    def __init__(self, challenge: Challenge, checked: list[Scored]) -> None:
        super().__init__(checked)
        self.challenge = challenge

    def content(self) -> Any:
        """The data that the form writes."""
        from scorer.reports.findings.problems import CheckedFile as Content

        return Content(self.challenge, self)

    def __repr__(self) -> str:
        states = [
            f"{printable(scored.name, 40)} {'rejected' if scored.findings.fatal else 'fine'}"
            for scored in self[:10]
        ]
        return f"<Checked {', '.join(states)}{', ...' if len(self) > 10 else ''}>"
