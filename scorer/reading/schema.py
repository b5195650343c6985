"""The columns that a table must and may have, by their roles."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace

# Further columns have roles with their names in brackets: extra[phase] of text, number[degree] of
# numbers.
EXTRA, NUMBER = "extra[", "number["
ID_ROLES = {"list", "item", "better", "worse", "tag", "subtopic", "group", "cluster", "fold"}
ANSWER_ROLES = {"label", "text", "cell", "extra", "runs", "polygons", "boxes"}
VALUE_TABLE_ROLES = {"system", "measure", "run"}  # of a table of values that were computed before
TEXT_ROLES = ID_ROLES | ANSWER_ROLES | VALUE_TABLE_ROLES
ORDERED = frozenset({"score", "rank"})  # their numbers are only compared, so any finite one will do


def holds_text(role: str) -> bool:
    """Return whether the cells of a role are texts, not numbers.

    >>> holds_text("item"), holds_text("extra[phase]"), holds_text("score[3]")
    (True, True, False)
    """
    return role.partition("[")[0] in TEXT_ROLES


@dataclass(frozen=True, slots=True)
class Schema:
    """The columns that a table must and may have, by their roles.

    Attributes:
        required: The roles that every file has.
        optional: The roles that a file may have.
        columns: What the file calls the column of a role, where that is not the role's own name.
        uses_all: Whether columns without a role are used, too, so that none is reported as unused.
        items_are_texts: Whether an item is a text or a span, which may look like several ids.
    """

    required: tuple[str, ...]
    optional: tuple[str, ...] = ()
    columns: Mapping[str, str] = field(default_factory=dict)
    uses_all: bool = False
    items_are_texts: bool = False

    @property
    def roles(self) -> tuple[str, ...]:
        """All roles, the required ones first."""
        return (*self.required, *self.optional)

    def column_name(self, role: str) -> str:
        """Return what the file calls the column of a role."""
        return self.columns.get(role, role)

    def missing_roles(self, names: Collection[str]) -> list[str]:
        """Return the roles that a file with these columns must have and does not have.

        These are the required ones, and the optional ones whose columns the challenge names. A
        score or a rank is not among the latter if the file has the other: one orders the rows.
        """
        absent = [role for role in self.roles if self.column_name(role) not in names]
        has_order = not ORDERED.isdisjoint(set(self.roles).difference(absent))
        needed = {*self.required, *self.columns.keys() - (ORDERED if has_order else ())}
        return [role for role in absent if role in needed]

    def with_items(self) -> Schema:
        """Return the schema with the role `item` in place of `text`.

        Checks and joins know items only: the text of a list is its single item.
        """
        required, optional = (
            tuple("item" if role == "text" else role for role in roles)
            for roles in (self.required, self.optional)
        )
        columns = dict(self.columns)
        if "text" in columns:
            columns["item"] = columns.pop("text")
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
