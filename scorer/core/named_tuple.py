"""Named tuples whose methods are made once one of them is asked for.

`typing.NamedTuple` compiles a constructor for every class while its module is imported; a run
makes instances of a few of these classes.

Stability: internal.
"""

from __future__ import annotations

import typing
from collections import _tuplegetter, namedtuple  # type: ignore[attr-defined]
from functools import cache
from types import new_class
from typing import TYPE_CHECKING, Any

from scorer.core.dataclass import LOCK, Unmade

if TYPE_CHECKING:
    from typing import NamedTuple as NamedTuple
else:

    class NamedTuple:
        """As `typing.NamedTuple`, of which no instance is made either."""

        def __mro_entries__(self, bases):
            return (_Base,)

    NamedTuple = NamedTuple()


METHODS = [name for name, value in vars(namedtuple("Any", ())).items() if hasattr(value, "__get__")]


class _Pending:
    """A class whose methods are not made yet."""

    def __init__(self, fields: tuple[str, ...], defaults: dict[str, Any]) -> None:
        self.cls: type = tuple
        self.fields, self.defaults = fields, defaults

    def complete(self) -> None:
        """Give it what `namedtuple` makes of its fields."""
        cls = self.cls
        made = namedtuple(cls.__name__, self.fields, defaults=(*self.defaults.values(),))  # type: ignore[misc]
        with LOCK:
            for name in METHODS:
                if isinstance(vars(cls)[name], Unmade):
                    setattr(cls, name, vars(made)[name])


class _Making(type):
    """Makes a class of fields, whose metaclass is `type`."""

    def __new__(cls, name: str, bases: tuple[type, ...], body: dict[str, Any]) -> Any:
        """The class; a body whose annotations are not there before they are asked for waits."""
        body["__orig_bases__"] = (typing.NamedTuple,)  # by which others know named tuples
        if "__annotations__" not in body:
            return new_class(name, (typing.NamedTuple,), exec_body=lambda own: own.update(body))
        fields = tuple(body["__annotations__"])
        defaults = {field: body[field] for field in fields if field in body}
        pending = _Pending(fields, defaults)
        pending.cls = type(name, (tuple,), {
            "__slots__": (),
            "_fields": fields,
            "_field_defaults": defaults,
            "__match_args__": fields,
            **{method: Unmade(pending, method) for method in METHODS},
            **body,
            **{field: _getter(place) for place, field in enumerate(fields)},
        })  # fmt: skip
        return pending.cls


@cache
def _getter(place: int) -> Any:
    return _tuplegetter(place, f"Alias for field number {place}")


_Base = type.__new__(_Making, "_Base", (), {})
