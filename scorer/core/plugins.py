"""Things found by name: metrics, formats, checks, comparisons, aggregations, reports.

A thing enters by standing in a module of its folder, or, where its registry has
a group of entry points such as `scorer.metrics`, in one that an installed project names there. A
decorator marks it (`mark`); nothing process-global changes, so a registry is
a value, and a challenge's own plugins are an overlay of it: their names come first.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from functools import cache, cached_property
from hashlib import blake2b
from importlib import import_module
from importlib.machinery import BYTECODE_SUFFIXES, EXTENSION_SUFFIXES, SOURCE_SUFFIXES
from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

from scorer.core.errors import PluginError, ScorerError, UnknownName
from scorer.core.text import describe_exception, quoted

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint


class HasName(Protocol):
    """Anything that a registry can hold: it has a name, and may have others."""

    @property
    def name(self) -> str:
        """Its own name."""
        ...

    @property
    def aliases(self) -> tuple[str, ...]:
        """Other names it answers to."""
        ...


T = TypeVar("T", bound=HasName)
F = TypeVar("F")

MARK = "__scorer__"
MODULES = (*SOURCE_SUFFIXES, *BYTECODE_SUFFIXES, *EXTENSION_SUFFIXES)  # of their files
PLUGIN = "scorer_plugin_"  # what the module of a challenge's own file is called begins with
AROUND_PLUGINS: ContextVar[Callable[[], AbstractContextManager[None]]] = ContextVar(
    "AROUND_PLUGINS", default=nullcontext
)
"""The context of every call of a plugin. A command restores the working directory there; in other
processes, such as a server's, nothing of the process is changed."""


def mark(function: F, thing: object) -> F:
    """Attach `thing` to the function that defines it; the function stays what it was."""
    setattr(function, MARK, thing)
    return function


class Registry(Generic[T]):
    """The things of one kind, each under its own name; loaded when they are asked for."""

    def __init__(
        self,
        kind: str,
        package: str,
        type_: type[T],
        added: tuple[tuple[T, str], ...] = (),
        group: str | None = None,
    ) -> None:
        self.kind, self.package, self.type_ = kind, package, type_
        self.group = group  # of entry points; None: installed projects add nothing
        self._added = added  # a challenge's, each with where it comes from

    def with_(self, things: Iterable[tuple[T, str]]) -> Registry[T]:
        """A registry with these pairs of thing and module, whose names come before those it has.

        `PluginError` if two that are added claim a name.
        """
        wider = Registry(self.kind, self.package, self.type_, (*self._added, *things), self.group)
        _ = wider._named  # so that a clash is an error now
        return wider

    def get(self, name: str) -> T:
        """The thing of a name or alias in any case, by `precedence`; else `UnknownName`."""
        folded = name.casefold()
        if folded in _modules(self.package) and (loaded := self._only_module(folded)):
            return loaded[0]
        things = self.find_all(name, every=True)
        return min(things, key=lambda thing: getattr(thing, "precedence", 0))

    def find_all(self, name: str, every: bool = False) -> tuple[T, ...]:
        """The things of that name, one for each kind of challenge that has one; else of that alias.

        With `every` those with that alias follow.
        `UnknownName` if there is none.
        """
        folded = name.casefold()
        if not every and (loaded := self._only_module(folded)):
            return loaded
        things = self._named.get(folded, [])
        by_name = [thing for thing in things if thing.name.casefold() == folded]
        if not things:
            names = [name for thing in self for name in (thing.name, *thing.aliases)]
            raise UnknownName(self.kind, name, names)
        return (
            (*by_name, *(t for t in things if t not in by_name))
            if every or not by_name
            else tuple(by_name)
        )

    def _only_module(self, folded: str) -> tuple[T, ...]:
        """The things in the modules of that name, if no plugin can claim it."""
        if self._added or installed(self.group):
            return ()
        return load_named(self.package, self.type_, folded)

    @property
    def things(self) -> dict[str, T]:
        """All of them, by their own names; of several with one name the plainest."""
        return {thing.name: thing for thing, _ in reversed(self._loaded)}

    @property
    def origins(self) -> dict[str, str]:
        """The module that each comes from, by its own name."""
        return {thing.name: origin for thing, origin in self._loaded}

    def origin(self, thing: T) -> str | None:
        """The module that a thing comes from; None where it is not one of these."""
        return next((origin for other, origin in self._loaded if other is thing), None)

    def __iter__(self) -> Iterator[T]:
        """In the order of their names, whatever the case."""
        return iter(self._in_order)

    @cached_property
    def _in_order(self) -> list[T]:
        return sorted((t for t, _ in self._loaded), key=lambda thing: thing.name.casefold())

    @cached_property
    def replaced(self) -> list[tuple[T, str]]:
        """Things that cannot be named, and the module of what was added and has their name."""
        if not self._added:
            return []
        found = (thing for thing, _ in _in_package(self.package, self.type_, self.group))
        return [(thing, origin) for thing in found for origin in self._claims(thing, thing.name)]

    def _claims(self, thing: T, name: str) -> list[str]:
        """The module of what was added and has this name in place of `thing`, if any."""
        if any(own is thing for own, _ in self._added):
            return []
        claims = (origin for own, origin in self._added if _claims(own, thing, name.casefold()))
        return list(islice(claims, 1))

    @cached_property
    def _loaded(self) -> list[tuple[T, str]]:
        """Things that can be named, and the modules that they come from."""
        found = _in_package(self.package, self.type_, self.group)
        pairs = (*(pair for pair in found if not self._claims(pair[0], pair[0].name)), *self._added)
        # by two entry points of one module a thing is found twice
        return list({id(thing): (thing, origin) for thing, origin in pairs}.values())

    @cached_property
    def _named(self) -> dict[str, list[T]]:
        """The things that each folded name stands for."""
        names: dict[str, list[tuple[T, str]]] = {}
        for thing, origin in self._loaded:
            for name in (thing.name, *thing.aliases):
                if self._claims(thing, name):
                    continue
                namesakes = names.setdefault(name.casefold(), [])
                for other, other_origin in namesakes:
                    if other is not thing and _together(thing, other):
                        both = f"in {other_origin} and in {origin}"
                        raise PluginError(f"two {self.kind}s are called {quoted(name)}: {both}")
                if all(other is not thing for other, _ in namesakes):
                    namesakes.append((thing, origin))
        return {name: [thing for thing, _ in namesakes] for name, namesakes in names.items()}


def _together(thing: object, other: object) -> bool:
    """Whether two things can meet in one challenge, so that one name would be unclear."""
    first, second = (getattr(kinds_of, "kinds", None) for kinds_of in (thing, other))
    return first is None or second is None or not first.isdisjoint(second)


def _claims(own: HasName, thing: object, folded: str) -> bool:
    """Whether `own` has that name, in small letters, where `thing` could be meant by it."""
    return folded in map(str.casefold, (own.name, *own.aliases)) and _together(thing, own)


def discover(kind: str, package: str, type_: type[T], group: str | None = None) -> Registry[T]:
    """The marked things of that type in every module of `package`, and in entry points of `group`.

    Without a group, installed projects add nothing.
    """
    return Registry(kind, package, type_, group=group)


def load_one(package: str, type_: type[T], name: str) -> T | None:
    """The thing of that name, in small letters, in the module of that name alone, or None."""
    return next(iter(load_named(package, type_, name)), None)


@cache
def load_named(package: str, type_: type[T], name: str) -> tuple[T, ...]:
    """The things of that name, in small letters, in all modules of that name, folders' too.

    A hyphen of a name is an underscore of its module. Many files ask for their format here.
    """
    last = name.replace("-", "_")
    modules = [module for module in _modules(package) if module.rpartition(".")[2] == last]
    marked = _marked([import_module(f"{package}.{module}") for module in modules], type_)
    return tuple(thing for thing, _ in marked if thing.name.casefold() == name)


def _in_package(package: str, type_: type[T], group: str | None) -> Iterator[tuple[T, str]]:
    """The things in the modules of `package`, then those of its entry points."""
    yield from _marked([import_module(f"{package}.{name}") for name in _modules(package)], type_)
    for point in installed(group):
        with plugin_call(f"the plugin {point.name!r} ({point.value}) cannot be loaded"):
            loaded = point.load()
        module = loaded if isinstance(loaded, ModuleType) else import_module(point.module)
        yield from _marked([module], type_)


@cache
def _modules(package: str) -> list[str]:
    """The modules of a package, then those of its folders, as `folder.module`; none is imported."""
    spec = find_spec(package)
    found = modules_in(spec.submodule_search_locations or ()) if spec is not None else {}
    names = [*found]
    for folder in (name for name, is_folder in found.items() if is_folder):
        names += [f"{folder}.{name}" for name in _modules(f"{package}.{folder}")]
    return names


def modules_in(folders: Iterable[str]) -> dict[str, bool]:
    """The names of the modules there, and whether each is a folder with modules; none is imported.

    As `pkgutil.iter_modules`, which takes longer and is asked only of what is no folder.
    """
    found = dict[str, bool]()
    for folder in folders:
        if not os.path.isdir(folder):
            from pkgutil import iter_modules

            found |= {module.name: module.ispkg for module in iter_modules([folder])}
            continue
        for entry in sorted(os.listdir(folder)):
            name, dot, suffix = entry.partition(".")
            if dot and f".{suffix}" in MODULES and name != "__init__":
                found[name] = False
            elif not dot and any(os.path.isfile(f"{folder}/{name}/__init__{s}") for s in MODULES):
                found[name] = True
    return found


@cache
def installed(group: str | None) -> tuple[EntryPoint, ...]:
    """The entry points of installed projects in that group."""
    if group is None:
        return ()
    archives = any(map(os.path.isfile, sys.path))
    if not archives and f"[{group}]".encode() not in _all_entry_points():
        return ()
    from importlib.metadata import entry_points

    return (*entry_points(group=group),)


@cache
def _all_entry_points() -> bytes:
    """What the installed projects write of their entry points, one after the other.

    `importlib.metadata` takes long to import and looks at more, so it waits for one of ours.
    """
    return b"\n".join(
        _bytes_or_none(os.path.join(place or ".", name, "entry_points.txt"))
        for place in sys.path
        for name in _names_in_folder(place or ".")
        if name.lower().endswith((".dist-info", "egg-info"))
    )


def _names_in_folder(folder: str) -> list[str]:
    try:
        return os.listdir(folder)
    except OSError:  # what is not there, or may not be read, has no modules either
        return []


def _bytes_or_none(path: str) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError:  # most projects have none
        return b""


def plugin(path: Path, type_: type[T]) -> list[tuple[T, str]]:
    """The things that a challenge's own file defines; `PluginError` if none, or it does not run."""
    things = [(thing, path.name) for thing, _ in _marked([module_of(path)], type_)]
    if not things:
        raise PluginError(f"the plugin {quoted(path.name)} defines no {type_.__name__.lower()}")
    return things


def loaded_module(name: str) -> ModuleType | None:
    """The module of that name, if it is loaded; of a plugin also its file at another path."""
    if name in sys.modules or not name.startswith(PLUGIN):
        return sys.modules.get(name)
    same_content = f"{name.rpartition('_')[0]}_"
    return next((sys.modules[n] for n in reversed(sys.modules) if n.startswith(same_content)), None)


def module_of(path: Path) -> ModuleType:
    """The module of a challenge's own file; it runs once, unless the file has changed.

    The file's bytes are compiled here: an import would prefer a `__pycache__` beside the file,
    which may hold other code, and write one where there is none. The module is called by the file's
    path and content, so that what it defines can be sent to a process that has it, too.

    `PluginError` if the file cannot be read or run.
    """
    message = f"the plugin {quoted(path.name)} is not a Python file that can be read"
    if path.suffix not in SOURCE_SUFFIXES or not os.path.isfile(path):  # no pipe is waited for
        raise PluginError(message)
    try:
        code = path.read_bytes()
    except OSError:
        raise PluginError(message) from None
    content = blake2b(code, digest_size=8).hexdigest()
    place = blake2b(os.fsencode(path.absolute()), digest_size=4).hexdigest()
    name = f"{PLUGIN}{path.stem}_{content}_{place}"
    if name in sys.modules:
        return sys.modules[name]
    module = ModuleType(name)
    module.__file__ = str(path)
    with plugin_call(f"the plugin {quoted(path.name)} cannot be loaded"):
        sys.modules[name] = module
        try:
            exec(compile(code, path, "exec", dont_inherit=True), module.__dict__)
        except BaseException:
            del sys.modules[name]
            raise
    return module


@contextmanager
def plugin_call(message: str) -> Iterator[None]:
    """Run third-party code: any exception, and what would end the process, is a `PluginError`."""
    try:
        with AROUND_PLUGINS.get()():
            yield
    except (KeyboardInterrupt, ScorerError):
        raise
    except BaseException as error:
        raise PluginError(f"{message}: {describe_exception(error)}") from error


def _marked(modules: Iterable[ModuleType], type_: type[T]) -> list[tuple[T, str]]:
    """The things marked in these modules themselves, not those that they import.

    One that is different things for several kinds of challenge has them as its `by_kind`.
    """
    return [
        (variant, module.__name__)
        for module in modules
        for value in vars(module).values()
        if callable(value)
        and isinstance(thing := getattr(value, MARK, None), type_)
        and getattr(value, "__module__", None) == module.__name__
        for variant in getattr(thing, "by_kind", (thing,))
    ]
