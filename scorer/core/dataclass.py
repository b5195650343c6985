"""Frozen dataclasses whose methods are made once one of them is asked for.

`dataclasses` compiles the methods of every class while its module is imported, which takes
longer than all else of most modules; a run makes instances of a few of these classes.

Stability: internal.
"""

from __future__ import annotations

import dataclasses
from functools import partial
from threading import RLock
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass
else:

    def dataclass(cls=None, /, *, slots=False, **how):
        """As `dataclasses.dataclass` with `frozen=True`; its other words are the same."""
        if cls is None:
            return partial(dataclass, slots=slots, **how)
        made = _with_slots(cls) if slots else cls
        pending = _Pending(made, cls if slots else None, how)
        names = (*ALWAYS, *REPR * how.get("repr", True), *EQ * how.get("eq", True))
        for name in (name for name in names if name not in vars(made)):
            pending.names.append(name)
            setattr(made, name, Unmade(pending, name))
        made.__setattr__, made.__delattr__ = _refuse_to_set, _refuse_to_delete
        return made


ALWAYS = ("__init__", "__dataclass_fields__", "__dataclass_params__", "__match_args__")
REPR, EQ = ("__repr__",), ("__eq__", "__hash__")
OWN = {"__setattr__", "__delattr__", "__doc__", "__dict__", "__weakref__"}
LOCK = RLock()  # a base is completed within


class _Pending:
    """A class whose methods are not made yet."""

    def __init__(self, cls: type, template: type | None, how: dict[str, Any]) -> None:
        self.cls, self.template, self.how = cls, template, how
        self.names = list[str]()

    def complete(self) -> None:
        """Give it what `dataclasses` makes of a copy."""
        with LOCK:
            if not self.names:
                return
            cls, copy = self.cls, self._copy()
            before, slots = {**vars(copy)}, getattr(cls, "__slots__", ())
            made = vars(dataclasses.dataclass(**self.how)(copy))
            for name, value in made.items():
                if value is not before.get(name) and name not in OWN and name not in slots:
                    setattr(cls, name, value)
            for name in before.keys() - made.keys() - {*slots}:
                delattr(cls, name)  # what a field without a default was written as
            self.names.clear()

    def _copy(self) -> type:
        own = vars(self.template or self.cls)
        body = {n: v for n, v in own.items() if n not in {*self.names, *OWN}}
        body |= {"__qualname__": self.cls.__qualname__, "__doc__": self.cls.__doc__}
        return type(self.cls)(self.cls.__name__, self.cls.__bases__, body)


class Unmade:
    """Stands for an attribute of a class that is not complete.

    `pending` has the class as `cls`, and completes it.
    """

    def __init__(self, pending: Any, name: str) -> None:
        self.pending, self.name = pending, name

    def __get__(self, instance: object, owner: type | None = None) -> Any:
        self.pending.complete()
        value = vars(self.pending.cls)[self.name]
        bind = getattr(type(value), "__get__", None)
        return bind(value, instance, owner) if bind else value


def _with_slots(cls: type) -> type:
    """The class with a place for each of its own fields in place of a dictionary."""
    fields = [name for name, kind in cls.__annotations__.items() if "ClassVar" not in str(kind)]
    body = {n: v for n, v in vars(cls).items() if n not in (*fields, "__dict__", "__weakref__")}
    inherited = {name for base in cls.__mro__[1:] for name in getattr(base, "__slots__", ())}
    body["__slots__"] = tuple(name for name in fields if name not in inherited)
    body["__qualname__"] = cls.__qualname__
    return type(cls)(cls.__name__, cls.__bases__, {"__setstate__": _restore_fields, **body})


def _refuse_to_set(self: object, name: str, value: object) -> None:
    raise dataclasses.FrozenInstanceError(f"cannot assign to field {name!r}")


def _refuse_to_delete(self: object, name: str) -> None:
    raise dataclasses.FrozenInstanceError(f"cannot delete field {name!r}")


def _restore_fields(self: object, state: Any) -> None:
    """Fill a copied or unpickled instance with slots, a dictionary or both."""
    for values in state if isinstance(state, tuple) else (state,):
        for name, value in (values or {}).items():
            object.__setattr__(self, name, value)
