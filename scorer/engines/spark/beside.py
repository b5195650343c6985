"""Modules beside a challenge's own metrics, which travel with them to the workers."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from importlib.abc import InspectLoader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import decode_source, spec_from_loader
from pathlib import Path
from types import ModuleType

MOST_BYTES = 16 * 1024**2  # of modules in a folder, beyond which none is taken along


class Beside(MetaPathFinder, InspectLoader):
    """Imports modules from their sources, by their places in the folder of a plugin."""

    def __init__(self, sources: Mapping[str, bytes]) -> None:
        self._sources = sources

    def _place(self, name: str) -> str | None:
        start = name.replace(".", "/")
        places = f"{start}.py", f"{start}/__init__.py"
        return next((place for place in places if place in self._sources), None)

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """How a module is loaded that is here; None for others."""
        if (place := self._place(fullname)) is None:
            return None
        package = place.endswith("__init__.py")
        return spec_from_loader(fullname, self, origin=place, is_package=package)

    def get_source(self, fullname: str) -> str:
        """The source of a module; `ImportError` where it is not here."""
        if (place := self._place(fullname)) is None:
            raise ImportError(fullname)
        return decode_source(self._sources[place])


def modules_beside(plugins: Sequence[Path]) -> dict[str, bytes]:
    """The sources of modules and packages in the folders of plugins, by their places there."""
    sources = dict[str, bytes]()
    for folder in dict.fromkeys(path.parent for path in plugins):
        found = {file.relative_to(folder).as_posix(): file for file in _modules_in(folder)}
        if sum(file.stat().st_size for file in found.values()) <= MOST_BYTES:
            sources |= {place: file.read_bytes() for place, file in found.items()}
    return sources


def _modules_in(folder: Path) -> Iterator[Path]:
    for path in sorted(folder.iterdir()):
        if path.suffix == ".py" and path.is_file():
            yield path
        elif path.is_dir() and (path / "__init__.py").is_file():
            yield from _modules_in(path)


def use(sources: Mapping[str, bytes]) -> None:
    """Import from these sources, after all else, and no longer from those of another challenge."""
    for name, module in list(sys.modules.items()):
        if isinstance(getattr(getattr(module, "__spec__", None), "loader", None), Beside):
            del sys.modules[name]
    others = [finder for finder in sys.meta_path if not isinstance(finder, Beside)]
    sys.meta_path[:] = [*others, *([Beside(sources)] if sources else [])]
