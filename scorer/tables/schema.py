"""The columns that a table must and may have, by their roles."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace


class _Roles(frozenset[str]):
    """Some roles; one with a number, as `item[3]`, is as its name is."""

    def __contains__(self, role: object) -> bool:
        return frozenset.__contains__(self, str(role).partition("[")[0])


TEXT = _Roles(
    {
        *("list", "item", "better", "worse", "tag", "subtopic", "group", "cluster", "fold"),
        *("label", "text", "cell", "extra", "runs", "boxes"),
        *("system", "measure", "run"),
    }
)
EXTRA, NUMBER = "extra[", "number["  # further columns: extra[phase] of text, number[degree]
ORDERED = _Roles({"score", "rank"})  # only compared, so that any finite number will do


@dataclass(frozen=True, slots=True)
class Schema:
    """The columns that a table must and may have, by their roles."""

    required: tuple[str, ...]
    optional: tuple[str, ...] = ()
    columns: Mapping[str, str] = field(default_factory=dict)  # role -> name in the file
    every: bool = False  # whether columns without a role are used, too

    @property
    def roles(self) -> tuple[str, ...]:
        """All of them, in order."""
        return (*self.required, *self.optional)

    def called(self, role: str) -> str:
        """The name of that column in the file."""
        return self.columns.get(role, role)

    @property
    def of_items(self) -> Schema:
        """The same with texts as items."""
        required, optional = (
            tuple("item" if role == "text" else role for role in roles)
            for roles in (self.required, self.optional)
        )
        columns = {"item" if role == "text" else role: x for role, x in self.columns.items()}
        return replace(self, required=required, optional=optional, columns=columns)

    def with_columns(
        self, further: Mapping[str, str], optional: Mapping[str, str] | None = None
    ) -> Schema:
        """The same with further columns, role -> name in the file; `optional` ones may be there."""
        may = optional or {}
        if not further and not may:
            return self
        required, others = (*self.required, *further), (*self.optional, *may)
        named = {**self.columns, **further, **may}
        return replace(self, required=required, optional=others, columns=named)
