"""Things found by name: metrics, formats, checks, comparisons, aggregations, reports, engines.

A thing enters by standing in a module of its folder, or in one that an
installed project names under an entry-point group such as `scorer.metrics`. A
decorator marks it (`mark`); nothing process-global changes, so a registry is
a value, and a challenge's own plugins are an overlay of it.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from functools import cache, cached_property
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from pkgutil import iter_modules
from types import ModuleType
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

from scorer.core.errors import PluginError, ScorerError, UnknownName
from scorer.core.text import describe_exception, quoted

if TYPE_CHECKING:
    from importlib.metadata import EntryPoints


class Named(Protocol):
    """What a registry can hold: it has a name, and may have others."""

    @property
    def name(self) -> str:
        """Its own name."""
        ...

    @property
    def aliases(self) -> tuple[str, ...]:
        """Other names it answers to."""
        ...


T = TypeVar("T", bound=Named)
F = TypeVar("F")

MARK = "__scorer__"
AROUND_PLUGINS: ContextVar[Callable[[], AbstractContextManager[None]]] = ContextVar(
    "AROUND_PLUGINS", default=nullcontext
)
"""What is put round every call of a plugin. A command restores the working directory there; in
other processes, such as a server's, nothing of the process is touched."""


def mark(function: F, thing: object) -> F:
    """Hang `thing` on the function that defines it; the function stays what it was."""
    setattr(function, MARK, thing)
    return function


class Registry(Generic[T]):
    """The things of one kind, each under its own name; loaded when they are asked for."""

    def __init__(
        self,
        kind: str,
        package: str,
        type_: type[T],
        own: tuple[tuple[T, str], ...] = (),
        group: str = "",
    ) -> None:
        self.kind, self.package, self.type_ = kind, package, type_
        self.group = group or package  # of entry points
        self._own = own  # a challenge's, each with where it comes from

    def with_(self, found: Iterable[tuple[T, str]]) -> Registry[T]:
        """A registry that also holds `found`: pairs of a thing and the module it comes from.

        Raises:
            PluginError: two things claim one name; both modules are named.
        """
        wider = Registry(self.kind, self.package, self.type_, (*self._own, *found), self.group)
        _ = wider._loaded  # so that a clash is told now
        return wider

    def get(self, name: str) -> T:
        """The thing of that name or alias, whatever its case. Raises `UnknownName`."""
        if not self._own and not _installed(self.group):  # nobody else claims names
            thing = load_one(self.package, self.type_, name.casefold())
            if thing is not None:
                return thing
        _, _, names = self._loaded
        try:
            return self.things[names[name.casefold()]]
        except KeyError:
            known = [*self.things, *(a for t in self.things.values() for a in t.aliases)]
            raise UnknownName(self.kind, name, known) from None

    @property
    def things(self) -> dict[str, T]:
        """All of them, by their own names."""
        return self._loaded[0]

    @property
    def origins(self) -> dict[str, str]:
        """The module that each comes from, by its own name."""
        return self._loaded[1]

    def __iter__(self) -> Iterator[T]:
        """In the order of their names, whatever the case."""
        return iter(sorted(self.things.values(), key=lambda thing: thing.name.casefold()))

    @cached_property
    def _loaded(self) -> tuple[dict[str, T], dict[str, str], dict[str, str]]:
        """Things and origins by name, and the name that each folded name stands for."""
        things, origins, names = dict[str, T](), dict[str, str](), dict[str, str]()
        for thing, origin in (*_found(self.package, self.type_, self.group), *self._own):
            for name in (thing.name, *thing.aliases):
                taken = names.setdefault(name.casefold(), thing.name)
                if taken != thing.name or origins.setdefault(thing.name, origin) != origin:
                    raise PluginError(
                        f"two {self.kind}s are called {quoted(name)}: "
                        f"in {origins[taken]} and in {origin}"
                    )
            things[thing.name] = thing
        return things, origins, names


def discover(kind: str, package: str, type_: type[T], group: str = "") -> Registry[T]:
    """The marked things of that type in every module of `package`, and in the entry points.

    `group` is that of the entry points, where it is not called as the package is.
    """
    return Registry(kind, package, type_, group=group)


def load_one(package: str, type_: type[T], name: str) -> T | None:
    """The thing of that name in the module of that name, without loading its neighbours."""
    if name not in _modules(package):
        return None
    found = _marked([import_module(f"{package}.{name}")], type_)
    return next((thing for thing, _ in found if thing.name.casefold() == name), None)


def _found(package: str, type_: type[T], group: str) -> Iterator[tuple[T, str]]:
    """What stands in the modules of `package`, then what its entry points lead to."""
    yield from _marked([import_module(f"{package}.{name}") for name in _modules(package)], type_)
    for point in _installed(group):
        with plugin_call(f"the plugin {point.name!r} ({point.value}) cannot be loaded"):
            loaded = point.load()
        module = loaded if isinstance(loaded, ModuleType) else import_module(point.module)
        yield from _marked([module], type_)


@cache
def _modules(package: str) -> list[str]:
    return [module.name for module in iter_modules(import_module(package).__path__)]


def _installed(group: str) -> EntryPoints:
    """The entry points of installed projects in that group."""
    points: EntryPoints = _entry_points().select(group=group)
    return points


@cache
def _entry_points() -> Any:  # of a type of its own below Python 3.12
    """Those of all groups at once, since a look for one goes through all installed projects."""
    from importlib.metadata import entry_points

    return entry_points()


def plugin(path: Path, type_: type[T]) -> list[tuple[T, str]]:
    """What a challenge's own file defines; its module is nobody else's to import.

    The file's bytes are compiled here: an import would prefer a `__pycache__` beside the file,
    which may hold other code, and write one where there is none.

    Raises:
        PluginError: the file cannot be read or run, or marks nothing of that type.
    """
    spec = spec_from_file_location(f"scorer_plugin_{path.stem}", path)
    if spec is None or spec.loader is None or not os.path.isfile(path):
        raise PluginError(f"the plugin {quoted(path.name)} is not a Python file that can be read")
    module = module_from_spec(spec)
    with plugin_call(f"the plugin {quoted(path.name)} cannot be loaded"):
        exec(compile(path.read_bytes(), path, "exec", dont_inherit=True), module.__dict__)
    found = [(thing, path.name) for thing, _ in _marked([module], type_)]
    if not found:
        raise PluginError(f"the plugin {quoted(path.name)} defines no {type_.__name__.lower()}")
    return found


@contextmanager
def plugin_call(message: str) -> Iterator[None]:
    """Run code that is not ours: whatever it raises is its fault.

    Raises:
        PluginError: `message`, and what it raised; even what would have ended the process.
    """
    try:
        with AROUND_PLUGINS.get()():
            yield
    except (KeyboardInterrupt, ScorerError):
        raise
    except BaseException as error:
        raise PluginError(f"{message}: {describe_exception(error)}") from error


def _marked(modules: Iterable[ModuleType], type_: type[T]) -> list[tuple[T, str]]:
    """The things marked in these modules themselves, not those that they import."""
    return [
        (thing, module.__name__)
        for module in modules
        for value in vars(module).values()
        if isinstance(thing := _thing(value), type_)
        and getattr(value, "__module__", None) == module.__name__
    ]


def _thing(value: Any) -> object:
    return getattr(value, MARK, None) if callable(value) else None
