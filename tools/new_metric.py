"""Write a new metric of ranked lists: `python tools/new_metric.py HitShare [FAMILY | FOLDER]`.

Of a family, such as ranking, the function goes to the end of its module, its name into the table of
families, and the cases into tests/metrics. In a folder, such as that of a challenge, they are files
of their own: a plug-in. All is right from the first moment: the metric is the precision at k, under
another name. Then change the formula, its page and its cases.
"""

from __future__ import annotations

import argparse
import re
from contextlib import suppress
from importlib import import_module
from keyword import iskeyword
from pathlib import Path
from string import Template

from scorer.core.errors import UnknownName
from scorer.metrics.catalogue import metrics

ROOT = Path(__file__).parents[1]
TEMPLATES = Path(__file__).parent / "templates"
MAX_LINE = 100
IMPORTS = {  # of the function: what `scorer` has by name, and from which module families import it
    "Cutoff": "scorer.metrics.parameters",
    "Judged": "scorer.views.ranked",
    "Ratio": "scorer.metrics.ratios",
    "Relevant": "scorer.metrics.parameters",
    "Table": "scorer.metrics.ratios",
    "metric": "scorer.metrics.api",
}


def new_metric(name: str, place: str, root: Path = ROOT) -> list[Path]:
    """Write a metric into a family's module, or into a folder, and return the paths written.

    Raises:
        SystemExit: The name cannot be a function's, or it is taken, or there is no such place.
    """
    function = name.casefold()
    if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", name):
        raise SystemExit(f"a metric's name has letters, digits and _ alone, and not {name!r}")
    if iskeyword(function) or function in IMPORTS:
        raise SystemExit(f"no function can have the name {function!r} here: choose another name")
    with suppress(UnknownName):
        raise SystemExit(
            f"{name!r} is already a name of {metrics().get(name).name}: choose another name"
        )
    words = {
        "name": name,
        "function": function,
        "title": re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).capitalize(),
    }
    code, cases = (_fill(template, words) for template in ("metric.py.txt", "metric.yaml.txt"))
    module = root / "scorer" / "metrics" / f"{place}.py"
    registry = root / "scorer" / "metrics" / "registry.py"
    if module.is_file():
        family = import_module(f"scorer.metrics.{place}")
        if not hasattr(family, "Judged"):
            raise SystemExit(f"{place} is no family of ranked lists: no metric of it reads Judged")
        if hasattr(family, function):
            raise SystemExit(f"{place} has something called {function!r}: choose another name")
        text = module.read_text(encoding="utf-8")
        for used, home in IMPORTS.items():
            if not hasattr(family, used):
                text = _add_import(text, used, home)
        written = {
            module: f"{text}\n\n{code}",
            registry: _add_name(registry.read_text(encoding="utf-8"), place, name),
            root / "tests" / "metrics" / f"{function}.yaml": cases,
        }
    elif Path(place).is_dir():
        head = f'"""{words["title"]}."""\n\nfrom scorer import {", ".join(IMPORTS)}\n\n\n'
        written = {
            Path(place) / f"{function}.py": head + code,
            Path(place) / f"{function}.yaml": cases,
        }
    else:
        raise SystemExit(f"{place!r} is neither a module of scorer/metrics nor a folder")
    for path in written:
        if path.exists() and path not in (module, registry):
            raise SystemExit(f"{path} exists already")
    for path, text in written.items():
        path.write_text(text, encoding="utf-8")
    return list(written)


def _add_import(text: str, name: str, home: str) -> str:
    """A module's text that imports one more name, in the order that ruff keeps."""
    [statement] = re.findall(rf"^from {home} import (?:\([^)]*\)|.*)$", text, re.MULTILINE)
    names = {name, *re.findall(r"\w+", statement.partition(" import ")[2])}
    listed = sorted(names, key=lambda each: (each[0].islower(), each))  # classes before functions
    line = f"from {home} import {', '.join(listed)}"
    if len(line) > MAX_LINE:
        line = "\n".join([f"from {home} import (", *(f"    {each}," for each in listed), ")"])
    return text.replace(statement, line)


def _add_name(text: str, family: str, name: str) -> str:
    """The registry's text with one more name of a family in its table, on a line of its own."""
    lines_of_family = rf"^{family}: .*\n(?:  .*\n)*"
    return re.sub(lines_of_family, rf"\g<0>  {name}\n", text, count=1, flags=re.MULTILINE)


def _fill(template: str, words: dict[str, str]) -> str:
    return Template((TEMPLATES / template).read_text(encoding="utf-8")).substitute(words)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("name", help="as challenges will write it, such as HitShare")
    parser.add_argument("place", nargs="?", default="ranking", help="a family, or a folder")
    given = parser.parse_args()
    for path in new_metric(given.name, given.place):
        print(path.relative_to(ROOT) if path.is_relative_to(ROOT) else path)
