"""Frozen dataclasses whose methods are made once one of them is asked for.

`dataclasses` compiles the methods of every class while its module is imported, which takes
longer than all else of most modules; a run makes instances of a few of these classes. The first
instance asks for `__init__`, which is made alone; what compares, shows or looks at fields for all.

Stability: internal.
"""

from __future__ import annotations

import dataclasses
from functools import cache, partial
from threading import RLock
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass
    from dataclasses import replace as replace

else:

    def replace(instance, /, **changes):
        """As `dataclasses.replace`, which would ask for all that its class has not made."""
        for name in _given_names(type(instance)):
            if name not in changes:
                changes[name] = getattr(instance, name)
        return type(instance)(**changes)

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

    def make(self, name: str) -> None:
        """Give it the method or attribute of that name."""
        with LOCK:
            if name == "__init__" and isinstance(vars(self.cls)[name], Unmade):
                fields = _all_fields(self.cls)
                if all(field.init for field in fields.values()):
                    self.cls.__init__ = _constructor(self.cls, fields)  # type: ignore[misc]
                    return
            self.complete()

    def fields(self) -> dict[str, _Field]:
        """Those that the class itself writes, by their names."""
        cls, keyword = self.template or self.cls, self.how.get("kw_only", False)
        return {
            name: _Field.of(vars(cls).get(name, dataclasses.MISSING), kind, keyword)
            for name, kind in cls.__annotations__.items()
            if "ClassVar" not in str(kind)
        }

    def complete(self) -> None:
        """Give it what `dataclasses` makes of a copy."""
        with LOCK:
            if not self.names:
                return
            cls, copy = self.cls, self._copy()
            before, slots = {**vars(copy)}, getattr(cls, "__slots__", ())
            kept = {"__init__"} if not isinstance(vars(cls)["__init__"], Unmade) else set()
            made = vars(dataclasses.dataclass(**self.how)(copy))
            for name, value in made.items():
                if value is not before.get(name) and name not in {*OWN, *slots, *kept}:
                    setattr(cls, name, value)
            for name in (before.keys() - made.keys() - {*slots}) & vars(cls).keys():
                delattr(cls, name)  # what a field without a default was written as
            self.names.clear()

    def _copy(self) -> type:
        own = vars(self.template or self.cls)
        body = {n: v for n, v in own.items() if n not in {*self.names, *OWN}}
        body |= {"__qualname__": self.cls.__qualname__, "__doc__": self.cls.__doc__}
        return type(self.cls)(self.cls.__name__, self.cls.__bases__, body)


class _Field:
    """What `__init__` has to know of a field."""

    __slots__ = ("default", "factory", "init", "keyword", "kind")

    def __init__(self, default: Any, factory: Any, init: bool, keyword: bool, kind: Any) -> None:
        self.default, self.factory, self.init = default, factory, init
        self.keyword, self.kind = keyword, kind

    @classmethod
    def of(cls, value: Any, kind: Any, keyword: bool) -> _Field:
        """The field that a class writes, by what stands behind its name."""
        if not isinstance(value, dataclasses.Field):
            return cls(value, dataclasses.MISSING, True, keyword, kind)
        keyword = keyword if value.kw_only is dataclasses.MISSING else bool(value.kw_only)
        return cls(value.default, value.default_factory, value.init, keyword, kind)


def _all_fields(cls: type) -> dict[str, _Field]:
    """The fields of a class and of those above it."""
    fields = dict[str, _Field]()
    for above in reversed(cls.__mro__):
        own = vars(above).get("__dataclass_fields__")
        if isinstance(own, Unmade):
            fields |= own.pending.fields()
        elif own is not None:
            fields |= {f.name: _Field.of(f, f.type, False) for f in dataclasses.fields(above)}
    return fields


def field_names(cls: type) -> tuple[str, ...]:
    """The names of a dataclass's fields, none of another class; no attribute of it is made."""
    return _field_names(cls)


@cache
def _given_names(cls: type) -> tuple[str, ...]:
    """The names of the fields that an instance is made of."""
    return tuple(name for name, field in _all_fields(cls).items() if field.init)


@cache
def _field_names(cls: type) -> tuple[str, ...]:
    return (*_all_fields(cls),)


def _constructor(cls: type, fields: dict[str, _Field]) -> Any:
    """`__init__` as `dataclasses` makes it, with a single text to compile."""
    missing = dataclasses.MISSING
    known: dict[str, Any] = {"_put": object.__setattr__, "_factory": FACTORY}
    words, lines, default = list[str](), list[str](), ""
    for name, field in sorted(fields.items(), key=lambda entry: entry[1].keyword):
        value, default = name, ""
        if field.default is not missing:
            known[f"_of_{name}"], default = field.default, f"=_of_{name}"
        elif field.factory is not missing:
            known[f"_of_{name}"], default = field.factory, "=_factory"
            value = f"_of_{name}() if {name} is _factory else {name}"
        words += ["*"] * (field.keyword and "*" not in words) + [f"{name}{default}"]
        lines.append(f"_put(self, {name!r}, {value})")
    if hasattr(cls, "__post_init__"):
        lines.append("self.__post_init__()")
    body = "\n ".join(lines or ["pass"])
    known["__name__"] = cls.__module__
    exec(f"def __init__({', '.join(['self', *words])}):\n {body}", known)
    made = known.pop("__init__")
    made.__qualname__ = f"{cls.__qualname__}.__init__"
    made.__annotations__ = {name: field.kind for name, field in fields.items()} | {"return": None}
    return made


class _Factory:
    """Stands in a signature for a default that is made anew."""

    def __repr__(self) -> str:
        return "<factory>"


FACTORY = _Factory()


class Unmade:
    """Stands for an attribute of a class that is not complete.

    `pending` has the class as `cls`, and makes it an attribute of a name.
    """

    def __init__(self, pending: Any, name: str) -> None:
        self.pending, self.name = pending, name

    def __get__(self, instance: object, owner: type | None = None) -> Any:
        self.pending.make(self.name)
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
