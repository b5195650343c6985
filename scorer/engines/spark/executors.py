"""What Spark's executors have of what they need, asked once a session."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Mapping
from typing import Any

from scorer.core.errors import UsageError
from scorer.core.text import describe_exception, printable

NEEDED = {"challenge-scorer": "scorer", "polars": "polars", "pyarrow": "pyarrow"}
SAME = ("scorer", "polars")  # ids are hashed by polars on both sides
UNKNOWN = "?"  # the version of what can be imported, and is no installed package
CAUSE = re.compile(r"No module named '?(scorer|polars|pyarrow)|\[?(PYTHON_VERSION_MISMATCH)")
MEND = """; send them an environment that has it (docs/spark.md):
  venv-pack -p environment -o environment.tar.gz
  PYSPARK_PYTHON=./environment/bin/python score ... \
--engine-option spark.archives=environment.tar.gz#environment"""
WHEEL = (
    " (a wheel in --py-files cannot give it: Python loads no compiled code from inside an archive, "
    "such as that of polars, and a wheel does not bring the packages that it needs)"
)

_asked = set[str]()  # the sessions whose executors have what they need


def refuse_executors(session: Any) -> None:
    """Refuse executors that lack scorer, or have another version of it, by `UsageError`."""
    local = hasattr(session, "sparkContext")
    key = session.sparkContext.applicationId if local else session.session_id
    if key in _asked or (local and _are_here(session.sparkContext)):
        return
    try:
        found = _found(session)
    except Exception as error:
        raise UsageError(_failed(session, describe_exception(error, 1_000_000))) from error
    _, *here = _teller(NEEDED)(0).split("\t")
    for python, *there in sorted(found):
        what = f"Python ({printable(python, 200)})"
        for module, mine, its in zip(NEEDED.values(), here, there, strict=True):
            if not its:
                raise UsageError(_lacking(session, what, module))
            if module in SAME and its != mine and UNKNOWN not in (its, mine):
                which = f"{module} {printable(its, 40)}, and this machine {mine}"
                raise UsageError(f"the executors' {what} has {which}{MEND}")
    _asked.add(key)


def _are_here(context: Any) -> bool:
    """Whether the executors run on this machine, with the Python that runs here."""
    return bool(context.master.startswith("local") and context.pythonExec == sys.executable)


def _found(session: Any) -> set[tuple[str, ...]]:
    """The Python of each executor with its number, and the versions of `NEEDED`."""
    from pyspark.sql import functions as F

    # of plain rows: without pyarrow an executor could not say that it has none
    told = F.udf(_teller(NEEDED), "string", useArrow=False)
    rows = session.range(256).select(told("id").alias("told")).distinct().collect()
    return {tuple(row["told"].split("\t")) for row in rows}


def _teller(needed: Mapping[str, str]) -> Callable[[int], str]:
    """What tells versions. It is sent by value: where it runs, there may be no scorer."""
    unknown = UNKNOWN

    def tell(row: int) -> str:
        import sys
        from importlib.metadata import PackageNotFoundError, version
        from importlib.util import find_spec

        found = [f"{sys.executable}, {sys.version.split()[0]}"]
        for package, module in needed.items():
            try:
                found.append(version(package))
            except PackageNotFoundError:
                found.append(unknown if find_spec(module) else "")
        return "\t".join(found)

    return tell


def _failed(session: Any, description: str) -> str:
    """What keeps the executors' Python from starting."""
    cause = CAUSE.search(description)
    if cause is not None and cause[1]:
        return _lacking(session, "Python", cause[1])
    if cause is not None:
        here = ".".join(map(str, sys.version_info[:2]))
        return f"the executors have another version of Python than this machine ({here}){MEND}"
    return f"the executors' Python does not start: {printable(description, 400)}"


def _lacking(session: Any, python: str, lost: str) -> str:
    try:
        files = str(session.conf.get("spark.submit.pyFiles", ""))
    except Exception:  # a server of Spark Connect need not tell
        files = ""
    wheel = WHEEL if ".whl" in files else ""
    return f"the executors' {python} has no {lost}{wheel}{MEND}"
