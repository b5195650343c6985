"""The columns that a table must and may have, by their roles."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace


class _Roles(frozenset[str]):
    """Roles, of which `in` finds a role with brackets too: `item[3]` is in them if `item` is."""

    def __contains__(self, role: object) -> bool:
        return frozenset.__contains__(self, str(role).partition("[")[0])


TEXT = _Roles(
    {
        *("list", "item", "better", "worse", "tag", "subtopic", "group", "cluster", "fold"),
        *("label", "text", "cell", "extra", "runs", "polygons", "boxes"),
        *("system", "measure", "run"),
    }
)
EXTRA, NUMBER = "extra[", "number["  # begin extra[phase], a column of text, and number[degree]
ORDERED = _Roles({"score", "rank"})  # their numbers are only compared, so any finite one will do


@dataclass(frozen=True, slots=True)
class Schema:
    """The columns that a table must and may have, by their roles.

    Attributes:
        required: The roles that every file has.
        optional: The roles that a file may have.
        columns: What the file calls the column of a role, where that is not the role's own name.
        every: Whether every column is used, even without a role: then none is reported.
    """

    required: tuple[str, ...]
    optional: tuple[str, ...] = ()
    columns: Mapping[str, str] = field(default_factory=dict)
    every: bool = False

    @property
    def roles(self) -> tuple[str, ...]:
        """All roles, the required ones first."""
        return (*self.required, *self.optional)

    def column_name(self, role: str) -> str:
        """Return what the file calls the column of a role."""
        return self.columns.get(role, role)

    def missing_roles(self, names: Collection[str]) -> list[str]:
        """Return the roles that a file with these columns must have and does not have.

        A column that the challenge names in `columns` must be there even if its role is optional;
        of a score and a rank that are named so, one is enough, since either orders the rows.
        """
        absent = [role for role in self.roles if self.column_name(role) not in names]
        ordered = any(role in self.roles and role not in absent for role in ORDERED)
        return [
            role
            for role in absent
            if role in self.required or (role in self.columns and not (role in ORDERED and ordered))
        ]

    def with_items(self) -> Schema:
        """Return the schema with the role `item` in place of `text`."""
        required, optional = (
            tuple("item" if role == "text" else role for role in roles)
            for roles in (self.required, self.optional)
        )
        columns = {"item" if role == "text" else role: x for role, x in self.columns.items()}
        return replace(self, required=required, optional=optional, columns=columns)

    def with_columns(
        self, required: Mapping[str, str], optional: Mapping[str, str] | None = None
    ) -> Schema:
        """Return the schema with further columns: role -> name in the file."""
        return replace(
            self,
            required=(*self.required, *required),
            optional=(*self.optional, *(optional or {})),
            columns={**self.columns, **required, **(optional or {})},
        )
