"""Classes and columns that parameters of metrics of rows name."""

from __future__ import annotations

from scorer.core.arrays import Floats
from scorer.core.text import join_first, printable, quoted
from scorer.metrics.notation import NotationError
from scorer.views.columns import NamedColumns
from scorer.views.rows import Labelled


def positive_code(view: Labelled, positive: str | None) -> int | None:
    """The code of the positive class, None if none is named.

    Raises:
        NotationError: There is no such class.
    """
    if positive is None:
        return None
    if positive not in view.classes:
        message = f"positive={quoted(positive)} is no class; there are"
        raise NotationError(f"{message} {join_first(view.classes)}", "positive")
    return view.classes.index(positive)


def refuse_several_labels(view: Labelled, name: str) -> None:
    """Raise a `NotationError` if a row can have several labels."""
    if view.multilabel:
        raise NotationError(f"{name} is not defined for rows with several labels")


def number_column(columns: NamedColumns, name: str, metric: str) -> Floats:
    """A column of numbers that the challenge declares under `extra`.

    Returns:
        Shape (rows,), or (rows, n) if each row has a vector.

    Raises:
        NotationError: The column holds texts; the message names the metric that asked for it.
    """
    column = columns[name]
    if column.dtype == object:
        section = "lists" if columns.section == "list" else columns.section  # as challenges say it
        shown = printable(name, 60)
        raise NotationError(
            f"{metric}: {shown} must be a number; write {section}: "
            f"{{columns: {{extra: {{{shown}: number}}}}}}"
        )
    return column
