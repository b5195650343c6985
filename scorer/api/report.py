"""A leaderboard with its text: for a session, a notebook, a file."""

from __future__ import annotations

import html
import json
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import count
from typing import TYPE_CHECKING, Any, Literal, Unpack

import numpy as np
import polars as pl

from scorer.api.text import FormName, Renderable, RenderOptions
from scorer.core.errors import UnknownName, UsageError
from scorer.core.problems import Problem
from scorer.core.text import format_number, printable, quoted
from scorer.metrics.notation import Measure, find_measure
from scorer.reports.base import DECIMALS
from scorer.results import report as results
from scorer.results.json import ABSENT
from scorer.stats.intervals import MIN_UNITS

if TYPE_CHECKING:
    from scorer.api.figures import Drawing  # which imports all pictures: few reports are drawn

FigureName = Literal["forest", "pairs", "pareto", "values", "lists", "differences", "curves"]
ReportForm = Literal[
    FormName,
    "classroom",
    "codabench",
    "evalai",
    "github",
    "grades",
    "gradescope",
    "grand-challenge",
    "tira",
]

LONGEST_NOTE = 1000  # characters of a note that a notebook shows


class Report(Renderable[results.Report]):
    """A leaderboard: its numbers, and its text in every form."""

    _subject = "leaderboard"

    @property
    def measures(self) -> Sequence[Measure]:
        """The measures; one is primary."""
        return self._result.measures

    @property
    def submissions(self) -> tuple[results.Scored, ...]:
        """Each submission, with its values or its problems."""
        return self._result.submissions

    @property
    def leaderboard(self) -> tuple[results.Standing, ...]:
        """The rows of the board, in its order."""
        return self._result.leaderboard

    @property
    def notes(self) -> Sequence[Problem]:
        """Warnings on the challenge and on submissions."""
        return self._result.notes

    @property
    def splits(self) -> tuple[Report, ...]:
        """The boards of other splits of the lists."""
        return tuple(Report(split) for split in self._result.splits or ())

    def render(self, form: ReportForm | None = None, **options: Unpack[RenderOptions]) -> str:
        """Return the text of one form; as plain text with the problems of what was rejected.

        Args:
            form: table, html, json, csv, markdown, latex, ...; default: table.
            options: how it looks: `precision`, `per_list`, `every`, `quiet`, `private`, `width`,
                `colour`.

        Raises:
            UnknownName: there is no such form.
            TypeError: there is no such option.
        """
        text = self._write_form(form, options)
        rejected = [scored for scored in self.submissions if not scored.valid]
        if (form or self._default_form) not in ("table", "text") or not rejected:
            return text
        from scorer.reports.findings.problems import errors_of, format_files

        lines = format_files([errors_of(scored.findings) for scored in rejected])
        return "\n".join([*lines, "", text])

    def mean(self, name: str, measure: str | None = None) -> float:
        """Return a submission's value of a measure: its mean, its sum, or its one figure.

        Args:
            name: the submission's.
            measure: in any notation; default: the primary one.

        Raises:
            UnknownName: there is no such submission or measure.
            UsageError: the submission was rejected.
        """
        return self._find_value(name, measure).mean

    def per_list(self, name: str, measure: str | None = None) -> dict[str, float]:
        """Return a submission's value of every list, NaN where a list does not count.

        Args:
            name: the submission's.
            measure: in any notation; default: the primary one.

        Raises:
            UnknownName: there is no such submission or measure.
            UsageError: the submission was rejected, or the measure is one figure of all lists.
        """
        values = self._find_value(name, measure).per_list
        if values is None:
            raise UsageError(
                f"{measure or self._result.primary.id} is one figure of all lists together"
            )
        return dict(zip(self._result.lists, values.tolist(), strict=True))

    def interval(self, name: str, measure: str | None = None) -> tuple[float, float]:
        """Return the interval of a submission's value, at the board's level.

        Args:
            name: the submission's.
            measure: in any notation; default: the primary one.

        Raises:
            UnknownName: there is no such submission or measure.
            UsageError: the submission was rejected, or the measure has no intervals.
        """
        self._find_value(name, measure)
        board = self._rank_by(measure)
        ends = next(row.interval for row in board.leaderboard if row.name == name)
        if ends is None:
            reason = _because(board)
            if board.too_few:
                reason = f": {quoted(name)} has fewer than {MIN_UNITS} {board.too_few}"
            raise UsageError(f"{board.primary.id} has no interval{reason}")
        return float(ends[0]), float(ends[1])

    def p(self, a: str, b: str, measure: str | None = None) -> float:
        """Return the p-value of the difference of two submissions, corrected as on the board.

        The correction is for all pairs of ranked submissions; if one of the two is a baseline, for
        the pairs of this baseline with all ranked submissions.

        Args:
            a: a submission's name.
            b: another one's.
            measure: in any notation; default: the primary one.

        Raises:
            UnknownName: there is no such submission or measure.
            UsageError: one was rejected, or the measure has no tests here.
        """
        for name in (a, b):
            self._find_value(name, measure)
        board = self._rank_by(measure)
        if (certainty := board.certainty) is not None:
            names = certainty.names
            if a in names and b in names:
                return float(certainty.p[names.index(a), names.index(b)])
            for baseline in certainty.baselines:
                other = b if baseline.name == a else a
                if baseline.name in (a, b) and other in names:
                    return float(baseline.p[names.index(other)])
        raise UsageError(f"{quoted(a)} and {quoted(b)} have no test{_because(board)}")

    def metrics(self, name: str | None = None) -> dict[str, float]:
        """Return all means, and the ends of intervals, as `mlflow.log_metrics` takes them.

        A key is a measure (`nDCG_at_10`), or an end of its interval (`nDCG_at_10/low`, `/high`).
        Without a `name`, it begins with the submission (`bm25/nDCG_at_10`). `@` is written `_at_`,
        and other characters that MLflow refuses `_`. A mean without a value is left out.

        Args:
            name: the submission's; None: of all that are on the board.

        Raises:
            UnknownName: there is no such submission.
            UsageError: the submission was rejected.
        """
        if name is not None:
            self._find_value(name, None)
        numbers: dict[str, float] = {}
        for row in self.leaderboard:
            if name not in (None, row.name):
                continue
            values = dict(row.values)
            if row.interval is not None:
                low, high = row.interval
                values |= {
                    f"{self._result.primary.id}/low": low,
                    f"{self._result.primary.id}/high": high,
                }
            for key, value in values.items():
                if not math.isnan(value):
                    text = key if name else f"{row.name}/{key}"
                    numbers[_to_mlflow_name(text, numbers)] = float(value)
        return numbers

    def plot(
        self, measure: str | None = None, *, kind: FigureName = "forest", width: str = "160mm"
    ) -> Drawing:
        """Return a picture, which a notebook shows: `report.plot().write("forest.pdf")`.

        Args:
            measure: in any notation; default: the primary one.
            kind: which picture; if there are several of a kind, the first is taken.
            width: such as `84mm`, `17cm` or `3.3in`.

        Raises:
            UnknownName: there is no such kind or measure.
            UsageError: the report has nothing to draw, or the width is not valid.
        """
        from scorer.api.figures import KINDS, drawings

        drawing = next(drawings(self._rank_by(measure), kind, width), None)
        if drawing is None:
            raise UsageError(f"no {kind}: it takes {KINDS[kind].needs}")
        return drawing

    def to_dict(self, *, per_list: bool = False) -> dict[str, Any]:
        """Return everything that the JSON report holds; no value is None.

        Args:
            per_list: whether the values of every list are in it.
        """
        parsed: dict[str, Any] = json.loads(self.render("json", per_list=per_list))
        return parsed

    def to_polars(self, *, per_list: bool = False) -> pl.DataFrame:
        """Return the leaderboard as a data frame, a row a standing.

        Args:
            per_list: a row for each submission and list instead.
        """
        if per_list:
            return self._frame_of_lists()
        rows = self.leaderboard
        ends = [row.interval or (None, None) for row in rows]
        columns: dict[str, tuple[list[Any], type[pl.DataType]]] = {
            "rank": ([row.rank for row in rows], pl.Int64),
            "name": ([row.name for row in rows], pl.String),
            **{m.id: ([row.values[m.id] for row in rows], pl.Float64) for m in self.measures},
            "low": ([low for low, _ in ends], pl.Float64),
            "high": ([high for _, high in ends], pl.Float64),
            "tier": ([row.tier for row in rows], pl.Int64),
            "baseline": ([row.baseline for row in rows], pl.Boolean),
        }
        return pl.DataFrame(
            [pl.Series(name, cells, dtype) for name, (cells, dtype) in columns.items()]
        )

    def _frame_of_lists(self) -> pl.DataFrame:
        lists = list(self._result.lists)
        columns: dict[str, Any] = {"name": pl.String, "list": pl.String}
        columns |= {measure.id: pl.Float64 for measure in self.measures}
        frames = [pl.DataFrame(schema=columns)]
        for submission in self.submissions:
            if submission.valid:
                names = {"name": [submission.name] * len(lists), "list": lists}
                values = {
                    key: np.full(len(lists), np.nan) if value.per_list is None else value.per_list
                    for key, value in submission.values.items()
                }
                frames.append(pl.DataFrame({**names, **values}, schema_overrides=columns))
        return pl.concat(frames)

    def to_pandas(self, *, per_list: bool = False) -> Any:
        """Return the data frame of `to_polars` as one of pandas."""
        import pandas as pd  # type: ignore[import-untyped]

        frame = self.to_polars(per_list=per_list)
        return pd.DataFrame({column.name: column.to_list() for column in frame.iter_columns()})

    def _rank_by(self, measure: str | None) -> results.Report:
        """Return the board with the intervals and tests of a measure."""
        board = self._result
        chosen = choose_measure(board, measure)
        if chosen.id == board.primary.id:
            return board
        from scorer.leaderboard.certainty import with_certainty  # imports scipy

        measures = tuple(replace(known, primary=known.id == chosen.id) for known in self.measures)
        rows = tuple(
            replace(row, interval=None, fewer_lists=None, front=ABSENT) for row in self.leaderboard
        )
        without_certainty = replace(
            board,
            measures=measures,
            leaderboard=rows,
            certainty=None,
            no_certainty=None,
            pareto=ABSENT,
            tracks=ABSENT,
        )
        return with_certainty(without_certainty, groups={}, clusters=board.clusters)

    def _find_value(self, name: str, measure: str | None) -> results.Value:
        scored = next((known for known in self.submissions if known.name == name), None)
        if scored is None:
            raise UnknownName("submission", name, [known.name for known in self.submissions])
        chosen = choose_measure(self._result, measure)
        if not scored.valid:
            first = next(problem for problem in scored.findings if problem.severity == "error")
            raise UsageError(f"{quoted(name)} was rejected: {first}")
        return scored.values[chosen.id]

    def _repr_html_(self) -> str:
        """Return the leaderboard as a table, with rejected submissions, and notes that fold."""
        from scorer.reports.findings.problems import counted, format_findings
        from scorer.reports.leaderboard import cells
        from scorer.reports.leaderboard.remarks import cautions, remarks
        from scorer.reports.leaderboard.verdict import verdict

        board = self._result
        primary = self._result.primary
        level = cells.level(board)
        others = [measure for measure in self.measures if measure is not primary]
        heads = [f"{measure.id}{measure.mark}" for measure in (primary, *others)]
        head = ["rank", "name", heads[0], *([level] if level else []), *heads[1:]]
        rows = [
            [
                cells.place(row),
                row.name,
                cells.mean_of(row, primary, DECIMALS),
                *([cells.interval(row, primary, DECIMALS)] if level else []),
                *(cells.mean_of(row, measure, DECIMALS) for measure in others),
            ]
            for row in self.leaderboard
        ]
        rejected = [
            line
            for scored in self.submissions
            if not scored.valid
            for line in (
                f"{scored.name}: not scored, {counted(scored.findings)}",
                *format_findings(scored.findings, quiet=True, heading=""),
            )
        ]
        notes = [*cautions(board, DECIMALS), *remarks(board, DECIMALS)]
        folded = f"<details><summary>{_count(len(notes), 'note')}</summary>"
        folded += f"{_html_paragraphs(notes)}</details>"
        return "".join(
            [
                f"<table><thead>{_html_row('th', head)}</thead>",
                f"<tbody>{''.join(_html_row('td', row) for row in rows)}</tbody></table>",
                _html_paragraphs(filter(None, [verdict(board)])),
                _html_paragraphs(rejected),
                folded if notes else "",
            ]
        )

    def __repr__(self) -> str:
        leaders = ", ".join(
            f"{printable(row.name, 40)} {format_number(row.values[self._result.primary.id])}"
            for row in self.leaderboard[:3]
        )
        rejected = sum(not scored.valid for scored in self.submissions)
        submissions = _count(len(self.submissions), "submission")
        lists = _count(len(self._result.lists), "list")
        return (
            f"<Report of {submissions} on {lists}{f', {rejected:,} rejected' if rejected else ''}; "
            f"{printable(self._result.primary.id, 60)}: {leaders or 'none'}>"
        )


def choose_measure(board: results.Report, notation: str | None) -> Measure:
    """Return a measure of a board; without a notation, the primary one. Raises `UnknownName`."""
    if notation is None:
        return board.primary
    measure = find_measure(board.measures, notation)
    if measure is None:
        raise UnknownName("measure here", notation, [known.id for known in board.measures])
    return measure


def board_of(report: Report | results.Report) -> results.Report:
    """Return a leaderboard as data, from which its forms are written."""
    return report._result if isinstance(report, Report) else report


def _because(board: results.Report) -> str:
    return f": {board.no_certainty}" if board.no_certainty else ""


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _html_row(tag: str, cells: Sequence[str]) -> str:
    row = "".join(f"<{tag}>{html.escape(printable(cell))}</{tag}>" for cell in cells)
    return f"<tr>{row}</tr>"


def _html_paragraphs(texts: Iterable[str]) -> str:
    return "".join(f"<p>{html.escape(printable(text, LONGEST_NOTE))}</p>" for text in texts)


def _to_mlflow_name(text: str, taken: Mapping[str, object]) -> str:
    """Return a text as a name of letters, digits and `_-./ ` that is not among those taken."""
    name = re.sub(r"[^\w./ -]+", "_", text.replace("@", "_at_"), flags=re.ASCII).strip("_")
    others = (f"{name}_{n}" for n in count(2))
    return name if name not in taken else next(other for other in others if other not in taken)
