"""Write the files of a new metric of ranked lists: `python tools/new_metric.py HitShare`.

They are right from the first moment: the metric is the precision at k, under another name. Then
change the formula, its page, its explanation and its cases.
"""

from __future__ import annotations

import argparse
import re
from contextlib import suppress
from keyword import iskeyword
from pathlib import Path
from string import Template

from scorer.core.errors import UnknownName
from scorer.metrics.base import metrics

ROOT = Path(__file__).parents[1]
TEMPLATES = Path(__file__).parent / "templates"


def new_metric(name: str, root: Path = ROOT) -> list[Path]:
    """The paths of the files written.

    Raises:
        SystemExit: the name cannot be a function's, or it is taken.
    """
    function = name.casefold()
    if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", name) or iskeyword(function):
        raise SystemExit(f"a metric's name has letters, digits and _ alone, and not {name!r}")
    with suppress(UnknownName):
        raise SystemExit(
            f"{name!r} is already a name of {metrics().get(name).name}: choose another name"
        )
    files = {
        root / "scorer" / "metrics" / f"{function}.py": "metric.py.txt",
        root / "tests" / "metrics" / f"{function}.yaml": "metric.yaml.txt",
    }
    title = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).capitalize()
    for path, template in files.items():
        text = Template((TEMPLATES / template).read_text(encoding="utf-8"))
        path.write_text(
            text.substitute(name=name, function=function, title=title), encoding="utf-8"
        )
    return list(files)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("name", help="as challenges will write it, such as HitShare")
    for path in new_metric(parser.parse_args().name):
        print(path.relative_to(ROOT))
