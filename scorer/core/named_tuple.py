"""Named tuples whose constructor is made once it is asked for.

`typing.NamedTuple` compiles one for every class while its module is imported; a run makes
instances of a few of these classes.

Stability: internal.
"""

from __future__ import annotations

import typing
from collections import _tuplegetter, namedtuple  # type: ignore[attr-defined]
from collections.abc import Iterable
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


def _make(cls: Any, values: Iterable[Any]) -> Any:
    """One of these values."""
    made = tuple.__new__(cls, values)
    if len(made) != len(cls._fields):
        raise TypeError(f"Expected {len(cls._fields)} arguments, got {len(made)}")
    return made


def _replace(self: Any, /, **values: Any) -> Any:
    """The same with other values in these fields."""
    made = self._make(map(values.pop, self._fields, self))
    if values:
        raise TypeError(f"Got unexpected field names: {[*values]!r}")
    return made


def _shown(self: Any) -> str:
    fields = map("{}={!r}".format, self._fields, self)
    return f"{type(self).__name__}({', '.join(fields)})"


METHODS = {  # of all of them
    "_make": classmethod(_make),
    "_replace": _replace,
    "__replace__": _replace,
    "__repr__": _shown,
    **{name: vars(namedtuple("Any", ()))[name] for name in ("_asdict", "__getnewargs__")},
}


class _Pending:
    """A class whose constructor is not made yet."""

    def __init__(self, fields: tuple[str, ...], defaults: dict[str, Any]) -> None:
        self.cls: type = tuple
        self.fields, self.defaults = fields, defaults

    def make(self, name: str) -> None:
        """Give it what `namedtuple` makes of its fields."""
        words = "".join(f"{field}, " for field in self.fields)
        made = eval(f"lambda _cls, {words}: _new(_cls, ({words}))", {"_new": tuple.__new__})
        made.__name__, made.__defaults__ = name, (*self.defaults.values(),)
        made.__qualname__ = f"{self.cls.__name__}.{name}"
        with LOCK:
            setattr(self.cls, name, staticmethod(made))


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
            "__new__": Unmade(pending, "__new__"),
            **METHODS,
            **body,
            **{field: _getter(place) for place, field in enumerate(fields)},
        })  # fmt: skip
        return pending.cls


@cache
def _getter(place: int) -> Any:
    return _tuplegetter(place, f"Alias for field number {place}")


_Base = type.__new__(_Making, "_Base", (), {})
